// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mappings of a process.  Processes of a storm live for a millisecond, so this is a race: what is
 * needed to name their frames later (an open file) is taken here and at once, all else is lazy.
 */
#include "symbol/address_space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/maps.h"
#include "util/mem.h"

#define MAX_MAPPINGS	  65536
#define MAX_THREADS_TRIED 16
#define MAX_VDSO_BYTES	  (64 << 10)
/* Files that are opened while mappings are read: who samples waits for it. */
#define MAX_OPENED    512
#define MAX_OPENED_NS 50000000ull

struct reader {
	const struct address_space_source *src;
	struct worker_pool *pool; /* of its files */
	pid_t pid;
	owner_id owner; /* of the process; asked for when it is needed */
	bool has_owner;
	struct process_root *root; /* the same; NULL: ours */
	bool has_root;
	struct address_space as;
	bool sorted;
	uint32_t nr_opened;
	uint64_t until_ns; /* the last file is opened, CLOCK_MONOTONIC */
};

/* The kernel writes a newline in a path as "\012". */
static char *decode_path(const struct maps_line *line, size_t *ret_len)
{
	char *path = xmalloc(line->path_len + 1);
	size_t n = 0;

	for (size_t i = 0; i < line->path_len; i++) {
		if (line->path_len - i >= 4 && !memcmp(line->path + i, "\\012", 4)) {
			path[n++] = '\n';
			i += 3;
		} else {
			path[n++] = line->path[i];
		}
	}
	path[n] = '\0';
	*ret_len = n;
	return path;
}

static owner_id owner_get(struct reader *r)
{
	if (!r->has_owner)
		r->owner = owner_of_process(r->pid);
	r->has_owner = true;
	return r->owner;
}

/*
 * By the place where it is mapped, which asks only the process; what the file is, only its file
 * system: so one that does not answer is told from a process that cannot be looked at.
 */
static int open_by_range(struct reader *r, const struct maps_line *line, struct far_stat *ret_stat)
{
	const struct worker_key process = far_process_of(r->pid, owner_get(r));
	const struct worker_key inode = far_inode(line->dev, line->ino, owner_get(r));
	_cleanup_free_ char *path =
		xasprintf("%s/proc/%d/map_files/%llx-%llx", r->src->root, (int)r->pid,
			  (unsigned long long)line->start, (unsigned long long)line->end);
	_cleanup_close_ int fd = far_open(r->pool, &process, path, NULL);
	int err = fd < 0 ? fd : far_stat(r->pool, &inode, fd, ret_stat);

	if (err < 0)
		return err;
	/* Mapped there since, by exec; where stat has another device than maps, nobody can tell. */
	if (ret_stat->dev == line->dev && ret_stat->ino != line->ino)
		return -ESTALE;
	return ret_stat->is_regular ? take_fd(&fd) : -EINVAL;
}

static int open_file(struct reader *r, const struct maps_line *line, const char *path,
		     struct far_stat *ret_stat)
{
	const struct worker_key process = far_process_of(r->pid, owner_get(r));
	const struct worker_key inode = far_inode(line->dev, line->ino, owner_get(r));
	_cleanup_free_ char *root = NULL;
	int fd = open_by_range(r, line, ret_stat);

	if (fd >= 0 || path[0] != '/' || worker_is_stalled(fd))
		return fd;
	root = xasprintf("%s/proc/%d/root", r->src->root, (int)r->pid);
	*ret_stat = (struct far_stat){ .dev = line->dev, .ino = line->ino };
	fd = far_open_regular(r->pool, &process, &(struct far_path){ root, path }, ret_stat);
	if (fd >= 0 || worker_is_stalled(fd))
		return fd;
	*ret_stat = (struct far_stat){ .dev = line->dev, .ino = line->ino };
	return far_open_regular(r->pool, &inode, &(struct far_path){ r->src->root, path },
				ret_stat);
}

