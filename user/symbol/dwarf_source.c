// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a unit, one walk over the entries that may hold code: whoever has an address enters its place,
 * outer ones first.
 */
#include "symbol/dwarf_source.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf_entry.h"
#include "symbol/dwarf_file.h"
#include "symbol/dwarf_lines.h"
#include "symbol/dwarf_places.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define MAX_DEPTH 512 /* of entries in one another */
/* So many units are read before their memory is given back. */
#define MAX_READ_UNITS 32

/* A string of the table. */
struct seen_string {
	uint32_t at; /* 0: empty */
	uint32_t hash;
};

struct string_key {
	const char *bytes;
	uint32_t hash;
};

DEFINE_TABLE(seen_strings, struct seen_string, struct string_key, struct source_builder)

static bool seen_strings_is_used(const struct seen_string *s)
{
	return s->at != 0;
}

static uint64_t seen_strings_hash(const struct source_builder *b, const struct seen_string *s)
{
	return s->hash;
}

static bool seen_strings_equals(const struct source_builder *b, const struct seen_string *s,
				const struct string_key *key)
{
	return s->hash == key->hash &&
	       !strncmp(source_builder_get(b, s->at), key->bytes, SOURCE_NAME_BYTES);
}

struct reader {
	const struct dwarf_source *source;
	struct source_builder *b;
	struct dwarf_file *file;
	struct dwarf_place *places;
	struct seen_strings strings;
	struct dwarf_line_sections sections;
	bool has_sections;
	uint32_t last_scope;

	/* the unit that is read */
	struct dwarf_place *unit;
	const struct Dwarf_CU *cu;
	size_t nr;
	struct dwarf_lines lines;
	bool has_lines;
	Dwarf_Files *files; /* else; NULL: it has none */
	const char *dir;    /* that paths which are not absolute begin at; NULL: not known */
	bool has_types;	    /* entries inside of types are looked at too */
};

static uint32_t string_add(struct reader *r, const char *bytes)
{
	struct string_key key = { .bytes = bytes };
	struct seen_string *s;
	uint32_t at;

	if (!bytes || !*bytes)
		return 0;
	key.hash = hash_bytes(bytes, strnlen(bytes, SOURCE_NAME_BYTES));
	s = seen_strings_find(&r->strings, r->b, key.hash, &key);
	if (s)
		return s->at;
	at = source_builder_string(r->b, bytes, SIZE_MAX);
	if (at)
		*seen_strings_add(&r->strings, r->b, key.hash) =
			(struct seen_string){ at, key.hash };
	return at;
}

/* A path of the unit's. */
static uint32_t path_add(struct reader *r, const char *path)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT;

	if (!path || *path == '/' || !r->dir)
		return string_add(r, path);
	strbuf_addf(&whole, "%s/%s", r->dir, path);
	return string_add(r, whole.bytes);
}

/* One of the files of the unit. */
static uint32_t file_add(struct reader *r, uint64_t file)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!r->has_lines)
		return r->files ? path_add(r, dwarf_filesrc(r->files, file, NULL, NULL)) : 0;
	return dwarf_lines_path(&r->lines, file, &path) ? path_add(r, path.bytes) : 0;
}

/* ---- the entries of a unit ---------------------------------------------------------------- */

/* Where an entry is declared; libdw reads all lines of a unit for that. */
static bool declared_in(struct reader *r, Dwarf_Die *die, struct strbuf *path)
{
	const char *file;

	if (r->has_lines && die->cu == r->cu && dwarf_hasattr(die, DW_AT_decl_file))
		return dwarf_lines_path(&r->lines, dwarf_entry_number(die, DW_AT_decl_file), path);
	file = dwarf_decl_file(die);
	strbuf_addstr(path, file ?: "");
	return file;
}

/*
 * All call operators have one name, and those that nobody can link to have no other one: the class
 * tells them apart, and lambdas, whose classes have no names, the place where one is written.
 */
static uint32_t call_operator_add(struct reader *r, Dwarf_Die *die)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, path = STRBUF_INIT;
	Dwarf_Die class;
	const bool has_class = dwarf_entry_class(die, &class);
	const char *class_name = has_class ? dwarf_diename(&class) : NULL, *file = NULL, *slash;
	int line = 0;

	if (class_name && *class_name && !strchr("<(", *class_name)) { /* "<lambda(int)>" */
		strbuf_addf(&name, "%.*s::operator()", SOURCE_NAME_BYTES / 2, class_name);
		return string_add(r, name.bytes);
	}
	if (has_class && dwarf_decl_line(&class, &line) == 0)
		die = &class;
	dwarf_decl_line(die, &line);
	if (declared_in(r, die, &path))
		file = path.bytes;
	slash = file ? strrchr(file, '/') : NULL;
	strbuf_addf(&name, "<lambda %s:%d>", slash ? slash + 1 : file ?: "?", line);
	return string_add(r, name.bytes);
}

