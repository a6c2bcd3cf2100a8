// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the records of .eh_frame or .debug_frame once, in order.  CIEs are only taken where the
 * walk meets one, so a lying CIE pointer finds nothing and a cycle cannot be built; FDEs are kept
 * as pointers into the section and run later, once each.
 *
 *	record  length (4, or ffffffff + 8) | id (4 or 8) | ...
 *	CIE     id 0 (.debug_frame: all ones) | version | augmentation\0 | alignments | RA |
 *	        data | code
 *	FDE     id: distance back to the CIE (.debug_frame: its offset) | start | bytes |
 *	        data | code
 */
#include "unwind/eh_frame.h"

#include <dwarf.h>
#include <stdlib.h>

#include "unwind/byte_reader.h"
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
	const struct cfi_section *section;
	size_t first_cie; /* CIEs of this section begin here */
	size_t last_cie;  /* the one that was used last */
};

/* One record, length and id already read. */
struct record {
	uint64_t at;
	uint64_t id;
	uint64_t id_at;
	struct byte_reader body; /* behind the id */
	bool is_64;
};

/* An address as .eh_frame encodes them; marks the reader as failed when it cannot be resolved. */
static uint64_t read_encoded(struct byte_reader *r, const struct cfi_section *section,
			     uint8_t encoding)
{
	uint64_t place = section->addr + (uint64_t)(r->at - section->bytes), value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = byte_reader_u64(r);
		break;
	case DW_EH_PE_udata4:
		value = byte_reader_u32(r);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)(int32_t)byte_reader_u32(r);
		break;
	case DW_EH_PE_udata2:
		value = byte_reader_u16(r);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)(int16_t)byte_reader_u16(r);
		break;
	case DW_EH_PE_uleb128:
		value = byte_reader_uleb(r);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)byte_reader_sleb(r);
		break;
	default:
		byte_reader_fail(r);
		return 0;
	}
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		return value + place;
	if (encoding & 0xf0) /* relative to what is not known here, or indirect */
		byte_reader_fail(r);
	return value;
}

/* The data of augmentation "z...": what an FDE reader must know of it. */
static bool parse_augmentation(const char *aug, struct byte_reader *r,
			       const struct cfi_section *section, struct cfi_cie *cie)
{
	uint64_t len = byte_reader_uleb(r);
	const uint8_t *data = byte_reader_take(r, len);
	struct byte_reader d = { .at = data, .end = data ? data + len : NULL };

	if (!data)
		return false;
	cie->has_data = true;
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			cie->encoding = byte_reader_u8(&d);
			break;
		case 'P':
			/* Often indirect, and never needed: only its size matters. */
			read_encoded(&d, section, byte_reader_u8(&d) & 0x0f);
			break;
		case 'L':
			byte_reader_u8(&d);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with key B */
		case 'G': /* arm64: memory tagging */
			break;
		default:
			return !d.failed; /* the length says where the code begins */
		}
	}
	return !d.failed;
}

static bool parse_cie(const struct walk *walk, struct record *rec, struct cfi_cie *cie)
{
	struct byte_reader *r = &rec->body;
	uint8_t version = byte_reader_u8(r);
	const char *aug = (const char *)r->at;
	const uint8_t *nul = r->failed ? NULL : memchr(r->at, 0, byte_reader_left(r));
	uint64_t ra;

	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	r->at = nul + 1;
	if (version == 4 && byte_reader_u16(r) != 8)
		return false; /* size of addresses (8) and of segment selectors (0) */
	cie->code_align = byte_reader_uleb(r);
	cie->data_align = byte_reader_sleb(r);
	ra = version == 1 ? byte_reader_u8(r) : byte_reader_uleb(r);
	cie->encoding = DW_EH_PE_absptr;
	if (*aug == 'z' ? !parse_augmentation(aug, r, walk->section, cie) : *aug != 0)
		return false;
	if (r->failed || !cie->code_align)
		return false;
	cie->is_foreign_ra = ra != walk->eh->machine->ra;
	cie->code = r->at;
	cie->code_len = byte_reader_left(r);
	return cfi_program_run_cie(walk->eh->machine, cie);
}

static void add_cie(struct walk *walk, struct record *rec)
{
	struct eh_frame *eh = walk->eh;
	struct cfi_cie cie = { .at = rec->at };

	if (eh->nr_cies == MAX_CIES) {
		count(eh, UNWIND_DEFECT_CIE);
		return;
	}
	cie.is_usable = parse_cie(walk, rec, &cie);
	if (!cie.is_usable)
		count(eh, UNWIND_DEFECT_CIE);
	array_reserve(eh->cies, eh->cap_cies, eh->nr_cies + 1);
	eh->cies[eh->nr_cies++] = cie;
}

