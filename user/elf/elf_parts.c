// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is found here follows what unwind/elf_unwind.c and symbol/elf_symbols.c read; what they do
 * not read of a section that is too large for them is not found either.
 */
#include "elf/elf_parts.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "elf/code_gaps.h"
#include "elf/elf_image.h"
#include "elf/go_functions.h"
#include "util/mem.h"

#define FIRST_PARTS	64
#define MAX_FRAME_BYTES (64ull << 20) /* as cfi_read.c */
#define MAX_CODE_BYTES	(4ull << 20)  /* of a file whose code is looked at, as elf_unwind.c */
#define MAX_NOTE_BYTES	(64ull << 10)
#define CHUNK_BYTES	(256u << 10)
#define BEFORE_BYTES	16 /* of code at which a function begins */
#define START_BYTES	96 /* of the code of _start, as elf_roots.c */

struct finder {
	const struct elf_source *source;
	struct elf_parts *parts;
};

/* How much of a range exists. */
static uint64_t range_inside(const struct finder *c, uint64_t offset, uint64_t len)
{
	if (offset >= c->source->len)
		return 0;
	return len < c->source->len - offset ? len : c->source->len - offset;
}

/* Adds what exists of a range; 0, -EFBIG or -E2BIG. */
static int range_add(struct finder *c, uint64_t offset, uint64_t len)
{
	struct elf_parts *p = c->parts;
	struct elf_part *last = p->nr ? &p->list[p->nr - 1] : NULL;

	len = range_inside(c, offset, len);
	if (!len)
		return 0;
	if (last && offset >= last->offset && offset <= last->offset + last->bytes) {
		uint64_t end = offset + len, last_end = last->offset + last->bytes;

		len = end > last_end ? end - last_end : 0;
		if (len > ELF_PARTS_MAX_BYTES - p->bytes)
			return -EFBIG;
		last->bytes += len;
		p->bytes += len;
		return 0;
	}
	if (len > ELF_PARTS_MAX_BYTES - p->bytes)
		return -EFBIG;
	if (p->nr == ELF_PARTS_MAX)
		return -E2BIG;
	if (!p->list || p->nr >= p->cap) {
		p->cap = p->cap ? 2 * p->cap : FIRST_PARTS;
		p->list = xreallocarray(p->list, p->cap, sizeof(*p->list));
	}
	p->list[p->nr++] = (struct elf_part){ offset, len };
	p->bytes += len;
	return 0;
}

static int section_add(struct finder *c, const struct elf_section *s)
{
	return !s || s->type == SHT_NOBITS ? 0 : range_add(c, s->offset, s->bytes);
}

static int named_add(struct finder *c, const struct elf_image *img, const char *name,
		     uint64_t max_bytes)
{
	const struct elf_section *s = elf_image_section_by_name(img, name);

	return s && s->bytes <= max_bytes ? section_add(c, s) : 0;
}

/* Headers and names of sections, where the file's own header says that they are, and notes. */
static int headers_add(struct finder *c, const struct elf_image *img)
{
	const size_t segment = img->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	const size_t section = img->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	int r = range_add(c, 0, 4096);

	if (r >= 0)
		r = range_add(c, img->phoff, img->phnum * segment);
	for (size_t i = 0; i < img->nr_notes && r >= 0; i++)
		if (img->notes[i].bytes <= MAX_NOTE_BYTES) /* the build id */
			r = range_add(c, img->notes[i].offset, img->notes[i].bytes);
	/* One at least: it may hold the numbers. */
	if (r >= 0 && img->shoff)
		r = range_add(c, img->shoff, (img->nr_sections + 1) * section);
	return r;
}

/* The strings of sections' names: of the size that elf_image.c reads at most. */
static int names_add(struct finder *c, const struct elf_image *img)
{
	int r = 0;

	for (size_t i = 0; i < img->nr_sections && r >= 0; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->type == SHT_STRTAB && s->bytes == img->section_names_len)
			r = section_add(c, s);
		if (s->type == SHT_NOTE && s->bytes <= MAX_NOTE_BYTES)
			r = section_add(c, s);
	}
	return r;
}

