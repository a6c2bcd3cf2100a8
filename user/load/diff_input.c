// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The windows of a side are put together, in time order, to at most MAX_BATCHES batches of about
 * the same number: enough to see how they scatter, few enough that each may go through the passes
 * on its own, and longer than a window, so that what lasts for some windows is seen as scatter too.
 */
#include "load/diff_input.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/capture_facts.h"
#include "analysis/pipeline.h"
#include "archive/sidecar_read.h"
#include "load/file_facts.h"
#include "load/page_account.h"
#include "profile/profile_scale.h"
#include "util/mem.h"

#define MAX_BATCHES 32

/* One side before anything of it is read but its `.json` files. */
struct side {
	struct stack_files files;
	uint64_t *due;		   /* of each file */
	double *samples_per_count; /* the same: 1, or less where counts are weighed */
	struct diff_facts facts;
	char *event; /* as the first `.json` names it; NULL */
};

struct loading {
	const struct diff_input *input;
	struct frame_table *frames;
	struct base_frames had; /* what the stacks of all files begin with */
	bool has_had;		/* of one, at least */
	struct side sides[NR_DIFF_SIDES];
	const char *timed, *untimed; /* first file that counts microseconds; that does not */
	bool has_root;		     /* some stacks had what --root asks for */
	struct diag no_root;	     /* what is said when none has */
	struct diff_loaded loaded;
};

void diff_loaded_deinit(struct diff_loaded *loaded)
{
	diff_free(loaded->diff);
	for (int s = 0; s < NR_DIFF_SIDES; s++)
		free(loaded->accounts[s]);
}

static void loading_deinit(struct loading *l)
{
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		stack_files_deinit(&l->sides[s].files);
		free(l->sides[s].due);
		free(l->sides[s].samples_per_count);
		free(l->sides[s].event);
	}
	diff_loaded_deinit(&l->loaded);
	frame_table_unref(l->frames);
}

/* Time is compared with time alone. */
static int check_unit(struct loading *l, const char *path, const struct json *json,
		      struct diag *ret_diag)
{
	const char **first =
		json && sidecar_unit(json) == SIDECAR_MICROSECONDS ? &l->timed : &l->untimed;

	if (!*first)
		*first = path;
	if (!l->timed || !l->untimed)
		return 0;
	return diag_set(ret_diag, EINVAL,
			"%s and %s cannot be compared: one counts microseconds, the other does not",
			l->timed, l->untimed);
}

static void add_root(struct loading *l, const struct json *json)
{
	struct base_frames root = BASE_FRAMES_OF(NR_BASE_FRAMES);

	if (json)
		file_facts_base_frames(json, &root);
	l->had = l->has_had ? base_frames_common(&l->had, &root) : root;
	l->has_had = true;
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
	r = check_unit(l, side->files.files[i].path, json, ret_diag);
	if (r < 0)
		return r;
	add_root(l, json);
	diff_facts_add(&side->facts, json, &side->due[i]);
	if (!json)
		return 0;
	side->samples_per_count[i] = sidecar_samples_per_count(json);
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
	side->samples_per_count = xcalloc(side->files.nr, sizeof(*side->samples_per_count));
	for (size_t i = 0; i < side->files.nr; i++) {
		side->samples_per_count[i] = 1;
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
 * Of two ranges of one directory a window that lies across the border has a part in both: it counts
 * as before, for no sample may be on both sides.
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
		after->samples_per_count[out] = after->samples_per_count[i];
		after->files.files[out++] = *f;
	}
	nr_shared = after->files.nr - out;
	after->files.nr = out;
	if (!out)
		return diag_set(ret_diag, EINVAL,
				"every snapshot of --after has a part in --before too");
	if (nr_shared)
		listener_say(before->files.listener,
			     "%zu snapshot%s a part in both ranges: counted as before", nr_shared,
			     nr_shared == 1 ? " has" : "s have");
	return 0;
}

static uint64_t due_of(const struct side *side, size_t from, size_t to)
{
	uint64_t due = 0;

	for (size_t i = from; i < to; i++)
		due += side->due[i];
	return due;
}

