// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of CAPTURE are of no use with a file, and those that choose snapshots are of none without
 * one: both are refused there.
 */
#include "cli/top_options.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/capture_options.h"
#include "cli/passes_options.h"
#include "cli/stack_files_options.h"
#include "cli/top.h"

#define MIN_EVERY_NS  UINT64_C(100000000)
#define MAX_EVERY_NS  (UINT64_C(3600) * 1000000000)
#define DEFAULT_BYTES (UINT64_C(256) << 20)
#define MAX_ROWS      64 /* of one table of options */

void top_options_init(struct top_request *o)
{
	*o = (struct top_request){
		.every_ns = UINT64_C(1000000000),
		.window_s = -1,
		.max_bytes = DEFAULT_BYTES,
		.choice = { .degree = COLLAPSE_CONSERVATIVE, .min_percent = 0.5 },
	};
	capture_options_init(&o->capture);
	passes_init(&o->passes);
}

void top_options_deinit(struct top_request *o)
{
	capture_options_deinit(&o->capture);
	passes_deinit(&o->passes);
	stack_files_opts_deinit(&o->files);
}

/* "all", or a time. */
static int take_window(const struct option_row *row, void *into, const char *arg,
		       struct diag *ret_diag)
{
	uint64_t ns = 0;
	struct option_row duration = { .name = row->name,
				       .at = 0,
				       .size = sizeof(ns),
				       .min = 1,
				       .max = UINT64_MAX,
				       .what = "'all' or a time such as 10s or 5m" };
	struct top_request *o = into;
	int r;

	if (!strcmp(arg, "all")) {
		o->window_s = 0;
		return 0;
	}
	r = option_take_duration(&duration, &ns, arg, ret_diag);
	if (r >= 0)
		o->window_s = ns / 1e9;
	return r;
}

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_FLAG("batch", NULL, struct top_request, is_batch) },
	{ OPTION_COUNT("tables", "n", struct top_request, count, 1, UINT64_MAX) },
	{ OPTION_CHOICE("view", NULL, struct top_request, choice.view, live_view_names),
	  .given = TOP_CHOSEN * LIVE_CHOSE_VIEW },
	{ OPTION_TEXT("of", NULL, struct top_request, choice.of) },
	{ OPTION_COUNT("limit", NULL, struct top_request, choice.limit, 1, SIZE_MAX) },
	{ OPTION_PERCENT("min-percent", NULL, struct top_request, choice.min_percent) },
	{ OPTION_OWN("window", NULL, take_window), .given = TOP_CHOSEN * LIVE_CHOSE_WINDOW },
	{ OPTION_SIZE("max-memory", NULL, struct top_request, max_bytes, 1 << 20, UINT64_MAX) },
	{ OPTION_COUNT("width", NULL, struct top_request, width, 1, SIZE_MAX) },
	{ 0 },
};
static const struct option_row live_rows[] = {
	{ OPTION_DURATION("every", NULL, struct top_request, every_ns, MIN_EVERY_NS,
			  MAX_EVERY_NS), .given = TOP_CAPTURE },
	{ 0 },
};
/* clang-format on */

const struct option_row *const top_tables[] = {
	capture_option_rows, passes_option_rows, stack_files_option_rows, live_rows, rows, NULL,
};

static bool has_name(const struct option_row *rows_, const char *name)
{
	for (; rows_->name; rows_++)
		if (!strcmp(rows_->name, name))
			return true;
	return false;
}

/* Those of CAPTURE, and those of files that are no option of CAPTURE too; each says its kind. */
static void mark_rows(struct option_row *capture, struct option_row *files)
{
	const struct option_row *const of_capture = capture_option_rows;
	const struct option_row *const of_files = stack_files_option_rows;
	size_t nr = 0;

	for (size_t i = 0; of_capture[i].name && i < MAX_ROWS - 1; i++) {
		capture[i] = of_capture[i];
		capture[i].given = has_name(of_files, of_capture[i].name) ? 0 : TOP_CAPTURE;
	}
	for (size_t i = 0; of_files[i].name && nr < MAX_ROWS - 1; i++) {
		if (has_name(of_capture, of_files[i].name))
			continue;
		files[nr] = of_files[i];
		files[nr++].given = TOP_FILES;
	}
}

