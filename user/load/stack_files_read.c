// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading what was chosen.  Many snapshots are read on two threads, each into a profile and a frame
 * table of its own; the later half is then added to the earlier one.  Nodes and frames stand in the
 * order in which they are met, so that is the same, byte for byte, as reading one after the other.
 */
#include "load/stack_files.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "archive/sidecar_read.h"
#include "load/file_facts.h"
#include "profile/foreign_name.h"

#define MIN_FILES_FOR_TWO 64

/* What is counted differently is never added up. */
static int check_unit(struct stack_files *files, const char *path, const struct input_unit *unit,
		      struct diag *ret_diag)
{
	const char *before = files->unit.text;

	if (!files->unit_of) {
		files->unit_of = path;
		files->unit = *unit;
		return 0;
	}
	if (!strcmp(before, unit->text))
		return 0;
	return diag_set(ret_diag, EINVAL,
			"%s and %s cannot be added up: one counts %s, the other %s", files->unit_of,
			path, *before ? before : "samples", *unit->text ? unit->text : "samples");
}

static node_id place_under_host(void *ctx, struct profile *out, node_id at, node_id in_node,
				frame_id frame)
{
	const frame_id *host = ctx;

	return profile_child(out, at == NODE_ROOT ? profile_child(out, at, *host) : at, frame);
}

/* Where the file lies is what --host goes by; else the `.json` says it. */
static int find_host(const struct stack_files *files, size_t i, struct strbuf *name,
		     bool *ret_is_there, struct diag *ret_diag)
{
	_cleanup_json_ struct json *sidecar = NULL;
	const char *host = files->files[i].host;
	struct base_frames root;
	int r = stack_files_sidecar(files, i, &sidecar, ret_diag);

	if (r < 0 && r != -ENOENT && r != -ESTALE)
		return r;
	*ret_is_there = r >= 0 && file_facts_base_frames(sidecar, &root) &&
			base_frames_kind(&root, 0) == BASE_FRAME_HOST;
	if (r >= 0 && !host)
		host = json_string(sidecar, json_member(sidecar, JSON_ROOT, "host"));
	if (!host || !*host)
		return diag_set(ret_diag, ENODATA, "%s: --root host: no .json that says its host",
				files->files[i].path);
	foreign_name_add(name, host, strlen(host));
	return 0;
}

static int read_file(const struct stack_files *files, size_t i, const struct stack_files_opts *opts,
		     struct profile *into, struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *own = NULL, *hosted = NULL;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const char *path = files->files[i].path;
	bool has_host;
	frame_id host;
	int r;

	if (!opts->with_host)
		return input_read_path(path, &opts->input, into, ret_diag);
	own = profile_new(profile_frames(into));
	r = input_read_path(path, &opts->input, own, ret_diag);
	if (r >= 0)
		r = find_host(files, i, &name, &has_host, ret_diag);
	if (r < 0)
		return r;
	host = frame_table_add_base(profile_frames(into), name.bytes);
	if (!has_host)
		hosted = profile_remap(own, place_under_host, &host, NULL);
	if (profile_merge(into, hosted ? hosted : own) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"%s: the counts add up to more than 9223372036854775807", path);
	return 0;
}

int stack_files_read(struct stack_files *files, size_t i, const struct stack_files_opts *opts,
		     struct profile *into, struct diag *ret_diag)
{
	struct stack_file *file = &files->files[i];
	const uint64_t before = profile_total(into);
	struct stack_files_opts with = *opts;
	struct input_opts *input = &with.input;
	struct input_unit unit = { .is_count = true };
	struct diag remark = { "" };
	int r;

	if (!files->remarks)
		listener_step(files->listener, "reading", files->is_half ? i * 2 : i, files->nr);
	input->listener = files->remarks ? NULL : files->listener;
	input->ret_remark = &remark;
	input->ret_unit = &unit;
	input->pids = opts->pids;
	input->nr_pids = opts->nr_pids;
	input->tids = opts->tids;
	input->nr_tids = opts->nr_tids;
	input->only_regular = file->is_snapshot;
	r = read_file(files, i, &with, into, ret_diag);
	if (i + 1 == files->nr && !files->remarks)
		listener_step_over(files->listener);
	if (r == -ENOENT && file->is_snapshot) {
		files->nr_vanished++;
		file->has_vanished = true;
		return 1;
	}
	file->nr_samples = profile_total(into) - before;
	if (r >= 0 && *remark.text && files->remarks)
		strbuf_addf(files->remarks, "%s\n", remark.text);
	else if (r >= 0 && *remark.text)
		listener_say(files->listener, "%s", remark.text);
	return r < 0 ? r : check_unit(files, file->path, &unit, ret_diag);
}