/* A side that was parted has lost some of its files. */
static void part_facts(struct side *side)
{
	double due = due_of(side, 0, side->files.nr);

	if (side->facts.due > 0)
		side->facts.units *= due / side->facts.due;
	side->facts.due = due;
}

static int choose_base(struct loading *l, struct diag *ret_diag)
{
	struct diff_facts facts[NR_DIFF_SIDES];

	part_facts(&l->sides[DIFF_AFTER]);
	for (int s = 0; s < NR_DIFF_SIDES; s++)
		facts[s] = l->sides[s].facts;
	return diff_base_choose(facts, &l->loaded.base, ret_diag);
}

static struct base_frames had_of(const struct loading *l)
{
	return l->input->opts[DIFF_BEFORE].with_host ? base_frames_under_host(&l->had) : l->had;
}

static int run_passes(struct loading *l, const struct profile *raw, struct pipeline_result *ret,
		      struct diag *ret_diag)
{
	struct passes passes = *l->input->passes;
	const struct pipeline_request request = { .passes = &passes,
						  .flags = PIPELINE_FILES | PIPELINE_JOIN_INLINED,
						  .had = had_of(l) };
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

/*
 * Adds file i.  Chance is in samples: where each of them was weighed by its period, the counts are
 * brought back to as many as there were samples.
 */
static int read_file(struct loading *l, enum diff_side which, size_t i, struct profile *into,
		     struct diag *ret_diag)
{
	struct side *side = &l->sides[which];
	const struct stack_files_opts *opts = &l->input->opts[which];
	_cleanup_profile_ struct profile *own = NULL, *scaled = NULL;
	int r;

	if (side->samples_per_count[i] == 1)
		return stack_files_read(&side->files, i, opts, into, ret_diag);
	own = profile_new(l->frames);
	r = stack_files_read(&side->files, i, opts, own, ret_diag);
	if (r)
		return r;
	scaled = profile_scale(own, side->samples_per_count[i]);
	if (profile_merge(into, scaled) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"%s: the counts add up to more than 9223372036854775807",
				side->files.files[i].path);
	return 0;
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
		r = read_file(l, which, i, raw, ret_diag);
		if (r < 0)
			return r;
		if (!r)
			due += side->due[i];
	}
	due = diff_base_exposure(&l->loaded.base, &side->facts, which, due, profile_total(raw),
				 to - from);
	if (!(due > 0))
		return 0;
	r = run_passes(l, raw, &result, ret_diag);
	l->loaded.nr_dropped += pipeline_dropped(&result.stats);
	if (r >= 0 && diff_add(l->loaded.diff, which, result.profile, due) < 0)
		r = diag_set(ret_diag, EOVERFLOW,
			     "the counts of both sides add up to more than 9223372036854775807");
	return r < 0 ? r : 0;
}

