// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two hash tables: pairs of a file and what is shown for it, and what is shown, with how many files
 * that is for.  Files come and go under one inode, so those of one are not looked through.
 */
#include "capture/file_aliases.h"

#include <stdlib.h>

#include "capture/file_key.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

struct alias {
	struct eddy_unwind_key shown; /* without generation */
	struct eddy_unwind_key key;
	bool is_used;
};

static uint64_t shown_hash(const struct eddy_unwind_key *shown)
{
	return hash_mix(shown->ino, shown->dev);
}

static bool alias_table_is_used(const struct alias *a)
{
	return a->is_used;
}

static uint64_t alias_table_hash(const void *nobody, const struct alias *a)
{
	return hash_mix(shown_hash(&a->shown), file_key_hash(&a->key));
}

static bool alias_table_equals(const void *nobody, const struct alias *a, const struct alias *b)
{
	return file_key_has_inode(&a->shown, &b->shown) && file_key_equals(&a->key, &b->key);
}

DEFINE_TABLE(alias_table, struct alias, struct alias, void)

struct shown {
	struct eddy_unwind_key shown;
	struct eddy_unwind_key key; /* the file that came first */
	uint32_t nr;		    /* files; 0: empty slot */
};

static bool shown_table_is_used(const struct shown *s)
{
	return s->nr != 0;
}

static uint64_t shown_table_hash(const void *nobody, const struct shown *s)
{
	return shown_hash(&s->shown);
}

static bool shown_table_equals(const void *nobody, const struct shown *s,
			       const struct eddy_unwind_key *shown)
{
	return file_key_has_inode(&s->shown, shown);
}

DEFINE_TABLE(shown_table, struct shown, struct eddy_unwind_key, void)

struct file_aliases {
	struct alias_table aliases;
	struct shown_table shown;
};

struct file_aliases *file_aliases_new(void)
{
	struct file_aliases *a = xcalloc(1, sizeof(*a));

	alias_table_init(&a->aliases, 0);
	shown_table_init(&a->shown, 0);
	return a;
}

void file_aliases_free(struct file_aliases *a)
{
	if (!a)
		return;
	alias_table_deinit(&a->aliases);
	shown_table_deinit(&a->shown);
	free(a);
}

static void count_shown(struct file_aliases *a, const struct alias *alias)
{
	bool is_new;
	struct shown *s =
		shown_table_get(&a->shown, NULL, shown_hash(&alias->shown), &alias->shown, &is_new);

	if (is_new)
		*s = (struct shown){ .shown = alias->shown, .key = alias->key };
	s->nr++;
}

void file_aliases_add(struct file_aliases *a, const struct eddy_unwind_key *shown,
		      const struct eddy_unwind_key *key)
{
	const struct alias alias = { .shown = *shown, .key = *key, .is_used = true };
	bool is_new;

	*alias_table_get(&a->aliases, NULL, alias_table_hash(NULL, &alias), &alias, &is_new) =
		alias;
	if (is_new)
		count_shown(a, &alias);
}

const struct eddy_unwind_key *file_aliases_find(const struct file_aliases *a,
						const struct eddy_unwind_key *shown)
{
	const struct shown *s = shown_table_find(&a->shown, NULL, shown_hash(shown), shown);

	return s && s->nr == 1 ? &s->key : NULL;
}

struct known {
	bool (*is_known)(void *ctx, const struct eddy_unwind_key *key);
	void *ctx;
};

static bool alias_is_unknown(void *ctx, struct alias *alias)
{
	const struct known *k = ctx;

	return !k->is_known(k->ctx, &alias->key);
}

void file_aliases_age(struct file_aliases *a,
		      bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx)
{
	struct known known = { is_known, ctx };

	alias_table_sweep(&a->aliases, NULL, alias_is_unknown, &known);
	alias_table_fit(&a->aliases, NULL, 0);
	shown_table_reset(&a->shown, a->aliases.nr);
	for (struct alias *i = NULL; (i = alias_table_next(&a->aliases, i));)
		count_shown(a, i);
}

size_t file_aliases_nr(const struct file_aliases *a)
{
	return a->aliases.nr;
}