/* ---- unwind entries ----------------------------------------------------------------------- */

/* .eh_frame of a file without section headers: from .eh_frame_hdr to the end of its segment. */
static int headless_add(struct finder *c, const struct elf_image *img)
{
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];
		int r = s->file_bytes && !s->executable
				? range_add(c, s->offset,
					    s->file_bytes < MAX_FRAME_BYTES ? s->file_bytes
									    : MAX_FRAME_BYTES)
				: 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int frames_add(struct finder *c, const struct elf_image *img)
{
	const struct elf_section *eh = elf_image_section_by_name(img, ".eh_frame");
	int r = named_add(c, img, ".eh_frame", MAX_FRAME_BYTES);

	if (r >= 0)
		r = named_add(c, img, ".debug_frame", MAX_FRAME_BYTES);
	return r >= 0 && (!eh || !eh->bytes) && img->eh_frame_hdr ? headless_add(c, img) : r;
}

/* ---- code without ------------------------------------------------------------------------ */

static int table_add(struct finder *c, const struct elf_image *img, uint32_t type)
{
	const struct elf_section *s = elf_image_section_by_type(img, type);
	int r = section_add(c, s);

	return s && r >= 0 ? section_add(c, elf_image_section_link(img, s)) : r;
}

/* Code without unwind entries, and the symbols that say what it is. */
static int gaps_add(struct finder *c, const struct elf_image *img)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	_cleanup_code_gaps_ struct code_gaps gaps = { 0 };
	uint64_t offset;
	int r = 0;

	code_gaps_find(img, NULL, 0, &gaps);
	for (size_t i = 0; i < gaps.nr && r >= 0; i++)
		if (elf_image_offset(img, gaps.items[i].start, &offset))
			r = range_add(c, offset, gaps.items[i].end - gaps.items[i].start);
	for (size_t i = 0; i < ARRAY_SIZE(types) && code_gaps_want_symbols(&gaps); i++) {
		const struct elf_section *s = elf_image_section_by_type(img, types[i]);

		if (r >= 0 && s && s->bytes <= CODE_GAPS_MAX_SYMBOL_BYTES)
			r = table_add(c, img, types[i]);
	}
	return r;
}

/* ---- symbols ------------------------------------------------------------------------------ */

static int go_add(struct finder *c, const struct elf_image *img)
{
	const struct elf_section *s = go_functions_section(img);

	return s && s->bytes <= MAX_FRAME_BYTES ? section_add(c, s) : 0;
}

/* What tells functions apart where there are no symbols (elf_code.c, elf_roots.c). */
static int functions_add(struct finder *c, const struct elf_image *img, bool with_code)
{
	uint64_t offset;
	int r = frames_add(c, img);

	if (r >= 0 && elf_image_offset(img, img->entry, &offset))
		r = range_add(c, offset, START_BYTES);
	return r >= 0 && with_code ? gaps_add(c, img) : r;
}

static int symbols_add(struct finder *c, const struct elf_image *img, bool with_code)
{
	static const struct {
		const char *name;
		uint64_t max_bytes;
	} sections[] = {
		{ ".rela.plt", 256ull << 20 }, { ".rela.dyn", 256ull << 20 },
		{ ".plt", 64ull << 20 },       { ".plt.sec", 64ull << 20 },
		{ ".plt.got", 64ull << 20 },   { ".gnu_debugdata", 256ull << 20 },
		{ ".gnu_debuglink", 4096 },    { ".gnu.version", 64ull << 20 },
	};
	int r = table_add(c, img, SHT_SYMTAB);

	if (r >= 0 && !elf_image_section_by_type(img, SHT_SYMTAB)) {
		r = functions_add(c, img, with_code);
		if (r >= 0)
			r = go_add(c, img);
	}
	if (r >= 0)
		r = table_add(c, img, SHT_DYNSYM);
	for (size_t i = 0; i < ARRAY_SIZE(sections) && r >= 0; i++)
		r = named_add(c, img, sections[i].name, sections[i].max_bytes);
	return r;
}

