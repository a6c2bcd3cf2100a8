/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a collector is made of, for the files that are one: collector*.c. */
#ifndef EDDY_COLLECT_COLLECTOR_TABLE_H
#define EDDY_COLLECT_COLLECTOR_TABLE_H

#include <limits.h>

#include "collect/collector.h"

struct stack {
	node_id node;
	uint16_t flags;	  /* enum eddy_sample_flag */
	uint8_t user_end; /* enum eddy_unwind_end; EDDY_END_KTHREAD: nothing to walk */
	uint8_t nr_kernel, nr_kernel_named;
	uint16_t nr_user, nr_user_named;
	uint64_t samples, weight;
};

/* What is known of a node besides its weight. */
struct modes {
	uint64_t off_stack, user_mode;
};

struct collector {
	struct collector_opts opts;
	struct symbolizer *symbolizer;
	struct frame_table *frames;
	struct profile *profile;
	struct timeline *timeline; /* NULL: none is kept */
	struct cgroups *cgroups;   /* NULL unless asked for */
	char host[HOST_NAME_MAX + 1];
	struct stack *stacks;
	size_t nr, cap;
	/* Of this window, by tags that were forgotten. */
	struct collector_stats past;
	struct modes *past_modes; /* by node */
	size_t nr_past_modes;
	frame_id truncated;
	size_t trim_at;	 /* bytes */
	bool is_trimmed; /* this window */
	uint64_t nr_short_names;
	uint64_t rest_ns; /* of waits, less than a microsecond, not in any profile yet */
	uint64_t waits, wait_us[EDDY_NR_WAITS], lost_us; /* in this window */
};

/* Trims the profile when it has grown beyond its bound; nodes of stacks and modes follow it. */
void collector_fit(struct collector *c);
/* The same frames in another table, which is the profile's from then on. */
void collector_set_frames(struct collector *c, struct frame_table *frames);

#endif
