/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs of others of the kinds under which the kernel does not run programs on perf events:
 * kprobe, tracepoint, perf_event.  Raw tracepoints and trampolines (fentry) hold nobody off.  Not
 * known without CAP_SYS_ADMIN.
 */
#ifndef EDDY_CAPTURE_OTHER_PROGRAMS_H
#define EDDY_CAPTURE_OTHER_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_OTHER_PROGRAMS 64

struct other_program {
	uint32_t id;
	const char *kind; /* a constant */
	char name[16];	  /* letters, digits, '_' and '.', as the kernel wants it; may be empty */
	uint64_t run_ns;  /* in the window that ended; 0 unless somebody has the kernel count it */
	bool is_gone;	  /* it was unloaded in that window */
	/* Since then, as it was looked at last. */
	uint64_t run_ns_now, run_ns_so_far;
	bool is_gone_now;
};

struct other_programs {
	bool is_known;
	uint32_t own_id, last_id;
	struct other_program items[MAX_OTHER_PROGRAMS];
	size_t nr;
	uint64_t nr_more; /* that found no room */
};

/* Those loaded now, but for the own one. */
void other_programs_begin(struct other_programs *o, uint32_t own_id);
/* Adds those loaded since, and their time; cheap, to be called about once a second. */
void other_programs_look(struct other_programs *o);
/* Ends a window: those that were there in it, with their time. */
void other_programs_update(struct other_programs *o);

#endif
