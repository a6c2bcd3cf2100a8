// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of executed files.  A descriptor moves: opened by whoever meets the file, held here
 * until symbols are read, then held by the symbol table, which reads names through it.  A file
 * whose table is that of another one of the same build id keeps its own: it can change alone.
 */
#include "symbol/mapped_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/mem.h"

#define NR_BUCKETS	  1024
#define MAX_IDLE_FILES	  4096	/* that no process maps */
#define IDLE_MS		  60000 /* without a question that the frame cache could not answer */
#define AGE_EVERY_MS	  10000
#define CHECK_EVERY_MS	  1000
#define MAX_FDS		  1024
#define DEFAULT_MAX_BYTES (64ull << 20)

struct file_table {
	struct frame_table *frames;
	const char *root;
	uint64_t max_bytes, bytes;
	uint32_t *next_space;
	struct mapped_file *buckets[NR_BUCKETS];
	size_t nr, nr_fds, max_fds;
	uint64_t aged_ms;
};

struct file_table *file_table_new(struct frame_table *frames, const char *root, uint64_t max_bytes,
				  uint32_t *next_space)
{
	struct file_table *t = xcalloc(1, sizeof(*t));
	struct rlimit limit;

	t->frames = frames;
	t->root = root;
	t->max_bytes = max_bytes ? max_bytes : DEFAULT_MAX_BYTES;
	t->next_space = next_space;
	t->max_fds = MAX_FDS;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 2 < t->max_fds)
		t->max_fds = limit.rlim_cur / 2;
	return t;
}

int open_regular(const char *path, int flags, uint64_t dev, uint64_t ino)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC | flags);
	char self[64];
	struct stat st;
	int opened;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (dev && (st.st_dev != dev || st.st_ino != ino))
		return -ESTALE;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	opened = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return opened < 0 ? -errno : opened;
}

static void take_stamps(struct mapped_file *f, const struct stat *st)
{
	f->mtime_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	f->bytes = st->st_size;
}

static bool same_stamps(const struct mapped_file *f, const struct stat *st)
{
	struct mapped_file now = { 0 };

	take_stamps(&now, st);
	return now.mtime_ns == f->mtime_ns && now.bytes == f->bytes;
}

static void drop_fd(struct file_table *t, struct mapped_file *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	t->nr_fds--;
}

static void drop_symbols(struct file_table *t, struct mapped_file *f)
{
	if (!f->symbols)
		return;
	if (!elf_symbols_is_shared(f->symbols)) {
		t->bytes -= elf_symbols_bytes(f->symbols);
		t->nr_fds -= elf_symbols_nr_fds(f->symbols);
	}
	elf_symbols_unref(take_ptr(f->symbols));
}

/* The file table's own memory for a file goes; f must be out of its bucket. */
static void file_free(struct file_table *t, struct mapped_file *f)
{
	drop_symbols(t, f);
	drop_fd(t, f);
	free(f->path);
	free(f);
	t->nr--;
}

void file_table_free(struct file_table *t)
{
	if (!t)
		return;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		while (t->buckets[b]) {
			struct mapped_file *f = t->buckets[b];

			t->buckets[b] = f->next;
			file_free(t, f);
		}
	free(t);
}

/* Calls for every file; `f` may not be freed inside. */
#define for_each_file(t, f)                        \
	for (size_t b_ = 0; b_ < NR_BUCKETS; b_++) \
		for (struct mapped_file *f = (t)->buckets[b_]; f; f = f->next)

static bool holds_fd(const struct mapped_file *f)
{
	return f->fd >= 0 || f->symbols;
}

/* The least recently used file but `except`: with a table (its bytes), or with a descriptor. */
static struct mapped_file *oldest(struct file_table *t, const struct mapped_file *except,
				  bool with_symbols)
{
	struct mapped_file *found = NULL;

	for_each_file(t, f)
	{
		if (f == except || !(with_symbols ? f->symbols != NULL : holds_fd(f)))
			continue;
		if (!found || f->used_ms < found->used_ms)
			found = f;
	}
	return found;
}

/* Where the file's bytes can be read; -1: nowhere. */
static int fd_of(const struct mapped_file *f)
{
	return f->fd < 0 && f->symbols ? elf_symbols_image(f->symbols)->fd : f->fd;
}

