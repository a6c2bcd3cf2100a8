/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples of `perf script` text are read: those of one event, of some processes and threads.
 * Counts of different events do not add up, so without a wish it is the first event's; the others
 * are counted by name and told.
 */
#ifndef EDDY_INPUT_PERF_EVENT_CHOICE_H
#define EDDY_INPUT_PERF_EVENT_CHOICE_H

#include "input/perf_line.h"
#include "input/reader.h"
#include "util/strbuf.h"

#define PERF_OTHER_EVENTS 8 /* that are told by name */

struct perf_event_choice {
	const struct input_opts *opts;
	char *event; /* the one that is read; NULL: the first one will be */
	bool is_all;
	uint64_t nr_read;  /* samples of it, of whatever process */
	uint64_t nr_other; /* samples that are left out for their event */
	struct {
		char *name;
		uint64_t nr;
	} others[PERF_OTHER_EVENTS];
};

void perf_event_choice_init(struct perf_event_choice *c, const struct input_opts *opts);
void perf_event_choice_deinit(struct perf_event_choice *c);

/*
 * Is the sample read?  0 or 1; -EINVAL with *ret_what when it does not say what it is chosen by.
 */
int perf_event_choice_takes(struct perf_event_choice *c, const struct perf_header *h,
			    const char **ret_what);
/* The samples that were left out, by event: "cpu-clock 16, faults 2". */
void perf_event_choice_print_others(const struct perf_event_choice *c, struct strbuf *to);

#endif
