// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views that are call trees: `tree` of all stacks, `callees` and `callers` of one function.
 * They differ in the stacks that the tree is made of, and in nothing else.
 */
#include <inttypes.h>

#include "analysis/function_find.h"
#include "analysis/method.h"
#include "analysis/pipeline.h"
#include "view/views.h"
#include "output/folded.h"
#include "output/tree_dot.h"
#include "output/tree_text.h"
#include "output/tree_tsv.h"
#include "profile/frame_text.h"

#define DEFAULT_MIN_PERCENT 0.5 /* of what is for people */

/* The stacks that a view is about. */
struct source {
	struct method_stacks method; /* of callees and callers */
	struct profile *made;	     /* what these are of, when it is not the one that was given */
	struct strbuf sum;	     /* which functions `of` is the sum of; "": it is one */
	frame_id of;
	const struct profile *profile;
};

static void source_deinit(struct source *s)
{
	method_stacks_deinit(&s->method);
	profile_free(s->made);
	strbuf_deinit(&s->sum);
}

static bool is_method(const struct view_args *args)
{
	return args->view->options & VIEW_OF;
}

/* All functions that --of matches, when these are several: stacks in which they are one. */
static bool find_sum(struct source *s, const struct view_args *args)
{
	s->made = functions_sum(args->profile, args->of, &s->of, &s->sum);
	if (s->made)
		s->profile = s->made;
	return s->made;
}

static int source_init(struct source *s, const struct view_args *args, struct diag *ret_diag)
{
	struct diag why;
	int r;

	*s = (struct source){ .profile = args->profile, .sum = STRBUF_INIT };
	if (!is_method(args))
		return 0;
	if (!find_sum(s, args)) {
		r = function_find(args->profile, args->of, &s->of, &why);
		if (r < 0)
			return diag_set(ret_diag, -r, "--of: '%s' %s", args->of, why.text);
	}
	if (args->view == &view_callees)
		method_callees(s->profile, s->of, &s->method);
	else
		method_callers(s->profile, s->of, args->time_self, &s->method);
	s->profile = s->method.profile;
	return 0;
}

static struct tree_rows_opts rows_opts(const struct view_args *args, double min_percent)
{
	return (struct tree_rows_opts){
		.sort_first = args->sort == VIEW_SORT_FIRST,
		.sort_self = args->sort == VIEW_SORT_SELF,
		.depth = args->depth,
		.min_percent = args->min_percent < 0 ? min_percent : args->min_percent,
		.limit = args->limit,
	};
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void make_title(const struct view_args *args, const struct source *s, struct strbuf *title)
{
	static const char *const recursion[] = { "not collapsed", "collapsed (direct)",
						 "collapsed (conservative)", "collapsed (full)" };
	uint64_t n = s->method.samples;

	if (!is_method(args)) {
		strbuf_addf(title, "%" PRIu64 " sample%s; recursion %s", profile_total(s->profile),
			    plural(profile_total(s->profile)), recursion[args->collapse]);
		return;
	}
	strbuf_addf(title, "%s of ", args->view->name);
	frame_text_add(title, profile_frames(s->profile), s->of, false);
	strbuf_addf(title, ": %" PRIu64 " sample%s%s, %" PRIu64 " call site%s; recursion %s", n,
		    plural(n), args->time_self ? " that end in it" : "", s->method.call_sites,
		    plural(s->method.call_sites), recursion[args->collapse]);
	if (s->sum.len)
		strbuf_addf(title, "\n%s", s->sum.bytes);
}

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	__attribute__((cleanup(source_deinit))) struct source s;
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;
	_cleanup_calltree_ struct calltree *tree = NULL;
	struct tree_rows_opts rows = rows_opts(args, DEFAULT_MIN_PERCENT);
	int r = source_init(&s, args, ret_diag);

	if (r < 0)
		return r;
	make_title(args, &s, &title);
	tree = calltree_new(s.profile, args->collapse);
	rows.join_chains = !args->verbose;
	tree_text_write(out, tree,
			&(struct tree_text_opts){ .rows = rows,
						  .title = title.bytes,
						  .percent = args->percent,
						  .percent_parent = args->percent_parent,
						  .width = args->width,
						  .colour = args->colour,
						  .ascii = args->ascii });
	return 0;
}

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	__attribute__((cleanup(source_deinit))) struct source s;
	_cleanup_calltree_ struct calltree *tree = NULL;
	struct tree_rows_opts rows = rows_opts(args, 0);
	int r = source_init(&s, args, ret_diag);

	if (r < 0)
		return r;
	if (s.sum.len)
		listener_say(args->listener, "%s", s.sum.bytes);
	if (is_method(args))
		fprintf(out, "# samples %" PRIu64 " call_sites %" PRIu64 "\n", s.method.samples,
			s.method.call_sites);
	tree = calltree_new(s.profile, args->collapse);
	tree_tsv_write(out, tree, &rows);
	return 0;
}

static int render_dot(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	__attribute__((cleanup(source_deinit))) struct source s;
	_cleanup_calltree_ struct calltree *tree = NULL;
	struct tree_rows_opts rows = rows_opts(args, DEFAULT_MIN_PERCENT);
	int r = source_init(&s, args, ret_diag);

	if (r < 0)
		return r;
	tree = calltree_new(s.profile, args->collapse);
	tree_dot_write(out, tree, &rows);
	return 0;
}

/* The collapsed stacks.  What a stub moved stands where it went, so nothing is lost but the stub.
 */
static int render_stacks(const struct view_args *args, const struct writer *writer, FILE *out,
			 struct diag *ret_diag)
{
	__attribute__((cleanup(source_deinit))) struct source s;
	_cleanup_profile_ struct profile *collapsed = NULL;
	int r = source_init(&s, args, ret_diag);

	if (r < 0)
		return r;
	collapsed = calltree_collapse(s.profile, args->collapse);
	return writer->write(out, collapsed,
			     &(struct writer_opts){ .no_annotate = args->no_annotate }, ret_diag);
}

static int render_folded(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	return render_stacks(args, &folded_writer, out, ret_diag);
}

static int render_packed(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	return render_stacks(args, &folded_gzip_writer, out, ret_diag);
}

#define TREE_OPTIONS                                                                     \
	(VIEW_SORT | VIEW_SORT_BY_FIRST | VIEW_PERCENT | VIEW_DEPTH | VIEW_MIN_PERCENT | \
	 VIEW_LIMIT | VIEW_VERBOSE)

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, ".tsv", .unused = VIEW_PERCENT | VIEW_VERBOSE },
	{ "folded", render_folded, .unused = TREE_OPTIONS },
	{ "folded.gz", render_packed, .unused = TREE_OPTIONS },
	{ "dot", render_dot, .unused = VIEW_PERCENT | VIEW_VERBOSE },
	{ 0 },
};

const struct view view_tree = {
	.name = "tree",
	.summary = "the call tree, recursion collapsed",
	.formats = formats,
	.options = TREE_OPTIONS,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};

const struct view view_callees = {
	.name = "callees",
	.summary = "what a function (--of) calls, from all places",
	.formats = formats,
	.options = TREE_OPTIONS | VIEW_OF,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};

const struct view view_callers = {
	.name = "callers",
	.summary = "who calls a function (--of), up to the root",
	.formats = formats,
	.options = TREE_OPTIONS | VIEW_OF | VIEW_TIME,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};
