// SPDX-License-Identifier: GPL-2.0-or-later
/* head | segments | symbols | functions | names; the head says how many. */
#include "symbol/elf_symbols_pack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "symbol/elf_symbols_table.h"
#include "util/mem.h"

#define MAGIC	       0x6573796d
#define MAX_SEGMENTS   4096 /* as elf_image.h */
#define MIN_KEPT_BYTES (1u << 20)

struct packed_head {
	uint32_t magic;
	uint16_t type, machine;
	uint64_t entry, eh_frame_hdr, index_base, functions_base;
	uint64_t nr_segments, nr_symbols, nr_functions, names_len;
	uint64_t unpacked_bytes;
	uint32_t max_size, build_id_len;
	uint8_t build_id[ELF_IMAGE_MAX_BUILD_ID];
	struct elf_debug_link link;
	uint32_t spare_number;
	uint8_t is64, has_interp, full, damaged, left_out, wants_functions;
	uint8_t spare[2];
};

struct packed_segment {
	uint64_t offset, file_bytes, vaddr, memory_bytes, executable;
};

/* Head and segments, all that does not stand in the table as it is packed. */
static void head_pack(const struct elf_symbols *t, struct strbuf *to)
{
	struct packed_head head = {
		.magic = MAGIC,
		.type = t->img.type,
		.machine = t->img.machine,
		.entry = t->img.entry,
		.eh_frame_hdr = t->img.eh_frame_hdr,
		.index_base = t->index.base,
		.functions_base = t->functions.base,
		.nr_segments = t->img.nr_segments,
		.nr_symbols = t->index.nr,
		.nr_functions = t->functions.nr,
		.names_len = t->names.len,
		.unpacked_bytes = t->unpacked_bytes,
		.max_size = t->index.max_size,
		.build_id_len = t->img.build_id_len,
		.is64 = t->img.is64,
		.has_interp = t->img.has_interp,
		.full = t->full,
		.damaged = t->damaged,
		.left_out = t->left_out,
		.wants_functions = t->wants_functions,
	};

	memcpy(head.build_id, t->img.build_id, sizeof(head.build_id));
	head.link = t->link;
	strbuf_add(to, &head, sizeof(head));
	for (size_t i = 0; i < t->img.nr_segments; i++) {
		const struct elf_segment *s = &t->img.segments[i];

		strbuf_add(to,
			   &(struct packed_segment){ s->offset, s->file_bytes, s->vaddr,
						     s->memory_bytes, s->executable },
			   sizeof(struct packed_segment));
	}
}

#define NR_ARRAYS 3

static void arrays_of(const struct elf_symbols *t, struct parsed_part ret_arrays[NR_ARRAYS])
{
	ret_arrays[0] =
		(struct parsed_part){ t->index.entries, t->index.nr * sizeof(*t->index.entries) };
	ret_arrays[1] = (struct parsed_part){ t->functions.ranges,
					      t->functions.nr * sizeof(*t->functions.ranges) };
	ret_arrays[2] = (struct parsed_part){ t->names.bytes, t->names.len };
}

void elf_symbols_pack(const struct elf_symbols *t, struct strbuf *to)
{
	struct parsed_part arrays[NR_ARRAYS];

	arrays_of(t, arrays);
	head_pack(t, to);
	for (size_t i = 0; i < NR_ARRAYS; i++)
		strbuf_add(to, arrays[i].bytes, arrays[i].len);
}

void elf_symbols_give(const struct elf_symbols *t, struct worker_answer *answer)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;
	struct parsed_part parts[1 + NR_ARRAYS];

	head_pack(t, &head);
	parts[0] = (struct parsed_part){ head.bytes, head.len };
	arrays_of(t, parts + 1);
	parsed_give_parts(parts, ARRAY_SIZE(parts), answer);
}

/* ---- back, by somebody who believes nothing ----------------------------------------------- */

struct parts {
	struct packed_head head;
	const char *segments, *symbols, *functions, *names;
};

/* Do the lengths add up to the bytes, within what a table may have? */
static bool parts_find(const char *bytes, size_t len, struct parts *ret)
{
	struct packed_head *h = &ret->head;

	if (len < sizeof(*h))
		return false;
	memcpy(h, bytes, sizeof(*h));
	if (h->magic != MAGIC || h->nr_segments > MAX_SEGMENTS ||
	    h->nr_symbols > SYMBOL_INDEX_MAX || h->nr_functions > FUNCTION_TABLE_MAX ||
	    h->names_len > len || h->build_id_len > ELF_IMAGE_MAX_BUILD_ID)
		return false;
	ret->segments = bytes + sizeof(*h);
	ret->symbols = ret->segments + h->nr_segments * sizeof(struct packed_segment);
	ret->functions = ret->symbols + h->nr_symbols * sizeof(struct index_entry);
	ret->names = ret->functions + h->nr_functions * sizeof(struct function_range);
	return len == (size_t)(ret->names - bytes) + h->names_len;
}

