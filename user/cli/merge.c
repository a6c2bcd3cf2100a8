// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy merge: files and directories of stacks added up into one, and their `.json` into one beside
 * it. All is read before anything is written, so a file may be merged into itself.
 */
#include "cli/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "load/capture_facts.h"
#include "cli/command.h"
#include "cli/stack_files_options.h"
#include "load/file_facts.h"
#include "view/outputs.h"
#include "load/page_account.h"
#include "cli/passes_options.h"
#include "analysis/base_marks.h"
#include "analysis/reroot.h"
#include "archive/sidecar_merge.h"
#include "output/writer.h"
#include "util/atomic_file.h"
#include "util/mem.h"

struct merge {
	struct stack_files_opts files;
	struct passes passes; /* --root alone */
	const char *output, *format;
	const struct writer *writer;
	bool no_sidecar, no_annotate;
	char **paths;		   /* of the input, in argv */
	const char *first_missing; /* of the files, the first without a .json */
};

static void merge_deinit(struct merge *m)
{
	stack_files_opts_deinit(&m->files);
	passes_deinit(&m->passes);
}

static void print_help(void)
{
	puts("usage: eddy merge -o FILE FILE...\n\n"
	     "Adds up files of stacks and directories of snapshots: equal stacks become one.\n\n"
	     "  -o, --output FILE    where to, the format by suffix (.folded, .folded.gz, ...);\n"
	     "                       - is folded text on standard output\n"
	     "  --format FORMAT      the format, regardless of the suffix\n"
	     "  --root LIST          root frames of each stack: host (over those of many hosts),\n"
	     "                       comm, ...; several as host,comm (as they are)\n"
	     "  --no-annotate        frames without their _[k], _[j], _[i]\n"
	     "  --no-sidecar         no .json beside the file\n");
	stack_files_help(stdout);
}

static int take_output(const struct option_row *row, void *into, const char *arg,
		       struct diag *ret_diag)
{
	struct merge *m = into;

	if (m->output)
		return diag_set(ret_diag, EINVAL, "--%s: given twice", row->name);
	m->output = arg;
	return 0;
}

static const struct option_row rows[] = {
	{ OPTION_OWN("output", "o", take_output) },
	{ OPTION_TEXT("format", NULL, struct merge, format) },
	{ OPTION_FLAG("no-sidecar", NULL, struct merge, no_sidecar) },
	{ OPTION_FLAG("no-annotate", NULL, struct merge, no_annotate) },
	{ 0 },
};

const struct option_row *const merge_tables[] = { passes_root_option_rows, stack_files_option_rows,
						  rows, NULL };

static int find_writer(struct merge *m, struct diag *ret_diag)
{
	struct near_name near = { .typed = m->format ? m->format : "" };
	char hint[NEAR_NAME_BYTES];
	struct diag why;

	m->writer = writer_find(m->format, m->output, &why);
	if (m->writer)
		return 0;
	writer_offer_names(&near);
	near_name_hint(&near, "", hint);
	return diag_set(ret_diag, EINVAL, "%s%s", why.text, hint);
}

/* 0, OPTIONS_HELP, or -EINVAL with a diag. */
static int merge_parse(struct merge *m, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ passes_root_option_rows, &m->passes, NULL },
		{ stack_files_option_rows, &m->files, NULL },
		{ rows, m, NULL },
		{ 0 },
	};
	int r = options_parse(groups, false, argv, &m->paths, diag);

	if (r)
		return r;
	if (!*m->paths)
		return diag_set(diag, EINVAL, "no FILE to merge (- is standard input)");
	if (!m->output)
		return diag_set(diag, EINVAL, "-o FILE is missing");
	if (m->passes.root_given)
		stack_files_opts_set_root(&m->files, &m->passes);
	return find_writer(m, diag);
}

/* Reads what stands beside every file; the files themselves have been read. */
static int merge_sidecars(struct merge *m, const struct stack_files *files,
			  struct sidecar_merge *sidecars, struct diag *diag)
{
	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;
		struct diag why = { "" };
		int r;

		if (files->files[i].has_vanished)
			continue;
		r = stack_files_sidecar(files, i, &sidecar, diag);
		if (r < 0 && r != -ENOENT && r != -ESTALE)
			return r;
		if (r < 0) {
			sidecar_merge_add_missing(sidecars, files->files[i].nr_samples);
			m->first_missing = m->first_missing ?: files->files[i].path;
		} else if (sidecar_merge_add(sidecars, sidecar, &why) < 0)
			return diag_set(diag, EOVERFLOW, "%s.json: %s", files->files[i].path,
					why.text);
	}
	return 0;
}

/* Have all stacks a first frame that no function is?  Text of perf script tells it, folded not. */
static bool has_bases(const struct profile *p)
{
	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (profile_parent(p, n) == NODE_ROOT &&
		    !frame_is_base(profile_frames(p), profile_frame(p, n)))
			return false;
	return true;
}

