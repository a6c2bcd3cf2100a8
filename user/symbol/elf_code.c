// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of code, taken from headers once; files that say more than we hold lose the rest. */
#include "symbol/elf_code.h"

#include <elf.h>

#include "elf/cfi_read.h"
#include "unwind/elf_code_rows.h"
#include "util/mem.h"

#define MIN_EH_FDES 8 /* with fewer, .debug_frame is asked too, as for unwinding */

/* Less is stubs, and what each process starts with; more takes too long. */
#define MIN_UNCOVERED_BYTES 2048
#define MIN_UNCOVERED_SHARE 256
#define MAX_UNCOVERED_BYTES (4u << 20)

static const struct elf_code_range *range_find(const struct elf_code_range *ranges, size_t nr,
					       uint64_t vaddr)
{
	for (size_t i = 0; i < nr; i++)
		if (vaddr >= ranges[i].start && vaddr < ranges[i].end)
			return &ranges[i];
	return NULL;
}

bool elf_code_read(const struct elf_image *img, struct elf_code *ret_code)
{
	struct elf_code *c = ret_code;

	*c = (struct elf_code){ 0 };
	/* Sections only say more exactly where code ends: without one its segment does. */
	for (size_t i = 0; i < img->nr_sections && c->nr_sections < ELF_CODE_MAX_RANGES; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->flags & SHF_EXECINSTR && s->bytes <= UINT64_MAX - s->addr)
			c->sections[c->nr_sections++] =
				(struct elf_code_range){ s->addr, s->addr + s->bytes };
	}
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];
		uint64_t left = UINT64_MAX - s->vaddr;

		if (!s->executable)
			continue;
		if (c->nr_segments == ELF_CODE_MAX_RANGES)
			return false;
		c->segments[c->nr_segments++] = (struct elf_code_range){
			s->vaddr, s->vaddr + (s->memory_bytes < left ? s->memory_bytes : left)
		};
	}
	return true;
}

bool elf_code_holds(const struct elf_code *c, uint64_t vaddr)
{
	return range_find(c->segments, c->nr_segments, vaddr);
}

uint64_t elf_code_end(const struct elf_code *c, uint64_t vaddr)
{
	const struct elf_code_range *r = range_find(c->sections, c->nr_sections, vaddr);

	if (!r)
		r = range_find(c->segments, c->nr_segments, vaddr);
	return r ? r->end : vaddr;
}

uint64_t elf_code_lowest(const struct elf_code *c)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < c->nr_segments; i++)
		if (c->segments[i].start < lowest)
			lowest = c->segments[i].start;
	return lowest;
}

struct adding {
	const struct elf_code *code;
	struct function_table *to;
	size_t nr;
	bool is_whole;
};

static void add_range(void *ctx, const struct cfi_range *range)
{
	struct adding *a = ctx;
	const struct elf_code_range *segment =
		range_find(a->code->segments, a->code->nr_segments, range->start);
	uint64_t bytes = range->bytes;

	if (!segment)
		return;
	if (bytes > segment->end - range->start) /* an FDE says what it likes */
		bytes = segment->end - range->start;
	a->is_whole &= function_table_add(a->to, range->start, bytes);
	a->nr++;
}

static void add_section(struct adding *a, int err, const struct cfi_loaded *loaded)
{
	const struct cfi_visitor visitor = { .range = add_range, .ctx = a };

	a->is_whole &= err >= 0;
	cfi_section_walk(&loaded->section, &visitor);
}

bool elf_code_functions(const struct elf_image *img, const struct elf_code *c,
			struct function_table *to)
{
	_cleanup_cfi_loaded_ struct cfi_loaded eh_frame = { 0 }, debug_frame = { 0 };
	struct adding a = { .code = c, .to = to, .is_whole = true };

	add_section(&a, cfi_read_eh_frame(img, &eh_frame), &eh_frame);
	if (a.nr < MIN_EH_FDES)
		add_section(&a, cfi_read_debug_frame(img, &debug_frame), &debug_frame);
	return a.is_whole;
}

static uint64_t uncovered_bytes(const struct elf_code_range *range, const struct function_table *t)
{
	size_t before = function_table_nr_up_to(t, range->start);
	uint64_t at = range->start, bytes = 0;

	for (size_t i = before ? before - 1 : 0;
	     i < t->nr && t->base + t->ranges[i].start < range->end; i++) {
		uint64_t start = t->base + t->ranges[i].start;

		if (start > at && start - at >= CODE_GAP_MIN_BYTES)
			bytes += start - at;
		if (start + t->ranges[i].bytes > at)
			at = start + t->ranges[i].bytes;
	}
	return bytes + (at < range->end ? range->end - at : 0);
}

bool elf_code_is_uncovered(const struct elf_code *c, const struct function_table *functions,
			   uint64_t *ret_bytes)
{
	const struct elf_code_range *ranges = c->nr_sections ? c->sections : c->segments;
	const size_t nr = c->nr_sections ? c->nr_sections : c->nr_segments;
	uint64_t all = 0;

	*ret_bytes = 0;
	for (size_t i = 0; i < nr; i++) {
		all += ranges[i].end - ranges[i].start;
		*ret_bytes += uncovered_bytes(&ranges[i], functions);
	}
	return *ret_bytes >= MIN_UNCOVERED_BYTES && *ret_bytes >= all / MIN_UNCOVERED_SHARE &&
	       *ret_bytes <= MAX_UNCOVERED_BYTES;
}

void elf_code_proved_functions(const struct elf_image *img, const struct elf_code *c,
			       struct function_table *to)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_elf_code_rows_ struct elf_code_rows found = { 0 };
	_cleanup_free_ struct code_span *covered = NULL;
	struct elf_code_question q = { .img = img, .entry = img->entry, .want_functions = true };
	struct adding a = { .code = c, .to = to };

	covered = xreallocarray(NULL, to->nr + 1, sizeof(*covered));
	for (size_t i = 0; i < to->nr; i++) {
		uint64_t start = to->base + to->ranges[i].start;

		covered[i] = (struct code_span){ start, start + to->ranges[i].bytes };
	}
	q.covered = covered;
	q.nr_covered = to->nr;
	elf_code_rows_find(&q, rules, &found);
	for (size_t i = 0; i < found.rows.nr_named; i++) {
		const struct code_entry *f = &found.rows.functions[i];

		add_range(&a, &(struct cfi_range){ .start = f->addr, .bytes = f->end - f->addr });
	}
}
