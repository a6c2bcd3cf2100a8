// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Json before snapshot: a reader that finds a snapshot finds its json too.  One temporary name is
 * enough, since the lock keeps everybody else out, and what was left behind is known by it.
 */
#include "cli/snapshot_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/pipeline.h"
#include "cli/snapshot_folder.h"
#include "cli/snapshot_retention.h"
#include "output/folded.h"
#include "util/atomic_file.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_NR 1000 /* windows of one name: each SIGUSR1 within a second is one */

struct snapshot_store {
	struct snapshot_store_opts opts;
	char *path;
	struct snapshot_folder *folder; /* NULL: it has vanished */
	struct snapshot_retention retention;
	uint64_t unreported_bytes; /* written since the last json that says so */
};

/* What the folder holds, when anything may have to go: without limits the list would only grow. */
static int read_folder(struct snapshot_store *s)
{
	int r = snapshot_retention_read(&s->retention, s->folder->fd, s->opts.limits.keep_bytes);

	if (!snapshot_limits_any(&s->opts.limits))
		snapshot_retention_deinit(&s->retention);
	return r;
}

static int open_folder(struct snapshot_store *s, bool with_parents, struct diag *ret_diag)
{
	int r = snapshot_folder_open(s->opts.dir, s->opts.host, with_parents, &s->folder, ret_diag);

	if (r < 0)
		return r;
	unlinkat(s->folder->fd, SNAPSHOT_TEMPORARY, 0);
	r = read_folder(s);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: cannot be read: %s", s->folder->path,
				strerror(-r));
	return 0;
}

int snapshot_store_open(const struct snapshot_store_opts *opts, struct snapshot_store **ret_store,
			struct diag *ret_diag)
{
	_cleanup_snapshot_store_ struct snapshot_store *s = xcalloc(1, sizeof(*s));
	int r;

	s->opts = *opts;
	r = open_folder(s, true, ret_diag);
	if (r < 0)
		return r;
	s->path = xstrdup(s->folder->path);
	*ret_store = take_ptr(s);
	return 0;
}

void snapshot_store_free(struct snapshot_store *s)
{
	if (!s)
		return;
	snapshot_folder_free(s->folder);
	snapshot_retention_deinit(&s->retention);
	free(s->path);
	free(s);
}

const char *snapshot_store_path(const struct snapshot_store *s)
{
	return s->path;
}

/* The folder of the path, whoever removed or replaced it; parents of DIR are not ours to make. */
static int find_folder(struct snapshot_store *s, struct diag *ret_diag)
{
	if (s->folder && snapshot_folder_is_there(s->folder))
		return 0;
	snapshot_folder_free(take_ptr(s->folder));
	return open_folder(s, false, ret_diag);
}