/*
 * Each has an end, so any offset is a name.  How long one is that is asked for, few of them, is
 * bounded then (elf_symbols.c): the rest is not even looked at.
 */
static bool names_are_sound(const char *names, size_t len)
{
	return !len || (!names[0] && !names[len - 1]);
}

/* Symbols rise, none is larger than the largest, their names are there. */
static bool symbols_are_sound(const struct symbol_index *index, size_t names_len)
{
	const struct index_entry *e = index->entries;

	for (size_t i = 0; e && i < index->nr; i++)
		if ((i && e[i].value < e[i - 1].value) || e[i].size > index->max_size ||
		    e[i].name >= names_len || e[i].source >= NR_ELF_SYMBOL_SOURCES)
			return false;
	return true;
}

/* They may overlap: where one begins, those before it have ended. */
static bool functions_are_sound(const struct function_table *t)
{
	for (size_t i = 1; t->ranges && i < t->nr; i++)
		if (t->ranges[i].start <= t->ranges[i - 1].start)
			return false;
	return true;
}

static void *copy(const char *bytes, size_t len)
{
	void *to = len ? xmalloc(len) : NULL;

	return to ? memcpy(to, bytes, len) : NULL;
}

static void image_unpack(const struct parts *parts, struct elf_image *img)
{
	const struct packed_head *h = &parts->head;

	img->type = h->type;
	img->machine = h->machine;
	img->entry = h->entry;
	img->eh_frame_hdr = h->eh_frame_hdr;
	img->is64 = h->is64;
	img->has_interp = h->has_interp;
	img->build_id_len = h->build_id_len;
	memcpy(img->build_id, h->build_id, sizeof(img->build_id));
	img->nr_segments = h->nr_segments;
	img->segments = h->nr_segments ? xcalloc(h->nr_segments, sizeof(*img->segments)) : NULL;
	for (size_t i = 0; i < img->nr_segments; i++) {
		struct packed_segment s;

		memcpy(&s, parts->segments + i * sizeof(s), sizeof(s));
		img->segments[i] = (struct elf_segment){ s.offset, s.file_bytes, s.vaddr,
							 s.memory_bytes, s.executable != 0 };
	}
}

/*
 * What stays: symbols, names, and functions when no more will come, where they are when those bytes
 * stay too.
 */
static void arrays_unpack(const struct parts *parts, bool are_kept, struct elf_symbols *t)
{
	const struct packed_head *h = &parts->head;
	const size_t symbols_len = h->nr_symbols * sizeof(struct index_entry);
	const size_t functions_len = h->nr_functions * sizeof(struct function_range);

	t->index = (struct symbol_index){
		.entries = are_kept ? (void *)parts->symbols : copy(parts->symbols, symbols_len),
		.nr = h->nr_symbols,
		.cap = h->nr_symbols,
		.base = h->index_base,
		.max_size = h->max_size,
	};
	t->names = (struct elf_names){
		.bytes = are_kept ? (char *)parts->names : copy(parts->names, h->names_len),
		.len = h->names_len,
		.cap = h->names_len,
	};
	t->functions_are_mapped = are_kept && !h->wants_functions;
	t->functions = (struct function_table){
		.ranges = t->functions_are_mapped ? (void *)parts->functions
						  : copy(parts->functions, functions_len),
		.nr = h->nr_functions,
		.cap = h->nr_functions,
		.base = h->functions_base,
	};
}

static struct elf_symbols *unpack(const char *bytes, size_t len, bool are_kept)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	struct parts parts;
	const struct packed_head *h = &parts.head;

	if (!parts_find(bytes, len, &parts) || !names_are_sound(parts.names, h->names_len))
		return NULL;
	t = elf_symbols_new();
	t->is_mapped = are_kept;
	image_unpack(&parts, &t->img);
	arrays_unpack(&parts, are_kept, t);
	t->full = h->full;
	t->damaged = h->damaged;
	t->left_out = h->left_out;
	t->wants_functions = h->wants_functions;
	t->unpacked_bytes = h->unpacked_bytes;
	if (elf_debug_link_is_sound(&h->link))
		t->link = h->link;
	if (!symbols_are_sound(&t->index, t->names.len) || !functions_are_sound(&t->functions))
		return NULL;
	return take_ptr(t);
}

struct elf_symbols *elf_symbols_unpack(const char *bytes, size_t len)
{
	return unpack(bytes, len, false);
}

struct elf_symbols *elf_symbols_taken(const struct worker_answer *answer)
{
	size_t len = 0;
	const char *bytes = parsed_map(answer, &len);
	struct elf_symbols *t = bytes ? unpack(bytes, len, len >= MIN_KEPT_BYTES) : NULL;

	if (t && t->is_mapped) {
		t->mapped = (void *)bytes;
		t->mapped_len = len;
	} else if (bytes) {
		munmap((void *)bytes, len);
	}
	return t;
}