/* Bytes as a file that can be read like any other. */
static int memory_file(const void *bytes, size_t len, struct far_stat *ret_stat)
{
	_cleanup_close_ int fd = memfd_create("eddy-vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, bytes, len) != (ssize_t)len)
		return -EIO;
	return far_stat_here(fd, ret_stat) < 0 ? -EIO : take_fd(&fd);
}

/*
 * A vdso comes from the kernel, so ours serves for everyone who has one of the same kind: that
 * is told by its number of pages here and by the caller, who keeps a file for each number.
 */
static int open_vdso(const struct reader *r, const struct maps_line *line,
		     struct far_stat *ret_stat)
{
	const struct worker_key key = far_process(r->pid);
	_cleanup_free_ char *path = NULL, *bytes = NULL;
	_cleanup_close_ int mem = -1;
	size_t len = line->end - line->start;

	if (len > MAX_VDSO_BYTES)
		return -EFBIG;
	path = xasprintf("%s/proc/%d/mem", r->src->root, (int)r->pid);
	bytes = xmalloc(len);
	mem = far_open(r->pool, &key, path, NULL);
	if (mem < 0)
		return mem;
	if (far_read(r->pool, &key, mem, bytes, len, line->start) != (ssize_t)len)
		return -EIO;
	return memory_file(bytes, len, ret_stat);
}

static struct process_root *root_get(struct reader *r)
{
	if (!r->has_root)
		r->root = process_root_open(r->pool, &(struct asked_root){ .root = r->src->root,
									   .pid = r->pid,
									   .owner = owner_get(r) });
	r->has_root = true;
	return r->root;
}

static void set_file(struct reader *r, struct mapped_file *f, int fd, struct far_stat *st)
{
	if (fd >= 0) {
		st->owner = owner_get(r);
		mapped_file_set_fd(r->src->files, f, fd, st);
		mapped_file_set_root(r->src->files, f, root_get(r));
	} else if (worker_is_stalled(fd)) {
		mapped_file_stalled(f, r->src->now_ms);
	}
}

static bool has_opened_enough(struct reader *r)
{
	if (!r->until_ns)
		r->until_ns = clock_ns(CLOCK_MONOTONIC) + MAX_OPENED_NS;
	return ++r->nr_opened > MAX_OPENED || clock_ns(CLOCK_MONOTONIC) > r->until_ns;
}

static struct mapped_file *find_file(struct reader *r, const struct maps_line *line,
				     bool *ret_is_unopened)
{
	bool vdso = line->path_len == 6 && !memcmp(line->path, "[vdso]", 6), wants_fd;
	_cleanup_free_ char *path = NULL;
	struct mapped_file *f;
	struct file_key key = { .dev = line->dev, .ino = line->ino };
	struct far_stat st;
	int fd;

	if (!line->ino && !vdso)
		return NULL;
	path = decode_path(line, &key.path_len);
	key.path = path;
	if (vdso) /* of a 32-bit process, its addresses tell; of each size one */
		key.ino = (line->end - line->start) | (line->start >> 32 != 0);
	f = mapped_file_get(r->src->files, &key, r->src->now_ms, &wants_fd);
	*ret_is_unopened = wants_fd && !vdso && has_opened_enough(r);
	if (!wants_fd || *ret_is_unopened)
		return f;
	fd = vdso ? open_vdso(r, line, &st) : open_file(r, line, path, &st);
	set_file(r, f, fd, &st);
	return f;
}

void address_space_open(const struct address_space_source *src, pid_t pid, struct mapping *m)
{
	struct reader r = { .src = src, .pool = file_table_pool(src->files), .pid = pid };
	const struct maps_line line = {
		.start = m->start, .end = m->end, .dev = m->file->dev, .ino = m->file->ino
	};
	struct far_stat st;
	int fd;

	m->is_unopened = false;
	if (m->file->fd >= 0)
		return;
	fd = open_file(&r, &line, m->file->path, &st);
	set_file(&r, m->file, fd, &st);
	process_root_unref(r.root);
}

static str_id memory_name(struct reader *r, const struct maps_line *line)
{
	if (!line->path_len)
		return frame_table_intern0(r->src->frames, "[anon]");
	return frame_table_intern(r->src->frames, line->path, line->path_len);
}

static bool add_mapping(void *ctx, const struct maps_line *line)
{
	struct reader *r = ctx;
	struct address_space *as = &r->as;
	struct mapping m = { line->start, line->end, line->offset, NULL, 0, false };

	m.file = find_file(r, line, &m.is_unopened);
	if (!m.file)
		m.name = memory_name(r, line);
	if (as->nr && as->mappings[as->nr - 1].start > m.start)
		r->sorted = false;
	array_reserve(as->mappings, as->cap, as->nr + 1);
	as->mappings[as->nr++] = m;
	return as->nr < MAX_MAPPINGS;
}

static int mapping_compare(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int read_maps(struct reader *r, const char *task)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%s/maps", r->src->root, task);
	const struct worker_key key = far_process(r->pid);
	struct far_maps maps = { 0 };
	int n = far_maps(r->pool, &key, path, &maps);

	if (n > 0)
		maps_read(maps.text, maps.len, add_mapping, r);
	free(maps.text);
	return n;
}

/*
 * A process whose first thread has ended lives on in the others, but only their directories still
 * show its memory.
 */
static int read_maps_of_threads(struct reader *r)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/task", r->src->root, (int)r->pid);
	DIR *dir = opendir(path);
	const struct dirent *e;
	int n = 0;

	if (!dir)
		return -errno;
	for (int tried = 0; n <= 0 && tried < MAX_THREADS_TRIED && (e = readdir(dir)); tried++) {
		char task[600];

		snprintf(task, sizeof(task), "%d/task/%s", (int)r->pid, e->d_name);
		if (e->d_name[0] != '.')
			n = read_maps(r, task);
	}
	closedir(dir);
	return n;
}

