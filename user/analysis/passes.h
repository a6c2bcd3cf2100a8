/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to stacks between the source (sampler or file) and the view: the choices, as every
 * command that shows or writes stacks has them.  analysis/pipeline.h applies them.
 */
#ifndef EDDY_ANALYSIS_PASSES_H
#define EDDY_ANALYSIS_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/calltree.h"
#include "analysis/irq_pass.h"
#include "profile/base_frame.h"

/* Glob patterns; the strings are somebody else's and outlive this. */
struct patterns {
	const char **globs;
	size_t nr, cap;
};

struct passes {
	bool lines; /* frames stay at their lines; else they are functions */
	struct irq_opts irq;
	enum collapse_degree collapse;
	bool collapse_given; /* else each view and format has its own default */
	struct base_frames root;
	bool root_given; /* a file's base frames are left as they are unless asked */
	struct patterns focus, ignore;
};

/* Everything at its default. */
void passes_init(struct passes *p);
void passes_deinit(struct passes *p);
#define _cleanup_passes_ __attribute__((cleanup(passes_deinit)))

#endif
