// SPDX-License-Identifier: GPL-2.0-or-later
/* The files themselves, by key; which of them are forgotten, closed, or told of, and when. */
#include "symbol/mapped_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "symbol/mapped_file_table.h"
#include "symbol/module_name.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_FILES	  768
#define MAX_IDLE_FILES	  4096	/* that no process maps */
#define IDLE_MS		  60000 /* without a question that the frame cache could not answer */
#define AGE_EVERY_MS	  900	/* asked for once a second */
#define FD_MS		  2900
#define MAX_FDS		  1024
#define DEFAULT_MAX_BYTES (64ull << 20)

DEFINE_TABLE(file_slots, struct mapped_file *, struct file_key, void)

static bool file_slots_is_used(struct mapped_file *const *f)
{
	return *f != NULL;
}

static uint64_t key_hash(const struct file_key *key)
{
	return hash_mix(hash_mix(key->dev, key->ino), hash_bytes(key->path, key->path_len));
}

static uint64_t file_slots_hash(const void *nobody, struct mapped_file *const *f)
{
	return key_hash(&(struct file_key){ .dev = (*f)->dev,
					    .ino = (*f)->ino,
					    .path = (*f)->path,
					    .path_len = (*f)->path_len });
}

static bool file_slots_equals(const void *nobody, struct mapped_file *const *slot,
			      const struct file_key *key)
{
	const struct mapped_file *f = *slot;

	return f->ino == key->ino && f->dev == key->dev && f->path_len == key->path_len &&
	       !memcmp(f->path, key->path, key->path_len);
}

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
	t->symbols = shared_symbols_new(t->max_bytes);
	t->loaded = loaded_files_new();
	t->files = xcalloc(1, sizeof(*t->files));
	file_slots_init(t->files, FIRST_FILES);
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 2 < t->max_fds)
		t->max_fds = limit.rlim_cur / 2;
	return t;
}

void file_table_use_pool(struct file_table *t, struct worker_pool *pool)
{
	t->pool = pool;
}

struct worker_pool *file_table_pool(const struct file_table *t)
{
	return t->pool;
}

struct worker_key mapped_file_key(const struct mapped_file *f)
{
	return far_inode(f->dev, f->ino, f->owner);
}

/* The file table's own memory for a file goes; its slot is the caller's. */
static void file_free(struct file_table *t, struct mapped_file *f)
{
	mapped_file_drop_symbols(t, f);
	mapped_file_drop_fd(t, f);
	file_order_remove(t->orders, FILES_LOST, f);
	free(f->path);
	free(f);
}

/* Calls for every file; `f` may not be freed inside. */
#define for_each_file(t, f)                                                                    \
	for (struct mapped_file **s_ = file_slots_next((t)->files, NULL), *f; s_ && (f = *s_); \
	     s_ = file_slots_next((t)->files, s_))

void file_table_free(struct file_table *t)
{
	if (!t)
		return;
	for (struct mapped_file **s = file_slots_next(t->files, NULL); s;
	     s = file_slots_next(t->files, s))
		file_free(t, *s);
	file_slots_deinit(t->files);
	free(t->files);
	shared_symbols_free(t->symbols);
	loaded_files_free(t->loaded);
	minute_share_deinit(&t->unpacking);
	minute_share_deinit(&t->parsing);
	free(t);
}

void mapped_file_new_spaces(struct file_table *t, struct mapped_file *f)
{
	f->space = *t->next_space;
	*t->next_space += 2;
}

void mapped_file_used(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	f->used_ms = now_ms;
	if (f->fd >= 0)
		file_order_put(t->orders, FILES_OPEN, f);
	if (f->symbols)
		loaded_files_put(t->loaded, f);
}

static str_id module_of(struct file_table *t, const struct file_key *key)
{
	size_t len;
	const char *name = module_name(key->path, key->path_len, &len);

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
	mapped_file_new_spaces(t, f);
	return f;
}