/* The base frames asked for, in the stacks and in what is said of them; p: the stacks of now. */
static int merge_reroot(const struct merge *m, const struct file_facts *facts, struct profile **p,
			struct sidecar_merge *sidecars, struct diag *diag)
{
	_cleanup_strbuf_ struct strbuf root = STRBUF_INIT;
	struct profile *made = NULL;
	int r;

	if (!m->passes.root_given && sidecar_merge_nr_missing(sidecars) && !has_bases(*p))
		sidecar_merge_doubt_root(sidecars);
	if (!m->passes.root_given)
		return 0;
	r = profile_reroot(*p, &facts->root, &m->passes.root, &made, diag);
	if (r < 0)
		return r;
	if (made) {
		profile_free(*p);
		*p = made;
	}
	base_frames_print(&root, &m->passes.root);
	sidecar_merge_set_root(sidecars, root.bytes);
	return 0;
}

static struct writer_opts find_opts(const struct merge *m, const struct stack_files *files,
				    const struct file_facts *facts)
{
	const char *unit = *files->unit.text ? files->unit.text : NULL;
	struct writer_opts opts = { .no_annotate = m->no_annotate, .unit = facts->unit ?: unit };

	if (!writer_is_folded(m->writer))
		opts.facts = capture_facts_of_files(files);
	opts.root = m->passes.root_given ? m->passes.root : opts.facts.root;
	opts.nr_bases = file_facts_nr_bases(facts, m->passes.root_given ? &m->passes.root : NULL);
	return opts;
}

/* A page has the account of all files in it, and no `.json` beside it. */
static int write_stacks(const struct merge *m, const struct profile *p,
			struct sidecar_merge *sidecars, struct writer_opts opts, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	const struct output output = { .writer = m->writer };
	_cleanup_free_ char *account =
		output_is_page(&output) && sidecar_merge_nr(sidecars)
			? page_account_of_merge(sidecars, profile_nr_stacks(p))
			: NULL;
	int r = atomic_file_open(m->output, &file, diag);

	opts.account = account;
	if (r >= 0)
		r = m->writer->write(atomic_file_stream(file), p, &opts, diag);
	return r < 0 ? r : atomic_file_commit(&file, diag);
}

static int write_sidecar(const struct merge *m, struct sidecar_merge *sidecars, uint64_t nr_stacks,
			 struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_free_ char *name = xasprintf("%s.json", m->output);
	int r;

	if (!writer_is_folded(m->writer) || atomic_file_is_stream(m->output))
		return 0;
	if (m->no_sidecar) {
		output_forget_sidecar(m->output, &command_listener);
		return 0;
	}
	r = atomic_file_open(name, &file, diag);
	if (r < 0)
		return r;
	sidecar_merge_write(atomic_file_stream(file), sidecars, nr_stacks);
	return atomic_file_commit(&file, diag);
}

static void say_missing(const struct sidecar_merge *sidecars, const char *first)
{
	uint64_t missing = sidecar_merge_nr_missing(sidecars);

	if (missing)
		command_say("%" PRIu64 " of %" PRIu64 " files had no .json beside them: %s%s%s",
			    missing, missing + sidecar_merge_nr(sidecars),
			    strcmp(first, "-") ? first : "standard input",
			    strcmp(first, "-") ? ".json" : "", missing > 1 ? ", ..." : "");
}

int merge_run(char **argv)
{
	_cleanup_(merge_deinit) struct merge m = { .files.listener = &command_listener };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_sidecar_merge_ struct sidecar_merge *sidecars = sidecar_merge_new();
	_cleanup_file_facts_ struct file_facts facts = { 0 };
	struct diag diag = { "" };
	int r;

	passes_init(&m.passes);
	r = merge_parse(&m, argv, &diag);
	if (r < 0)
		return command_usage("merge", "%s", diag.text);
	if (r == OPTIONS_HELP)
		return print_help(), EXIT_DONE;
	r = stack_files_open(m.paths, &m.files, &files, &diag);
	if (r == -EINVAL)
		return command_usage("merge", "%s", diag.text);
	if (r < 0 || file_facts_find(&files, &m.files, &facts, &diag) < 0 ||
	    stack_files_read_all(&files, &m.files, p, &diag) < 0 ||
	    merge_sidecars(&m, &files, sidecars, &diag) < 0 ||
	    merge_reroot(&m, &facts, &p, sidecars, &diag) < 0 ||
	    write_stacks(&m, p, sidecars, find_opts(&m, &files, &facts), &diag) < 0 ||
	    write_sidecar(&m, sidecars, profile_nr_stacks(p), &diag) < 0)
		return command_failed("%s", diag.text);
	say_missing(sidecars, m.first_missing);
	return EXIT_DONE;
}
