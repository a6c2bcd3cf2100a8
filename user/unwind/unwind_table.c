// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From FDEs to rows.  Rows arrive in rising order of address; a row that says the same as the one
 * before is dropped, also over the borders of FDEs, and every 64 KiB page gets a first row of its
 * own that repeats what is in force there.
 */
#include "unwind/unwind_table.h"

#include <stdlib.h>

#include "unwind/cfi_program.h"
#include "util/mem.h"

/* A smaller hole between functions is padding: the row before it goes on. */
#define MIN_GAP_BYTES 16
/* How far an entry point without an FDE reaches: ld.so's _start and _dl_start_user are 0x58. */
#define ENTRY_BYTES 256

struct builder {
	struct unwind_table *table;
	struct unwind_rules *rules;
	size_t cap_rows;
	uint32_t page;	   /* the page that rows go to, index into table->page */
	uint32_t rule;	   /* in force at the end of what was put so far */
	uint32_t max_page; /* table->nr_pages - 1 */
	/* The FDE that runs now. */
	const struct cfi_fde *fde;
	uint64_t lead; /* bytes before it that are nobody's, at most one call */
	bool is_root;
	/* What is put between FDEs. */
	uint64_t entry;
	const struct code_rows *code;
	size_t next_range;
};

static void push_row(struct builder *b, uint64_t addr, uint32_t rule)
{
	struct unwind_table *t = b->table;

	array_reserve(t->row, b->cap_rows, (size_t)t->nr_rows + 1);
	t->row[t->nr_rows++] = (uint32_t)(addr & 0xffff) << 16 | rule;
	t->page[b->page].nr_rows++;
}

/* Begins pages up to the given one, each with a row that repeats the rule in force. */
static void open_pages(struct builder *b, uint32_t page)
{
	while (b->page < page) {
		b->page++;
		b->table->page[b->page].first = b->table->nr_rows;
		push_row(b, 0, b->rule);
	}
}

/* From addr on, rule holds.  Addresses never fall; at equal ones the last call counts. */
static void put_row(struct builder *b, uint64_t addr, uint32_t rule)
{
	struct unwind_table *t = b->table;
	uint64_t page = (addr >> EDDY_UNWIND_PAGE_SHIFT) - t->page_base;
	struct unwind_table_page *p;
	uint32_t *last;

	if (page > b->max_page)
		return; /* the end of the last page, nothing behind it */
	open_pages(b, (uint32_t)page);
	if (t->nr_rows >= UNWIND_TABLE_MAX_ROWS) {
		t->defects.count[UNWIND_DEFECT_ROWS]++;
		rule = UNWIND_RULE_NONE; /* from here on nothing is known; pages stay in order */
	}
	if (rule == b->rule)
		return;
	p = &t->page[b->page];
	last = &t->row[t->nr_rows - 1];
	b->rule = rule;
	if (*last >> 16 != (addr & 0xffff)) {
		push_row(b, addr, rule);
		return;
	}
	*last = (*last & 0xffff0000) | rule;
	if (p->nr_rows > 1 && (last[-1] & 0xffff) == rule) {
		p->nr_rows--;
		t->nr_rows--;
	}
}

/* A row of the FDE that runs now. */
static void fde_row(void *ctx, uint64_t addr, const struct eddy_unwind_rule *rule)
{
	struct builder *b = ctx;
	uint32_t nr = b->is_root ? UNWIND_RULE_STOP : unwind_rules_intern(b->rules, rule);

	b->table->nr_raw_rows++;
	b->table->defects.count[UNWIND_DEFECT_RULE] += nr == UNWIND_RULE_UNSUP;
	/* A return address may be the first byte of a root or signal frame, and callers are looked
	 * up inside the call. */
	if (addr == b->fde->start && (nr == UNWIND_RULE_STOP || nr == UNWIND_RULE_SIGNAL))
		addr -= b->lead;
	put_row(b, addr, nr);
}

/* Whether the function never touches the stack, by its CFI, and is not long. */
static bool is_plain(const struct cfi_fde *fde)
{
	if (fde->end - fde->start > 64)
		return false;
	for (uint32_t i = 0; i < fde->code_len; i++)
		if (fde->code[i])
			return false;
	return true;
}

/* The rule that code itself tells, 0: none. */
static uint32_t code_rule(const struct code_rows *code, size_t range, uint64_t addr)
{
	uint16_t nr = code->rule[range][addr - code->ranges[range].start] & CODE_ROWS_RULE;

	return nr ? nr - 1u : UNWIND_RULE_NONE;
}

/* Of the entry point, where neither an FDE nor its code tells. */
static void put_entry(struct builder *b, uint64_t from, uint64_t to)
{
	if (!b->entry || b->entry < from || b->entry >= to)
		return;
	put_row(b, b->entry, UNWIND_RULE_STOP);
	if (to - b->entry > ENTRY_BYTES)
		put_row(b, b->entry + ENTRY_BYTES, UNWIND_RULE_NONE);
}