struct mapped_file *mapped_file_get(struct file_table *t, const struct file_key *key,
				    uint64_t now_ms, bool *ret_wants_fd)
{
	bool is_new;
	struct mapped_file **slot = file_slots_get(t->files, NULL, key_hash(key), key, &is_new);
	struct mapped_file *f;

	if (is_new)
		*slot = file_new(t, key);
	f = *slot;
	f->refs++;
	mapped_file_used(t, f, now_ms);
	mapped_file_look_again(t, f, now_ms);
	*ret_wants_fd = f->fd < 0;
	return f;
}

void mapped_file_put(struct mapped_file *f)
{
	f->refs--;
}

void mapped_file_number(struct mapped_file *f, bool is_added)
{
	f->nr_numbers += is_added ? 1 : -1;
}

/* ---- what is told of, closed, forgotten --------------------------------------------------- */

void mapped_file_note_lost(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	f->told_ms = now_ms;
	file_order_put(t->orders, FILES_LOST, f);
}

const struct mapped_file *file_table_next_lost(struct file_table *t)
{
	struct mapped_file *f = file_order_first(t->orders, FILES_LOST, NULL);

	if (f)
		file_order_remove(t->orders, FILES_LOST, f);
	return f;
}

/* Closes the file when it was open for long enough and no process maps it. */
static void rest(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	if (f->path[0] == '[') /* the vdso: memory of our own */
		return;
	if (f->fd < 0 || f->refs > f->nr_numbers || now_ms - f->fd_ms < FD_MS)
		return;
	if (!f->symbols && mapped_file_is_lone(t, f)) {
		/*
		 * What is told takes effect before the next look: it may be asked for until then.
		 */
		if (!f->told_ms) {
			mapped_file_note_lost(t, f, now_ms);
			return;
		}
		if (f->fd_ms > f->told_ms) /* a sample met it again: it will be asked for */
			mapped_file_load(t, f, now_ms);
	}
	mapped_file_drop_fd(t, f);
}

/* A table that nobody asked for goes, but not one that could not be made again. */
static void unload_idle(struct file_table *t, struct mapped_file *f, uint64_t now_ms)
{
	if (!f->symbols || now_ms - f->used_ms < IDLE_MS || now_ms < f->kept_ms)
		return;
	if (f->fd < 0 && mapped_file_is_lone(t, f))
		f->kept_ms = now_ms + IDLE_MS;
	else
		mapped_file_drop_symbols(t, f);
}

struct aging {
	struct file_table *t;
	uint64_t now_ms, idle_ms;
};

/* Whether the file is forgotten. */
static bool file_age(void *ctx, struct mapped_file **slot)
{
	const struct aging *a = ctx;
	struct mapped_file *f = *slot;

	if (!f->refs && a->now_ms - f->used_ms >= a->idle_ms) {
		file_free(a->t, f);
		return true;
	}
	unload_idle(a->t, f, a->now_ms);
	rest(a->t, f, a->now_ms);
	return false;
}

/* So many have come that going through all of them costs each of those little. */
static bool has_grown(const struct file_table *t)
{
	return t->files->nr > 2 * (t->nr_aged > MAX_IDLE_FILES ? t->nr_aged : MAX_IDLE_FILES);
}

void file_table_age(struct file_table *t, uint64_t now_ms)
{
	struct aging aging = { t, now_ms, t->files->nr > MAX_IDLE_FILES ? 0 : IDLE_MS };

	if (now_ms - t->aged_ms < AGE_EVERY_MS && !has_grown(t))
		return;
	t->aged_ms = now_ms;
	file_slots_sweep(t->files, NULL, file_age, &aging);
	file_slots_fit(t->files, NULL, FIRST_FILES);
	shared_symbols_fit(t->symbols);
	t->nr_aged = t->files->nr;
}

void file_table_renumber(struct file_table *t)
{
	for_each_file(t, f) mapped_file_new_spaces(t, f);
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

void file_table_add_limits(const struct file_table *t, struct limit_counts *to)
{
	limit_counts_add(to, &t->limits);
}

size_t file_table_nr(const struct file_table *t)
{
	return t->files->nr;
}

size_t file_table_bytes(const struct file_table *t)
{
	return sizeof(*t) + file_slots_bytes(t->files) +
	       t->files->nr * (sizeof(struct mapped_file) + 64) + shared_symbols_bytes(t->symbols);
}
