// SPDX-License-Identifier: GPL-2.0-or-later
/* The one loop over getopt_long(); it is given a table that is made of the groups. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "util/cleanup.h"
#include "util/near_name.h"
#include "util/strbuf.h"

#define ID_FIRST 0x100 /* above every letter */

struct option_table {
	const struct option_group *groups;
	struct option *longs; /* row i has val ID_FIRST + i; then help, then zero */
	const struct option_group **group_of;
	const struct option_row **rows;
	size_t nr;
	struct strbuf letters; /* as getopt_long() wants them */
	size_t by_letter[128]; /* the place of the row, and 1; 0: none */
};

static void option_table_deinit(struct option_table *t)
{
	free(t->longs);
	free(t->group_of);
	free(t->rows);
	strbuf_deinit(&t->letters);
}

static int add_letters(struct option_table *t, const struct option_row *row, struct diag *ret_diag)
{
	for (const char *letter = row->letters; letter && *letter; letter++) {
		size_t *place = &t->by_letter[*letter & 0x7f];

		if (*place)
			return diag_set(ret_diag, EINVAL, "-%c: two options have it", *letter);
		*place = t->nr + 1;
		strbuf_addf(&t->letters, "%c%s", *letter, row->is_flag ? "" : ":");
	}
	return 0;
}

static int add_row(struct option_table *t, const struct option_group *group,
		   const struct option_row *row, struct diag *ret_diag)
{
	int r = add_letters(t, row, ret_diag);

	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->rows[i]->name, row->name))
			return diag_set(ret_diag, EINVAL, "--%s: two options have it", row->name);
	if (r < 0)
		return r;
	t->longs[t->nr] = (struct option){
		.name = row->name,
		.has_arg = row->is_flag ? no_argument : required_argument,
		.val = ID_FIRST + (int)t->nr,
	};
	t->group_of[t->nr] = group;
	t->rows[t->nr++] = row;
	return 0;
}

static size_t count_rows(const struct option_group *groups)
{
	size_t nr = 0;

	for (const struct option_group *g = groups; g->rows; g++)
		for (const struct option_row *row = g->rows; row->name; row++)
			nr++;
	return nr;
}

/* "+": stop at the first operand; ":": tell a missing value from an unknown option, in silence. */
static int make_table(struct option_table *t, const struct option_group *groups, bool is_ordered,
		      struct diag *ret_diag)
{
	static const struct option_row help = { .name = "help", .letters = "h", .is_flag = true };
	size_t nr = count_rows(groups) + 1;
	int r;

	t->longs = xcalloc(nr + 1, sizeof(*t->longs));
	t->group_of = xcalloc(nr, sizeof(struct option_group *));
	t->rows = xcalloc(nr, sizeof(struct option_row *));
	strbuf_addstr(&t->letters, is_ordered ? "+:" : ":");
	for (const struct option_group *g = groups; g->rows; g++)
		for (const struct option_row *row = g->rows; row->name; row++) {
			r = add_row(t, g, row, ret_diag);
			if (r < 0)
				return r;
		}
	return add_row(t, NULL, &help, ret_diag);
}

/* The option that a long one was meant to be, by its name without a value. */
static void offer(const struct option_table *t, const char *typed, char hint[NEAR_NAME_BYTES])
{
	const char *from = typed + strspn(typed, "-");
	_cleanup_free_ char *name = xmemdup0(from, strcspn(from, "="));
	struct near_name near = { .typed = name };

	for (size_t i = 0; i < t->nr; i++)
		near_name_offer(&near, t->rows[i]->name);
	near_name_hint(&near, "--", hint);
}

/* optopt is the letter, the number of a known option, or 0 for a long one that is not known. */
static int fail(const struct option_table *t, int c, const char *typed, struct diag *ret_diag)
{
	const char *why = c == ':' ? "a value is missing" : "no such option";
	char hint[NEAR_NAME_BYTES] = "";

	if (optopt && optopt < ID_FIRST)
		return diag_set(ret_diag, EINVAL, "-%c: %s", optopt, why);
	if (c == '?')
		why = optopt ? "it takes no value" : "no such option (or not unique)";
	if (c == '?' && !optopt)
		offer(t, typed, hint);
	return diag_set(ret_diag, EINVAL, "%s: %s%s", typed, why, hint);
}

/* OPTIONS_HELP, or what became of the row that getopt_long() found. */
static int take(const struct option_table *t, int c, struct diag *ret_diag)
{
	size_t i = c < ID_FIRST ? t->by_letter[c & 0x7f] - 1 : (size_t)(c - ID_FIRST);
	const struct option_group *group = t->group_of[i];
	const struct option_row *row = t->rows[i];

	if (!row->take)
		return help_begin(), OPTIONS_HELP;
	if (group->given)
		*group->given |= row->given;
	return row->take(row, group->into, row->is_flag ? NULL : optarg, ret_diag);
}

int options_parse(const struct option_group *groups, bool is_ordered, char **argv,
		  char ***ret_operands, struct diag *ret_diag)
{
	__attribute__((
		cleanup(option_table_deinit))) struct option_table t = { .letters = STRBUF_INIT };
	int argc = 0, c, r = make_table(&t, groups, is_ordered, ret_diag);

	if (r < 0)
		return r;
	while (argv[argc])
		argc++;
	optind = 0; /* glibc: begin anew */
	while ((c = getopt_long(argc, argv, t.letters.bytes, t.longs, NULL)) >= 0) {
		if (c == '?' || c == ':')
			return fail(&t, c, argv[optind - 1], ret_diag);
		r = take(&t, c, ret_diag);
		if (r)
			return r;
	}
	*ret_operands = argv + optind;
	return 0;
}

const char *options_given_name(const struct option_row *rows, unsigned int given)
{
	for (; rows->name; rows++)
		if (rows->given & given)
			return rows->name;
	return NULL;
}
