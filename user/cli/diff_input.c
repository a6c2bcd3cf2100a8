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

#include "cli/command.h"
#include "cli/pipeline.h"
#include "input/sidecar_read.h"
#include "util/mem.h"

#define MAX_BATCHES 32

/* One side before anything of it is read but its `.json` files. */
struct side {
	struct stack_files files;
	uint64_t *due; /* of each file */
	char *event;   /* as the first `.json` names it; NULL */
};

struct loading {
	const struct diff_input *input;
	struct frame_table *frames;
	struct side sides[NR_DIFF_SIDES];
	bool has_root;	     /* some stacks had what --root asks for */
	struct diag no_root; /* what is said when none has */
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

/* What was due in file i.  A snapshot that is gone says nothing, and its stacks will not come. */
static int read_due(struct loading *l, struct side *side, size_t i, struct diag *ret_diag)
{
	_cleanup_json_ struct json *json = NULL;
	int r = stack_files_sidecar(&side->files, i, &json, ret_diag);

	if (r == -ESTALE)
		return 0;
	if (r < 0 && r != -ENOENT)
		return r;
	if (r < 0 || !sidecar_due(json, &side->due[i])) {
		l->loaded.is_due_known = false;
		return 0;
	}
	if (!side->event)
		side->event = xstrdup(json_string(json, json_member(json, JSON_ROOT, "event")));
	return 0;
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
		r = read_due(l, side, i, ret_diag);
		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Of two ranges of one folder a window that lies across the border has a part in both: it counts as
 * before, for no sample may be on both sides.
 */
static int part_sides(struct loading *l, struct diag *ret_diag)
{
	struct side *before = &l->sides[DIFF_BEFORE], *after = &l->sides[DIFF_AFTER];
	_cleanup_free_ const char **paths = NULL;
	size_t nr = before->files.nr, out = 0, nr_shared;

	if (!l->input->is_parted)
		return 0;
	paths = xcalloc(nr, sizeof(*paths));
	for (size_t i = 0; i < nr; i++)
		paths[i] = before->files.files[i].path;
	qsort(paths, nr, sizeof(*paths), compare_paths);
	for (size_t i = 0; i < after->files.nr; i++) {
		struct stack_file *f = &after->files.files[i];

		if (bsearch(&f->path, paths, nr, sizeof(*paths), compare_paths)) {
			stack_file_deinit(f);
			continue;
		}
		after->due[out] = after->due[i];
		after->files.files[out++] = *f;
	}
	nr_shared = after->files.nr - out;
	after->files.nr = out;
	if (!out)
		return diag_set(ret_diag, EINVAL,
				"every snapshot of --after has a part in --before too");
	if (nr_shared)
		command_say("%zu snapshot%s a part in both ranges: counted as before", nr_shared,
			    nr_shared == 1 ? " has" : "s have");
	return 0;
}

static int run_passes(struct loading *l, const struct profile *raw, struct pipeline_result *ret,
		      struct diag *ret_diag)
{
	struct passes passes = *l->input->passes;
	const struct pipeline_request request = { .passes = &passes, .flags = PIPELINE_FILES };
	int r = pipeline_run(&request, raw, ret, ret_diag);

	if (r != -ENODATA) {
		l->has_root = true;
		return r;
	}
	/* A batch without what --root asks for: its stacks stay, as they would among others. */
	l->no_root = *ret_diag;
	passes.root_given = false;
	return pipeline_run(&request, raw, ret, ret_diag);
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

static uint64_t due_of(const struct side *side, size_t from, size_t to)
{
	uint64_t due = 0;

	for (size_t i = from; i < to; i++)
		due += side->due[i];
	return due;
}

/* Files of which nothing was due (shorter than a tick) are no batch, they go with others. */
static int read_side(struct loading *l, enum diff_side which, struct diag *ret_diag)
{
	struct side *side = &l->sides[which];
	size_t nr = side->files.nr, nr_batches = nr < MAX_BATCHES ? nr : MAX_BATCHES, from = 0;

	for (size_t b = 1; b <= nr_batches; b++) {
		size_t to = nr * b / nr_batches;
		int r;

		if (l->loaded.is_due_known && to < nr &&
		    (!due_of(side, from, to) || !due_of(side, to, nr)))
			continue;
		r = add_batch(l, which, from, to, ret_diag);
		if (r < 0)
			return r;
		from = to;
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
		command_say("different events, %s before and %s after: their rates are not the "
			    "same thing",
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
	if (r >= 0)
		r = part_sides(&l, ret_diag);
	for (int s = 0; s < NR_DIFF_SIDES && r >= 0; s++)
		r = read_side(&l, s, ret_diag);
	if (r >= 0 && !l.has_root)
		r = diag_set(ret_diag, ENODATA, "%s", l.no_root.text);
	if (r < 0)
		return r;
	say_doubts(&l);
	*ret_loaded = l.loaded;
	l.loaded.diff = NULL;
	return 0;
}
