// SPDX-License-Identifier: GPL-2.0-or-later
/* All numbers are of samples; by what rates are taken stands in the meta data, for the viewer. */
#include "output/html_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/html.h"
#include "output/html_fit.h"
#include "util/mem.h"

static enum html_test test_of(const struct diff_view *v, const struct diff_number *n)
{
	if (!n->is_tested)
		return HTML_UNTESTED;
	return diff_view_is_marked(v, n) ? HTML_MARKED : HTML_UNMARKED;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Where several nodes became one, none of their tests is its. */
static void add_tests(struct html_tree *t, const struct html_fit *fit, const struct diff_view *v)
{
	size_t nr = profile_nr_nodes(fit->p);
	_cleanup_free_ uint8_t *tests = xcalloc(nr, sizeof(*tests));
	struct diff_rows rows;

	diff_paths(v->diff, v->opts->level, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct diff_number *n = &rows.rows[i].self;
		node_id at = html_fit_node(fit, rows.rows[i].id);

		if (fit->sums[at] == n->rates.before + n->rates.after)
			tests[at] = test_of(v, n);
		if (!rows.rows[i].id) /* all: node 0 of the page, too */
			strbuf_addch(&t->sections[HTML_TESTS], (char)test_of(v, n));
	}
	free(rows.rows);
	html_tree_add_bytes(t, HTML_TESTS, tests);
}

static void add_function_tests(struct html_tree *t, const struct diff_view *v)
{
	_cleanup_free_ uint8_t *tests = xcalloc(t->functions.nr, 2);

	for (size_t i = 0; i < v->rows.nr; i++) {
		const struct diff_row *row = &v->rows.rows[i];
		uint32_t rank = t->functions.rank[row->id];

		if (rank == UINT32_MAX) /* all of it is left out */
			continue;
		tests[2 * rank] = test_of(v, &row->inclusive);
		tests[2 * rank + 1] = test_of(v, &row->self);
	}
	strbuf_add(&t->sections[HTML_FUNCTION_TESTS], (char *)tests, 2 * t->functions.nr);
}

static void add_side(struct html_tree *t, enum html_section to, const struct html_fit *fit,
		     const struct diff *d, enum diff_side side)
{
	_cleanup_profile_ struct profile *p = diff_profile(d, side);
	_cleanup_free_ uint64_t *values =
		html_fit_column(fit, profile_selves(p), profile_nr_nodes(p));

	html_tree_add_values(t, to, values);
}

/* ---- meta data ------------------------------------------------------------------------------- */

static void add_numbers(struct json *meta, json_id to, const char *name,
			const double values[NR_DIFF_SIDES])
{
	json_id list = json_add(meta, to, name, JSON_ARRAY);

	for (int s = 0; s < NR_DIFF_SIDES; s++)
		json_set_number(meta, json_add(meta, list, NULL, JSON_NUMBER), values[s]);
}

/* What the text of `eddy diff` says of how it was compared. */
static int add_words(struct json *meta, json_id to, const struct diff_view *v,
		     struct diag *ret_diag)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return diag_set(ret_diag, errno, "memory for a page: %s", strerror(errno));
	diff_totals_write(f, v);
	diff_base_write(f, v);
	diff_test_write(f, v);
	diff_level_write(f, v);
	fclose(f);
	json_add_string(meta, to, "words", text);
	return 0;
}

static int add_meta(struct json *meta, const struct diff_view *v, struct diag *ret_diag)
{
	const double dues[] = { diff_due(v->diff, DIFF_BEFORE), diff_due(v->diff, DIFF_AFTER) };
	json_id about = json_add(meta, JSON_ROOT, "diff", JSON_OBJECT), names;

	json_add_string(meta, about, "per", diff_per_names[v->opts->base.per]);
	json_set_number(meta, json_add(meta, about, "whole", JSON_NUMBER), diff_view_whole(v));
	json_set_number(meta, json_add(meta, about, "level", JSON_NUMBER), v->opts->level);
	add_numbers(meta, about, "due", dues);
	names = json_add(meta, about, "names", JSON_ARRAY);
	for (int s = 0; s < NR_DIFF_SIDES; s++)
		json_add_string(meta, names, NULL, v->opts->names[s]);
	return add_words(meta, about, v, ret_diag);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Both sides' samples together: the tree has what either has. */
static struct profile *both_sides(const struct diff *d)
{
	struct profile *both = diff_profile(d, DIFF_AFTER);
	_cleanup_profile_ struct profile *before = diff_profile(d, DIFF_BEFORE);

	for (node_id n = 0; n < profile_nr_nodes(before); n++)
		profile_add(both, n, profile_self(before, n)); /* diff_add() saw that it fits */
	return both;
}

static void add_account(struct html_tree *t, enum html_section to, const char *account)
{
	if (account)
		strbuf_addstr(&t->sections[to], account);
}

int html_diff_write(FILE *to, const struct diff *d, const struct diff_opts *diff_opts,
		    const struct writer_opts *opts, const char *const accounts[NR_DIFF_SIDES],
		    struct diag *ret_diag)
{
	_cleanup_diff_view_ struct diff_view view = { .name = STRBUF_INIT };
	_cleanup_html_tree_ struct html_tree tree = { 0 };
	_cleanup_html_fit_ struct html_fit fit = { 0 };
	_cleanup_profile_ struct profile *both = both_sides(d);
	_cleanup_json_ struct json *meta = NULL;
	int r;

	diff_view_init(&view, d, diff_opts);
	html_fit_init(&fit, both, HTML_MAX_NODES);
	html_tree_init(&tree, fit.p, fit.sums, opts->no_annotate);
	add_side(&tree, HTML_BEFORE, &fit, d, DIFF_BEFORE);
	add_side(&tree, HTML_SELVES, &fit, d, DIFF_AFTER);
	add_tests(&tree, &fit, &view);
	add_function_tests(&tree, &view);
	add_account(&tree, HTML_ACCOUNT_BEFORE, accounts[DIFF_BEFORE]);
	add_account(&tree, HTML_ACCOUNT, accounts[DIFF_AFTER]);
	meta = html_meta_new(opts, &fit.left_out);
	r = add_meta(meta, &view, ret_diag);
	return r < 0 ? r : html_page_write(to, &tree, meta, ret_diag);
}
