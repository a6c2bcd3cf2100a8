// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the walk of elf/cfi_section.h tells: the rules of CIEs are run at once; FDEs are kept as
 * pointers into the section and run later, once each.
 */
#include "unwind/eh_frame.h"

#include <stdlib.h>

#include "unwind/cfi_program.h"
#include "util/cleanup.h"
#include "util/mem.h"

/*
 * Bounds on what a hostile section can make us hold.  The largest files of a distribution have some
 * 100 CIEs and 300,000 FDEs.
 */
#define MAX_CIES (1u << 16)
#define MAX_FDES (1u << 21)

void eh_frame_init(struct eh_frame *eh, const struct cfi_machine *machine,
		   const struct address_range *ranges, size_t nr_ranges)
{
	*eh = (struct eh_frame){ .machine = machine, .ranges = ranges, .nr_ranges = nr_ranges };
}

void eh_frame_deinit(struct eh_frame *eh)
{
	free(eh->cies);
	free(eh->fdes);
}

static void count(struct eh_frame *eh, enum unwind_defect defect)
{
	eh->defects.count[defect]++;
}

/* The walk over one section. */
struct walk {
	struct eh_frame *eh;
	size_t first_cie; /* CIEs of this section begin here */
};

static bool add_cie(void *ctx, const struct cfi_head *head)
{
	struct walk *walk = ctx;
	struct eh_frame *eh = walk->eh;
	struct cfi_cie cie = {
		.code = head->code,
		.code_len = head->code_len,
		.code_align = head->code_align,
		.data_align = head->data_align,
		.encoding = head->encoding,
		.is_signal = head->is_signal,
		.is_foreign_ra = head->ra != eh->machine->ra,
	};
	bool is_usable;

	if (eh->nr_cies == MAX_CIES)
		return false;
	is_usable = cfi_program_run_cie(eh->machine, &cie);
	array_reserve(eh->cies, eh->cap_cies, eh->nr_cies + 1);
	eh->cies[eh->nr_cies++] = cie;
	return is_usable;
}

/* Cuts an FDE to the executable range it begins in; false when there is none. */
static bool clip_fde(const struct eh_frame *eh, struct cfi_fde *fde)
{
	for (size_t i = 0; i < eh->nr_ranges; i++) {
		const struct address_range *range = &eh->ranges[i];

		if (fde->start < range->begin || fde->start >= range->end)
			continue;
		if (fde->end > range->end)
			fde->end = range->end;
		return true;
	}
	return false;
}

static void add_fde(void *ctx, const struct cfi_range *range)
{
	struct walk *walk = ctx;
	struct eh_frame *eh = walk->eh;
	struct cfi_fde fde = { .start = range->start,
			       .code = range->code,
			       .code_len = (uint32_t)range->code_len,
			       .cie = (uint32_t)(walk->first_cie + range->head) };

	if (__builtin_add_overflow(fde.start, range->bytes, &fde.end))
		fde.end = UINT64_MAX;
	if (!clip_fde(eh, &fde)) {
		count(eh, UNWIND_DEFECT_OUTSIDE);
		return;
	}
	if (eh->nr_fdes == MAX_FDES) {
		count(eh, UNWIND_DEFECT_ROWS);
		return;
	}
	array_reserve(eh->fdes, eh->cap_fdes, eh->nr_fdes + 1);
	eh->fdes[eh->nr_fdes++] = fde;
}

static void add_defect(void *ctx, enum cfi_defect defect)
{
	static const enum unwind_defect defects[] = {
		[CFI_DEFECT_RECORD] = UNWIND_DEFECT_RECORD,
		[CFI_DEFECT_HEAD] = UNWIND_DEFECT_CIE,
		[CFI_DEFECT_ENCODING] = UNWIND_DEFECT_ENCODING,
	};
	const struct walk *walk = ctx;

	count(walk->eh, defects[defect]);
}

void eh_frame_add(struct eh_frame *eh, const struct cfi_section *section)
{
	struct walk walk = { .eh = eh, .first_cie = eh->nr_cies };

	cfi_section_walk(section, &(struct cfi_visitor){ .head = add_cie,
							 .range = add_fde,
							 .defect = add_defect,
							 .ctx = &walk });
}

void eh_frame_add_made(struct eh_frame *eh, const struct cfi_cie *cie, const struct cfi_fde *fde)
{
	struct cfi_fde made = *fde;

	if (eh->nr_cies == MAX_CIES || eh->nr_fdes == MAX_FDES || made.end <= made.start ||
	    !clip_fde(eh, &made))
		return;
	made.cie = (uint32_t)eh->nr_cies;
	array_reserve(eh->cies, eh->cap_cies, eh->nr_cies + 1);
	eh->cies[eh->nr_cies++] = *cie;
	array_reserve(eh->fdes, eh->cap_fdes, eh->nr_fdes + 1);
	eh->fdes[eh->nr_fdes++] = made;
}

/* Equal addresses keep the order in which they were added, which `code` does not tell. */
struct sort_key {
	uint64_t start;
	uint32_t nr;
};

static int compare_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->nr > b->nr) - (a->nr < b->nr);
}

static bool is_sorted(const struct eh_frame *eh)
{
	for (size_t i = 1; i < eh->nr_fdes; i++)
		if (eh->fdes[i - 1].start > eh->fdes[i].start)
			return false;
	return true;
}

/* Moves each to where its key stands, cycle by cycle: a copy of all would be 20 MB for a browser.
 */
static void permute_fdes(struct cfi_fde *fdes, struct sort_key *keys, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct cfi_fde first = fdes[i];
		uint32_t to = i;

		for (uint32_t from; (from = keys[to].nr) != i; to = from) {
			fdes[to] = fdes[from];
			keys[to].nr = to;
		}
		fdes[to] = first;
		keys[to].nr = to;
	}
}

static void sort_fdes(struct eh_frame *eh)
{
	_cleanup_free_ struct sort_key *keys = xmalloc(eh->nr_fdes * sizeof(*keys));

	for (size_t i = 0; i < eh->nr_fdes; i++)
		keys[i] = (struct sort_key){ .start = eh->fdes[i].start, .nr = (uint32_t)i };
	qsort(keys, eh->nr_fdes, sizeof(*keys), compare_keys);
	permute_fdes(eh->fdes, keys, (uint32_t)eh->nr_fdes);
}

void eh_frame_sort(struct eh_frame *eh)
{
	size_t n = 0;

	if (!is_sorted(eh))
		sort_fdes(eh);
	for (size_t i = 0; i < eh->nr_fdes; i++) {
		struct cfi_fde *last = n ? &eh->fdes[n - 1] : NULL;

		if (last && last->start == eh->fdes[i].start) {
			count(eh, UNWIND_DEFECT_OVERLAP);
			continue;
		}
		if (last && last->end > eh->fdes[i].start) {
			count(eh, UNWIND_DEFECT_OVERLAP);
			last->end = eh->fdes[i].start;
		}
		eh->fdes[n++] = eh->fdes[i];
	}
	eh->nr_fdes = n;
}
