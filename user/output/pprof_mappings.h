/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where code is: which file (a mapping of pprof's) and where in it.  It comes from the instruction
 * that a frame is, or from the function; or, for text that was read, from a name
 * "[FILE+0xADDRESS]".
 */
#ifndef EDDY_OUTPUT_PPROF_MAPPINGS_H
#define EDDY_OUTPUT_PPROF_MAPPINGS_H

#include "profile/frame.h"
#include "util/strbuf.h"

/* One file that code is from. */
struct pprof_mapping {
	str_id name;
	bool is_kernel;	       /* its addresses are the kernel's */
	bool is_kernel_module; /* its name stands in brackets */
	bool has_places;       /* addresses are those of instructions */
	str_id build_id;       /* bytes; 0: not known */
	uint64_t base;	       /* with places: address - base is the offset in the file */
	uint64_t start;	       /* the first address */
	uint64_t limit;	       /* behind the last one; 0: none is known */
	uint32_t next;	       /* another one of that name: its number + 1 */
};

struct pprof_mappings {
	struct pprof_mapping *mappings;
	size_t nr, cap;
	uint32_t *of_name; /* by str_id: number in mappings + 1; 0: none */
	size_t cap_names;
};

void pprof_mappings_deinit(struct pprof_mappings *m);

struct pprof_place {
	uint64_t mapping; /* its id, from 1; 0: not known */
	uint64_t address; /* 0: not known */
};

/* The frame is in the file. */
void pprof_mappings_use(struct pprof_mappings *m, struct frame_table *frames, frame_id frame);
/* Where a frame is that was used. */
struct pprof_place pprof_mappings_place(struct pprof_mappings *m, struct frame_table *frames,
					frame_id frame);
/* What mapping i is called, in place of what is in sb. */
void pprof_mappings_name(const struct pprof_mappings *m, size_t i, const struct frame_table *frames,
			 struct strbuf *sb);
/* The build id of mapping i in hex, in place of what is in sb; false: it has none. */
bool pprof_mappings_build_id(const struct pprof_mappings *m, size_t i,
			     const struct frame_table *frames, struct strbuf *sb);
/* Adds the fields of mapping i; name and build_id (0: none) are the numbers of those strings. */
void pprof_mappings_add(const struct pprof_mappings *m, size_t i, uint64_t name, uint64_t build_id,
			struct strbuf *sb);

#endif