/* What the code of a range tells: rows where it changes. */
static void put_code(struct builder *b, size_t range)
{
	const struct code_range *r = &b->code->ranges[range];
	uint64_t entry = b->entry >= r->start && b->entry < r->end ? b->entry : 0;
	uint32_t rule, next, last = UNWIND_RULE_NONE;

	if (entry && code_rule(b->code, range, entry) != UNWIND_RULE_NONE)
		entry = 0;
	for (uint64_t addr = r->start; addr < r->end; addr++, last = rule) {
		rule = code_rule(b->code, range, addr);
		next = addr + 1 < r->end ? code_rule(b->code, range, addr + 1) : rule;
		/* As in fde_row(): a return address may be the first byte of such code. */
		if (rule == UNWIND_RULE_NONE &&
		    (next == UNWIND_RULE_STOP || next == UNWIND_RULE_SIGNAL))
			rule = next;
		if (rule == UNWIND_RULE_NONE && entry && addr - entry < ENTRY_BYTES)
			rule = UNWIND_RULE_STOP;
		if (rule != last)
			put_row(b, addr, rule);
	}
	put_row(b, r->end, UNWIND_RULE_NONE);
}

/* What holds between two FDEs: padding, or nothing, the entry point, what the code tells. */
static void put_gap(struct builder *b, uint64_t from, uint64_t to)
{
	if (to - from >= MIN_GAP_BYTES)
		put_row(b, from, UNWIND_RULE_NONE);
	for (; b->code && b->next_range < b->code->nr_ranges; b->next_range++) {
		const struct code_range *r = &b->code->ranges[b->next_range];

		if (r->start >= to)
			break;
		put_entry(b, from, r->start);
		put_code(b, b->next_range);
		from = r->end;
	}
	put_entry(b, from, to);
}

static void put_fdes(struct builder *b, struct eh_frame *eh, const struct unwind_table_hints *hints)
{
	uint64_t from = b->table->page_base << EDDY_UNWIND_PAGE_SHIFT, lead;

	for (size_t i = 0; i < eh->nr_fdes; i++) {
		const struct cfi_fde *fde = &eh->fdes[i];

		put_gap(b, from, fde->start);
		lead = fde->start - from;
		b->lead = lead < eh->machine->call_bytes ? lead : eh->machine->call_bytes;
		b->fde = fde;
		b->is_root = hints->is_root && is_plain(fde) && hints->is_root(hints->ctx, fde);
		if (!cfi_program_run_fde(eh->machine, &eh->cies[fde->cie], fde, fde_row, b))
			b->table->defects.count[UNWIND_DEFECT_PROGRAM]++;
		from = fde->end;
	}
	put_gap(b, from, UINT64_MAX);
	open_pages(b, b->max_page);
}

/* From the first FDE or range of code to the last. */
static uint64_t count_pages(const struct eh_frame *eh, const struct code_rows *code,
			    uint64_t *ret_base)
{
	uint64_t first = UINT64_MAX, last = 0;

	if (eh->nr_fdes) {
		first = eh->fdes[0].start;
		last = eh->fdes[eh->nr_fdes - 1].end - 1;
	}
	if (code && code->ranges[0].start < first)
		first = code->ranges[0].start;
	if (code && code->ranges[code->nr_ranges - 1].end - 1 > last)
		last = code->ranges[code->nr_ranges - 1].end - 1;
	*ret_base = first >> EDDY_UNWIND_PAGE_SHIFT;
	return (last >> EDDY_UNWIND_PAGE_SHIFT) - *ret_base + 1;
}

/* Makes room for the pages; FDEs, and rules of code, beyond the bound are dropped. */
static void place_pages(struct unwind_table *t, struct eh_frame *eh, const struct code_rows **code)
{
	uint64_t base = 0, nr = 0;

	while (eh->nr_fdes || *code) {
		nr = count_pages(eh, *code, &base);
		if (nr <= UNWIND_TABLE_MAX_PAGES)
			break;
		t->defects.count[UNWIND_DEFECT_SEGMENT]++;
		nr = 0;
		if (*code)
			*code = NULL;
		else
			eh->nr_fdes--;
	}
	if (!nr)
		return;
	t->page_base = base;
	t->nr_pages = (uint32_t)nr;
	t->page = xcalloc(nr, sizeof(*t->page));
}

void unwind_table_build(struct unwind_table *table, struct eh_frame *eh, struct unwind_rules *rules,
			const struct unwind_table_hints *hints)
{
	struct builder b = { .table = table, .rules = rules, .entry = hints->entry };

	table->rules = rules;
	table->nr_fdes = eh->nr_fdes;
	table->kind = EDDY_FILE_NOTABLE;
	if (hints->code && hints->code->nr_functions)
		b.code = hints->code;
	place_pages(table, eh, &b.code);
	if (table->nr_pages) {
		table->kind = EDDY_FILE_TABLE;
		b.max_page = table->nr_pages - 1;
		push_row(&b, 0, UNWIND_RULE_NONE);
		put_fdes(&b, eh, hints);
		table->row = xreallocarray(table->row, table->nr_rows, sizeof(*table->row));
	}
	for (int i = 0; i < NR_UNWIND_DEFECTS; i++)
		table->defects.count[i] += eh->defects.count[i];
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	free(table->page);
	free(table->row);
	unwind_rules_free(table->own_rules);
	free(table);
}

uint32_t unwind_table_find(const struct unwind_table *table, uint64_t elf_addr)
{
	uint64_t page = (elf_addr >> EDDY_UNWIND_PAGE_SHIFT) - table->page_base;
	uint32_t low = 0, high, limit = (uint32_t)(elf_addr & 0xffff) << 16 | 0xffff;
	const uint32_t *row;

	if (page >= table->nr_pages)
		return UNWIND_RULE_NONE;
	row = table->row + table->page[page].first;
	high = table->page[page].nr_rows;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (row[mid] <= limit)
			low = mid;
		else
			high = mid;
	}
	return row[low] & 0xffff;
}
