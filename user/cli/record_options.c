// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of eddy record, what they exclude, and which outputs they make. */
#include "cli/record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/passes_options.h"
#include "cli/record.h"
#include "load/timeline_files.h"
#include "util/atomic_file.h"
#include "util/mem.h"

#define MIN_MEMORY_BYTES     (UINT64_C(1) << 20)
#define DEFAULT_MEMORY_BYTES (UINT64_C(256) << 20)

void record_init(struct record *r)
{
	*r = (struct record){ .max_memory_bytes = DEFAULT_MEMORY_BYTES };
	capture_options_init(&r->capture);
	passes_init(&r->passes);
}

void record_deinit(struct record *r)
{
	capture_options_deinit(&r->capture);
	passes_deinit(&r->passes);
	for (size_t i = 0; r->dirs && i < r->nr_files; i++)
		held_dir_close(&r->dirs[i]);
	free(r->dirs);
	free(r->files);
	free(r->outputs);
}

void record_help(void)
{
	puts("usage: eddy record [OPTION]... [-o FILE]... [-- COMMAND [ARG]...]\n\n"
	     "Samples all CPUs and writes the stacks; without -o to " RECORD_DEFAULT_FILE
	     ", printing the\nhottest functions. With a command, while it runs.\n");
	capture_options_help(stdout);
	putchar('\n');
	passes_help(stdout);
	puts("\nlimits:\n"
	     "      --max-memory SIZE  for the stacks and what is written of them (256M): beyond "
	     "it,\n"
	     "                        detail is lost, of who has most, and counted");
	puts("\noutput:\n"
	     "  -o, --output FILE     by its suffix; - is standard output; may be given again\n"
	     "      --format NAME     overrides the suffix\n"
	     "      --view VIEW       prints a view of 'eddy report' instead\n"
	     "      --sort self|inclusive  what functions are sorted by (self)\n"
	     "      --only-command    sample the command and its descendants only\n"
	     "      --no-annotate     leave _[k], _[j] and _[i] off\n"
	     "      --no-sidecar      no .json beside the file\n"
	     "      --timeline        keep when each sample was taken: pages show it, perf.data\n"
	     "                        has it, folded text has it in FILE.timeline\n"
	     "      --timeline-slot TIME  so long is a slot of time (10ms)");
}

static int take_view(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	return view_choose(row->name, arg, &((struct record *)into)->view, ret_diag);
}

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_SIZE("max-memory", NULL, struct record, max_memory_bytes, MIN_MEMORY_BYTES,
		      UINT64_MAX),
	  .what = "a size of at least 1M" },
	{ OPTION_TEXTS("output", "o", struct record, files, nr_files) },
	{ OPTION_TEXT("format", NULL, struct record, format) },
	{ OPTION_OWN("view", NULL, take_view) },
	{ OPTION_CHOICE("sort", NULL, struct record, sort, view_sort_names),
	  .min = VIEW_SORT_SELF },
	{ OPTION_FLAG("only-command", NULL, struct record, only_command) },
	{ OPTION_FLAG("no-sidecar", NULL, struct record, no_sidecar) },
	{ OPTION_FLAG("no-annotate", NULL, struct record, no_annotate) },
	{ OPTION_FLAG("timeline", NULL, struct record, timeline) },
	{ OPTION_DURATION("timeline-slot", NULL, struct record, slot_ns, 1, UINT64_MAX) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const record_tables[] = { capture_option_rows, passes_option_rows, rows,
						   NULL };

const struct view *record_view(const struct record *r)
{
	return r->view ? r->view : view_find(NULL);
}

static int record_check(struct record *r, struct diag *diag)
{
	int err = capture_options_check(&r->capture, diag);

	if (err >= 0 && r->slot_ns)
		err = timeline_slot_check(r->slot_ns, r->timeline, diag);
	if (err < 0)
		return err;
	if (r->timeline && r->capture.off_cpu)
		return diag_set(diag, EINVAL,
				"--timeline is of samples: not with --%s, where a count is a time",
				r->capture.wall ? "wall" : "off-cpu");
	if (r->capture.off_cpu && base_frames_have(&r->passes.root, BASE_FRAME_CPU))
		return diag_set(diag, EINVAL, "--root: who waits is on no CPU");
	if (r->only_command && !r->command)
		return diag_set(diag, EINVAL, "--only-command: there is no command");
	if (r->only_command && (r->capture.pids || r->capture.tids))
		return diag_set(diag, EINVAL, "--only-command excludes --pid and --tid");
	if (r->sort == VIEW_SORT_FIRST && !(record_view(r)->options & VIEW_SORT_BY_FIRST))
		return diag_set(diag, EINVAL,
				"--sort: 'first' is for trees, the view '%s' has "
				"self and inclusive",
				record_view(r)->name);
	if (r->sort && !(record_view(r)->options & VIEW_SORT))
		return diag_set(diag, EINVAL, "--sort: the view '%s' does not have it",
				record_view(r)->name);
	if (r->view && r->view->options & VIEW_WINDOWS)
		return diag_set(diag, EINVAL,
				"--view: '%s' is of a directory of snapshots: for 'eddy report'",
				r->view->name);
	if (r->view && r->view->options & VIEW_OF)
		return diag_set(diag, EINVAL, "--view: '%s' is for 'eddy report', it needs --of",
				r->view->name);
	return 0;
}

bool record_is_folded(const struct record *r, size_t i)
{
	const struct writer *w = r->outputs[i].writer;

	return w && writer_is_folded(w);
}

/* Is there an output that can say when samples were taken? */
static bool has_times(const struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if ((r->outputs[i].writer && writer_has_times(r->outputs[i].writer)) ||
		    (record_is_folded(r, i) && !atomic_file_is_stream(r->files[i])))
			return true;
	return false;
}

/* What is written, apart from views on standard output; without any, the file of a fixed name. */
static int find_outputs(struct record *r, struct diag *diag)
{
	const struct view *view = record_view(r);

	if (!r->nr_files && !r->view) {
		r->files = xcalloc(1, sizeof(*r->files));
		r->files[r->nr_files++] = RECORD_DEFAULT_FILE;
		r->is_default = true;
	}
	r->outputs = xcalloc(r->nr_files, sizeof(*r->outputs));
	for (size_t i = 0; i < r->nr_files; i++) {
		/* A capture is stacks, on standard output too; a view is asked for by --view. */
		const char *format = r->format;
		int err;

		if (!format && !strcmp(r->files[i], "-") && !r->view)
			format = "folded";
		err = output_find(view, format, r->files[i], &r->outputs[i], diag);
		if (err < 0)
			return err;
	}
	if (r->timeline && !has_times(r))
		return diag_set(diag, EINVAL,
				"--timeline: no output has times (a file of .html, .perf or "
				".folded has)");
	return 0;
}

int record_parse(struct record *r, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ capture_option_rows, &r->capture, NULL },
		{ passes_option_rows, &r->passes, NULL },
		{ rows, r, NULL },
		{ 0 },
	};
	char **operands;
	int err = options_parse(groups, true, argv, &operands, diag);

	if (err)
		return err;
	if (*operands) {
		if (strcmp(operands[-1], "--"))
			return diag_set(diag, EINVAL, "'%s': a command stands behind --",
					*operands);
		r->command = operands;
	}
	err = record_check(r, diag);
	return err < 0 ? err : find_outputs(r, diag);
}

bool record_has_places(const struct record *r)
{
	for (size_t i = 0; i < r->nr_files; i++)
		if (output_has_places(&r->passes, &r->outputs[i]))
			return true;
	return false;
}