void stack_files_say_vanished(const struct stack_files *files)
{
	if (files->nr_vanished)
		listener_say(files->listener, "%zu snapshot%s removed before %s could be read",
			     files->nr_vanished, files->nr_vanished == 1 ? " was" : "s were",
			     files->nr_vanished == 1 ? "it" : "they");
}

/* ---- on two threads -------------------------------------------------------------------------- */

/* The files from `from` up to `to`, without that one. */
struct range {
	size_t from;
	size_t to;
};

static int read_range(struct stack_files *files, struct range range,
		      const struct stack_files_opts *opts, struct profile *into,
		      struct diag *ret_diag)
{
	for (size_t i = range.from; i < range.to; i++) {
		int r = stack_files_read(files, i, opts, into, ret_diag);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The later half of the files, by a thread of its own. */
struct later_half {
	struct stack_files files; /* the same list; what was met of it */
	struct range range;
	const struct stack_files_opts *opts;
	struct profile *into;
	int err;
};

static void *read_later_half(void *arg)
{
	struct later_half *h = arg;
	struct diag ignored = { "" };

	h->err = read_range(&h->files, h->range, h->opts, h->into, &ignored);
	return NULL;
}

static void say_lines(const struct listener *to, const char *lines)
{
	for (const char *end; (end = strchr(lines, '\n')); lines = end + 1)
		listener_say(to, "%.*s", (int)(end - lines), lines);
}

/* Can what the thread has read be added?  If not, it was too much, or something is wrong. */
static bool is_sound(struct stack_files *files, const struct later_half *h,
		     const struct profile *into)
{
	const uint64_t nr_nodes = profile_nr_nodes(into) + profile_nr_nodes(h->into);
	struct diag ignored = { "" };

	if (h->err < 0 || input_is_too_large(&h->opts->input, nr_nodes, into) ||
	    profile_total(into) + profile_total(h->into) > INT64_MAX)
		return false;
	return !h->files.unit_of ||
	       check_unit(files, h->files.unit_of, &h->files.unit, &ignored) >= 0;
}

/* Where the later half cannot be added it is read once more: by whom says what is wrong with it. */
static int read_by_two(struct stack_files *files, const struct stack_files_opts *opts,
		       struct profile *into, struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *later = profile_new(NULL);
	_cleanup_strbuf_ struct strbuf remarks = STRBUF_INIT;
	struct later_half h = {
		.files = *files,
		.range = { files->nr / 2, files->nr },
		.opts = opts,
		.into = later,
	};
	const struct range all = { 0, files->nr };
	const struct range earlier = { 0, h.range.from };
	pthread_t thread;
	int r;

	h.files.unit_of = NULL;
	h.files.nr_vanished = 0;
	h.files.remarks = &remarks;
	if (pthread_create(&thread, NULL, read_later_half, &h))
		return read_range(files, all, opts, into, ret_diag);
	files->is_half = true;
	r = read_range(files, earlier, opts, into, ret_diag);
	files->is_half = false;
	pthread_join(thread, NULL);
	listener_step_over(files->listener);
	if (r < 0)
		return r;
	if (!is_sound(files, &h, into))
		return read_range(files, h.range, opts, into, ret_diag);
	files->nr_vanished += h.files.nr_vanished;
	say_lines(files->listener, remarks.bytes);
	return profile_merge(into, later);
}

static bool are_worth_two_threads(const struct stack_files *files)
{
	return files->nr_snapshots == files->nr && files->nr >= MIN_FILES_FOR_TWO &&
	       get_nprocs() > 1;
}

int stack_files_read_all(struct stack_files *files, const struct stack_files_opts *opts,
			 struct profile *into, struct diag *ret_diag)
{
	const struct range all = { 0, files->nr };
	int r = are_worth_two_threads(files) ? read_by_two(files, opts, into, ret_diag)
					     : read_range(files, all, opts, into, ret_diag);

	if (r < 0)
		return r;
	stack_files_say_vanished(files);
	return 0;
}

int stack_files_sidecar(const struct stack_files *files, size_t i, struct json **ret_json,
			struct diag *ret_diag)
{
	const struct stack_file *file = &files->files[i];
	int r;

	if (!strcmp(file->path, "-"))
		return -ENOENT;
	if (!files->remarks)
		listener_step(files->listener, "reading the .json of", i, files->nr);
	r = sidecar_read(file->path, ret_json, ret_diag);
	if (i + 1 == files->nr && !files->remarks)
		listener_step_over(files->listener);
	/* The snapshot is removed before its json. */
	if (r == -ENOENT && file->is_snapshot && access(file->path, F_OK) < 0 && errno == ENOENT)
		return -ESTALE;
	return r;
}
