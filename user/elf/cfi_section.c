// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the records of .eh_frame or .debug_frame once, in order.  CIEs are only taken where the
 * walk meets one, so a lying CIE pointer finds nothing and a cycle cannot be built.
 *
 *	record  length (4, or ffffffff + 8) | id (4 or 8) | ...
 *	CIE     id 0 (.debug_frame: all ones) | version | augmentation\0 | alignments | RA |
 *	        data | code
 *	FDE     id: distance back to the CIE (.debug_frame: its offset) | start | bytes |
 *	        data | code
 */
#include "elf/cfi_section.h"

#include <dwarf.h>
#include <stdlib.h>

#include "elf/byte_reader.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* A hostile section can make us hold no more; the largest files of a distribution have some 100. */
#define MAX_HEADS (1u << 16)

/* What FDEs need of the CIE that they name. */
struct known_head {
	uint64_t at; /* rises with the index */
	size_t nr;   /* of those that were told of before */
	uint8_t encoding;
	bool has_data, is_usable;
};

struct walk {
	const struct cfi_section *section;
	const struct cfi_visitor *visitor;
	struct known_head *heads;
	size_t nr_heads, cap_heads;
	size_t nr_told;
	size_t last_head; /* the one that was used last */
};

/* One record, length and id already read. */
struct record {
	uint64_t at;
	uint64_t id;
	uint64_t id_at;
	struct byte_reader body; /* behind the id */
	bool is_64;
};

static void tell(const struct walk *walk, enum cfi_defect defect)
{
	if (walk->visitor->defect)
		walk->visitor->defect(walk->visitor->ctx, defect);
}

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
			       const struct cfi_section *section, struct cfi_head *head)
{
	uint64_t len = byte_reader_uleb(r);
	const uint8_t *data = byte_reader_take(r, len);
	struct byte_reader d = { .at = data, .end = data ? data + len : NULL };

	if (!data)
		return false;
	head->has_data = true;
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			head->encoding = byte_reader_u8(&d);
			break;
		case 'P':
			/* Often indirect, and never needed: only its size matters. */
			read_encoded(&d, section, byte_reader_u8(&d) & 0x0f);
			break;
		case 'L':
			byte_reader_u8(&d);
			break;
		case 'S':
			head->is_signal = true;
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

static bool parse_head(const struct walk *walk, struct record *rec, struct cfi_head *head)
{
	struct byte_reader *r = &rec->body;
	uint8_t version = byte_reader_u8(r);
	const char *aug = (const char *)r->at;
	const uint8_t *nul = r->failed ? NULL : memchr(r->at, 0, byte_reader_left(r));

	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	r->at = nul + 1;
	if (version == 4 && byte_reader_u16(r) != 8)
		return false; /* size of addresses (8) and of segment selectors (0) */
	head->code_align = byte_reader_uleb(r);
	head->data_align = byte_reader_sleb(r);
	head->ra = version == 1 ? byte_reader_u8(r) : byte_reader_uleb(r);
	head->encoding = DW_EH_PE_absptr;
	if (*aug == 'z' ? !parse_augmentation(aug, r, walk->section, head) : *aug != 0)
		return false;
	if (r->failed || !head->code_align)
		return false;
	head->code = r->at;
	head->code_len = byte_reader_left(r);
	return true;
}

static bool head_is_usable(struct walk *walk, struct record *rec, struct cfi_head *head)
{
	if (!parse_head(walk, rec, head))
		return false;
	walk->nr_told++;
	return !walk->visitor->head || walk->visitor->head(walk->visitor->ctx, head);
}

static void add_head(struct walk *walk, struct record *rec)
{
	struct cfi_head head = { .at = rec->at };
	struct known_head known = { .at = rec->at, .nr = walk->nr_told };

	if (walk->nr_heads == MAX_HEADS) {
		tell(walk, CFI_DEFECT_HEAD);
		return;
	}
	known.is_usable = head_is_usable(walk, rec, &head);
	known.encoding = head.encoding;
	known.has_data = head.has_data;
	if (!known.is_usable)
		tell(walk, CFI_DEFECT_HEAD);
	array_reserve(walk->heads, walk->cap_heads, walk->nr_heads + 1);
	walk->heads[walk->nr_heads++] = known;
}

/* The CIE that stands at an offset of the section; NULL when no record met so far begins there. */
static const struct known_head *find_head(struct walk *walk, uint64_t at)
{
	const struct known_head *heads = walk->heads;
	size_t low = 0, high = walk->nr_heads;

	if (walk->last_head < high && heads[walk->last_head].at == at)
		return &heads[walk->last_head];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (heads[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == walk->nr_heads || heads[low].at != at)
		return NULL;
	walk->last_head = low;
	return &heads[low];
}

static void add_range(struct walk *walk, struct record *rec)
{
	const struct cfi_section *section = walk->section;
	uint64_t head_at = section->is_debug_frame ? rec->id : rec->id_at - rec->id;
	const struct known_head *head = find_head(walk, head_at);
	struct byte_reader *r = &rec->body;
	struct cfi_range range = { 0 };

	if (!head || !head->is_usable) {
		tell(walk, CFI_DEFECT_HEAD);
		return;
	}
	range.start = read_encoded(r, section, head->encoding);
	range.bytes = read_encoded(r, section, head->encoding & 0x0f);
	if (head->has_data)
		byte_reader_take(r, byte_reader_uleb(r));
	if (r->failed) {
		tell(walk, CFI_DEFECT_ENCODING);
		return;
	}
	if (!range.bytes)
		return;
	range.code = r->at;
	range.code_len = byte_reader_left(r);
	range.head = head->nr;
	walk->visitor->range(walk->visitor->ctx, &range);
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
		tell(walk, CFI_DEFECT_RECORD);
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

/* Four zeros are a terminator each; somebody's section may be 64 MiB of nothing else. */
static void skip_terminators(struct byte_reader *r)
{
	uint64_t two;

	for (; byte_reader_left(r) >= sizeof(two); r->at += sizeof(two)) {
		memcpy(&two, r->at, sizeof(two));
		if (two)
			return;
	}
}

static bool is_cie(const struct cfi_section *section, const struct record *rec)
{
	if (!section->is_debug_frame)
		return rec->id == 0;
	return rec->id == (rec->is_64 ? UINT64_MAX : UINT32_MAX);
}

void cfi_section_walk(const struct cfi_section *section, const struct cfi_visitor *visitor)
{
	struct walk walk = { .section = section, .visitor = visitor };
	size_t len = section->len < UINT32_MAX ? section->len : UINT32_MAX;
	struct byte_reader r = { .at = section->bytes, .end = len ? section->bytes + len : NULL };
	struct record rec;

	if (!len)
		return;
	while (byte_reader_left(&r) >= 4 && next_record(&walk, &r, &rec)) {
		if (rec.body.end == section->bytes + rec.id_at) {
			/* A terminator; linkers leave some in the middle of sections. */
			if (section->is_open_ended)
				break;
			skip_terminators(&r);
		} else if (rec.body.failed) {
			tell(&walk, CFI_DEFECT_RECORD);
		} else if (is_cie(section, &rec)) {
			add_head(&walk, &rec);
		} else {
			add_range(&walk, &rec);
		}
	}
	free(walk.heads);
}
