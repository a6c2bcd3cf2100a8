// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Json before snapshot: a reader that finds a snapshot finds its json too.  One temporary name is
 * enough, since the lock keeps everybody else out, and what was left behind is known by it.
 */
#include "snapshot/snapshot_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/pipeline.h"
#include "archive/sidecar.h"
#include "snapshot/host_dir.h"
#include "snapshot/snapshot_retention.h"
#include "output/folded.h"
#include "profile/profile_owner.h"
#include "profile/profile_trim.h"
#include "util/atomic_file.h"
#include "util/clock.h"
#include "util/limit.h"
#include "util/mem.h"

#define MAX_NR 1000 /* windows of one name: each SIGUSR1 within a second is one */

struct snapshot_store {
	struct snapshot_store_opts opts;
	char *path;
	struct host_dir *dir; /* NULL: it has vanished */
	struct snapshot_retention retention;
	uint64_t unreported_bytes; /* written since the last json that says so */
	bool was_moved;		   /* its directory, by others */
};

/*
 * What the directory holds, when anything may have to go: without limits the list would only grow.
 */
static int read_dir(struct snapshot_store *s)
{
	int r = snapshot_retention_read(&s->retention, s->dir->fd, s->opts.limits.keep_bytes);

	if (!snapshot_limits_any(&s->opts.limits))
		snapshot_retention_deinit(&s->retention);
	return r;
}

static int open_dir(struct snapshot_store *s, bool with_parents, struct diag *ret_diag)
{
	int r = host_dir_open(s->opts.dir, s->opts.host, with_parents, &s->dir, ret_diag);

	if (r < 0)
		return r;
	unlinkat(s->dir->fd, SNAPSHOT_TEMPORARY, 0);
	r = read_dir(s);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: cannot be read: %s", s->dir->path, strerror(-r));
	return 0;
}

int snapshot_store_open(const struct snapshot_store_opts *opts, struct snapshot_store **ret_store,
			struct diag *ret_diag)
{
	_cleanup_snapshot_store_ struct snapshot_store *s = xcalloc(1, sizeof(*s));
	int r;

	s->opts = *opts;
	r = open_dir(s, true, ret_diag);
	if (r < 0)
		return r;
	s->path = xstrdup(s->dir->path);
	*ret_store = take_ptr(s);
	return 0;
}

void snapshot_store_free(struct snapshot_store *s)
{
	if (!s)
		return;
	host_dir_free(s->dir);
	snapshot_retention_deinit(&s->retention);
	free(s->path);
	free(s);
}

const char *snapshot_store_path(const struct snapshot_store *s)
{
	return s->path;
}

/*
 * The directory of the path, whoever removed or replaced it, but for others who may write where it
 * stands: what they moved away is gone on with.  Parents of DIR are not ours to make.
 */
static int find_dir(struct snapshot_store *s, struct diag *ret_diag)
{
	if (s->dir && host_dir_is_there(s->dir))
		return 0;
	s->was_moved = s->dir && host_dir_was_moved(s->dir);
	if (s->was_moved)
		return 0;
	host_dir_free(take_ptr(s->dir));
	return open_dir(s, false, ret_diag);
}