/* The table's memory goes, its descriptor comes back here. */
static void unload(struct file_table *t, struct mapped_file *f)
{
	if (f->fd < 0) {
		f->fd = fcntl(fd_of(f), F_DUPFD_CLOEXEC, 3);
		t->nr_fds += f->fd >= 0;
	}
	drop_symbols(t, f);
}

static void keep_bounds(struct file_table *t, const struct mapped_file *except)
{
	struct mapped_file *f;

	while (t->nr_fds >= t->max_fds && (f = oldest(t, except, false))) {
		drop_symbols(t, f);
		drop_fd(t, f);
	}
	while (t->bytes > t->max_bytes && (f = oldest(t, except, true)))
		unload(t, f);
}

static void new_spaces(struct file_table *t, struct mapped_file *f)
{
	f->space = *t->next_space;
	*t->next_space += 2;
}

/* Are the names of its symbols read from that file?  It may be another one of the same build. */
static bool is_read_from(const struct mapped_file *f, const struct stat *st)
{
	struct stat of;

	return f->symbols && !fstat(elf_symbols_image(f->symbols)->fd, &of) &&
	       of.st_dev == st->st_dev && of.st_ino == st->st_ino;
}

/*
 * Overwritten in place: what was read of it is no longer so, whichever file it was read for.  Its
 * descriptor leads to what is there now.
 */
static void forget(struct file_table *t, struct mapped_file *f, const struct stat *st)
{
	new_spaces(t, f);
	if (f->symbols)
		unload(t, f);
	for_each_file(t, other)
	{
		if (is_read_from(other, st)) {
			unload(t, other);
			new_spaces(t, other);
		}
	}
}

/* Takes note of what the file is now. */
static void see(struct file_table *t, struct mapped_file *f, const struct stat *st)
{
	if (f->has_stamps && same_stamps(f, st))
		return;
	if (f->has_stamps)
		forget(t, f, st);
	take_stamps(f, st);
	f->has_stamps = true;
	f->tried = false;
}

void mapped_file_set_fd(struct file_table *t, struct mapped_file *f, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		close(fd);
		return;
	}
	see(t, f, &st);
	if (holds_fd(f)) {
		close(fd);
		return;
	}
	f->fd = fd;
	f->tried = false;
	t->nr_fds++;
	keep_bounds(t, f);
}

/* Whether it was overwritten is asked once a second: there are many mappings of few files. */
static void look_again(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	int fd = fd_of(f);
	struct stat st;

	if (fd < 0 || now_ms - f->checked_ms < CHECK_EVERY_MS)
		return;
	f->checked_ms = now_ms;
	if (!fstat(fd, &st))
		see(t, f, &st);
}

static const char *last_component(const struct file_key *key, size_t *ret_len)
{
	static const char deleted[] = " (deleted)";
	size_t end = key->path_len, start, n = sizeof(deleted) - 1;

	if (end > n && !memcmp(key->path + end - n, deleted, n))
		end -= n;
	for (start = end; start > 0 && key->path[start - 1] != '/';)
		start--;
	*ret_len = end - start;
	return key->path + start;
}

static str_id module_of(struct file_table *t, const struct file_key *key)
{
	size_t len;
	const char *name = last_component(key, &len);

	return frame_table_intern(t->frames, name, len);
}

static struct mapped_file *file_new(struct file_table *t, const struct file_key *key)
{
	struct mapped_file *f = xcalloc(1, sizeof(*f));

	f->dev = key->dev;
	f->ino = key->ino;
	f->path = xmemdup0(key->path, key->path_len);
	f->path_len = key->path_len;
	f->fd = -1;
	f->module = module_of(t, key);
	f->miss = SYMBOL_MISS_NO_FILE;
	new_spaces(t, f);
	t->nr++;
	return f;
}

struct mapped_file *mapped_file_get(struct file_table *t, const struct file_key *key,
				    uint64_t now_ms, bool *ret_wants_fd)
{
	uint64_t hash =
		hash_mix(hash_mix(key->dev, key->ino), hash_bytes(key->path, key->path_len));
	struct mapped_file **bucket = &t->buckets[hash % NR_BUCKETS], *f;

	for (f = *bucket; f; f = f->next)
		if (f->ino == key->ino && f->dev == key->dev && f->path_len == key->path_len &&
		    !memcmp(f->path, key->path, key->path_len))
			break;
	if (!f) {
		f = file_new(t, key);
		f->next = *bucket;
		*bucket = f;
	}
	f->refs++;
	f->used_ms = now_ms;
	look_again(t, f, now_ms);
	*ret_wants_fd = !holds_fd(f);
	return f;
}

