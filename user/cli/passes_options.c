// SPDX-License-Identifier: GPL-2.0-or-later
/* The options called PASSES: a table of names per option, nothing is applied here. */
#include "cli/passes_options.h"

#include "util/near_name.h"

#include <errno.h>
#include <string.h>

/* In the order of enum irq_mode; the first of each is the default. */
static const char *const irq_names[] = { "split", "keep", "charge", "drop" };
static const char *const softirq_names[] = { "keep", "split" };
static const char *const collapse_names[] = { "none", "direct", "conservative", "full" };

/* Into the patterns at the row's place. */
static int add_pattern(const struct option_row *row, void *into, const char *arg,
		       struct diag *ret_diag)
{
	struct patterns *to = (struct patterns *)((char *)into + row->at);

	if (!*arg)
		return diag_set(ret_diag, EINVAL, "--%s: an empty name matches nothing", row->name);
	array_reserve(to->globs, to->cap, to->nr + 1);
	to->globs[to->nr++] = arg;
	return 0;
}

/* A list of names. */
static int take_root(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	struct passes *passes = into;
	struct base_frames root = { 0 };
	_cleanup_free_ char *names = xstrdup(arg);

	for (char *rest = names, *name; (name = strsep(&rest, ","));) {
		int kind = near_name_choose(row->name, row->names, row->nr_names, name, ret_diag);

		if (kind < 0)
			return kind;
		if (!base_frames_add(&root, kind))
			return diag_set(ret_diag, EINVAL,
					"--root: '%s': at most %d different ones, and none alone",
					arg, BASE_FRAMES_MAX);
	}
	passes->root = root;
	passes->root_given = true;
	return 0;
}

/* clang-format off */
#define PASSES_ROOT_ROW { OPTION_OWN("root", NULL, take_root), .names = base_frame_names, \
			  .nr_names = NR_BASE_FRAMES }

const struct option_row passes_root_option_rows[] = { PASSES_ROOT_ROW, { 0 } };

const struct option_row passes_option_rows[] = {
	{ OPTION_FLAG("lines", NULL, struct passes, lines) },
	{ OPTION_CHOICE("irq", NULL, struct passes, irq.mode, irq_names) },
	{ OPTION_CHOICE("softirq", NULL, struct passes, irq.split_inline, softirq_names) },
	{ OPTION_CHOICE_GIVEN("collapse", NULL, struct passes, collapse, collapse_names,
			      collapse_given) },
	PASSES_ROOT_ROW,
	{ OPTION_OWN("focus", NULL, add_pattern), .at = offsetof(struct passes, focus) },
	{ OPTION_OWN("ignore", NULL, add_pattern), .at = offsetof(struct passes, ignore) },
	{ 0 },
};
/* clang-format on */

void passes_help(FILE *to)
{
	fputs("transformations, applied in this order:\n"
	      "  --lines                       each line of a function on its own, where lines "
	      "are known\n"
	      "  --irq split|keep|charge|drop  interrupts: on their own, left in place, charged "
	      "to\n"
	      "                                the interrupted function, or dropped (split)\n"
	      "  --softirq keep|split          softirqs that a task runs itself (keep)\n"
	      "  --collapse none|direct|conservative|full\n"
	      "                                collapse recursion (none for files, "
	      "conservative for trees)\n"
	      "  --root LIST                   root frames of each stack (comm): comm, process,\n"
	      "                                thread, cpu, cgroup, unit, container, program, "
	      "host,\n"
	      "                                or none; several as unit,program\n"
	      "  --focus FUNCTION              keep only stacks containing FUNCTION (glob, "
	      "repeatable)\n"
	      "  --ignore FUNCTION             drop stacks containing FUNCTION (glob, "
	      "repeatable)\n",
	      to);
}