/* An entry that has code at some of the addresses. */
struct scope {
	Dwarf_Die *die;
	uint32_t number, outer;
	bool is_read; /* what follows */
	uint32_t name_at, call_file, call_line;
};

static void scope_read(struct reader *r, struct scope *s)
{
	const char *name;
	uint64_t file;

	if (s->is_read)
		return;
	s->is_read = true;
	name = dwarf_entry_name(s->die);
	s->name_at = name && !strcmp(name, "operator()") ? call_operator_add(r, s->die)
							 : string_add(r, name);
	if (!s->outer)
		return;
	file = dwarf_entry_number(s->die, DW_AT_call_file);
	s->call_line = (uint32_t)dwarf_entry_number(s->die, DW_AT_call_line);
	if (s->call_line)
		s->call_file = file_add(r, file);
}

/* One of the addresses is in that scope: whether that is news. */
static bool place_enter(struct reader *r, struct scope *s, const struct dwarf_place *place)
{
	if (!source_builder_is_in(r->b, place->index, s->outer))
		return false;
	scope_read(r, s);
	if (s->outer)
		source_builder_at(r->b, place->index, s->call_file, s->call_line);
	if (s->outer && !s->name_at) {
		source_builder_nameless(r->b);
		return true;
	}
	return source_builder_enter(r->b, place->index, s->number, s->outer, s->name_at);
}

/* Those of the unit's addresses that are in the entry's ranges enter it.  False: there are none. */
static bool scope_enter(struct reader *r, struct scope *s)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	bool has_any = false;

	while ((next = dwarf_ranges(s->die, next, &base, &start, &end)) > 0)
		for (size_t i = dwarf_places_from(r->unit, r->nr, start);
		     i < r->nr && r->unit[i].address < end; i++)
			has_any |= place_enter(r, s, &r->unit[i]);
	return has_any;
}

/*
 * Whether entries inside of this one are to be looked at, and in which scope they are then.
 * outer 0: no function that has one of the addresses.
 */
static bool entry_read(struct reader *r, Dwarf_Die *die, uint32_t outer, uint32_t *ret_scope)
{
	struct scope s = { .die = die, .outer = outer };

	*ret_scope = outer;
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_entry_point:
		s.outer = 0;
		break;
	case DW_TAG_inlined_subroutine:
		if (!outer)
			return false;
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return outer != 0;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return r->has_types;
	default:
		return false;
	}
	s.number = ++r->last_scope;
	if (!scope_enter(r, &s))
		return r->has_types && !s.outer; /* functions inside of functions */
	if (!s.outer || s.name_at)
		*ret_scope = s.number;
	return true;
}

struct level {
	Dwarf_Die die;
	uint32_t scope; /* that it stands in */
};

static void entries_walk(struct reader *r, Dwarf_Die *unit)
{
	_cleanup_free_ struct level *levels = xcalloc(MAX_DEPTH, sizeof(*levels));
	size_t depth = 0;

	if (dwarf_child(unit, &levels[0].die) != 0)
		return;
	levels[0].scope = 0;
	depth = 1;
	while (depth) {
		struct level *at = &levels[depth - 1];
		uint32_t scope;

		if (entry_read(r, &at->die, at->scope, &scope) && depth < MAX_DEPTH &&
		    dwarf_child(&at->die, &levels[depth].die) == 0) {
			levels[depth++].scope = scope;
			continue;
		}
		while (depth && dwarf_siblingof(&levels[depth - 1].die, &levels[depth - 1].die))
			depth--;
	}
}

static bool unit_is_done(const struct reader *r)
{
	for (size_t i = 0; i < r->nr; i++)
		if (!source_builder_has(r->b, r->unit[i].index))
			return false;
	return true;
}

/* Code of an assembler's may have lines and no functions. */
static void place_of_line(struct reader *r, size_t index, uint32_t file, uint32_t line)
{
	if (!source_builder_has(r->b, index))
		source_builder_enter(r->b, index, ++r->last_scope, 0, 0);
	source_builder_at(r->b, index, file, line);
}

