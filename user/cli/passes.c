// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of the options called PASSES: a table of names per option, nothing is applied here. */
#include "cli/passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/strbuf.h"

/* In the order of enum irq_mode; the first of each is the default. */
static const char *const irq_names[] = { "split", "keep", "charge", "drop" };
static const char *const softirq_names[] = { "keep", "split" };
static const char *const collapse_names[] = { "none", "direct", "conservative", "full" };
static const char *const root_names[] = { "comm", "process", "thread", "cpu", "cgroup", "none" };

void passes_init(struct passes *p)
{
	*p = (struct passes){ .collapse = COLLAPSE_NONE, .root = ROOT_PASS_COMM };
}

void passes_deinit(struct passes *p)
{
	free(p->focus.globs);
	free(p->ignore.globs);
	p->focus = p->ignore = (struct patterns){ 0 };
}

int option_choice(const char *option, const char *const *names, size_t n, const char *arg,
		  struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(arg, names[i]))
			return i;
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	return diag_set(ret_diag, EINVAL, "%s: '%s' is not one of %s", option, arg, all.bytes);
}

static int add_pattern(struct patterns *to, const char *option, const char *glob,
		       struct diag *ret_diag)
{
	if (!*glob)
		return diag_set(ret_diag, EINVAL, "%s: an empty name matches nothing", option);
	array_reserve(to->globs, to->cap, to->nr + 1);
	to->globs[to->nr++] = glob;
	return 0;
}

static int choose(const char *option, const char *const *names, size_t n, const char *arg,
		  int *ret_value, struct diag *ret_diag)
{
	int r = option_choice(option, names, n, arg, ret_diag);

	if (r >= 0)
		*ret_value = r;
	return r < 0 ? r : 0;
}

int passes_option(struct passes *p, int option, const char *arg, struct diag *ret_diag)
{
	int value = 0, r = 0;

	switch (option) {
	case OPTION_IRQ:
		r = choose("--irq", irq_names, ARRAY_SIZE(irq_names), arg, &value, ret_diag);
		if (!r)
			p->irq.mode = value;
		return r;
	case OPTION_SOFTIRQ:
		r = choose("--softirq", softirq_names, ARRAY_SIZE(softirq_names), arg, &value,
			   ret_diag);
		if (!r)
			p->irq.split_inline = value;
		return r;
	case OPTION_COLLAPSE:
		r = choose("--collapse", collapse_names, ARRAY_SIZE(collapse_names), arg, &value,
			   ret_diag);
		if (!r) {
			p->collapse = value;
			p->collapse_given = true;
		}
		return r;
	case OPTION_ROOT:
		r = choose("--root", root_names, ARRAY_SIZE(root_names), arg, &value, ret_diag);
		if (!r) {
			p->root = value;
			p->root_given = true;
		}
		return r;
	case OPTION_FOCUS:
		return add_pattern(&p->focus, "--focus", arg, ret_diag);
	case OPTION_IGNORE:
		return add_pattern(&p->ignore, "--ignore", arg, ret_diag);
	}
	return -ENOENT;
}

void passes_help(FILE *to)
{
	fputs("passes, in this order:\n"
	      "  --irq split|keep|charge|drop  interrupt work: on its own, left in place, charged "
	      "to\n"
	      "                                what it hit, or left out (split)\n"
	      "  --softirq keep|split          softirqs that a task runs itself (keep)\n"
	      "  --collapse none|direct|conservative|full\n"
	      "                                fold recursion (none for files, conservative for "
	      "trees)\n"
	      "  --root comm|process|thread|cpu|cgroup|none\n"
	      "                                what stands over a task's frames (comm)\n"
	      "  --focus FUNCTION              keep only stacks that hold it (glob, repeatable)\n"
	      "  --ignore FUNCTION             drop stacks that hold it (glob, repeatable)\n",
	      to);
}
