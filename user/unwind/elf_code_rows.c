// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of the gaps between FDEs, and the functions that symbols name in them.  A symbol of a
 * part that a compiler split off (".cold") is no function: one jumps there from within another.
 */
#include "unwind/elf_code_rows.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/code_gaps.h"
#include "elf/elf_window.h"
#include "util/mem.h"

#define CHUNK_SYMBOLS 1024
#define NAME_BYTES    512

struct entries {
	const struct elf_image *img;
	const struct elf_code_rows *code;
	const struct elf_section *names;
	struct code_entry *items;
	size_t nr, cap;
};

/* ---- symbols ------------------------------------------------------------------------------ */

static bool is_in_gap(const struct entries *e, uint64_t addr)
{
	const struct code_world world = { .ranges = e->code->ranges,
					  .nr_ranges = e->code->rows.nr_ranges };

	return code_world_range(&world, addr);
}

static bool is_split_off(const struct entries *e, uint32_t name)
{
	const struct elf_section *s = e->names;
	char text[NAME_BYTES + 1] = "";
	size_t len;

	if (!s || name >= s->bytes)
		return true; /* a symbol without a name */
	len = s->bytes - name < NAME_BYTES ? s->bytes - name : NAME_BYTES;
	return elf_image_read(e->img, s->offset + name, text, len) < 0 || !*text ||
	       strstr(text, ".cold");
}

static void add_symbol(struct entries *e, const Elf64_Sym *sym)
{
	unsigned int type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC) ||
	    !is_in_gap(e, sym->st_value) || is_split_off(e, sym->st_name))
		return;
	array_reserve(e->items, e->cap, e->nr + 1);
	e->items[e->nr++] =
		(struct code_entry){ sym->st_value,
				     sym->st_size && sym->st_size < UINT64_MAX - sym->st_value
					     ? sym->st_value + sym->st_size
					     : 0 };
}

/* False when there are more than are read. */
static bool add_symbols(struct entries *e, uint32_t type)
{
	const struct elf_section *s = elf_image_section_by_type(e->img, type);
	_cleanup_free_ Elf64_Sym *syms = NULL;
	size_t nr;

	if (!s || s->flags & SHF_COMPRESSED)
		return true;
	if (s->bytes > CODE_GAPS_MAX_SYMBOL_BYTES)
		return false;
	e->names = elf_image_section_link(e->img, s);
	nr = s->bytes / sizeof(*syms);
	syms = xreallocarray(NULL, CHUNK_SYMBOLS, sizeof(*syms));
	for (size_t at = 0; at < nr; at += CHUNK_SYMBOLS) {
		size_t n = nr - at < CHUNK_SYMBOLS ? nr - at : CHUNK_SYMBOLS;

		if (elf_image_read(e->img, s->offset + at * sizeof(*syms), syms,
				   n * sizeof(*syms)) < 0)
			return false;
		for (size_t i = 0; i < n; i++)
			add_symbol(e, &syms[i]);
	}
	return true;
}

/* ---- code --------------------------------------------------------------------------------- */

/* Padding only: not worth a range. */
static bool is_empty(const uint8_t *bytes, uint64_t len)
{
	uint64_t at = 0;
	struct x86_effect e;

	while (at < len && x86_effect_read(bytes + at, len - at, at, &e) &&
	       (e.op == X86_PAD || (e.op == X86_STOP && e.len == 1)))
		at += e.len;
	if (at == len)
		return true;
	for (; at < len; at++)
		if (bytes[at])
			return false;
	return true;
}

static size_t read_gaps(const struct elf_image *img, const struct code_gaps *gaps,
			struct elf_code_rows *r)
{
	_cleanup_elf_window_ struct elf_window window = { 0 };
	uint64_t at = 0, offset, left;
	size_t nr = 0;

	r->bytes = xmalloc(gaps->bytes);
	r->ranges = xreallocarray(NULL, gaps->nr + 1, sizeof(*r->ranges));
	for (size_t i = 0; i < gaps->nr; i++) {
		const struct code_span *g = &gaps->items[i];
		uint64_t len = g->end - g->start;

		if (!elf_image_bytes_at(img, g->start, &offset, &left) || left < len ||
		    elf_window_read(&window, &img->source, r->bytes + at, len, offset) < 0 ||
		    is_empty(r->bytes + at, len))
			continue;
		r->ranges[nr++] = (struct code_range){ g->start, g->end, r->bytes + at };
		at += len;
	}
	return nr;
}

void elf_code_rows_find(const struct elf_code_question *q, struct unwind_rules *rules,
			struct elf_code_rows *ret_rows)
{
	const struct elf_image *img = q->img;
	_cleanup_code_gaps_ struct code_gaps gaps = { 0 };
	struct entries e = { .img = img, .code = ret_rows };
	size_t nr;

	*ret_rows = (struct elf_code_rows){ 0 };
	if (img->machine != EM_X86_64 || code_gaps_is_go(img))
		return;
	code_gaps_find(img, q->covered, q->nr_covered, &gaps);
	nr = read_gaps(img, &gaps, ret_rows);
	ret_rows->rows.nr_ranges = nr;
	ret_rows->is_cut = gaps.is_cut;
	if (!nr)
		return;
	if (code_gaps_want_symbols(&gaps)) {
		ret_rows->is_cut |= !add_symbols(&e, SHT_SYMTAB);
		ret_rows->is_cut |= !add_symbols(&e, SHT_DYNSYM);
	}
	code_rows_find(ret_rows->ranges, nr,
		       &(struct code_entries){ .items = e.items,
					       .nr = e.nr,
					       .process = q->entry,
					       .want_functions = q->want_functions },
		       rules, &ret_rows->rows);
	ret_rows->is_cut |= ret_rows->rows.is_cut;
	free(e.items);
}

void elf_code_rows_deinit(struct elf_code_rows *r)
{
	code_rows_deinit(&r->rows);
	free(r->ranges);
	free(r->bytes);
	*r = (struct elf_code_rows){ 0 };
}