/* Files of which nothing was due (shorter than a tick) are no batch, they go with others. */
static int read_side(struct loading *l, enum diff_side which, struct diag *ret_diag)
{
	struct side *side = &l->sides[which];
	size_t nr = side->files.nr, nr_batches = nr < MAX_BATCHES ? nr : MAX_BATCHES, from = 0;

	for (size_t b = 1; b <= nr_batches; b++) {
		size_t to = nr * b / nr_batches;
		int r;

		if (l->loaded.base.is_due_known && l->loaded.base.per != DIFF_PER_SHARE &&
		    to < nr && (!due_of(side, from, to) || !due_of(side, to, nr)))
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

/* Chance is in what was counted: of bytes, or of time, it says nothing. */
static int check_units(const struct loading *l, struct diag *ret_diag)
{
	const struct stack_files *before = &l->sides[DIFF_BEFORE].files,
				 *after = &l->sides[DIFF_AFTER].files;

	if (strcmp(before->unit.text, after->unit.text))
		return diag_set(ret_diag, EINVAL,
				"%s and %s cannot be compared: one counts %s, the other %s",
				before->unit_of, after->unit_of,
				*before->unit.text ? before->unit.text : "samples",
				*after->unit.text ? after->unit.text : "samples");
	if (before->unit_of && !before->unit.is_count)
		return diag_set(
			ret_diag, EINVAL,
			"%s counts %s: what differs by more than chance is known of "
			"numbers of samples or objects alone (--event chooses another type)",
			before->unit_of, before->unit.text);
	return 0;
}

static void say_doubts(const struct loading *l)
{
	const struct side *before = &l->sides[DIFF_BEFORE], *after = &l->sides[DIFF_AFTER];

	if (before->event && after->event && strcmp(before->event, after->event))
		listener_say(before->files.listener,
			     "different events, %s before and %s after: their rates are not the "
			     "same thing",
			     before->event, after->event);
}

/*
 * CPU time of captures that ended with their command is that of the work; of others it is that of
 * the time, too.
 */
static void say_lengths(const struct listener *to, const struct diff_base *base)
{
	double before = base->due_units[DIFF_BEFORE], after = base->due_units[DIFF_AFTER];

	if (base->per != DIFF_PER_CPU || base->has_work || !base->is_due_known ||
	    (base->has_command[DIFF_BEFORE] && base->has_command[DIFF_AFTER]) ||
	    fabs(after - before) <= 0.05 * fmax(before, after))
		return;
	if (base->unit == DIFF_SECONDS)
		listener_say(to,
			     "%.2f s of the CPUs' time were sampled before and %.2f s after, and "
			     "not with a command: CPU time is compared as if both had done the "
			     "same (--work BEFORE:AFTER says what they did, --per due compares "
			     "by time)",
			     before, after);
	else
		listener_say(to,
			     "the captures are of different length, and not with a command: they "
			     "are compared as if both had done the same (--work, --per due)");
}

/* Counts that were weighed are samples again. */
static struct writer_facts facts_of_sides(const struct loading *l)
{
	const struct writer_facts before = capture_facts_of_files(&l->sides[DIFF_BEFORE].files);
	struct writer_facts facts = capture_facts_of_files(&l->sides[DIFF_AFTER].files);

	facts.is_weighed = false;
	if (before.period_ns != facts.period_ns)
		facts.period_ns = 0;
	if (before.period != facts.period)
		facts.period = 0;
	return facts;
}

/* What pictures and other formats say besides. */
static void find_rest(struct loading *l)
{
	const struct passes *passes = l->input->passes;
	const struct base_frames had = passes->root_given ? passes->root : had_of(l);

	l->loaded.facts = facts_of_sides(l);
	l->loaded.nr_bases = base_frames_kind(&had, 0) == NR_BASE_FRAMES ? 0 : base_frames_nr(&had);
	for (int s = 0; s < NR_DIFF_SIDES && l->input->has_accounts; s++) {
		_cleanup_profile_ struct profile *p = diff_profile(l->loaded.diff, s);

		l->loaded.accounts[s] =
			page_account_of_files(&l->sides[s].files, profile_nr_stacks(p));
	}
}

int diff_input_load(const struct diff_input *input, struct diff_loaded *ret_loaded,
		    struct diag *ret_diag)
{
	__attribute__((cleanup(loading_deinit))) struct loading l = {
		.input = input,
		.frames = frame_table_new(),
		.loaded = { .base = *input->base },
	};
	int r = 0;

	l.loaded.diff = diff_new(l.frames);
	if (input->has_paths)
		diff_keep_paths(l.loaded.diff);
	for (int s = 0; s < NR_DIFF_SIDES && r >= 0; s++)
		r = open_side(&l, s, ret_diag);
	if (r >= 0)
		r = part_sides(&l, ret_diag);
	if (r >= 0)
		r = choose_base(&l, ret_diag);
	for (int s = 0; s < NR_DIFF_SIDES && r >= 0; s++)
		r = read_side(&l, s, ret_diag);
	if (r >= 0)
		r = check_units(&l, ret_diag);
	if (r >= 0 && !l.has_root)
		r = diag_set(ret_diag, ENODATA, "%s", l.no_root.text);
	if (r < 0)
		return r;
	say_doubts(&l);
	say_lengths(input->opts[DIFF_BEFORE].listener, &l.loaded.base);
	find_rest(&l);
	*ret_loaded = l.loaded;
	l.loaded = (struct diff_loaded){ 0 };
	return 0;
}
