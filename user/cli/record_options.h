/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What eddy record was asked for. */
#ifndef EDDY_CLI_RECORD_OPTIONS_H
#define EDDY_CLI_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/passes.h"
#include "cli/capture_options.h"
#include "util/held_dir.h"
#include "view/outputs.h"
#include "load/stack_files.h"
#include "view/views.h"
#include "util/diag.h"

#define RECORD_DEFAULT_FILE STACK_FILES_DEFAULT

struct record {
	struct capture_options capture;
	uint64_t max_memory_bytes;
	struct passes passes;
	const char **files;
	struct output *outputs; /* one for each file */
	struct held_dir *dirs;	/* the same; NULL: not yet */
	size_t nr_files;
	const char *format;
	const struct view *view; /* NULL: none */
	enum view_sort sort;
	bool only_command, no_sidecar, no_annotate, timeline;
	uint64_t slot_ns; /* of the timeline; 0: not given */
	bool is_default;  /* no -o and no --view */
	char **command;	  /* NULL: none */
};

void record_init(struct record *r);
void record_deinit(struct record *r);
void record_help(void); /* to standard output */
/* 0, OPTIONS_HELP, or -EINVAL with a diag; files and outputs stand then. */
int record_parse(struct record *r, char **argv, struct diag *diag);

/* The view that was asked for, or else the one that reports begin with. */
const struct view *record_view(const struct record *r);
/* Is that output folded text, which others stand beside? */
bool record_is_folded(const struct record *r, size_t i);
/* Does any output want to know at which instructions samples were? */
bool record_has_places(const struct record *r);

#endif
