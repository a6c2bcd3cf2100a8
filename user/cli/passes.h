/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options called PASSES, the same for every command that shows or writes stacks: what is done
 * to them between the source (sampler or file) and the view.  cli/pipeline.h applies them.
 *
 * A command mixes them into its own getopt_long table:
 *
 *	static const struct option options[] = { PASSES_OPTIONS, { "help", ... }, { 0 } };
 *	...
 *	r = passes_option(&passes, c, optarg, &diag);
 *	if (r == -ENOENT) one of the command's own, else if (r < 0) wrong usage: diag says why
 */
#ifndef EDDY_CLI_PASSES_H
#define EDDY_CLI_PASSES_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/calltree.h"
#include "analysis/irq_pass.h"
#include "util/diag.h"

/* --root: what stands over the frames of a task. */
enum root_pass {
	ROOT_PASS_COMM,
	ROOT_PASS_PROCESS,
	ROOT_PASS_THREAD,
	ROOT_PASS_CPU,
	ROOT_PASS_CGROUP,
	ROOT_PASS_NONE,
};

/* Glob patterns of one option; the strings belong to argv. */
struct patterns {
	const char **globs;
	size_t nr, cap;
};

struct passes {
	struct irq_opts irq;
	enum collapse_degree collapse;
	bool collapse_given; /* else each view and format has its own default */
	enum root_pass root;
	bool root_given; /* a file's base frames are left as they are unless asked */
	struct patterns focus, ignore;
};

/* Values of getopt_long's `val`; a command's own long options begin at OPTION_OWN. */
enum {
	OPTION_IRQ = 0x100,
	OPTION_SOFTIRQ,
	OPTION_COLLAPSE,
	OPTION_ROOT,
	OPTION_FOCUS,
	OPTION_IGNORE,
	OPTION_OWN = 0x200,
};

/* clang-format off */
#define PASSES_OPTIONS                                                                             \
	{ "irq", required_argument, NULL, OPTION_IRQ },                                            \
	{ "softirq", required_argument, NULL, OPTION_SOFTIRQ },                                    \
	{ "collapse", required_argument, NULL, OPTION_COLLAPSE },                                  \
	{ "root", required_argument, NULL, OPTION_ROOT },                                          \
	{ "focus", required_argument, NULL, OPTION_FOCUS },                                        \
	{ "ignore", required_argument, NULL, OPTION_IGNORE }
/* clang-format on */

/* Everything at its default. */
void passes_init(struct passes *p);
void passes_deinit(struct passes *p);
#define _cleanup_passes_ __attribute__((cleanup(passes_deinit)))

/*
 * Takes one option that getopt_long returned: 0, -ENOENT when it is not one of these, -EINVAL with
 * a diag ("--irq: 'x' is not one of split, keep, charge, drop") when the value is wrong.  arg must
 * live as long as p does.
 */
int passes_option(struct passes *p, int option, const char *arg, struct diag *ret_diag);

/* The lines about these options for a command's --help. */
void passes_help(FILE *to);

/*
 * One of n names to its index; -EINVAL with a diag naming the option and all names.  For options
 * of commands too.
 */
int option_choice(const char *option, const char *const *names, size_t n, const char *arg,
		  struct diag *ret_diag);

#endif
