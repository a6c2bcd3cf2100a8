/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file's unwind table by way of a parser: what is read there, and what is made of its answer. */
#ifndef EDDY_UNWIND_UNWIND_PARSE_H
#define EDDY_UNWIND_UNWIND_PARSE_H

#include "unwind/unwind_table.h"
#include "util/worker_parser.h"

/* To be run by worker_parse(): the table of the file that the first descriptor is open for. */
void unwind_parse(const struct worker_request *request, struct worker_answer *answer);

/*
 * The table of such an answer; its rules go into the dictionary, NULL: into one of its own.  NULL:
 * the answer holds none.
 */
struct unwind_table *unwind_parsed(const struct worker_answer *answer, struct unwind_rules *rules);

#endif
