// SPDX-License-Identifier: GPL-2.0-or-later
/* head | segments | pages | rows | rules; the head says how many. */
#include "unwind/unwind_pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MAGIC 0x657a6c62

struct packed_head {
	uint32_t magic;
	uint16_t kind, elf_machine;
	uint64_t page_base;
	uint32_t nr_segments, nr_pages, nr_rows, nr_rules;
	uint64_t nr_fdes, nr_raw_rows;
	struct unwind_defects defects;
};

void unwind_table_pack(const struct unwind_table *t, const struct unwind_rules *rules,
		       struct strbuf *to)
{
	const struct packed_head head = {
		.magic = MAGIC,
		.kind = t->kind,
		.elf_machine = t->elf_machine,
		.page_base = t->page_base,
		.nr_segments = t->nr_segments,
		.nr_pages = t->nr_pages,
		.nr_rows = t->nr_rows,
		.nr_rules = unwind_rules_count(rules),
		.nr_fdes = t->nr_fdes,
		.nr_raw_rows = t->nr_raw_rows,
		.defects = t->defects,
	};

	strbuf_add(to, &head, sizeof(head));
	strbuf_add(to, t->segment, t->nr_segments * sizeof(t->segment[0]));
	strbuf_add(to, t->page, t->nr_pages * sizeof(t->page[0]));
	strbuf_add(to, t->row, t->nr_rows * sizeof(t->row[0]));
	strbuf_add(to, unwind_rules_get(rules, 0), head.nr_rules * sizeof(struct eddy_unwind_rule));
}

/* ---- back, by somebody who believes nothing ----------------------------------------------- */

struct parts {
	struct packed_head head;
	const char *segments, *pages, *rows, *rules;
};

/* Do the lengths add up to the bytes, within what a table may have? */
static bool parts_find(const char *bytes, size_t len, struct parts *ret)
{
	struct packed_head *h = &ret->head;

	if (len < sizeof(*h))
		return false;
	memcpy(h, bytes, sizeof(*h));
	if (h->magic != MAGIC || h->nr_segments > EDDY_UNWIND_MAX_SEGMENTS ||
	    h->nr_pages > UNWIND_TABLE_MAX_PAGES ||
	    h->nr_rows > UNWIND_TABLE_MAX_ROWS + UNWIND_TABLE_MAX_PAGES ||
	    h->nr_rules > EDDY_UNWIND_MAX_RULES || h->nr_rules <= UNWIND_RULE_SIGNAL)
		return false;
	ret->segments = bytes + sizeof(*h);
	ret->pages = ret->segments + h->nr_segments * sizeof(struct eddy_unwind_segment);
	ret->rows = ret->pages + h->nr_pages * sizeof(struct unwind_table_page);
	ret->rules = ret->rows + h->nr_rows * sizeof(uint32_t);
	return len == (size_t)(ret->rules - bytes) + h->nr_rules * sizeof(struct eddy_unwind_rule);
}

static bool segments_are_sound(const struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->nr_segments; i++)
		if (t->segment[i].begin >= t->segment[i].end)
			return false;
	return true;
}

/* Pages follow each other, each with a row for its first byte, rows rise, rules are there. */
static bool rows_are_sound(const struct unwind_table *t, uint32_t nr_rules)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nr_pages; i++) {
		const struct unwind_table_page *p = &t->page[i];

		if (p->first != next || !p->nr_rows || p->nr_rows > 65536 ||
		    p->nr_rows > t->nr_rows - next || t->row[next] >> 16)
			return false;
		for (uint32_t k = 0; k < p->nr_rows; k++)
			if ((t->row[next + k] & 0xffff) >= nr_rules ||
			    (k && t->row[next + k] >> 16 <= t->row[next + k - 1] >> 16))
				return false;
		next += p->nr_rows;
	}
	return next == t->nr_rows;
}

static bool rule_is_sound(const struct eddy_unwind_rule *r)
{
	bool has_register = r->cfa >= EDDY_CFA_REG && r->cfa < EDDY_CFA_REG + EDDY_NR_GPRS;

	return (r->cfa <= EDDY_CFA_SWITCH || has_register) && r->fp <= EDDY_FP_LOST &&
	       r->ra <= EDDY_RA_CODE &&
	       (r->ra != EDDY_RA_REG || (r->aux >= 0 && r->aux < EDDY_NR_GPRS));
}

/* This dictionary's numbers of the rules of the other one; NULL when one of them is no rule. */
static uint32_t *rules_learn(const char *bytes, uint32_t nr, struct unwind_rules *rules)
{
	_cleanup_free_ uint32_t *number = xreallocarray(NULL, nr, sizeof(*number));
	struct eddy_unwind_rule rule;

	for (uint32_t i = 0; i < nr; i++) {
		memcpy(&rule, bytes + i * sizeof(rule), sizeof(rule));
		/* The first ones are the same in every dictionary. */
		if (!rule_is_sound(&rule) ||
		    (i <= UNWIND_RULE_SIGNAL &&
		     memcmp(&rule, unwind_rules_get(rules, i), sizeof(rule))))
			return NULL;
	}
	for (uint32_t i = 0; i < nr; i++) {
		memcpy(&rule, bytes + i * sizeof(rule), sizeof(rule));
		number[i] = unwind_rules_intern(rules, &rule);
	}
	return take_ptr(number);
}

static void *copy(const char *bytes, size_t len)
{
	return len ? xmemdup0(bytes, len) : NULL;
}

struct unwind_table *unwind_table_unpack(const char *bytes, size_t len, struct unwind_rules *rules)
{
	_cleanup_(unwind_table_freep) struct unwind_table *t = xcalloc(1, sizeof(*t));
	_cleanup_free_ uint32_t *number = NULL;
	struct parts parts;
	const struct packed_head *h = &parts.head;

	if (!parts_find(bytes, len, &parts) ||
	    h->kind != (h->nr_pages ? EDDY_FILE_TABLE : EDDY_FILE_NOTABLE))
		return NULL;
	t->kind = h->kind;
	t->elf_machine = h->elf_machine;
	t->page_base = h->page_base;
	t->nr_segments = h->nr_segments;
	t->nr_pages = h->nr_pages;
	t->nr_rows = h->nr_rows;
	t->nr_fdes = h->nr_fdes;
	t->nr_raw_rows = h->nr_raw_rows;
	t->defects = h->defects;
	memcpy(t->segment, parts.segments, t->nr_segments * sizeof(t->segment[0]));
	t->page = copy(parts.pages, t->nr_pages * sizeof(t->page[0]));
	t->row = copy(parts.rows, t->nr_rows * sizeof(t->row[0]));
	if (!segments_are_sound(t) || !rows_are_sound(t, h->nr_rules))
		return NULL;
	if (!rules)
		rules = t->own_rules = unwind_rules_new();
	t->rules = rules;
	number = rules_learn(parts.rules, h->nr_rules, rules);
	if (!number)
		return NULL;
	for (uint32_t i = 0; i < t->nr_rows; i++)
		t->row[i] = (t->row[i] & 0xffff0000) | number[t->row[i] & 0xffff];
	return take_ptr(t);
}
