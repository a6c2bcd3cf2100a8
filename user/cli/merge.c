// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy merge: files and folders of stacks added up into one, and their `.json` into one beside it.
 * All is read before anything is written, so a file may be merged into itself.
 */
#include "cli/merge.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/passes.h"
#include "cli/stack_files.h"
#include "output/sidecar_merge.h"
#include "output/writer.h"
#include "util/atomic_file.h"
#include "util/mem.h"

enum {
	OPTION_FORMAT = OPTION_OWN,
	OPTION_NO_SIDECAR,
	OPTION_NO_ANNOTATE,
};

struct merge {
	struct stack_files_opts files;
	const char *output, *format;
	const struct writer *writer;
	bool no_sidecar, no_annotate, help;
};

static void print_help(void)
{
	puts("usage: eddy merge -o FILE FILE...\n\n"
	     "Adds up files of stacks and folders of snapshots: equal stacks become one.\n\n"
	     "  -o, --output FILE    where to, the format by suffix (.folded, .folded.gz, ...);\n"
	     "                       - is folded text on standard output\n"
	     "  --format FORMAT      the format, whatever the suffix\n"
	     "  --no-annotate        frames without their _[k], _[j], _[i]\n"
	     "  --no-sidecar         no .json beside the file\n");
	stack_files_help(stdout);
}

static int merge_option(struct merge *m, int c, struct diag *diag)
{
	switch (c) {
	case 'o':
		if (m->output)
			return diag_set(diag, EINVAL, "--output: given twice");
		m->output = optarg;
		return 0;
	case OPTION_FORMAT:
		m->format = optarg;
		return 0;
	case OPTION_NO_SIDECAR:
		m->no_sidecar = true;
		return 0;
	case OPTION_NO_ANNOTATE:
		m->no_annotate = true;
		return 0;
	case 'h':
		m->help = true;
		return 0;
	}
	return stack_files_option(&m->files, c, optarg, diag);
}

static int merge_parse(struct merge *m, int argc, char **argv, struct diag *diag)
{
	static const struct option options[] = {
		STACK_FILES_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "no-sidecar", no_argument, NULL, OPTION_NO_SIDECAR },
		{ "no-annotate", no_argument, NULL, OPTION_NO_ANNOTATE },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, err;

	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return diag_set(diag, EINVAL, "%s: %s", argv[optind - 1],
					c == '?' ? "no such option" : "needs a value");
		err = merge_option(m, c, diag);
		if (err < 0)
			return err;
	}
	if (m->help)
		return 0;
	if (!argv[optind])
		return diag_set(diag, EINVAL, "no FILE to merge (- is standard input)");
	return 0;
}

/* Reads every file, and what stands beside it. */
static int merge_read(const struct merge *m, struct stack_files *files, struct profile *into,
		      struct sidecar_merge *sidecars, struct diag *diag)
{
	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;
		uint64_t before = profile_total(into);
		struct diag why = { "" };
		int r = stack_files_read(files, i, &m->files, into, diag);

		if (r < 0)
			return r;
		if (r)
			continue;
		r = stack_files_sidecar(files, i, &sidecar, diag);
		if (r < 0 && r != -ENOENT && r != -ESTALE)
			return r;
		if (r < 0)
			sidecar_merge_add_missing(sidecars, profile_total(into) - before);
		else if (sidecar_merge_add(sidecars, sidecar, &why) < 0)
			return diag_set(diag, EOVERFLOW, "%s.json: %s", files->files[i].path,
					why.text);
	}
	stack_files_say_vanished(files);
	return 0;
}

static int write_stacks(const struct merge *m, const struct profile *p, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	const struct writer_opts opts = { .no_annotate = m->no_annotate };
	int r = atomic_file_open(m->output, &file, diag);

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

	if (!strcmp(m->output, "-") || !writer_is_folded(m->writer))
		return 0;
	if (m->no_sidecar) {
		output_forget_sidecar(m->output);
		return 0;
	}
	r = atomic_file_open(name, &file, diag);
	if (r < 0)
		return r;
	sidecar_merge_write(atomic_file_stream(file), sidecars, nr_stacks);
	return atomic_file_commit(&file, diag);
}

static void say_missing(const struct sidecar_merge *sidecars)
{
	uint64_t missing = sidecar_merge_nr_missing(sidecars);

	if (missing)
		command_say("%" PRIu64 " of %" PRIu64 " files had no .json beside them", missing,
			    missing + sidecar_merge_nr(sidecars));
}

int merge_run(int argc, char **argv)
{
	struct merge m = { 0 };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_sidecar_merge_ struct sidecar_merge *sidecars = sidecar_merge_new();
	struct diag diag = { "" };
	int r;

	if (merge_parse(&m, argc, argv, &diag) < 0)
		return command_usage("merge", "%s", diag.text);
	if (m.help)
		return print_help(), EXIT_DONE;
	if (!m.output)
		return command_usage("merge", "-o FILE is missing");
	m.writer = writer_find(m.format, m.output, &diag);
	if (!m.writer)
		return command_usage("merge", "%s", diag.text);
	r = stack_files_open(argv + optind, &m.files, &files, &diag);
	if (r == -EINVAL)
		return command_usage("merge", "%s", diag.text);
	if (r < 0 || merge_read(&m, &files, p, sidecars, &diag) < 0 ||
	    write_stacks(&m, p, &diag) < 0 ||
	    write_sidecar(&m, sidecars, profile_nr_stacks(p), &diag) < 0)
		return command_failed("%s", diag.text);
	say_missing(sidecars);
	return EXIT_DONE;
}
