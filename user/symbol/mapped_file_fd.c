// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors of files.  One is opened by whoever meets the file and held here for a while, to read
 * symbols and to see whether the file is written in place.
 */
#include <stdlib.h>
#include <unistd.h>

#include "symbol/mapped_file_table.h"
#include "util/mem.h"

#define CHECK_EVERY_MS 1000

static bool same_stamps(const struct mapped_file *f, const struct far_stat *st)
{
	return st->mtime_ns == f->mtime_ns && st->bytes == f->bytes;
}

static void drop_root(struct file_table *t, struct mapped_file *f)
{
	if (!f->root)
		return;
	process_root_unref(take_ptr(f->root));
	t->nr_fds--;
}

void mapped_file_drop_fd(struct file_table *t, struct mapped_file *f)
{
	if (f->fd < 0)
		return;
	drop_root(t, f);
	close(take_fd(&f->fd));
	file_order_remove(t->orders, FILES_OPEN, f);
	t->nr_fds--;
}

static void keep_bound(struct file_table *t, const struct mapped_file *except)
{
	struct mapped_file *f;

	while (t->nr_fds >= t->max_fds && (f = file_order_first(t->orders, FILES_OPEN, except)))
		mapped_file_drop_fd(t, f);
}

/* Does its path lead to it? */
static bool is_reached(const struct file_table *t, const struct mapped_file *f)
{
	_cleanup_free_ char *path = xasprintf("%s%s", t->root, f->path);
	const struct worker_key key = mapped_file_key(f);
	struct far_stat st;

	return f->has_stamps && f->path[0] == '/' && !far_stat_path(t->pool, &key, path, &st) &&
	       st.dev == f->dev && st.ino == f->ino && same_stamps(f, &st);
}

bool mapped_file_is_lone(const struct file_table *t, const struct mapped_file *f)
{
	return f->nr_numbers && f->has_stamps && !f->tried && !is_reached(t, f);
}

/* Takes note of what the file is now. */
static void see(struct file_table *t, struct mapped_file *f, const struct far_stat *st)
{
	if (f->has_stamps && same_stamps(f, st))
		return;
	if (f->has_stamps) { /* written in place: what was read of it is no longer so */
		mapped_file_new_spaces(t, f);
		mapped_file_drop_symbols(t, f);
	}
	f->mtime_ns = st->mtime_ns;
	f->bytes = st->bytes;
	if (!f->has_stamps)
		f->owner = st->owner;
	f->uid = st->uid;
	f->has_stamps = true;
	f->tried = false;
	f->unparsed_ms = 0;
}

void mapped_file_set_fd(struct file_table *t, struct mapped_file *f, int fd,
			const struct far_stat *stat)
{
	const struct worker_key key = mapped_file_key(f);
	struct far_stat st;

	if (stat) {
		st = *stat;
	} else if (far_stat(t->pool, &key, fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	see(t, f, &st);
	file_order_remove(t->orders, FILES_LOST, f);
	f->fd_ms = f->used_ms;
	if (fd < 0)
		return;
	if (f->fd >= 0) {
		close(fd);
		return;
	}
	f->fd = fd;
	f->tried = false;
	t->nr_fds++;
	file_order_put(t->orders, FILES_OPEN, f);
	keep_bound(t, f);
}

/* Counted for each file that has it, though several may share one descriptor. */
void mapped_file_set_root(struct file_table *t, struct mapped_file *f, struct process_root *root)
{
	if (f->fd < 0 || !root || root == f->root)
		return;
	drop_root(t, f);
	f->root = process_root_ref(root);
	t->nr_fds++;
	keep_bound(t, f);
}

void mapped_file_look_again(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	const struct worker_key key = mapped_file_key(f);
	struct far_stat st;

	if (f->fd < 0 || now_ms - f->checked_ms < CHECK_EVERY_MS)
		return;
	f->checked_ms = now_ms;
	if (!far_stat(t->pool, &key, f->fd, &st))
		see(t, f, &st);
}

void mapped_file_stalled(struct mapped_file *f, uint64_t now_ms)
{
	f->miss = SYMBOL_MISS_STALLED;
	f->stalled_ms = now_ms;
}

bool mapped_file_reopen(struct file_table *t, struct mapped_file *f)
{
	const struct far_path path = { t->root, f->path };
	const struct worker_key key = mapped_file_key(f);
	struct far_stat st = { .dev = f->dev, .ino = f->ino };
	int fd;

	if (f->fd >= 0)
		return true;
	if (!f->has_stamps || f->path[0] != '/')
		return false;
	fd = far_open_regular(t->pool, &key, &path, &st);
	if (worker_is_stalled(fd))
		mapped_file_stalled(f, f->used_ms);
	if (fd < 0)
		return false;
	if (!same_stamps(f, &st)) {
		close(fd);
		return false;
	}
	mapped_file_set_fd(t, f, fd, &st);
	return true;
}