int address_space_read(const struct address_space_source *src, pid_t pid,
		       struct address_space *ret_space)
{
	struct reader r = {
		.src = src, .pool = file_table_pool(src->files), .pid = pid, .sorted = true
	};
	char task[16];
	int n;

	snprintf(task, sizeof(task), "%d", (int)pid);
	n = read_maps(&r, task);
	if (!n)
		n = read_maps_of_threads(&r);
	process_root_unref(r.root);
	if (n <= 0) {
		address_space_deinit(&r.as);
		return n;
	}
	if (!r.sorted)
		qsort(r.as.mappings, r.as.nr, sizeof(*r.as.mappings), mapping_compare);
	*ret_space = r.as;
	return n;
}

void address_space_deinit(struct address_space *as)
{
	for (size_t i = 0; i < as->nr; i++)
		if (as->mappings[i].file)
			mapped_file_put(as->mappings[i].file);
	free(as->mappings);
	*as = (struct address_space){ 0 };
}

struct mapping *address_space_find(const struct address_space *as, uint64_t addr)
{
	size_t lo = 0, hi = as->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (as->mappings[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < as->mappings[lo - 1].end ? &as->mappings[lo - 1] : NULL;
}

void address_space_use_frames(struct address_space *as, const struct frame_table *from,
			      struct frame_table *to)
{
	for (size_t i = 0; i < as->nr; i++) {
		size_t len;
		const char *name = frame_table_str(from, as->mappings[i].name, &len);

		as->mappings[i].name = frame_table_intern(to, name, len);
	}
}

bool address_space_equal(const struct address_space *a, const struct address_space *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		const struct mapping *x = &a->mappings[i], *y = &b->mappings[i];

		if (x->start != y->start || x->end != y->end || x->offset != y->offset ||
		    x->file != y->file || x->name != y->name)
			return false;
	}
	return true;
}
