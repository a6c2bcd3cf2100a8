// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eddy export: rows on standard output (or -o).  The files are read twice: once to see that all of
 * them are good, then one by one to be written.
 */
#include "cli/export.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli/command.h"
#include "cli/passes.h"
#include "cli/stack_files.h"
#include "output/clickhouse.h"
#include "util/atomic_file.h"
#include "util/mem.h"

enum {
	OPTION_CLICKHOUSE = OPTION_OWN,
	OPTION_TABLE,
};

struct export
{
	struct stack_files_opts files;
	enum clickhouse_table table;
	const char *output;
	bool is_clickhouse, help;
};

/* A file's window, and what its texts belong to. */
struct window {
	struct clickhouse_window row;
	struct json *sidecar;
};

static void window_deinit(struct window *w)
{
	json_free(w->sidecar);
}

static void print_help(void)
{
	puts("usage: eddy export --clickhouse [--table TABLE] [-o FILE] FILE|DIR...\n\n"
	     "Rows for ClickHouse (TabSeparated), for clickhouse-client or curl; docs/FLEET.md "
	     "has\n"
	     "the tables and the questions that they answer.\n\n"
	     "  --table stacks       hash frames: each distinct stack once\n"
	     "  --table samples      host ts seconds nr hash value\n"
	     "  --table windows      host ts seconds nr event freq_hz cpus due kept lost\n"
	     "                       without --table: host ts seconds nr due hash value frames,\n"
	     "                       all in one stream\n"
	     "  -o, --output FILE    to FILE instead of standard output\n");
	stack_files_help(stdout);
}

static int take_option(struct export *x, int c, struct diag *diag)
{
	static const char *const tables[] = { "stacks", "samples", "windows" };
	int r;

	switch (c) {
	case OPTION_CLICKHOUSE:
		x->is_clickhouse = true;
		return 0;
	case OPTION_TABLE:
		r = option_choice("--table", tables, ARRAY_SIZE(tables), optarg, diag);
		if (r >= 0)
			x->table = CLICKHOUSE_STACKS + r;
		return r < 0 ? r : 0;
	case 'o':
		x->output = optarg;
		return 0;
	case 'h':
		x->help = true;
		return 0;
	}
	return stack_files_option(&x->files, c, optarg, diag);
}

static int export_parse(struct export *x, int argc, char **argv, struct diag *diag)
{
	static const struct option options[] = {
		STACK_FILES_OPTIONS,
		{ "clickhouse", no_argument, NULL, OPTION_CLICKHOUSE },
		{ "table", required_argument, NULL, OPTION_TABLE },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, r;

	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == '?' || c == ':')
			return diag_set(diag, EINVAL, "%s: %s", argv[optind - 1],
					c == '?' ? "no such option" : "needs a value");
		r = take_option(x, c, diag);
		if (r < 0)
			return r;
	}
	if (x->help)
		return 0;
	if (!x->is_clickhouse)
		return diag_set(diag, EINVAL, "for what? there is --clickhouse");
	if (!argv[optind])
		return diag_set(diag, EINVAL, "no FILE or DIR to export");
	return 0;
}

/* A time of the `.json`, "2026-11-20T10:00:00.000Z", in seconds; 0 when it is none. */
static int64_t time_of(const struct json *j, const char *name)
{
	const char *text = json_string(j, json_member(j, JSON_ROOT, name));
	char cut[] = "2026-11-20T10:00:00Z";
	struct time_point point;

	if (strlen(text) < sizeof(cut) - 1)
		return 0;
	memcpy(cut, text, sizeof(cut) - 2);
	return time_point_parse(name, cut, &point, NULL) < 0 ? 0 : point.seconds;
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
		row->ts = time_of(j, "start");
		row->seconds = time_of(j, "end") > row->ts ? time_of(j, "end") - row->ts : 0;
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
		command_say("%zu snapshot%s no .json beside %s: %s", missing,
			    missing == 1 ? " has" : "s have", missing == 1 ? "it" : "them",
			    x->table == CLICKHOUSE_WINDOWS ? "left out"
			    : x->table == CLICKHOUSE_ALL   ? "due is not known and stands as 0"
							   : "the host is that of the folder");
}

/* Everything once, so that nothing is written when anything is bad. */
static int check_all(struct export *x, struct stack_files *files, struct profile *all,
		     struct diag *diag)
{
	size_t collisions, missing = 0;

	for (size_t i = 0; i < files->nr; i++) {
		__attribute__((cleanup(window_deinit))) struct window w = { 0 };
		int r = x->table == CLICKHOUSE_STACKS ? 0 : describe(files, i, &w, diag);

		missing += r > 0;
		if (r >= 0 && x->table != CLICKHOUSE_WINDOWS)
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

static int export_window(const struct export *x, struct stack_files *files, size_t i,
			 struct frame_table *frames, FILE *to, struct diag *diag)
{
	__attribute__((cleanup(window_deinit))) struct window w = { 0 };
	_cleanup_profile_ struct profile *p = profile_new(frames);
	int r = 0;

	if (x->table != CLICKHOUSE_WINDOWS)
		r = stack_files_read(files, i, &x->files, p, diag);
	if (r)
		return r < 0 ? r : 0;
	r = describe(files, i, &w, diag);
	if (r == -ESTALE || (r > 0 && x->table == CLICKHOUSE_WINDOWS))
		return 0;
	if (r >= 0)
		clickhouse_write(to, x->table, p, &w.row);
	return r < 0 ? r : 0;
}

static int export_all(struct export *x, struct stack_files *files, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_profile_ struct profile *all = profile_new(NULL);
	int r = check_all(x, files, all, diag);

	if (r >= 0)
		r = atomic_file_open(x->output, &file, diag);
	if (r < 0)
		return r;
	if (x->table == CLICKHOUSE_STACKS)
		clickhouse_write(atomic_file_stream(file), x->table, all, NULL);
	for (size_t i = 0; i < files->nr && x->table != CLICKHOUSE_STACKS; i++) {
		r = export_window(x, files, i, profile_frames(all), atomic_file_stream(file), diag);
		if (r < 0)
			return r;
	}
	return atomic_file_commit(&file, diag);
}

int export_run(int argc, char **argv)
{
	struct export x = { .output = "-" };
	_cleanup_stack_files_ struct stack_files files = { 0 };
	struct diag diag = { "" };
	int r;

	if (export_parse(&x, argc, argv, &diag) < 0)
		return command_usage("export", "%s", diag.text);
	if (x.help)
		return print_help(), EXIT_DONE;
	r = stack_files_open(argv + optind, &x.files, &files, &diag);
	if (r == -EINVAL)
		return command_usage("export", "%s", diag.text);
	if (r >= 0)
		r = export_all(&x, &files, &diag);
	return r < 0 ? command_failed("%s", diag.text) : EXIT_DONE;
}
