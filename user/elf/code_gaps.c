// SPDX-License-Identifier: GPL-2.0-or-later
/* Code is what executable sections hold, or executable segments where there are no sections. */
#include "elf/code_gaps.h"

#include <elf.h>
#include <stdlib.h>

#include "elf/cfi_read.h"
#include "util/mem.h"

#define MIN_EH_FDES 8 /* with fewer, .debug_frame is asked too, as for unwinding */

static void gap_add(struct code_gaps *g, uint64_t start, uint64_t end)
{
	if (end <= start || end - start < CODE_GAP_MIN_BYTES)
		return;
	if (g->nr == CODE_GAPS_MAX || end - start > CODE_GAPS_MAX_BYTES - g->bytes) {
		g->is_cut = true;
		return;
	}
	array_reserve(g->items, g->cap, g->nr + 1);
	g->items[g->nr++] = (struct code_span){ start, end };
	g->bytes += end - start;
}

/* The first that ends behind an address. */
static size_t first_behind(const struct code_span *covered, size_t nr, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (covered[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void area_add(struct code_gaps *g, const struct code_span *area,
		     const struct code_span *covered, size_t nr)
{
	uint64_t at = area->start;

	for (size_t i = first_behind(covered, nr, at); i < nr && covered[i].start < area->end;
	     i++) {
		gap_add(g, at, covered[i].start);
		at = covered[i].end;
	}
	if (at < area->end)
		gap_add(g, at, area->end);
}

static int compare_spans(const void *left, const void *right)
{
	const struct code_span *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* As much of an address range as has bytes in an executable segment. */
static bool clip(const struct elf_image *img, uint64_t addr, uint64_t bytes,
		 struct code_span *ret_span)
{
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];
		uint64_t into = addr - s->vaddr, left;

		if (!s->executable || addr < s->vaddr || into >= s->file_bytes)
			continue;
		left = s->file_bytes - into;
		if (s->offset > img->source.len || into > img->source.len - s->offset)
			return false;
		if (left > img->source.len - s->offset - into)
			left = img->source.len - s->offset - into;
		if (left > UINT64_MAX - addr)
			left = UINT64_MAX - addr;
		*ret_span = (struct code_span){ addr, addr + (bytes < left ? bytes : left) };
		return true;
	}
	return false;
}

/* Rising and apart; sections that overlap are cut. */
static size_t find_areas(const struct elf_image *img, struct code_span *areas)
{
	size_t nr = 0, n = 0;

	for (size_t i = 0; i < img->nr_sections; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->flags & SHF_EXECINSTR && s->type != SHT_NOBITS &&
		    clip(img, s->addr, s->bytes, &areas[nr]))
			nr++;
	}
	for (size_t i = 0; !nr && i < img->nr_segments; i++)
		if (img->segments[i].executable &&
		    clip(img, img->segments[i].vaddr, img->segments[i].file_bytes, &areas[n]))
			n++;
	nr += n;
	n = 0;
	if (nr)
		qsort(areas, nr, sizeof(*areas), compare_spans);
	for (size_t i = 0; i < nr; i++) {
		if (n && areas[i].start < areas[n - 1].end)
			areas[i].start = areas[n - 1].end;
		if (areas[i].start < areas[i].end)
			areas[n++] = areas[i];
	}
	return n;
}

/* What `covered`, rising and apart, leaves of the code. */
static void gaps_between(const struct elf_image *img, const struct code_span *covered, size_t nr,
			 struct code_gaps *ret_gaps)
{
	_cleanup_free_ struct code_span *areas = NULL;
	size_t nr_areas;

	*ret_gaps = (struct code_gaps){ 0 };
	areas = xreallocarray(NULL, img->nr_sections + img->nr_segments + 1, sizeof(*areas));
	nr_areas = find_areas(img, areas);
	for (size_t i = 0; i < nr_areas; i++)
		area_add(ret_gaps, &areas[i], covered, nr);
}

bool code_gaps_is_go(const struct elf_image *img)
{
	return elf_image_section_by_name(img, ".gopclntab") ||
	       elf_image_section_by_name(img, ".data.rel.ro.gopclntab");
}

/* ---- by the file's own entries ------------------------------------------------------------ */

struct spans {
	struct code_span *items;
	size_t nr, cap;
};

static void span_add(void *ctx, const struct cfi_range *range)
{
	struct spans *s = ctx;
	uint64_t end;

	if (__builtin_add_overflow(range->start, range->bytes, &end))
		end = UINT64_MAX;
	array_reserve(s->items, s->cap, s->nr + 1);
	s->items[s->nr++] = (struct code_span){ range->start, end };
}

static void spans_join(struct spans *s)
{
	size_t n = 0;

	if (s->nr)
		qsort(s->items, s->nr, sizeof(*s->items), compare_spans);
	for (size_t i = 0; i < s->nr; i++) {
		if (n && s->items[i].start <= s->items[n - 1].end) {
			if (s->items[i].end > s->items[n - 1].end)
				s->items[n - 1].end = s->items[i].end;
		} else {
			s->items[n++] = s->items[i];
		}
	}
	s->nr = n;
}

void code_gaps_find(const struct elf_image *img, const struct code_span *further, size_t nr,
		    struct code_gaps *ret_gaps)
{
	_cleanup_cfi_loaded_ struct cfi_loaded eh_frame = { 0 }, debug_frame = { 0 };
	struct spans spans = { 0 };
	const struct cfi_visitor visitor = { .range = span_add, .ctx = &spans };

	*ret_gaps = (struct code_gaps){ 0 };
	if (img->machine != EM_X86_64 || !img->is64 || code_gaps_is_go(img))
		return;
	cfi_read_eh_frame(img, &eh_frame);
	cfi_section_walk(&eh_frame.section, &visitor);
	if (spans.nr < MIN_EH_FDES) {
		cfi_read_debug_frame(img, &debug_frame);
		cfi_section_walk(&debug_frame.section, &visitor);
	}
	for (size_t i = 0; i < nr; i++) {
		array_reserve(spans.items, spans.cap, spans.nr + 1);
		spans.items[spans.nr++] = further[i];
	}
	spans_join(&spans);
	gaps_between(img, spans.items, spans.nr, ret_gaps);
	free(spans.items);
}

void code_gaps_deinit(struct code_gaps *g)
{
	free(g->items);
	*g = (struct code_gaps){ 0 };
}