/* The CIE that stands at an offset of the section; NULL when no record met so far begins there. */
static const struct cfi_cie *find_cie(struct walk *walk, uint64_t at)
{
	const struct cfi_cie *cies = walk->eh->cies;
	size_t low = walk->first_cie, high = walk->eh->nr_cies;

	if (walk->last_cie < high && cies[walk->last_cie].at == at)
		return &cies[walk->last_cie];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cies[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == walk->eh->nr_cies || cies[low].at != at)
		return NULL;
	walk->last_cie = low;
	return &cies[low];
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

static void add_fde(struct walk *walk, struct record *rec)
{
	const struct cfi_section *section = walk->section;
	uint64_t cie_at = section->is_debug_frame ? rec->id : rec->id_at - rec->id;
	const struct cfi_cie *cie = find_cie(walk, cie_at);
	struct byte_reader *r = &rec->body;
	struct eh_frame *eh = walk->eh;
	struct cfi_fde fde = { 0 };
	uint64_t size;

	if (!cie || !cie->is_usable) {
		count(eh, UNWIND_DEFECT_CIE);
		return;
	}
	fde.start = read_encoded(r, section, cie->encoding);
	size = read_encoded(r, section, cie->encoding & 0x0f);
	if (cie->has_data)
		byte_reader_take(r, byte_reader_uleb(r));
	if (r->failed) {
		count(eh, UNWIND_DEFECT_ENCODING);
		return;
	}
	if (__builtin_add_overflow(fde.start, size, &fde.end))
		fde.end = UINT64_MAX;
	if (!size || !clip_fde(eh, &fde)) {
		eh->defects.count[UNWIND_DEFECT_OUTSIDE] += size != 0;
		return;
	}
	if (eh->nr_fdes == MAX_FDES) {
		count(eh, UNWIND_DEFECT_ROWS);
		return;
	}
	fde.code = r->at;
	fde.code_len = (uint32_t)byte_reader_left(r);
	fde.cie = (uint32_t)(cie - eh->cies);
	array_reserve(eh->fdes, eh->cap_fdes, eh->nr_fdes + 1);
	eh->fdes[eh->nr_fdes++] = fde;
}

/* Reads the next record's head; false at the end of the section, or at lengths that lie. */
static bool next_record(struct walk *walk, struct byte_reader *r, struct record *ret_rec)
{
	const struct cfi_section *section = walk->section;
	struct record rec = { .at = (uint64_t)(r->at - section->bytes) };
	uint64_t len = byte_reader_u32(r);
	const uint8_t *body;

	if (len == UINT32_MAX) {
		rec.is_64 = true;
		len = byte_reader_u64(r);
	}
	body = byte_reader_take(r, len);
	if (!body) {
		count(walk->eh, UNWIND_DEFECT_RECORD);
		return false;
	}
	rec.body = (struct byte_reader){ .at = body, .end = body + len };
	rec.id_at = (uint64_t)(body - section->bytes);
	if (len) {
		/* .eh_frame keeps 4 bytes of id in the long form too. */
		rec.id = rec.is_64 && section->is_debug_frame ? byte_reader_u64(&rec.body)
							      : byte_reader_u32(&rec.body);
	}
	*ret_rec = rec;
	return true;
}

static bool is_cie(const struct cfi_section *section, const struct record *rec)
{
	if (!section->is_debug_frame)
		return rec->id == 0;
	return rec->id == (rec->is_64 ? UINT64_MAX : UINT32_MAX);
}

void eh_frame_add(struct eh_frame *eh, const struct cfi_section *section)
{
	struct walk walk = { .eh = eh, .section = section, .first_cie = eh->nr_cies };
	size_t len = section->len < UINT32_MAX ? section->len : UINT32_MAX;
	struct byte_reader r = { .at = section->bytes, .end = section->bytes + len };
	struct record rec;

	walk.last_cie = walk.first_cie;
	while (byte_reader_left(&r) >= 4 && next_record(&walk, &r, &rec)) {
		if (rec.body.end == section->bytes + rec.id_at) {
			/* A terminator; linkers leave some in the middle of sections. */
			if (section->is_open_ended)
				return;
		} else if (rec.body.failed) {
			count(eh, UNWIND_DEFECT_RECORD);
		} else if (is_cie(section, &rec)) {
			add_cie(&walk, &rec);
		} else {
			add_fde(&walk, &rec);
		}
	}
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
