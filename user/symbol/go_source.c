// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	address -> _func -> tables by address: file, line, index into the tree of inlined calls
 *
 * An inlined call names its function and an instruction of the caller, which has a file, a line and
 * an index of its own: so a chain is followed outwards.  The trees lie in read-only data, and where
 * that begins only the program's own moduledata says, which is found by its first two fields.
 */
#include "symbol/go_source.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "elf/byte_reader.h"
#include "elf/cfi_read.h"
#include "elf/elf_image.h"
#include "elf/go_functions.h"
#include "util/mem.h"

#define MAX_STEPS	 (1u << 26) /* of tables by address, in all */
#define MAX_INLINED	 64	    /* calls in one another */
#define NO_VALUE	 (-1)
#define PCDATA_INLTREE	 2
#define FUNCDATA_INLTREE 3
#define MAX_CALL_BYTES	 20
#define MAX_MODULEDATA	 16 /* places that may be it */

/* What differs between versions of Go. */
struct call_layout {
	uint8_t version;
	uint8_t bytes, name_at, parent_at; /* of an inlined call */
	uint16_t gofunc_at;		   /* in moduledata: where trees are counted from */
};

static const struct call_layout call_layouts[] = {
	{ 18, 20, 12, 16, 304 },
	{ 20, 16, 4, 8, 320 },
};

struct go_source {
	const struct dwarf_source *source;
	struct source_builder *b;
	struct elf_image image;
	struct go_functions t;
	const struct call_layout *calls;
	uint64_t gofunc; /* 0: not known */
	uint32_t steps_left;
	uint32_t last_scope;
};

/* A function that an address is in, outermost last. */
struct go_call {
	const char *name;
	uint64_t at; /* the instruction in it, from the beginning of the one that has the code */
};

/* ---- the table ---------------------------------------------------------------------------- */

static bool u32_at(const struct go_functions *t, uint64_t at, uint32_t *ret_value)
{
	if (at > t->len || t->len - at < sizeof(*ret_value))
		return false;
	memcpy(ret_value, t->bytes + at, sizeof(*ret_value));
	return true;
}

/* A string of the table, which ends in it. */
static const char *text_at(const struct go_functions *t, uint64_t at)
{
	return at < t->len && memchr(t->bytes + at, '\0', t->len - at) ? (const char *)t->bytes + at
								       : NULL;
}

static uint32_t varint(struct byte_reader *r)
{
	return (uint32_t)byte_reader_uleb_within(r, 5);
}

/* What a table by address says of that instruction of the function; NO_VALUE: nothing. */
static int32_t value_at(struct go_source *s, uint32_t table, uint64_t target)
{
	const struct go_functions *t = &s->t;
	const uint64_t begin = t->pctab + table;
	struct byte_reader r = { .at = t->bytes + (begin < t->len ? begin : t->len),
				 .end = t->bytes + t->len };
	uint32_t value = NO_VALUE;
	uint64_t at = 0;

	if (!table)
		return NO_VALUE;
	for (bool is_first = true; s->steps_left; is_first = false) {
		const uint32_t change = varint(&r);

		s->steps_left--;
		if (r.failed || (!is_first && !change))
			return NO_VALUE;
		value += change & 1 ? ~(change >> 1) : change >> 1;
		at += varint(&r);
		if (target < at)
			return r.failed ? NO_VALUE : (int32_t)value;
	}
	return NO_VALUE;
}

/* The field of a function's _func, counted from pcsp. */
static uint32_t field(const struct go_functions *t, const struct go_function *f, unsigned int at)
{
	uint32_t value;

	return u32_at(t, f->pcsp_at + at, &value) ? value : 0;
}

enum { FIELD_PCFILE = 4, FIELD_PCLN = 8, FIELD_NPCDATA = 12, FIELD_CU = 16 };

static bool function_find(const struct go_functions *t, uint64_t address, struct go_function *ret)
{
	uint64_t low = 0, high = t->nr;

	while (low < high) {
		const uint64_t mid = low + (high - low) / 2;

		if (!go_functions_get(t, mid, ret))
			return false;
		if (address < ret->start)
			high = mid;
		else if (address >= ret->end)
			low = mid + 1;
		else
			return true;
	}
	return false;
}

/* ---- inlined calls ------------------------------------------------------------------------ */

