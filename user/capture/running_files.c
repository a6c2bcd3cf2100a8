// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks /proc once; a file that many processes have mapped is opened in the first of them. */
#include "capture/running_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>

#include "capture/file_key.h"
#include "capture/process_maps.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/fair_share.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/owner.h"
#include "util/parse.h"
#include "util/table.h"

#define MAX_NS	    10000000000ull
#define FIRST_FILES 768
#define MAX_FILES   2048 /* loaded; a user may have a half of these in all his processes */

/* Files met so far, by what /proc/PID/maps tells of them. */
static bool seen_table_is_used(const struct eddy_unwind_key *key)
{
	return key->ino != 0;
}

static uint64_t seen_table_hash(const void *nobody, const struct eddy_unwind_key *key)
{
	return hash_mix(key->ino, key->dev);
}

static bool seen_table_equals(const void *nobody, const struct eddy_unwind_key *met,
			      const struct eddy_unwind_key *key)
{
	return file_key_has_inode(met, key);
}

DEFINE_TABLE(seen_table, struct eddy_unwind_key, struct eddy_unwind_key, void)

static bool seen_add(struct seen_table *seen, const struct eddy_unwind_key *key)
{
	bool is_new;
	struct eddy_unwind_key *slot =
		seen_table_get(seen, NULL, seen_table_hash(NULL, key), key, &is_new);

	*slot = *key;
	return is_new;
}

struct walk {
	struct worker_pool *pool;
	const struct file_watch_fds *watch;
	running_file_fn fn;
	void *ctx;
	struct seen_table seen;
	bool (*is_to_end)(void *ctx);
	uint64_t until_ns;
	struct fair_share *share;  /* of files that are loaded before the start */
	owner_id owner;		   /* of the process */
	struct process_root *root; /* the same; NULL: ours */
};

static bool is_over(const struct walk *w)
{
	return clock_ns(CLOCK_MONOTONIC) >= w->until_ns || (w->is_to_end && w->is_to_end(w->ctx));
}

static void mapping_visit(struct walk *w, uint32_t pid, const struct process_mapping *m)
{
	struct eddy_file_event ev = {
		.pid = pid, .key = m->key, .shown = m->key, .start = m->start, .end = m->end
	};
	const struct asked_mapping asked = { .ev = &ev, .owner = w->owner };
	_cleanup_close_ int fd = -1, copied = -1;
	struct mapped_copy copy;

	/* Those beyond a share are loaded when they are met. */
	if (!m->key.ino || !seen_add(&w->seen, &m->key) ||
	    fair_share_take(w->share, w->owner, 1) < 0)
		return;
	fd = mapping_open(w->pool, &asked);
	if (fd < 0 || mapping_read(w->pool, &asked, fd, w->watch, &copy) < 0)
		return;
	copied = copy.fd;
	ev.key.gen = copy.gen;
	if (!copy.has_unknown_key)
		w->fn(w->ctx, &asked, fd, w->root, &copy);
}

static void process_visit(struct walk *w, uint32_t pid)
{
	struct asked_root asked = { .root = "", .pid = (pid_t)pid };
	const struct process_maps_query query = { .pid = pid, .with_paths = true };
	struct process_maps maps = { 0 };

	w->owner = owner_of_process((pid_t)pid);
	if (process_maps_read(w->pool, &query, &maps) < 0)
		return; /* a kernel thread, or gone */
	asked.owner = w->owner;
	w->root = process_root_open(w->pool, &asked);
	for (size_t i = 0; i < maps.nr && !is_over(w); i++)
		mapping_visit(w, pid, &maps.items[i]);
	process_root_unref(take_ptr(w->root));
	process_maps_deinit(&maps);
}

bool running_files_each(struct worker_pool *pool, const struct file_watch_fds *watch,
			bool (*is_to_end)(void *ctx), running_file_fn fn, void *ctx)
{
	struct walk w = { .pool = pool,
			  .watch = watch,
			  .fn = fn,
			  .ctx = ctx,
			  .is_to_end = is_to_end,
			  .until_ns = clock_ns(CLOCK_MONOTONIC) + MAX_NS };
	DIR *proc = opendir("/proc");
	struct dirent *d;
	uint64_t pid;

	seen_table_init(&w.seen, FIRST_FILES);
	w.share = fair_share_new(MAX_FILES);
	while (proc && !is_over(&w) && (d = readdir(proc)))
		if (!parse_u64(d->d_name, &pid) && pid <= UINT32_MAX)
			process_visit(&w, pid);
	if (proc)
		closedir(proc);
	seen_table_deinit(&w.seen);
	fair_share_free(w.share);
	return !is_over(&w);
}
