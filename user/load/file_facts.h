/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the `.json` files beside the input say of all of it: read once, before the stacks are. */
#ifndef EDDY_LOAD_FILE_FACTS_H
#define EDDY_LOAD_FILE_FACTS_H

#include <stdbool.h>

#include "load/stack_files.h"

struct file_facts {
	char *unit;	/* what a count is, in words (archive/count_unit.h); NULL: a sample */
	bool has_bases; /* all say what their stacks begin with */
	/*
	 * That, where it is the same for all; else its last is NR_BASE_FRAMES.  With the host where
	 * the files are read so (stack_files_opts.with_host).
	 */
	struct base_frames root;
};

/*
 * Where there is no `.json` counts are samples, and nothing is known of bases.  -EINVAL with a diag
 * when units differ so that the files must not be added up.
 */
int file_facts_find(struct stack_files *files, const struct stack_files_opts *opts,
		    struct file_facts *ret_facts, struct diag *ret_diag);
/*
 * What a `.json` says the stacks beside it begin with: comm where it is older than the member, and
 * one NR_BASE_FRAMES, with false, where it is not known.
 */
bool file_facts_base_frames(const struct json *sidecar, struct base_frames *ret_frames);
/* How many of a stack's first frames are base frames; root: what --root made of them, or NULL. */
size_t file_facts_nr_bases(const struct file_facts *facts, const struct base_frames *root);
void file_facts_deinit(struct file_facts *facts); /* zero-filled is fine */
#define _cleanup_file_facts_ __attribute__((cleanup(file_facts_deinit)))

#endif