/* Where the function's tree is in memory; 0: it has none, or it is not known where. */
static uint64_t tree_of(const struct go_source *s, const struct go_function *f)
{
	const uint32_t nr_pcdata = field(&s->t, f, FIELD_NPCDATA);
	uint64_t at = f->tables + (nr_pcdata + (uint64_t)FUNCDATA_INLTREE) * 4;
	uint32_t offset;

	if (!s->gofunc || f->nr_funcdata <= FUNCDATA_INLTREE || !u32_at(&s->t, at, &offset) ||
	    offset == UINT32_MAX)
		return 0;
	return s->gofunc + offset;
}

/* The index of the call that the instruction is of; negative: it is the function's own. */
static int32_t call_index(struct go_source *s, const struct go_function *f, uint64_t at)
{
	uint32_t table;

	if (field(&s->t, f, FIELD_NPCDATA) <= PCDATA_INLTREE ||
	    !u32_at(&s->t, f->tables + PCDATA_INLTREE * 4, &table))
		return NO_VALUE;
	return value_at(s, table, at);
}

/* The call of that index: the called one's name, and the instruction that stands for it. */
static bool call_read(const struct go_source *s, uint64_t tree, uint32_t index,
		      struct go_call *ret_call)
{
	const struct call_layout *l = s->calls;
	uint8_t bytes[MAX_CALL_BYTES];
	uint32_t name, parent;
	uint64_t offset;

	if (!tree || !elf_image_offset(&s->image, tree + (uint64_t)index * l->bytes, &offset) ||
	    elf_image_read(&s->image, offset, bytes, l->bytes) < 0)
		return false;
	memcpy(&name, bytes + l->name_at, sizeof(name));
	memcpy(&parent, bytes + l->parent_at, sizeof(parent));
	ret_call->name = text_at(&s->t, s->t.names + name);
	ret_call->at = parent;
	return ret_call->name && *ret_call->name &&
	       !(name && s->t.bytes[s->t.names + name - 1]); /* it begins there */
}

/*
 * The functions that an instruction is in, innermost first: how many.  What is inlined and cannot
 * be told of is a part of what it is inlined into.
 */
static size_t calls_of(struct go_source *s, const struct go_function *f, uint64_t at,
		       struct go_call calls[MAX_INLINED + 1])
{
	const uint64_t tree = tree_of(s, f);
	struct go_call call;
	size_t nr = 0;
	int32_t index;

	while (nr < MAX_INLINED && (index = call_index(s, f, at)) >= 0) {
		if (!call_read(s, tree, index, &call) || call.at >= f->end - f->start) {
			source_builder_nameless(s->b);
			break;
		}
		calls[nr++] = (struct go_call){ call.name, at };
		at = call.at;
	}
	calls[nr++] = (struct go_call){ text_at(&s->t, f->name), at };
	return nr;
}

/* ---- places ------------------------------------------------------------------------------- */

static uint32_t file_add(struct go_source *s, const struct go_function *f, uint64_t at)
{
	const int32_t number = value_at(s, field(&s->t, f, FIELD_PCFILE), at);
	const uint64_t unit = field(&s->t, f, FIELD_CU);
	const char *file = NULL;
	uint32_t offset;

	if (number >= 0 && u32_at(&s->t, s->t.units + (unit + number) * 4, &offset) &&
	    offset != UINT32_MAX)
		file = text_at(&s->t, s->t.files + offset);
	return file ? source_builder_string(s->b, file, SIZE_MAX) : 0;
}

static void address_read(struct go_source *s, size_t i)
{
	struct go_call calls[MAX_INLINED + 1];
	const uint64_t address = s->source->addresses[i];
	uint32_t outer = 0;
	struct go_function f;
	size_t nr;

	if (!function_find(&s->t, address, &f))
		return;
	nr = calls_of(s, &f, address - f.start, calls);
	while (nr--) {
		const struct go_call *c = &calls[nr];
		const uint32_t scope = ++s->last_scope;
		const int32_t line = s->source->with_lines
					     ? value_at(s, field(&s->t, &f, FIELD_PCLN), c->at)
					     : 0;

		if (!source_builder_enter(s->b, i, scope, outer,
					  c->name ? source_builder_string(s->b, c->name, SIZE_MAX)
						  : 0))
			return;
		if (line > 0)
			source_builder_at(s->b, i, file_add(s, &f, c->at), line);
		outer = scope;
	}
}

