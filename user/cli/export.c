// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy export: rows of one table on standard output (or -o), or a file of each table where -o is a
 * directory.  The files are read twice: once to see that all of them are good, then one by one to
 * be written.
 */
#include "cli/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/sidecar_read.h"
#include "cli/command.h"
#include "cli/stack_files_options.h"
#include "load/file_facts.h"
#include "output/clickhouse.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/safe_path.h"

/* In the order of enum clickhouse_table. */
static const char *const tables[] = { "stacks", "samples", "windows", "all" };

struct export
{
	struct stack_files_opts files;
	unsigned int tables; /* bits: enum clickhouse_table */
	enum clickhouse_table table;
	bool table_given;
	bool is_directory; /* output: of a file for each table */
	const char *output;
	bool is_clickhouse;
	char **paths; /* of the input, in argv */
	struct atomic_file *to[ARRAY_SIZE(tables)];
};

static bool has_table(const struct export *x, enum clickhouse_table table)
{
	return x->tables & 1u << table;
}

/* Does a table have what stands in the stacks of each window? */
static bool has_stacks_of_windows(const struct export *x)
{
	return has_table(x, CLICKHOUSE_SAMPLES) || has_table(x, CLICKHOUSE_ALL);
}

/* A file's window, and what its texts belong to. */
struct window {
	struct clickhouse_window row;
	struct json *sidecar;
};

static void window_deinit(struct window *w)
{
	json_free(w->sidecar);
}

static void export_deinit(struct export *x)
{
	stack_files_opts_deinit(&x->files);
	for (size_t i = 0; i < ARRAY_SIZE(x->to); i++)
		atomic_file_drop(x->to[i]);
}

static void print_help(void)
{
	puts("usage: eddy export --clickhouse -o DIRECTORY/ FILE|DIR...\n"
	     "       eddy export --clickhouse [--table TABLE] [-o FILE] FILE|DIR...\n\n"
	     "Rows for ClickHouse (TabSeparated), for clickhouse-client or curl; docs/FLEET.md "
	     "has\n"
	     "the tables and the questions that they answer.\n\n"
	     "  --table stacks       hash frames: each distinct stack once\n"
	     "  --table samples      host ts seconds nr hash value\n"
	     "  --table windows      host ts seconds nr event freq_hz cpus due kept lost\n"
	     "  --table all          one for all instead of them (default): host ts seconds nr\n"
	     "                       due hash value frames, every sample with its stack: ten "
	     "times\n"
	     "                       as much\n"
	     "  -o, --output FILE    to FILE instead of standard output; without --table, where\n"
	     "                       it is a directory or ends in /: stacks.tsv, samples.tsv and\n"
	     "                       windows.tsv there\n");
	stack_files_help(stdout);
}

static const struct option_row rows[] = {
	{ OPTION_FLAG("clickhouse", NULL, struct export, is_clickhouse) },
	{ OPTION_CHOICE_GIVEN("table", NULL, struct export, table, tables, table_given) },
	{ OPTION_TEXT("output", "o", struct export, output) },
	{ 0 },
};

const struct option_row *const export_tables[] = { stack_files_option_rows, rows, NULL };

static bool is_directory(const char *path)
{
	struct stat st;

	return path[strlen(path) - 1] == '/' || (stat(path, &st) >= 0 && S_ISDIR(st.st_mode));
}

/* 0, OPTIONS_HELP, or -EINVAL with a diag. */
static int export_parse(struct export *x, char **argv, struct diag *diag)
{
	const struct option_group groups[] = {
		{ stack_files_option_rows, &x->files, NULL },
		{ rows, x, NULL },
		{ 0 },
	};
	int r = options_parse(groups, false, argv, &x->paths, diag);

	if (r)
		return r;
	if (!x->is_clickhouse)
		return diag_set(diag, EINVAL, "the format is missing: --clickhouse");
	if (!*x->paths)
		return diag_set(diag, EINVAL, "no FILE or DIR to export");
	if (!x->table_given)
		x->table = CLICKHOUSE_ALL;
	x->is_directory = !x->table_given && x->output && *x->output && is_directory(x->output);
	x->tables = x->is_directory ? (1u << NR_CLICKHOUSE_TABLES) - 1 : 1u << x->table;
	return 0;
}

/*
 * By the name of a snapshot, and by its `.json`, which knows more.  1: it has none, so what was due
 * is not known; -ESTALE: it is gone.
 */
static int describe(const struct stack_files *files, size_t i, struct window *w, struct diag *diag)
{
	const struct stack_file *file = &files->files[i];
	struct clickhouse_window *row = &w->row;
	const struct json *j;
	json_id samples;
	int64_t end;
	int r = stack_files_sidecar(files, i, &w->sidecar, diag);

	if (r < 0 && r != -ENOENT)
		return r; /* -ESTALE too */
	*row = (struct clickhouse_window){
		.host = file->host ? file->host : "",
		.event = "",
		.ts = file->name.start_s,
		.seconds = file->name.seconds,
		.nr = file->name.nr,
	};
	j = w->sidecar;
	if (!j && !file->is_snapshot)
		return diag_set(diag, ENODATA,
				"%s: no .json beside it says whose samples these are, and of when",
				file->path);
	if (!j)
		return 1;
	if (*json_string(j, json_member(j, JSON_ROOT, "host")))
		row->host = json_string(j, json_member(j, JSON_ROOT, "host"));
	row->event = json_string(j, json_member(j, JSON_ROOT, "event"));
	if (!file->is_snapshot) {
		row->ts = (int64_t)(sidecar_time_ms(j, "start") / 1000);
		end = (int64_t)(sidecar_time_ms(j, "end") / 1000);
		row->seconds = end > row->ts ? end - row->ts : 0;
	}
	samples = json_member(j, JSON_ROOT, "samples");
	row->freq_hz = json_integer(j, json_member(j, JSON_ROOT, "freq_hz"));
	row->nr_cpus = json_integer(j, json_member(j, JSON_ROOT, "cpus"));
	row->due = json_integer(j, json_member(j, samples, "due"));
	row->kept = json_integer(j, json_member(j, samples, "kept"));
	row->lost = json_integer(j, json_member(j, samples, "lost"));
	return 0;
}

