// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers that the sampler gave to files, and the files. */
#include "symbol/numbered_files.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_NUMBERS 192

struct numbered_file {
	uint32_t number;
	uint32_t older, newer;	  /* numbers of the same file; 0: none */
	struct mapped_file *file; /* NULL: an empty slot */
};

DEFINE_TABLE(number_table, struct numbered_file, uint32_t, void)

static bool number_table_is_used(const struct numbered_file *n)
{
	return n->file != NULL;
}

static uint64_t number_table_hash(const void *nobody, const struct numbered_file *n)
{
	return hash_u64(n->number);
}

static bool number_table_equals(const void *nobody, const struct numbered_file *n,
				const uint32_t *number)
{
	return n->number == *number;
}

struct numbered_files {
	struct file_table *files;
	struct number_table numbers;
};

struct numbered_files *numbered_files_new(struct file_table *files)
{
	struct numbered_files *n = xcalloc(1, sizeof(*n));

	n->files = files;
	number_table_init(&n->numbers, FIRST_NUMBERS);
	return n;
}

void numbered_files_free(struct numbered_files *n)
{
	if (!n)
		return;
	number_table_deinit(&n->numbers);
	free(n);
}

static struct numbered_file *find(const struct numbered_files *n, uint32_t number)
{
	return number ? number_table_find(&n->numbers, NULL, hash_u64(number), &number) : NULL;
}

/* It becomes the last number that its file was given. */
static void link_last(struct numbered_files *n, struct numbered_file *slot)
{
	struct numbered_file *older = find(n, slot->file->number);

	if (older)
		older->newer = slot->number;
	slot->older = slot->file->number;
	slot->newer = 0;
	slot->file->number = slot->number;
}

static void unlink_number(struct numbered_files *n, const struct numbered_file *slot)
{
	struct numbered_file *older = find(n, slot->older), *newer = find(n, slot->newer);

	if (older)
		older->newer = slot->newer;
	if (newer)
		newer->older = slot->older;
	else
		slot->file->number = slot->older;
}

static void release(struct mapped_file *f)
{
	mapped_file_number(f, false);
	mapped_file_put(f);
}

void numbered_files_add(struct numbered_files *n, uint32_t number, const struct met_file *source,
			uint64_t now_ms)
{
	struct file_key key = { .path = source->path, .path_len = strlen(source->path) };
	struct mapped_file *old = NULL;
	struct numbered_file *slot;
	struct far_stat st = { 0 };
	bool is_new, wants_fd;

	if (source->stat)
		st = *source->stat;
	else if (far_stat_here(source->fd, &st) < 0)
		st = (struct far_stat){ 0 };
	key.dev = st.dev;
	key.ino = st.ino;
	slot = number_table_get(&n->numbers, NULL, hash_u64(number), &number, &is_new);
	if (!is_new) {
		unlink_number(n, slot);
		old = slot->file;
	}
	slot->number = number;
	/* Wanted or not: a file that was written in place comes with a number of its own. */
	slot->file = mapped_file_get(n->files, &key, now_ms, &wants_fd);
	mapped_file_number(slot->file, true);
	mapped_file_set_fd(n->files, slot->file, source->fd, source->stat);
	mapped_file_set_root(n->files, slot->file, source->root);
	if (old)
		release(old);
	link_last(n, slot);
}

void numbered_files_remove(struct numbered_files *n, uint32_t number)
{
	struct numbered_file *slot = find(n, number);

	if (!slot)
		return;
	unlink_number(n, slot);
	release(slot->file);
	number_table_remove(&n->numbers, NULL, slot);
}

struct mapped_file *numbered_files_find(const struct numbered_files *n, uint32_t number)
{
	const struct numbered_file *slot = find(n, number);

	return slot ? slot->file : NULL;
}

uint32_t numbered_files_next_lost(struct numbered_files *n)
{
	const struct mapped_file *f;

	while ((f = file_table_next_lost(n->files)))
		if (f->number)
			return f->number;
	return 0;
}

void numbered_files_age(struct numbered_files *n)
{
	number_table_fit(&n->numbers, NULL, FIRST_NUMBERS);
}
