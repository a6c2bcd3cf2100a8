// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over the fields of the profile; their insides are looked at when they are needed. */
#include "input/pprof_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_BYTES ((size_t)1 << 20)
#define FIRST_IDS   192
#define ID_FIELD    1

DEFINE_ID_TABLE(pprof_ids, uint64_t, struct pprof_list)

static uint64_t pprof_ids_hash(const struct pprof_list *list, const uint32_t *slot)
{
	return hash_u64(list->entries[*slot].id);
}

static bool pprof_ids_equals(const struct pprof_list *list, const uint32_t *slot,
			     const uint64_t *id)
{
	return list->entries[*slot].id == *id;
}

static void list_init(struct pprof_list *l)
{
	l->entries = xcalloc(FIRST_IDS, sizeof(*l->entries));
	l->cap = FIRST_IDS;
	l->nr = 1;
	l->by_id = xcalloc(1, sizeof(*l->by_id));
	pprof_ids_init(l->by_id, FIRST_IDS);
}

static void list_deinit(struct pprof_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->entries[i].frames);
	free(l->entries);
	if (l->by_id)
		pprof_ids_deinit(l->by_id);
	free(l->by_id);
}

void pprof_tables_deinit(struct pprof_tables *t)
{
	list_deinit(&t->mappings);
	list_deinit(&t->functions);
	list_deinit(&t->locations);
	free(t->strings);
	free(t->bytes);
}

int pprof_fail(const struct pprof_tables *t, const uint8_t *where, const char *what)
{
	return diag_set(t->r->ret_diag, EINVAL, "%s: byte %zu unpacked: %s", t->r->name,
			(size_t)(where - t->bytes), what);
}

bool pprof_string(const struct pprof_tables *t, uint64_t number, struct bytes *ret)
{
	if (number >= t->nr_strings)
		return false;
	*ret = t->strings[number];
	return true;
}

/* Where the entry of an id stands; 0: there is none. */
static uint32_t find_index(const struct pprof_list *list, uint64_t id)
{
	const uint32_t *slot = pprof_ids_find(list->by_id, list, hash_u64(id), &id);

	return slot ? *slot : 0;
}

struct pprof_entry *pprof_find(const struct pprof_list *list, uint64_t id)
{
	const uint32_t at = find_index(list, id);

	return at ? &list->entries[at] : NULL;
}

/* ---- the bytes ---------------------------------------------------------------------------- */

/* They, and what is made of them, are in memory at a time. */
static int check_memory(const struct pprof_tables *t)
{
	uint64_t bytes = t->len + t->cap_strings * sizeof(*t->strings);

	bytes += (t->mappings.cap + t->functions.cap + t->locations.cap) *
		 sizeof(*t->locations.entries);
	if (bytes <= t->r->max_memory_bytes)
		return 0;
	return diag_set(t->r->ret_diag, E2BIG,
			"%s: takes more than %llu MiB of memory (--max-input raises the limit)",
			t->r->name, (unsigned long long)t->r->max_memory_bytes >> 20);
}

static int read_bytes(struct pprof_tables *t)
{
	size_t cap = 0;
	ssize_t n;

	do {
		if (t->len == cap) {
			cap = cap ? 2 * cap : FIRST_BYTES;
			t->bytes = xreallocarray(t->bytes, cap, 1);
		}
		n = source_read(t->r->source, t->bytes + t->len, cap - t->len, t->r->ret_diag);
		if (n < 0)
			return n;
		t->len += n;
		if (check_memory(t) < 0)
			return -E2BIG;
	} while (n);
	return 0;
}

/* ---- the tables --------------------------------------------------------------------------- */

static int add_string(struct pprof_tables *t, const struct protobuf_field *f)
{
	array_reserve(t->strings, t->cap_strings, t->nr_strings + 1);
	t->strings[t->nr_strings++] =
		(struct bytes){ (const char *)f->bytes.at, f->bytes.end - f->bytes.at };
	return 0;
}

