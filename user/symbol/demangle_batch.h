/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mangled names by way of a parser, several at a time: what is done there, and what is made of its
 * answer by somebody who believes nothing.
 */
#ifndef EDDY_SYMBOL_DEMANGLE_BATCH_H
#define EDDY_SYMBOL_DEMANGLE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/worker_parser.h"

#define DEMANGLE_BATCH_BYTES 8000 /* of names, each with a NUL behind it */
#define DEMANGLE_NAME_MS     20	  /* of processor time for a few; who needs more is killed */

/*
 * To be run by worker_parse(): the request's bytes are names.  The first descriptor is of a file in
 * memory, to which the number of each name is written before it is read (uint32_t); -1: nowhere.
 * The answer tells of the first names, as many as there is room for and one at least.
 */
void demangle_batch_parse(const struct worker_request *request, struct worker_answer *answer);

struct demangled {
	const char *name; /* NULL: it stays mangled; no NUL behind it */
	size_t len;
};

/*
 * What an answer says of up to nr names, in their order; it lives as long as the answer.  How many
 * it tells of, or -EPIPE when it is no such answer.
 */
int demangle_batch_of(const struct worker_answer *answer, struct demangled *names, size_t nr);

#endif