/* Which passes were chosen: others may be remembered. */
static void mark_passes(struct option_row *passes)
{
	for (size_t i = 0; passes_option_rows[i].name && i < MAX_ROWS - 1; i++) {
		passes[i] = passes_option_rows[i];
		if (!strcmp(passes[i].name, "irq"))
			passes[i].given = TOP_CHOSEN * LIVE_CHOSE_IRQ;
		if (!strcmp(passes[i].name, "collapse"))
			passes[i].given = TOP_CHOSEN * LIVE_CHOSE_DEGREE;
	}
}

static int check(struct top_request *o, struct diag *ret_diag)
{
	if (*o->paths && o->given & TOP_CAPTURE)
		return diag_set(ret_diag, EINVAL,
				"'%s': what is sampled, and how, was decided when it was made: no "
				"option of CAPTURE and no --every goes with it",
				*o->paths);
	if (!*o->paths && o->given & TOP_FILES)
		return diag_set(ret_diag, EINVAL,
				"--since, --until, --host, --by and --max-input are about files, "
				"and there is none");
	if (o->choice.of && o->choice.view != LIVE_CALLS)
		return diag_set(ret_diag, EINVAL, "--of: of --view calls alone");
	if (o->capture.off_cpu)
		return diag_set(ret_diag, EINVAL, "--%s: 'eddy record' has it",
				o->capture.wall ? "wall" : "off-cpu");
	return *o->paths ? 0 : capture_options_check(&o->capture, ret_diag);
}

/* Once more: --event, --pid and --tid are about the samples of files. */
static int parse_for_files(struct top_request *o, char **argv, struct diag *ret_diag)
{
	const struct option_group groups[] = {
		{ passes_option_rows, &o->passes, NULL },
		{ stack_files_option_rows, &o->files, NULL },
		{ rows, o, NULL },
		{ 0 },
	};
	int r;

	passes_deinit(&o->passes);
	passes_init(&o->passes);
	r = options_parse(groups, false, argv, &o->paths, ret_diag);
	stack_files_opts_set_root(&o->files, &o->passes);
	return r;
}

int top_options_parse(struct top_request *o, char **argv, struct diag *ret_diag)
{
	struct option_row capture[MAX_ROWS] = { { 0 } }, files[MAX_ROWS] = { { 0 } };
	struct option_row passes[MAX_ROWS] = { { 0 } };
	const struct option_group groups[] = {
		{ capture, &o->capture, &o->given },
		{ passes, &o->passes, &o->given },
		{ files, &o->files, &o->given },
		{ live_rows, o, &o->given },
		{ rows, o, &o->given },
		{ 0 },
	};
	int r;

	mark_rows(capture, files);
	mark_passes(passes);
	r = options_parse(groups, false, argv, &o->paths, ret_diag);
	if (r)
		return r;
	r = check(o, ret_diag);
	if (r >= 0 && *o->paths)
		r = parse_for_files(o, argv, ret_diag);
	if (r)
		return r;
	if (o->passes.collapse_given)
		o->choice.degree = o->passes.collapse;
	return 0;
}

void top_options_help(void)
{
	puts("usage: eddy top [CAPTURE] [PASSES] [OPTION]... [FILE | DIR]...\n\n"
	     "Shows what runs, table by table, from samples of all CPUs (as root), or what is in\n"
	     "a file of stacks or in a directory of snapshots, window by window.\n\n"
	     "      --view functions|tree|calls|cycles|irq|processes|flame|modules|threads\n"
	     "                        what to show (functions)\n"
	     "      --of FUNCTION     the function whose callers and callees --view calls shows\n"
	     "                        (the one with most samples of its own)\n"
	     "      --batch           plain tables\n"
	     "  -n, --tables COUNT    so many tables, and the end\n"
	     "      --every TIME      how often (1s)\n"
	     "      --window TIME|all  the samples of so long until now; all: since the start (in\n"
	     "                        tables one --every, or one snapshot)\n"
	     "      --limit N         no more than N rows\n"
	     "      --min-percent X   of the tree: fold rows below X % into one (0.5)\n"
	     "      --width N         fit lines into N columns (the terminal's)\n"
	     "      --max-memory SIZE  for the stacks of all windows (256M): beyond it the oldest\n"
	     "                        go\n");
	capture_options_help(stdout);
	putchar('\n');
	passes_help(stdout);
	putchar('\n');
	stack_files_help(stdout);
}