static void say_missing(const struct export *x, size_t missing)
{
	if (missing)
		command_say("%zu snapshot%s no .json beside %s: %s%s", missing,
			    missing == 1 ? " has" : "s have", missing == 1 ? "it" : "them",
			    has_table(x, CLICKHOUSE_ALL) ? "due is not known and stands as 0"
			    : has_stacks_of_windows(x)	 ? "the host is that of the directory"
							 : "left out",
			    x->table_given ? "" : ", and windows.tsv has no row");
}

/* Everything once, so that nothing is written when anything is bad. */
static int check_all(struct export *x, struct stack_files *files, struct profile *all,
		     struct diag *diag)
{
	size_t collisions, missing = 0;

	for (size_t i = 0; i < files->nr; i++) {
		__attribute__((cleanup(window_deinit))) struct window w = { 0 };
		bool is_described = has_stacks_of_windows(x) || has_table(x, CLICKHOUSE_WINDOWS);
		int r = is_described ? describe(files, i, &w, diag) : 0;

		missing += r > 0;
		if (r >= 0 && (has_stacks_of_windows(x) || has_table(x, CLICKHOUSE_STACKS)))
			r = stack_files_read(files, i, &x->files, all, diag);
		if (r < 0 && r != -ESTALE)
			return r;
	}
	stack_files_say_vanished(files);
	say_missing(x, missing);
	collisions = clickhouse_nr_collisions(all);
	if (collisions)
		command_say("%zu stacks have the hash of another", collisions);
	return 0;
}

/* Into the tables that have rows of each window. */
static int export_window(const struct export *x, struct stack_files *files, size_t i,
			 struct frame_table *frames, struct diag *diag)
{
	__attribute__((cleanup(window_deinit))) struct window w = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(frames);
	int r = 0, described;

	if (has_stacks_of_windows(x))
		r = stack_files_read(files, i, &x->files, p, diag);
	if (r)
		return r < 0 ? r : 0;
	described = describe(files, i, &w, diag);
	if (described < 0)
		return described == -ESTALE ? 0 : described;
	for (enum clickhouse_table t = CLICKHOUSE_SAMPLES; t <= CLICKHOUSE_ALL; t++)
		if (has_table(x, t) && (t != CLICKHOUSE_WINDOWS || !described))
			clickhouse_write(atomic_file_stream(x->to[t]), t, p, &w.row);
	return 0;
}

/* A directory for a file of each table; it may be there. */
static int make_directory(const char *path, struct diag *diag)
{
	struct stat st;

	if (mkdir(path, safe_dir_mode()) >= 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) >= 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST ? 0 : diag_set(diag, errno, "%s: %s", path, strerror(errno));
}

static int open_outputs(struct export *x, struct diag *diag)
{
	int r;

	if (!x->is_directory)
		return atomic_file_open(x->output ?: "-", &x->to[x->table], diag);
	r = make_directory(x->output, diag);
	for (size_t t = 0; r >= 0 && t < NR_CLICKHOUSE_TABLES; t++) {
		_cleanup_free_ char *path = xasprintf("%s/%s.tsv", x->output, tables[t]);

		r = atomic_file_open(path, &x->to[t], diag);
	}
	return r;
}

/* Stacks first: no sample is there without its stack. */
static int commit_outputs(struct export *x, struct diag *diag)
{
	int r = 0;

	for (size_t t = 0; r >= 0 && t < ARRAY_SIZE(x->to); t++)
		if (x->to[t])
			r = atomic_file_commit(&x->to[t], diag);
	return r;
}

static int export_all(struct export *x, struct stack_files *files, struct diag *diag)
{
	_cleanup_profile_ struct profile *all = profile_new(NULL);
	int r = check_all(x, files, all, diag);

	if (r >= 0)
		r = open_outputs(x, diag);
	if (r < 0)
		return r;
	if (has_table(x, CLICKHOUSE_STACKS))
		clickhouse_write(atomic_file_stream(x->to[CLICKHOUSE_STACKS]), CLICKHOUSE_STACKS,
				 all, NULL);
	if (x->tables == 1u << CLICKHOUSE_STACKS)
		return commit_outputs(x, diag);
	for (size_t i = 0; i < files->nr; i++) {
		r = export_window(x, files, i, profile_frames(all), diag);
		if (r < 0)
			return r;
	}
	return commit_outputs(x, diag);
}

int export_run(char **argv)
{
	_cleanup_(export_deinit) struct export x = { .files.listener = &command_listener };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	_cleanup_file_facts_ struct file_facts facts = { 0 };
	struct diag diag = { "" };
	int r;

	r = export_parse(&x, argv, &diag);
	if (r < 0)
		return command_usage("export", "%s", diag.text);
	if (r == OPTIONS_HELP)
		return print_help(), EXIT_DONE;
	r = stack_files_open(x.paths, &x.files, &files, &diag);
	if (r == -EINVAL)
		return command_usage("export", "%s", diag.text);
	if (r >= 0)
		r = file_facts_find(&files, &x.files, &facts, &diag);
	if (r >= 0)
		r = export_all(&x, &files, &diag);
	return r < 0 ? command_failed("%s", diag.text) : EXIT_DONE;
}
