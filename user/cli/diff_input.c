// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The windows of a side are put together, in time order, to at most MAX_BATCHES batches of about
 * the same number: enough to see how they scatter, few enough that each may go through the passes
 * on its own, and longer than a window, so that what lasts for some windows is seen as scatter too.
 */
#include "cli/diff_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pipeline.h"
#include "input/sidecar_read.h"
#include "util/mem.h"

#define MAX_BATCHES 32

/* One side before anything of it is read but its `.json` files. */
struct side {
	struct stack_files files;
	uint64_t *due; /* of each file; 0: not known */
	char *event;   /* as the first `.json` names it; NULL */
};

struct loading {
	const struct diff_input *input;
	struct frame_table *frames;
	struct side sides[NR_DIFF_SIDES];
	struct diff_loaded loaded;
};

static void loading_deinit(struct loading *l)
{
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		stack_files_deinit(&l->sides[s].files);
		free(l->sides[s].due);
		free(l->sides[s].event);
	}
	diff_free(l->loaded.diff);
	frame_table_unref(l->frames);
}

static int open_side(struct loading *l, enum diff_side which, struct diag *ret_diag)
{
	char *paths[] = { (char *)l->input->paths[which], NULL };
	struct side *side = &l->sides[which];
	int r = stack_files_open(paths, &l->input->opts[which], &side->files, ret_diag);

	if (r < 0)
		return r;
	side->due = xcalloc(side->files.nr, sizeof(*side->due));
	for (size_t i = 0; i < side->files.nr; i++) {
		_cleanup_json_ struct json *json = NULL;

		r = stack_files_sidecar(&side->files, i, &json, ret_diag);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r < 0 || !sidecar_due(json)) {
			l->loaded.is_due_known = false;
			continue;
		}
		side->due[i] = sidecar_due(json);
		if (!side->event)
			side->event =
				xstrdup(json_string(json, json_member(json, JSON_ROOT, "event")));
	}
	return 0;
}

static int run_passes(const struct loading *l, const struct profile *raw,
		      struct pipeline_result *ret, struct diag *ret_diag)
{
	struct passes passes = *l->input->passes;
	const struct pipeline_request request = { .passes = &passes, .flags = PIPELINE_FILES };
	int r = pipeline_run(&request, raw, ret, ret_diag);

	/* A batch without what --root asks for: its stacks stay, as they would among others. */
	if (r == -ENODATA) {
		passes.root_given = false;
		r = pipeline_run(&request, raw, ret, ret_diag);
	}
	return r;
}

/* Files from..to of a side are one batch. */
static int add_batch(struct loading *l, enum diff_side which, size_t from, size_t to,
		     struct diag *ret_diag)
{
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	_cleanup_profile_ struct profile *raw = profile_new(l->frames);
	struct side *side = &l->sides[which];
	double due = 0;
	int r;

	for (size_t i = from; i < to; i++) {
		r = stack_files_read(&side->files, i, &l->input->opts[which], raw, ret_diag);
		if (r < 0)
			return r;
		if (!r)
			due += side->due[i];
	}
	if (!l->loaded.is_due_known)
		due = profile_total(raw);
	if (due <= 0)
		return 0;
	r = run_passes(l, raw, &result, ret_diag);
	if (r >= 0 && diff_add(l->loaded.diff, which, result.profile, due) < 0)
		r = diag_set(ret_diag, EOVERFLOW,
			     "the counts of both sides add up to more than 9223372036854775807");
	return r < 0 ? r : 0;
}

static int read_side(struct loading *l, enum diff_side which, struct diag *ret_diag)
{
	struct side *side = &l->sides[which];
	size_t nr = side->files.nr, nr_batches = nr < MAX_BATCHES ? nr : MAX_BATCHES;

	for (size_t b = 0; b < nr_batches; b++) {
		int r = add_batch(l, which, nr * b / nr_batches, nr * (b + 1) / nr_batches,
				  ret_diag);

		if (r < 0)
			return r;
	}
	stack_files_say_vanished(&side->files);
	if (diff_due(l->loaded.diff, which) > 0)
		return 0;
	return diag_set(ret_diag, ENODATA, "%s: no samples to compare with",
			l->input->paths[which]);
}

static void say_doubts(const struct loading *l)
{
	const struct side *before = &l->sides[DIFF_BEFORE], *after = &l->sides[DIFF_AFTER];

	if (before->event && after->event && strcmp(before->event, after->event))
		fprintf(stderr,
			"eddy: different events, %s before and %s after: their rates are "
			"not the same thing\n",
			before->event, after->event);
}

int diff_input_load(const struct diff_input *input, struct diff_loaded *ret_loaded,
		    struct diag *ret_diag)
{
	__attribute__((cleanup(loading_deinit))) struct loading l = {
		.input = input,
		.frames = frame_table_new(),
		.loaded = { .is_due_known = true },
	};
	int r = 0;

	l.loaded.diff = diff_new(l.frames);
	for (int s = 0; s < NR_DIFF_SIDES && r >= 0; s++)
		r = open_side(&l, s, ret_diag);
	for (int s = 0; s < NR_DIFF_SIDES && r >= 0; s++)
		r = read_side(&l, s, ret_diag);
	if (r < 0)
		return r;
	say_doubts(&l);
	*ret_loaded = l.loaded;
	l.loaded.diff = NULL;
	return 0;
}