static bool exists(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A name that nobody has. */
static int find_name(const struct snapshot_store *s, const struct snapshot_window *w,
		     struct snapshot_name *ret_name)
{
	char text[SNAPSHOT_NAME_BYTES];

	for (uint32_t nr = 0; nr < MAX_NR; nr += nr ? 1 : 2) {
		snapshot_window_name(w, s->opts.is_gzip, nr, ret_name);
		snapshot_name_format(ret_name, text);
		if (exists(s->dir->fd, text))
			continue;
		snapshot_name_format_json(ret_name, text);
		if (!exists(s->dir->fd, text))
			return 0;
	}
	return -EEXIST;
}

static int open_new(const struct snapshot_store *s, const char *name, struct atomic_file **ret_file,
		    struct diag *ret_diag)
{
	_cleanup_free_ char *shown = xasprintf("%s/%s", s->dir->path, name);

	return atomic_file_open_new(s->dir->fd, name, shown, SNAPSHOT_TEMPORARY, ret_file,
				    ret_diag);
}

static int write_json(const struct snapshot_store *s, const char *name, const struct json *sidecar,
		      struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = open_new(s, name, &file, ret_diag);

	if (r < 0)
		return r;
	json_write(atomic_file_stream(file), sidecar);
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

/* The window's sidecar, and what can only be said now: it may be tried again, and differ then. */
static struct json *final_sidecar(const struct snapshot_store *s, const struct snapshot_window *w,
				  const struct profile *plain, uint64_t dropped)
{
	struct json *j = json_copy(sidecar_merge_json(w->sidecar));
	uint64_t cut = profile_cut_weight(plain);

	sidecar_set_integer(j, JSON_ROOT, "distinct_stacks", profile_nr_stacks(plain));
	if (cut || json_member(j, JSON_ROOT, "limits") != JSON_NONE)
		sidecar_set_integer(j, sidecar_member(j, JSON_ROOT, "limits", JSON_OBJECT),
				    limit_name(LIMIT_CUT_STACKS), cut);
	sidecar_set_integer(j, JSON_ROOT, "dropped", dropped);
	sidecar_set_integer(j, sidecar_member(j, JSON_ROOT, "cost", JSON_OBJECT), "bytes_written",
			    s->unreported_bytes);
	if (s->was_moved)
		sidecar_note(j,
			     "another user has moved the directory away in which this file is, or "
			     "one that leads to it: it stood at %s",
			     s->path);
	if (w->nr_windows > 1)
		sidecar_note(j,
			     "%u windows are merged in this file: they could not be written in "
			     "time, and --max-memory holds no more",
			     w->nr_windows);
	if (w->err)
		sidecar_note(j,
			     "this file could not be written for %.1f s (%s) and was kept in "
			     "memory meanwhile",
			     (clock_ns(CLOCK_BOOTTIME) / 1e6 - w->failed_at_ms) / 1e3,
			     strerror(w->err));
	return j;
}

static int write_files(struct snapshot_store *s, const struct snapshot_window *w,
		       const struct profile *plain, const struct pipeline_result *result,
		       struct diag *ret_diag)
{
	char text[SNAPSHOT_NAME_BYTES], json[SNAPSHOT_NAME_BYTES];
	_cleanup_json_ struct json *sidecar = NULL;
	int dir = s->dir->fd, r;
	struct snapshot_name name;
	uint64_t bytes;

	r = find_name(s, w, &name);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: too many windows of one name", s->path);
	snapshot_name_format(&name, text);
	snapshot_name_format_json(&name, json);
	sidecar = final_sidecar(s, w, plain, pipeline_dropped(&result->stats));
	r = write_json(s, json, sidecar, ret_diag);
	if (r < 0)
		return r;
	r = write_folded(s, text, result->profile, ret_diag);
	if (r < 0) {
		unlinkat(dir, json, 0);
		return r;
	}
	/*
	 * Both files are whole and have their names.  A directory that cannot be synced is a reason
	 * to worry about the disk, but not to write the window a second time.
	 */
	atomic_file_sync_dir(dir);
	bytes = snapshot_bytes(dir, &name);
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
	_cleanup_profile_ struct profile *plain = NULL;
	int r = find_dir(s, ret_diag);

	if (r < 0)
		return r;
	plain = profile_disown(w->profile);
	r = pipeline_run(&request, plain, &result, ret_diag);
	if (r >= 0)
		r = write_files(s, w, plain, &result, ret_diag);
	snapshot_retention_apply(&s->retention, s->dir->fd, &s->opts.limits, time(NULL));
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
	if (s->dir)
		read_dir(s);
}
