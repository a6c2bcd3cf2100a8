/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph in callgrind's format 1 ("Callgrind Format Specification" of the Valgrind manual)
 * for KCachegrind and callgrind_annotate: self samples of every function, and for every arc its
 * occurrences as calls and its exact inclusive samples as cost.
 *
 * A function `!all` calls every real root: KCachegrind starts its search for cycles at the first
 * function by name and misses a cycle that holds it.
 */
#ifndef EDDY_OUTPUT_CALLGRIND_H
#define EDDY_OUTPUT_CALLGRIND_H

#include "output/graph_view.h"
#include "output/writer.h"

/* Nothing is left out; the options are not asked. */
void callgrind_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts);

/* ".callgrind", and files whose name begins "callgrind.out" */
extern const struct writer callgrind_writer;

#endif
