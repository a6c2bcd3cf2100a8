/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the samples of a pprof profile refer to: strings by number, functions, mappings and
 * locations by ids that whoever wrote it chose.  They may stand behind the samples, so the profile
 * is in memory as a whole, and tables point into it.
 */
#ifndef EDDY_INPUT_PPROF_TABLES_H
#define EDDY_INPUT_PPROF_TABLES_H

#include "input/perf_line.h"
#include "input/protobuf_read.h"
#include "input/reader.h"

#define PPROF_MAX_TYPES 64  /* of values of a sample; Go's profiles have four at most */
#define PPROF_MAX_LINES 256 /* of a location; compilers inline no deeper than some tens */

/* Field numbers of profile.proto. */
enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_PERIOD_TYPE = 11,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
	PPROF_LAST = 15,
};

struct pprof_entry {
	uint64_t id;
	struct protobuf message;
	frame_id *frames; /* of a location: innermost first; NULL: not asked for yet */
	size_t nr_frames;
};

/* Messages of one kind. */
struct pprof_list {
	struct pprof_entry *entries; /* the first is none */
	size_t nr, cap;
	struct pprof_ids *by_id;
};

struct pprof_tables {
	struct reading *r;
	uint8_t *bytes;
	size_t len;
	struct bytes *strings;
	size_t nr_strings, cap_strings;
	struct {
		uint64_t type, unit;
	} types[PPROF_MAX_TYPES];
	size_t nr_types;
	uint64_t default_type; /* a string; 0: none */
	struct pprof_list mappings, functions, locations;
	bool is_own; /* written by eddy: names have eddy's suffixes and marks */
};

/* Reads all of the input.  0 or -errno with a diag. */
int pprof_tables_read(struct pprof_tables *t, struct reading *r);
void pprof_tables_deinit(struct pprof_tables *t); /* zero-filled is fine */

/* -EINVAL with a diag that says where: a place in the unpacked bytes. */
int pprof_fail(const struct pprof_tables *t, const uint8_t *where, const char *what);
/* The string of a number; false: there is none. */
bool pprof_string(const struct pprof_tables *t, uint64_t number, struct bytes *ret);
/* The entry of an id, or NULL. */
struct pprof_entry *pprof_find(const struct pprof_list *list, uint64_t id);

#endif