/* ---- unwinding ---------------------------------------------------------------------------- */

/* The places in a chunk that may be the begin of __start_context (elf_unwind.c). */
static int begins_add(struct finder *c, const char *code, size_t len, uint64_t offset)
{
	static const char mov[] = { 0x48, (char)0x89, (char)0xdc };
	const char *at = code, *end = code + len;
	int r = 0;

	while (r >= 0 && (at = memmem(at, end - at, mov, sizeof(mov)))) {
		r = range_add(c, offset + (at - code), BEFORE_BYTES);
		at++;
	}
	return r;
}

static int code_scan(struct finder *c, uint64_t offset, uint64_t len)
{
	_cleanup_free_ char *code = NULL;
	uint64_t at = 0;
	int r = 0;

	len = range_inside(c, offset, len);
	code = xmalloc(CHUNK_BYTES);
	while (r >= 0 && at < len) {
		size_t most = len - at < CHUNK_BYTES ? len - at : CHUNK_BYTES;

		r = elf_source_read(c->source, code, most, offset + at);
		if (r < 0)
			return r == -ENODATA ? 0 : r;
		r = begins_add(c, code, most, offset + at);
		at += most;
		if (at < len) /* what begins at the end is looked at again, whole */
			at -= BEFORE_BYTES;
	}
	return r;
}

static int code_add(struct finder *c, const struct elf_image *img)
{
	uint64_t code_bytes = 0, offset;
	int r = 0;

	if (elf_image_offset(img, img->entry, &offset))
		r = range_add(c, offset, BEFORE_BYTES);
	for (size_t i = 0; i < img->nr_segments; i++)
		if (img->segments[i].executable)
			code_bytes += range_inside(c, img->segments[i].offset,
						   img->segments[i].file_bytes);
	if (img->machine != EM_X86_64 || code_bytes > MAX_CODE_BYTES)
		return r;
	for (size_t i = 0; i < img->nr_segments && r >= 0; i++)
		if (img->segments[i].executable)
			r = code_scan(c, img->segments[i].offset, img->segments[i].file_bytes);
	return r;
}

static int unwind_add(struct finder *c, const struct elf_image *img)
{
	const struct elf_section *plt = elf_image_section_by_name(img, ".plt");
	int r = code_add(c, img);

	if (r >= 0)
		r = frames_add(c, img);
	if (r >= 0)
		r = go_add(c, img);
	if (plt && r >= 0)
		r = range_add(c, plt->offset, BEFORE_BYTES);
	return r >= 0 ? gaps_add(c, img) : r;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int parts_add(struct finder *c, enum elf_parts_for use)
{
	_cleanup_elf_image_ struct elf_image img = { 0 };
	int r = elf_image_open_known(c->source, &img);

	if (r < 0)
		return range_add(c, 0, 4096); /* as little ELF as the file */
	r = headers_add(c, &img);
	if (r >= 0)
		r = names_add(c, &img);
	if (r < 0)
		return r;
	if (use == ELF_PARTS_FUNCTIONS)
		return functions_add(c, &img, true);
	return use == ELF_PARTS_UNWIND ? unwind_add(c, &img)
				       : symbols_add(c, &img, use == ELF_PARTS_SYMBOLS);
}

int elf_parts_find_source(const struct elf_source *source, enum elf_parts_for use,
			  struct elf_parts *ret_parts)
{
	struct finder c = { .source = source, .parts = ret_parts };
	int r;

	*ret_parts = (struct elf_parts){ 0 };
	r = parts_add(&c, use);
	if (r < 0)
		elf_parts_deinit(ret_parts);
	return r;
}

int elf_parts_find(int fd, enum elf_parts_for use, struct elf_parts *ret_parts)
{
	struct elf_source source;
	int r = elf_source_from_fd(fd, &source);

	*ret_parts = (struct elf_parts){ 0 };
	return r < 0 ? r : elf_parts_find_source(&source, use, ret_parts);
}

void elf_parts_deinit(struct elf_parts *parts)
{
	free(parts->list);
	*parts = (struct elf_parts){ 0 };
}