static bool exists(int folder, const char *name)
{
	return !faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A name that nobody has. */
static int find_name(const struct snapshot_store *s, const struct snapshot_window *w,
		     struct snapshot_name *ret_name)
{
	char text[SNAPSHOT_NAME_BYTES];

	for (uint32_t nr = 0; nr < MAX_NR; nr += nr ? 1 : 2) {
		snapshot_window_name(w, s->opts.is_gzip, nr, ret_name);
		snapshot_name_format(ret_name, text);
		if (exists(s->folder->fd, text))
			continue;
		snapshot_name_format_json(ret_name, text);
		if (!exists(s->folder->fd, text))
			return 0;
	}
	return -EEXIST;
}

static int open_new(const struct snapshot_store *s, const char *name, struct atomic_file **ret_file,
		    struct diag *ret_diag)
{
	_cleanup_free_ char *shown = xasprintf("%s/%s", s->folder->path, name);

	return atomic_file_open_new(s->folder->fd, name, shown, SNAPSHOT_TEMPORARY, ret_file,
				    ret_diag);
}

static int write_json(const struct snapshot_store *s, const char *name,
		      const struct sidecar *sidecar, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = open_new(s, name, &file, ret_diag);

	if (r < 0)
		return r;
	sidecar_write(atomic_file_stream(file), sidecar);
	return atomic_file_commit(&file, ret_diag);
}

static int write_folded(const struct snapshot_store *s, const char *name,
			const struct profile *profile, struct diag *ret_diag)
{
	const struct writer *writer = s->opts.is_gzip ? &folded_gzip_writer : &folded_writer;
	static const struct writer_opts opts;
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = open_new(s, name, &file, ret_diag);

	if (r < 0)
		return r;
	/* What fails on the way fails in the file, which commit asks. */
	r = writer->write(atomic_file_stream(file), profile, &opts, ret_diag);
	return r < 0 ? r : atomic_file_commit(&file, ret_diag);
}

static uint64_t size_of(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_size;
}

/* The window's sidecar, and what can only be said now: it may be tried again, and differ then. */
static struct sidecar_sum *final_sidecar(const struct snapshot_store *s,
					 const struct snapshot_window *w, uint64_t dropped)
{
	struct sidecar_sum *sum = sidecar_sum_new(sidecar_sum_get(w->sidecar));

	sidecar_sum_set_stacks(sum, profile_nr_stacks(w->profile), dropped);
	sidecar_sum_set_bytes_written(sum, s->unreported_bytes);
	if (w->nr_windows > 1)
		sidecar_sum_note(sum,
				 "%u windows are merged in this file: they could not be written in "
				 "time, and --max-memory holds no more",
				 w->nr_windows);
	if (w->err)
		sidecar_sum_note(sum,
				 "this file could not be written for %.1f s (%s) and was kept in "
				 "memory meanwhile",
				 (clock_ns(CLOCK_BOOTTIME) / 1e6 - w->failed_at_ms) / 1e3,
				 strerror(w->err));
	return sum;
}

static int write_files(struct snapshot_store *s, const struct snapshot_window *w,
		       const struct pipeline_result *result, struct diag *ret_diag)
{
	char text[SNAPSHOT_NAME_BYTES], json[SNAPSHOT_NAME_BYTES];
	_cleanup_sidecar_sum_ struct sidecar_sum *sidecar = NULL;
	int folder = s->folder->fd, r;
	struct snapshot_name name;
	uint64_t bytes;

	r = find_name(s, w, &name);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: too many windows of one name", s->path);
	snapshot_name_format(&name, text);
	snapshot_name_format_json(&name, json);
	sidecar = final_sidecar(s, w, result->stats.irq_dropped + result->stats.focus_dropped);
	r = write_json(s, json, sidecar_sum_get(sidecar), ret_diag);
	if (r < 0)
		return r;
	r = write_folded(s, text, result->profile, ret_diag);
	if (r < 0) {
		unlinkat(folder, json, 0);
		return r;
	}
	/*
	 * Both files are whole and have their names.  A folder that cannot be synced is a reason
	 * to worry about the disk, but not to write the window a second time.
	 */
	atomic_file_sync_folder(folder);
	bytes = size_of(folder, text) + size_of(folder, json);
	s->unreported_bytes = bytes;
	if (snapshot_limits_any(&s->opts.limits))
		snapshot_retention_add(&s->retention, &name, bytes);
	return 0;
}

static int write_window(struct snapshot_store *s, const struct snapshot_window *w,
			struct diag *ret_diag)
{
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	const struct pipeline_request request = { .passes = s->opts.passes };
	int r = find_folder(s, ret_diag);

	if (r < 0)
		return r;
	r = pipeline_run(&request, w->profile, &result, ret_diag);
	if (r >= 0)
		r = write_files(s, w, &result, ret_diag);
	snapshot_retention_apply(&s->retention, s->folder->fd, &s->opts.limits, time(NULL));
	return r;
}

int snapshot_store_write(struct snapshot_store *s, struct snapshot_window *w, struct diag *ret_diag)
{
	int r = write_window(s, w, ret_diag);

	if (r < 0 && !w->err)
		w->failed_at_ms = clock_ns(CLOCK_BOOTTIME) / 1000000;
	if (r < 0)
		w->err = -r;
	return r;
}

void snapshot_store_set_limits(struct snapshot_store *s, const struct snapshot_limits *limits)
{
	s->opts.limits = *limits;
	if (s->folder)
		read_folder(s);
}
