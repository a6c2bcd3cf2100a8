// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorted by where they begin.  Ranges may lie within one another; the one that begins last is the
 * one that counts, and `reach` says when no earlier one can hold a UID.
 */
#include "util/owner_ranges.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/owner.h"
#include "util/parse.h"

#define BLOCK_UIDS	65536u
#define MAX_LINE_BYTES	512
#define MAX_PASSWD_LINE 65536

/* What stands in /etc/subuid of a range, before it is known who that is. */
struct entry {
	char *name;
	struct owner_range range;
	bool has_uid;
};

struct entries {
	struct entry *items;
	size_t nr, cap;
};

/* Cuts the field off that *at begins with; NULL: it is the last one. */
static char *cut_field(char **at)
{
	char *field = *at, *colon = strchr(field, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	*at = colon + 1;
	return field;
}

static bool line_parse(char *line, struct entry *ret_entry)
{
	char *name = cut_field(&line), *first = name ? cut_field(&line) : NULL;
	uint64_t from, count, uid;

	if (!first || !*name || parse_u64(first, &from) < 0 || parse_u64(line, &count) < 0)
		return false;
	if (!count || from > UINT32_MAX || count > UINT32_MAX)
		return false;
	*ret_entry = (struct entry){ .range = { .first = from, .end = from + count } };
	ret_entry->range.uid = (uint32_t)from;
	if (!parse_u64(name, &uid) && uid < UINT32_MAX) {
		ret_entry->range.uid = (uint32_t)uid;
		ret_entry->has_uid = true;
	}
	ret_entry->name = xstrdup(name);
	return true;
}

static void read_entries(struct entries *e, FILE *subuid)
{
	char line[MAX_LINE_BYTES];
	bool is_rest = false; /* of a line that was too long */

	while (e->nr < OWNER_RANGES_MAX && fgets(line, sizeof(line), subuid)) {
		size_t len = strcspn(line, "\n");
		bool is_whole = line[len] == '\n' && !is_rest;

		is_rest = line[len] != '\n';
		line[len] = '\0';
		array_reserve(e->items, e->cap, e->nr + 1);
		e->nr += is_whole && line_parse(line, &e->items[e->nr]);
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All entries of that user; they are sorted by name. */
static void name_resolve(struct entries *e, const struct passwd *user)
{
	size_t low = 0, high = e->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(e->items[mid].name, user->pw_name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < e->nr && !strcmp(e->items[low].name, user->pw_name); low++) {
		e->items[low].range.uid = user->pw_uid;
		e->items[low].has_uid = true;
	}
}

static void resolve_names(struct entries *e, FILE *passwd)
{
	_cleanup_free_ char *buf = xmalloc(MAX_PASSWD_LINE);
	struct passwd user, *found;

	if (e->nr)
		qsort(e->items, e->nr, sizeof(*e->items), compare_names);
	while (!fgetpwent_r(passwd, &user, buf, MAX_PASSWD_LINE, &found))
		name_resolve(e, found);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct owner_range *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

void owner_ranges_read(struct owner_ranges *r, FILE *subuid, FILE *passwd)
{
	struct entries e = { 0 };
	uint64_t reach = 0;

	read_entries(&e, subuid);
	if (passwd)
		resolve_names(&e, passwd);
	for (size_t i = 0; i < e.nr; i++) {
		struct owner_range range = e.items[i].range;

		if (e.items[i].has_uid && range.uid < OWNER_FIRST_UID)
			range.uid = 0;
		array_reserve(r->items, r->cap, r->nr + 1);
		r->items[r->nr++] = range;
		free(e.items[i].name);
	}
	free(e.items);
	if (r->nr)
		qsort(r->items, r->nr, sizeof(*r->items), compare_ranges);
	for (size_t i = 0; i < r->nr; i++) {
		reach = r->items[i].end > reach ? r->items[i].end : reach;
		r->items[i].reach = reach;
	}
}

void owner_ranges_deinit(struct owner_ranges *r)
{
	free(r->items);
	*r = (struct owner_ranges){ 0 };
}

uint32_t owner_ranges_find(const struct owner_ranges *r, uint32_t uid)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->items[mid].first <= uid)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low && r->items[low - 1].reach > uid; low--) {
		const struct owner_range *range = &r->items[low - 1];

		if (uid >= range->end)
			continue;
		return range->uid ? range->uid
				  : range->first + (uid - range->first) / BLOCK_UIDS * BLOCK_UIDS;
	}
	return uid;
}