static int add_type(struct pprof_tables *t, const struct protobuf_field *f)
{
	struct protobuf p = f->bytes;
	struct protobuf_field in;
	int r;

	if (t->nr_types == PPROF_MAX_TYPES)
		return pprof_fail(t, f->begin, "more than 64 types of values");
	while ((r = protobuf_next(&p, &in)) > 0) {
		if (in.number == 1)
			t->types[t->nr_types].type = in.value;
		if (in.number == 2)
			t->types[t->nr_types].unit = in.value;
	}
	t->nr_types++;
	return r < 0 ? pprof_fail(t, f->begin, "a type that is no message") : 0;
}

/* Ids are not 0, and each is there once: Go's reader has it so too. */
static int add_entry(struct pprof_tables *t, struct pprof_list *l, const struct protobuf_field *f)
{
	struct pprof_entry entry = { .message = f->bytes };
	struct protobuf p = f->bytes;
	struct protobuf_field in;
	int r;

	while ((r = protobuf_next(&p, &in)) > 0)
		if (in.number == ID_FIELD)
			entry.id = in.value;
	if (r < 0)
		return pprof_fail(t, f->begin, "a field that is no message");
	if (!entry.id)
		return pprof_fail(t, f->begin, "a mapping, location or function without id");
	if (find_index(l, entry.id))
		return pprof_fail(t, f->begin, "two mappings, locations or functions of one id");
	if (l->nr == UINT32_MAX)
		return pprof_fail(t, f->begin, "too many mappings, locations or functions");
	array_reserve(l->entries, l->cap, l->nr + 1);
	l->entries[l->nr] = entry;
	pprof_ids_reserve_all(l->by_id, l, 1);
	*pprof_ids_put(l->by_id, hash_u64(entry.id)) = l->nr;
	l->nr++;
	return 0;
}

/* "eddy 0.1.0": what the writer here puts into its profiles, and Go's tools leave there. */
static void find_author(struct pprof_tables *t)
{
	struct protobuf p = { t->bytes, t->bytes + t->len }, numbers;
	struct protobuf_field f;
	struct bytes text;
	uint8_t scratch[10];
	uint64_t number;

	while (protobuf_next(&p, &f) > 0) {
		if (f.number != PPROF_COMMENT)
			continue;
		numbers = protobuf_numbers(&f, scratch);
		while (protobuf_next_number(&numbers, &number) > 0)
			if (pprof_string(t, number, &text) && bytes_begin(text, "eddy "))
				t->is_own = true;
	}
}

static int add_field(struct pprof_tables *t, const struct protobuf_field *f)
{
	if (f->number == PPROF_DEFAULT_SAMPLE_TYPE && !f->is_bytes)
		t->default_type = f->value;
	if (f->number < PPROF_SAMPLE_TYPE || f->number > PPROF_STRING_TABLE)
		return 0;
	if (!f->is_bytes)
		return pprof_fail(t, f->begin, "a number where a message belongs");
	switch (f->number) {
	case PPROF_SAMPLE_TYPE:
		return add_type(t, f);
	case PPROF_MAPPING:
		return add_entry(t, &t->mappings, f);
	case PPROF_LOCATION:
		return add_entry(t, &t->locations, f);
	case PPROF_FUNCTION:
		return add_entry(t, &t->functions, f);
	case PPROF_STRING_TABLE:
		return add_string(t, f);
	default:
		return 0;
	}
}

int pprof_tables_read(struct pprof_tables *t, struct reading *r)
{
	struct protobuf p;
	struct protobuf_field f;
	int err;

	*t = (struct pprof_tables){ .r = r };
	list_init(&t->mappings);
	list_init(&t->functions);
	list_init(&t->locations);
	err = read_bytes(t);
	if (err < 0)
		return err;
	p = (struct protobuf){ t->bytes, t->bytes + t->len };
	while ((err = protobuf_next(&p, &f)) > 0) {
		err = add_field(t, &f);
		if (err >= 0)
			err = check_memory(t);
		if (err < 0)
			return err;
	}
	if (err < 0)
		return pprof_fail(t, p.at, "cut off, or no pprof profile");
	if (!t->nr_strings || t->strings[0].len)
		return pprof_fail(t, t->bytes, "the first string is not empty");
	find_author(t);
	return 0;
}