/* False: they have to be asked of libdw. */
static bool lines_find(struct reader *r)
{
	_cleanup_free_ struct dwarf_line *lines = xcalloc(r->nr, sizeof(*lines));
	bool is_found;

	for (size_t i = 0; i < r->nr; i++)
		lines[i].address = r->unit[i].address;
	is_found = r->has_lines && dwarf_lines_find(&r->lines, lines, r->nr);
	for (size_t i = 0; is_found && i < r->nr; i++)
		if (lines[i].line && lines[i].line <= INT32_MAX)
			place_of_line(r, r->unit[i].index, file_add(r, lines[i].file),
				      lines[i].line);
	return is_found;
}

/* The places of the addresses themselves. */
static void lines_read(struct reader *r, Dwarf_Die *unit)
{
	if (lines_find(r))
		return;
	for (size_t i = 0; i < r->nr; i++) {
		Dwarf_Line *row = dwarf_getsrc_die(unit, r->unit[i].address);
		int line;

		if (row && dwarf_lineno(row, &line) == 0 && line > 0)
			place_of_line(r, r->unit[i].index,
				      path_add(r, dwarf_linesrc(row, NULL, NULL)), line);
	}
}

static void unit_read(struct reader *r)
{
	Dwarf_Attribute dir, at;
	Dwarf_Word offset;
	size_t nr_files;
	Dwarf_Die unit;

	if (!dwarf_offdie(r->file->dw, r->unit[0].unit, &unit))
		return;
	if (dwarf_entry_is_split(&unit))
		source_builder_split(r->b);
	r->cu = unit.cu;
	r->files = NULL;
	r->dir = dwarf_attr(&unit, DW_AT_comp_dir, &dir) ? dwarf_formstring(&dir) : NULL;
	r->has_lines = r->has_sections && dwarf_attr(&unit, DW_AT_stmt_list, &at) &&
		       !dwarf_formudata(&at, &offset) &&
		       dwarf_lines_open(&r->sections, offset, r->dir, &r->lines);
	if (r->source->with_lines && !r->has_lines)
		dwarf_getsrcfiles(&unit, &r->files, &nr_files);
	r->has_types = false;
	entries_walk(r, &unit);
	if (!unit_is_done(r)) {
		/* Those that have a place have it: nothing stands there twice. */
		r->has_types = true;
		entries_walk(r, &unit);
	}
	if (r->source->with_lines)
		lines_read(r, &unit);
	dwarf_lines_close(&r->lines);
}

static void units_read(struct reader *r)
{
	size_t next, nr_read = 0;

	r->has_sections = dwarf_line_sections_find(r->file, &r->sections);
	for (size_t i = 0; i < r->source->nr && r->places[i].unit != DWARF_NO_UNIT; i = next) {
		next = i + 1;
		while (next < r->source->nr && r->places[next].unit == r->places[i].unit)
			next++;
		r->unit = r->places + i;
		r->nr = next - i;
		unit_read(r);
		if (++nr_read % MAX_READ_UNITS == 0 && !dwarf_file_forget(r->file))
			return;
	}
}

static void source_read(struct reader *r, uint64_t shift)
{
	r->places = xcalloc(r->source->nr, sizeof(*r->places));
	seen_strings_init(&r->strings, 1024);
	for (size_t i = 0; i < r->source->nr; i++)
		r->places[i] =
			(struct dwarf_place){ r->source->addresses[i] + shift, DWARF_NO_UNIT, i };
	dwarf_places_find(r->file, r->places, r->source->nr);
	if (dwarf_file_forget(r->file))
		units_read(r);
}

static int alt_open(const struct dwarf_source *source, struct dwarf_file *file)
{
	struct dwarf_alt alt;

	if (source->without_alt || !dwarf_file_alt(file, &alt))
		return 0;
	if (source->alt_fd >= 0)
		return dwarf_file_use_alt(file, &alt, source->alt_fd);
	if (source->ret_alt)
		*source->ret_alt = alt;
	return -EREMOTE;
}

int dwarf_source_read(const struct dwarf_source *source, struct source_builder *b)
{
	_cleanup_dwarf_file_ struct dwarf_file file;
	struct reader r = { .source = source, .b = b, .file = &file };
	uint64_t anchor = 0;
	int err = dwarf_file_open(&file, source->fd);

	if (err < 0)
		return err;
	if (!dwarf_file_has_build_id(&file, source->build_id, source->build_id_len))
		return -ENODATA;
	if (source->anchor && !dwarf_file_symbol(&file, SOURCE_ANCHOR, &anchor))
		return -ENODATA;
	err = alt_open(source, &file);
	if (err < 0)
		return err;
	source_read(&r, anchor - source->anchor);
	seen_strings_deinit(&r.strings);
	free(r.places);
	return 0;
}
