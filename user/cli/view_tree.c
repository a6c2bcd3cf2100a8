// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views that are call trees: `tree` of all stacks, `callees` and `callers` of one function.
 * They differ in the stacks that the tree is made of, and in nothing else.
 */
#include <inttypes.h>

#include "analysis/function_find.h"
#include "analysis/method.h"
#include "cli/pipeline.h"
#include "cli/views.h"
#include "output/folded.h"
#include "output/tree_dot.h"
#include "output/tree_text.h"
#include "output/tree_tsv.h"

#define DEFAULT_MIN_PERCENT 0.5 /* of what is for people */

/* The stacks that a view is about. */
struct source {
	struct method_stacks method; /* of callees and callers */
	frame_id of;
	const struct profile *profile;
};

static void source_deinit(struct source *s)
{
	method_stacks_deinit(&s->method);
}

static bool is_method(const struct view_args *args)
{
	return args->view->options & VIEW_OF;
}

static int source_init(struct source *s, const struct view_args *args, struct diag *ret_diag)
{
	struct diag why;
	int r;

	*s = (struct source){ .profile = args->profile };
	if (!is_method(args))
		return 0;
	r = function_find(args->profile, args->of, &s->of, &why);
	if (r < 0)
		return diag_set(ret_diag, -r, "--of: '%s' %s", args->of, why.text);
	if (args->view == &view_callees)
		method_callees(args->profile, s->of, &s->method);
	else
		method_callers(args->profile, s->of, args->time_self, &s->method);
	s->profile = s->method.profile;
	return 0;
}

static struct tree_rows_opts rows_opts(const struct view_args *args, double min_percent)
{
	return (struct tree_rows_opts){
		.sort_first = args->sort_first,
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
	static const char *const recursion[] = { "shown as it is", "folded: direct",
						 "folded: conservative", "folded: full" };
	uint64_t n = s->method.samples;

	if (!is_method(args)) {
		strbuf_addf(title, "%" PRIu64 " sample%s; recursion %s", profile_total(s->profile),
			    plural(profile_total(s->profile)), recursion[args->collapse]);
		return;
	}
	strbuf_addf(title, "%s of ", args->view->name);
	folded_frame(title, profile_frames(s->profile), s->of, false);
	strbuf_addf(title, ": %" PRIu64 " sample%s%s, %" PRIu64 " call site%s; recursion %s", n,
		    plural(n), args->time_self ? " that end in it" : "", s->method.call_sites,
		    plural(s->method.call_sites), recursion[args->collapse]);
}

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	__attribute__((cleanup(source_deinit))) struct source s;
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;
	_cleanup_calltree_ struct calltree *tree = NULL;
	int r = source_init(&s, args, ret_diag);

	if (r < 0)
		return r;
	make_title(args, &s, &title);
	tree = calltree_new(s.profile, args->collapse);
	tree_text_write(out, tree,
			&(struct tree_text_opts){ .rows = rows_opts(args, DEFAULT_MIN_PERCENT),
						  .title = title.bytes,
						  .percent = args->percent,
						  .percent_parent = args->percent_parent,
						  .width = args->width,
						  .colour = args->colour });
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

#define TREE_OPTIONS (VIEW_SORT | VIEW_PERCENT | VIEW_DEPTH | VIEW_MIN_PERCENT | VIEW_LIMIT)

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, .unused = VIEW_PERCENT },
	{ "folded", render_folded, .unused = TREE_OPTIONS },
	{ "folded.gz", render_packed, .unused = TREE_OPTIONS },
	{ "dot", render_dot, .unused = VIEW_PERCENT },
	{ 0 },
};

const struct view view_tree = {
	.name = "tree",
	.summary = "the call tree, recursion folded",
	.formats = formats,
	.options = TREE_OPTIONS,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};

const struct view view_callees = {
	.name = "callees",
	.summary = "what a function (--of) led to, wherever it was called",
	.formats = formats,
	.options = TREE_OPTIONS | VIEW_OF,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};

const struct view view_callers = {
	.name = "callers",
	.summary = "where the samples of a function (--of) came from",
	.formats = formats,
	.options = TREE_OPTIONS | VIEW_OF | VIEW_TIME,
	.pipeline_flags = PIPELINE_OWN_COLLAPSE,
	.collapse = COLLAPSE_CONSERVATIVE,
};