/* ---- the file ----------------------------------------------------------------------------- */

/* moduledata begins with the addresses of the table and of its names. */
static uint64_t find_gofunc(const struct go_source *s, const char *section_name, uint64_t table)
{
	const struct elf_section *section = elf_image_section_by_name(&s->image, section_name);
	_cleanup_cfi_loaded_ struct cfi_loaded data = { 0 };
	const uint64_t want[2] = { table, table + s->t.names };
	uint64_t gofunc;

	if (!section || cfi_read_section(&s->image, section, &data) < 0)
		return 0;
	for (size_t at = 0; at + s->calls->gofunc_at + sizeof(gofunc) <= data.section.len;
	     at += 8) {
		if (memcmp(data.section.bytes + at, want, sizeof(want)) != 0)
			continue;
		memcpy(&gofunc, data.section.bytes + at + s->calls->gofunc_at, sizeof(gofunc));
		return gofunc;
	}
	return 0;
}

/* What a program is moved by is added to addresses when it starts: here is what they are. */
static uint64_t relocated(const Elf64_Rela *rela, size_t nr, uint64_t at)
{
	for (size_t i = 0; i < nr; i++)
		if (rela[i].r_offset == at)
			return (uint64_t)rela[i].r_addend;
	return 0;
}

/* The same of a position-independent program, whose moduledata is written when it starts. */
static uint64_t find_moved_gofunc(const struct go_source *s, uint64_t table)
{
	const struct elf_section *section =
		elf_image_section_by_name(&s->image, ".rela.dyn")
			?: elf_image_section_by_name(&s->image, ".rela");
	_cleanup_cfi_loaded_ struct cfi_loaded data = { 0 };
	_cleanup_free_ Elf64_Rela *rela = NULL;
	size_t nr, nr_tried = 0;

	if (!section || !s->image.is64 || cfi_read_section(&s->image, section, &data) < 0)
		return 0;
	nr = data.section.len / sizeof(*rela);
	rela = xreallocarray(NULL, nr + 1, sizeof(*rela));
	memcpy(rela, data.section.bytes ?: (const uint8_t *)"", nr * sizeof(*rela));
	for (size_t i = 0; i < nr && nr_tried < MAX_MODULEDATA; i++) {
		const uint64_t moduledata = rela[i].r_offset;

		if ((uint64_t)rela[i].r_addend != table)
			continue;
		nr_tried++;
		if (relocated(rela, nr, moduledata + 8) == table + s->t.names)
			return relocated(rela, nr, moduledata + s->calls->gofunc_at);
	}
	return 0;
}

static uint64_t gofunc_of(struct go_source *s, uint64_t table)
{
	for (size_t i = 0; i < ARRAY_SIZE(call_layouts); i++)
		if (call_layouts[i].version == s->t.version)
			s->calls = &call_layouts[i];
	if (!s->calls)
		return 0;
	return find_gofunc(s, ".noptrdata", table)
		       ?: find_gofunc(s, ".data", table)
		       ?: find_moved_gofunc(s, table);
}

static int table_read(struct go_source *s)
{
	const struct elf_section *table = go_functions_section(&s->image);
	const struct elf_section *text = elf_image_section_by_name(&s->image, ".text");
	_cleanup_cfi_loaded_ struct cfi_loaded lines = { 0 };
	int r = table ? cfi_read_section(&s->image, table, &lines) : -ENODATA;

	if (r < 0)
		return r;
	if (!go_functions_open(&s->t, lines.section.bytes, lines.section.len,
			       text ? text->addr : 0))
		return -ENODATA;
	s->gofunc = gofunc_of(s, table->addr);
	for (size_t i = 0; i < s->source->nr; i++)
		address_read(s, i);
	return s->steps_left ? 0 : -E2BIG;
}

int go_source_read(const struct dwarf_source *source, struct source_builder *b)
{
	struct go_source s = { .source = source, .b = b, .steps_left = MAX_STEPS };
	int r = elf_image_open(source->fd, &s.image);

	if (r < 0)
		return -ENOEXEC;
	r = source->build_id_len ? -ENODATA : table_read(&s);
	elf_image_deinit(&s.image);
	return r == -E2BIG || !r ? r : -ENODATA;
}
