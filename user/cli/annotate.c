// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy annotate: the samples of a function by instruction.  Everything is found before anything is
 * written.  One name may be that of several functions: each is shown, the hottest first.
 */
#include "cli/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/annotate_code.h"
#include "cli/command.h"
#include "cli/stack_files_options.h"
#include "load/file_facts.h"
#include "cli/passes_options.h"
#include "analysis/pipeline.h"
#include "util/atomic_file.h"

#define DEFAULT_FILE "eddy.pb.gz"

enum annotate_format { FORMAT_TEXT, FORMAT_TSV };
enum annotate_sort { SORT_ADDRESS, SORT_SAMPLES };

struct annotate {
	struct passes passes;
	struct stack_files_opts files;
	struct annotation_opts opts;
	enum annotate_format format;
	enum annotate_sort sort;
	const char *output;
	const char *function;
	char **paths;
	bool is_clock;
};

static void annotate_deinit(struct annotate *a)
{
	passes_deinit(&a->passes);
	stack_files_opts_deinit(&a->files);
}

static const char *const formats[] = { "text", "tsv" }, *const sorts[] = { "address", "samples" };

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_CHOICE("format", NULL, struct annotate, format, formats) },
	{ OPTION_CHOICE("sort", NULL, struct annotate, sort, sorts) },
	{ OPTION_COUNT("limit", NULL, struct annotate, opts.limit, 1, SIZE_MAX) },
	{ OPTION_TEXT("output", "o", struct annotate, output) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const annotate_tables[] = { passes_option_rows, stack_files_option_rows,
						     rows, NULL };

static void print_help(void)
{
	puts("usage: eddy annotate [PASSES] [--format FORMAT] FUNCTION [FILE]...\n\n"
	     "Shows which instructions of a function samples are at, with the code and, where\n"
	     "debug information is there, lines of the source. FUNCTION is a name or glob.\n"
	     "FILE has addresses: eddy record -o FILE.pb.gz keeps them. - is standard input,\n"
	     "and so is no FILE, but on a terminal " DEFAULT_FILE ".\n\n"
	     "  --format text|tsv    for people, or for programs (text)\n"
	     "  --sort address|samples  as the code stands, or the hottest first (address)\n"
	     "  --limit N            no more than N rows of a function\n"
	     "  -o, --output FILE    write to FILE\n");
	stack_files_help(stdout);
	putchar('\n');
	passes_help(stdout);
}

static int annotate_parse(struct annotate *a, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ passes_option_rows, &a->passes, NULL },
		{ stack_files_option_rows, &a->files, NULL },
		{ rows, a, NULL },
		{ 0 },
	};
	int r = options_parse(groups, false, argv, &a->paths, diag);

	if (r)
		return r;
	if (!*a->paths)
		return diag_set(diag, EINVAL, "no FUNCTION to annotate");
	if (a->passes.collapse_given)
		return diag_set(diag, EINVAL,
				"--collapse: samples are where they are, whoever called whom");
	a->function = *a->paths++;
	a->opts.hottest_first = a->sort == SORT_SAMPLES;
	a->files.input.with_places = true;
	a->files.input.ret_is_clock = &a->is_clock;
	stack_files_opts_set_root(&a->files, &a->passes);
	return 0;
}

/* ---- all of them -------------------------------------------------------------------------- */

static int write_all(const struct annotate *a, const struct profile *p,
		     const struct hot_codes *codes, struct diag *diag)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	_cleanup_(code_finder_freep) struct code_finder *finder = NULL;
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	const struct annotate_write_opts opts = { .rows = a->opts,
						  .is_tsv = a->format == FORMAT_TSV,
						  .is_clock = a->is_clock };
	int r = worker_pool_new(&pool);

	if (r < 0)
		return diag_set(diag, -r, "no process to read files: %s", strerror(-r));
	finder = code_finder_new(pool);
	r = atomic_file_open(a->output, &file, diag);
	if (r < 0)
		return r;
	annotate_write(atomic_file_stream(file), finder, p, codes, &opts);
	return atomic_file_commit(&file, diag);
}

static int check_places(const struct hot_codes *codes, const char *path, struct diag *diag)
{
	for (size_t i = 0; i < codes->nr; i++)
		if (codes->codes[i].nr)
			return 0;
	return diag_set(diag, ENODATA,
			"%s: no addresses of instructions are kept there (eddy record -o "
			"FILE.pb.gz keeps them)",
			path);
}

static int annotate_files(struct annotate *a, struct stack_files *files, struct diag *diag)
{
	_cleanup_profile_ struct profile *in = profile_new(NULL);
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	_cleanup_file_facts_ struct file_facts facts = { 0 };
	struct pipeline_request request = { .passes = &a->passes, .flags = PIPELINE_FILES };
	struct diag why = { "" };
	int r = file_facts_find(files, &a->files, &facts, diag);

	if (r >= 0)
		r = stack_files_read_all(files, &a->files, in, diag);
	request.had = facts.root;
	if (r >= 0)
		r = pipeline_run(&request, in, &result, diag);
	if (r < 0)
		return r;
	r = hot_codes_find(result.profile, a->function, &codes, &why);
	if (r < 0)
		return diag_set(diag, -r, "%s: %s", a->function, why.text);
	r = check_places(&codes, files->files[0].path, diag);
	return r < 0 ? r : write_all(a, result.profile, &codes, diag);
}

int annotate_run(char **argv)
{
	_cleanup_(annotate_deinit) struct annotate a = { .output = "-",
							 .files.listener = &command_listener };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	char *on_terminal[] = { DEFAULT_FILE, NULL };
	struct diag diag = { "" };
	int r;

	passes_init(&a.passes);
	r = annotate_parse(&a, argv, &diag);
	if (r < 0)
		return command_usage("annotate", "%s", diag.text);
	if (r == OPTIONS_HELP)
		return print_help(), EXIT_DONE;
	r = stack_files_open(!*a.paths && isatty(STDIN_FILENO) ? on_terminal : a.paths, &a.files,
			     &files, &diag);
	if (r == -EINVAL)
		return command_usage("annotate", "%s", diag.text);
	if (r < 0 || annotate_files(&a, &files, &diag) < 0)
		return command_failed("%s", diag.text);
	return EXIT_DONE;
}