void mapped_file_put(struct mapped_file *f)
{
	f->refs--;
}

/* Descriptor given up to keep the bound: back, if the path still leads to the same bytes. */
static bool reopen(struct file_table *t, struct mapped_file *f)
{
	_cleanup_free_ char *path = xasprintf("%s%s", t->root, f->path);
	struct stat st;
	int fd;

	if (f->fd >= 0)
		return true;
	if (!f->has_stamps || f->path[0] != '/')
		return false;
	fd = open_regular(path, 0, f->dev, f->ino);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || !same_stamps(f, &st)) {
		close(fd);
		return false;
	}
	mapped_file_set_fd(t, f, fd);
	return true;
}

/*
 * A table of the same build id that knows no less than this file's own would.  Stripped and
 * unstripped copies of a program share their build id.
 */
static struct elf_symbols *find_same_build(struct file_table *t, const struct elf_image *img)
{
	bool full = elf_image_section_by_type(img, SHT_SYMTAB);

	if (!img->build_id_len)
		return NULL;
	for_each_file(t, f)
	{
		const struct elf_image *other;

		if (!f->symbols || (full && !elf_symbols_is_full(f->symbols)))
			continue;
		other = elf_symbols_image(f->symbols);
		if (other->build_id_len == img->build_id_len &&
		    !memcmp(other->build_id, img->build_id, img->build_id_len))
			return f->symbols;
	}
	return NULL;
}

static int load(struct file_table *t, struct mapped_file *f)
{
	_cleanup_elf_image_ struct elf_image img = { 0 };
	struct elf_symbols *same;
	int r;

	r = elf_image_open(f->fd, &img);
	if (r < 0)
		return r;
	same = find_same_build(t, &img);
	if (same) {
		f->symbols = elf_symbols_ref(same);
		return 0;
	}
	r = elf_symbols_open(f->fd, t->root, &f->symbols);
	if (r < 0)
		return r;
	f->fd = -1; /* the table has it; it stays counted */
	t->nr_fds += elf_symbols_nr_fds(f->symbols) - 1;
	t->bytes += elf_symbols_bytes(f->symbols);
	return 0;
}

const struct elf_symbols *mapped_file_symbols(struct file_table *t, struct mapped_file *f,
					      uint64_t now_ms)
{
	f->used_ms = now_ms;
	look_again(t, f, now_ms);
	if (f->symbols)
		return f->symbols;
	if (f->tried)
		return NULL;
	f->miss = SYMBOL_MISS_NO_FILE;
	if (!reopen(t, f))
		return NULL;
	if (load(t, f) < 0) {
		f->tried = true;
		f->miss = SYMBOL_MISS_BAD_ELF;
		return NULL;
	}
	keep_bounds(t, f);
	return f->symbols;
}

void file_table_age(struct file_table *t, uint64_t now_ms)
{
	uint64_t idle_ms = t->nr > MAX_IDLE_FILES ? 0 : IDLE_MS;

	if (now_ms - t->aged_ms < AGE_EVERY_MS && t->nr <= 2 * MAX_IDLE_FILES)
		return;
	t->aged_ms = now_ms;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct mapped_file **at = &t->buckets[b]; *at;) {
			struct mapped_file *f = *at;

			if (!f->refs && now_ms - f->used_ms >= idle_ms) {
				*at = f->next;
				file_free(t, f);
				continue;
			}
			if (f->symbols && now_ms - f->used_ms >= IDLE_MS)
				unload(t, f);
			at = &f->next;
		}
}

void file_table_renumber(struct file_table *t)
{
	for_each_file(t, f) new_spaces(t, f);
}

void file_table_use_frames(struct file_table *t, struct frame_table *frames)
{
	t->frames = frames;
	for_each_file(t, f)
	{
		f->module = module_of(
			t, &(struct file_key){ .path = f->path, .path_len = f->path_len });
	}
}

size_t file_table_nr(const struct file_table *t)
{
	return t->nr;
}

size_t file_table_bytes(const struct file_table *t)
{
	return sizeof(*t) + t->nr * (sizeof(struct mapped_file) + 64) + t->bytes;
}
