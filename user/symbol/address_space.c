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

#include "symbol/maps.h"
#include "util/mem.h"

#define MAX_MAPPINGS	  65536
#define MAX_THREADS_TRIED 16
#define MAX_VDSO_BYTES	  (64 << 10)

struct reader {
	const struct address_space_source *src;
	pid_t pid;
	struct address_space as;
	bool sorted;
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

static int open_file(const struct reader *r, const struct maps_line *line, const char *path)
{
	_cleanup_free_ char *by_range = NULL, *by_root = NULL, *by_path = NULL;
	int fd;

	by_range = xasprintf("%s/proc/%d/map_files/%llx-%llx", r->src->root, (int)r->pid,
			     (unsigned long long)line->start, (unsigned long long)line->end);
	fd = open_regular(by_range, 0, 0, 0);
	if (fd >= 0 || path[0] != '/')
		return fd;
	by_root = xasprintf("%s/proc/%d/root%s", r->src->root, (int)r->pid, path);
	fd = open_regular(by_root, 0, line->dev, line->ino);
	if (fd >= 0)
		return fd;
	by_path = xasprintf("%s%s", r->src->root, path);
	return open_regular(by_path, 0, line->dev, line->ino);
}

/* Bytes as a file that can be read like any other. */
static int memory_file(const void *bytes, size_t len)
{
	_cleanup_close_ int fd = memfd_create("eddy-vdso", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, bytes, len) != (ssize_t)len)
		return -EIO;
	return take_fd(&fd);
}

/*
 * A vdso comes from the kernel, so ours serves for everyone who has one of the same kind: that
 * is told by its number of pages here and by the caller, who keeps a file for each number.
 */
static int open_vdso(const struct reader *r, const struct maps_line *line)
{
	_cleanup_free_ char *path = NULL, *bytes = NULL;
	_cleanup_close_ int mem = -1;
	size_t len = line->end - line->start;

	if (len > MAX_VDSO_BYTES)
		return -EFBIG;
	path = xasprintf("%s/proc/%d/mem", r->src->root, (int)r->pid);
	bytes = xmalloc(len);
	mem = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (mem < 0)
		return -errno;
	if (pread(mem, bytes, len, line->start) != (ssize_t)len)
		return -EIO;
	return memory_file(bytes, len);
}

static struct mapped_file *find_file(struct reader *r, const struct maps_line *line)
{
	bool vdso = line->path_len == 6 && !memcmp(line->path, "[vdso]", 6), wants_fd;
	_cleanup_free_ char *path = NULL;
	struct mapped_file *f;
	struct file_key key = { .dev = line->dev, .ino = line->ino };
	int fd;

	if (!line->ino && !vdso)
		return NULL;
	path = decode_path(line, &key.path_len);
	key.path = path;
	if (vdso) /* of a 32-bit process, its addresses tell; of each size one */
		key.ino = (line->end - line->start) | (line->start >> 32 != 0);
	f = mapped_file_get(r->src->files, &key, r->src->now_ms, &wants_fd);
	if (!wants_fd)
		return f;
	fd = vdso ? open_vdso(r, line) : open_file(r, line, path);
	if (fd >= 0)
		mapped_file_set_fd(r->src->files, f, fd);
	return f;
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
	struct mapping m = { line->start, line->end, line->offset, NULL, 0 };

	m.file = find_file(r, line);
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
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : maps_read(fd, add_mapping, r);
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
	struct reader r = { .src = src, .pid = pid, .sorted = true };
	char task[16];
	int n;

	snprintf(task, sizeof(task), "%d", (int)pid);
	n = read_maps(&r, task);
	if (!n)
		n = read_maps_of_threads(&r);
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

const struct mapping *address_space_find(const struct address_space *as, uint64_t addr)
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
