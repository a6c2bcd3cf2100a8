// SPDX-License-Identifier: GPL-2.0-or-later
/* Line programs, read from the bytes of their section; what is odd about one is left to libdw. */
#include "symbol/dwarf_lines.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_NAMES   65536 /* of directories, of files */
#define MAX_FORMATS 16	  /* what is said of each name */

/* ---- sections ----------------------------------------------------------------------------- */

static struct byte_reader reader_of(const Elf_Data *data)
{
	const uint8_t *bytes = data ? data->d_buf : NULL;

	return (struct byte_reader){ bytes, bytes ? bytes + data->d_size : NULL, false };
}

bool dwarf_line_sections_find(const struct dwarf_file *f, struct dwarf_line_sections *ret_sections)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Ehdr head;
	GElf_Shdr shdr;

	*ret_sections = (struct dwarf_line_sections){ 0 };
	/* Numbers of what is not linked yet stand in relocations. */
	if (!gelf_getehdr(f->elf, &head) || head.e_type == ET_REL ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB || elf_getshdrstrndx(f->elf, &names) < 0)
		return false;
	while ((section = elf_nextscn(f->elf, section))) {
		const char *name = gelf_getshdr(section, &shdr)
					   ? elf_strptr(f->elf, names, shdr.sh_name)
					   : NULL;

		/* Those that were compressed libdw has unpacked, in place. */
		if (!name || shdr.sh_type == SHT_NOBITS || shdr.sh_flags & SHF_COMPRESSED)
			continue;
		if (!strcmp(name, ".debug_line"))
			ret_sections->lines = reader_of(elf_rawdata(section, NULL));
		else if (!strcmp(name, ".debug_str"))
			ret_sections->strings = reader_of(elf_rawdata(section, NULL));
		else if (!strcmp(name, ".debug_line_str"))
			ret_sections->line_strings = reader_of(elf_rawdata(section, NULL));
	}
	return ret_sections->lines.at;
}

/* ---- names -------------------------------------------------------------------------------- */

/* A text that ends where the reader can see; NULL: it does not, and the reader has failed. */
static const char *text_read(struct byte_reader *r)
{
	const uint8_t *end = memchr(r->at, '\0', byte_reader_left(r));
	const char *text = (const char *)r->at;

	if (!end) {
		byte_reader_fail(r);
		return NULL;
	}
	r->at = end + 1;
	return text;
}

static const char *text_at(const struct byte_reader *section, uint64_t offset)
{
	struct byte_reader r = *section;

	return r.at && byte_reader_take(&r, offset) ? text_read(&r) : NULL;
}

static bool name_add(struct dwarf_line_name **names, size_t *nr, size_t *cap, const char *name,
		     uint64_t dir)
{
	if (!name || *nr == MAX_NAMES)
		return false;
	array_reserve(*names, *cap, *nr + 1);
	(*names)[(*nr)++] = (struct dwarf_line_name){ name, dir };
	return true;
}

/* Up to version 4. */
static bool names_read(struct byte_reader *r, struct dwarf_lines *l)
{
	const char *name;
	uint64_t dir;

	if (!name_add(&l->dirs, &l->nr_dirs, &l->cap_dirs, l->comp_dir ?: "", 0))
		return false;
	while ((name = text_read(r)) && *name)
		if (!name_add(&l->dirs, &l->nr_dirs, &l->cap_dirs, name, 0))
			return false;
	while ((name = text_read(r)) && *name) {
		dir = byte_reader_uleb(r);
		byte_reader_uleb(r); /* when it was changed */
		byte_reader_uleb(r); /* how long it is */
		if (!name_add(&l->files, &l->nr_files, &l->cap_files, name, dir))
			return false;
	}
	return !r->failed;
}

struct format {
	uint64_t content, form;
};

static bool number_read(struct byte_reader *r, uint64_t form, uint64_t *ret_value)
{
	switch (form) {
	case DW_FORM_udata:
		*ret_value = byte_reader_uleb(r);
		return true;
	case DW_FORM_data1:
		*ret_value = byte_reader_u8(r);
		return true;
	case DW_FORM_data2:
		*ret_value = byte_reader_u16(r);
		return true;
	case DW_FORM_data4:
		*ret_value = byte_reader_u32(r);
		return true;
	case DW_FORM_data8:
		*ret_value = byte_reader_u64(r);
		return true;
	case DW_FORM_data16: /* of a hash */
		byte_reader_take(r, 16);
		return true;
	case DW_FORM_block:
		byte_reader_take(r, byte_reader_uleb(r));
		return true;
	}
	return false;
}

/* What a name consists of, by its formats. */
static bool entry_read(const struct dwarf_line_sections *s, struct byte_reader *r,
		       const struct format *formats, size_t nr, struct dwarf_line_name *ret_name)
{
	*ret_name = (struct dwarf_line_name){ 0 };
	for (size_t i = 0; i < nr; i++) {
		const char *text = NULL;
		uint64_t number = 0;

		if (formats[i].form == DW_FORM_string)
			text = text_read(r);
		else if (formats[i].form == DW_FORM_line_strp)
			text = text_at(&s->line_strings, byte_reader_u32(r));
		else if (formats[i].form == DW_FORM_strp)
			text = text_at(&s->strings, byte_reader_u32(r));
		else if (!number_read(r, formats[i].form, &number))
			return false;
		if (formats[i].content == DW_LNCT_path)
			ret_name->name = text;
		else if (formats[i].content == DW_LNCT_directory_index)
			ret_name->dir = number;
	}
	return ret_name->name && !r->failed;
}

/* A table of version 5. */
static bool entries_read(const struct dwarf_line_sections *s, struct byte_reader *r,
			 struct dwarf_line_name **names, size_t *nr_names, size_t *cap)
{
	struct format formats[MAX_FORMATS];
	struct dwarf_line_name name;
	size_t nr = byte_reader_u8(r);
	uint64_t left;

	if (nr > MAX_FORMATS)
		return false;
	for (size_t i = 0; i < nr; i++) {
		formats[i].content = byte_reader_uleb(r);
		formats[i].form = byte_reader_uleb(r);
	}
	for (left = byte_reader_uleb(r); left && !r->failed; left--)
		if (!entry_read(s, r, formats, nr, &name) ||
		    !name_add(names, nr_names, cap, name.name, name.dir))
			return false;
	return !r->failed;
}

/* ---- heads -------------------------------------------------------------------------------- */

/* From the length of the instructions on to the names. */
static bool head_read(struct byte_reader *r, struct dwarf_lines *l)
{
	l->min_insn_bytes = byte_reader_u8(r);
	if (l->version >= 4 && byte_reader_u8(r) > 1)
		return false;
	byte_reader_u8(r); /* whether rows begin statements: all count */
	l->line_base = (int8_t)byte_reader_u8(r);
	l->line_range = byte_reader_u8(r);
	l->opcode_base = byte_reader_u8(r);
	if (!l->line_range || !l->opcode_base)
		return false;
	l->operands = byte_reader_take(r, l->opcode_base - 1u);
	return !r->failed;
}

bool dwarf_lines_open(const struct dwarf_line_sections *sections, uint64_t offset,
		      const char *comp_dir, struct dwarf_lines *ret_lines)
{
	struct dwarf_lines *l = ret_lines;
	struct byte_reader r = sections->lines, head;
	const uint8_t *bytes;
	uint64_t len;

	*l = (struct dwarf_lines){ .comp_dir = comp_dir };
	if (!byte_reader_take(&r, offset))
		return false;
	len = byte_reader_u32(&r);
	bytes = len < 0xfffffff0 ? byte_reader_take(&r, len) : NULL;
	if (!bytes)
		return false;
	r = (struct byte_reader){ bytes, bytes + len, false };
	l->version = byte_reader_u16(&r);
	if (l->version < 2 || l->version > 5)
		return false;
	if (l->version == 5 && (byte_reader_u8(&r) != 8 || byte_reader_u8(&r)))
		return false; /* sizes of addresses, of segments */
	len = byte_reader_u32(&r);
	bytes = byte_reader_take(&r, len);
	if (!bytes)
		return false;
	l->program = r;
	head = (struct byte_reader){ bytes, bytes + len, false };
	if (!head_read(&head, l))
		return false;
	if (l->version < 5)
		return names_read(&head, l);
	return entries_read(sections, &head, &l->dirs, &l->nr_dirs, &l->cap_dirs) &&
	       entries_read(sections, &head, &l->files, &l->nr_files, &l->cap_files);
}

void dwarf_lines_close(struct dwarf_lines *l)
{
	free(l->dirs);
	free(l->files);
	*l = (struct dwarf_lines){ 0 };
}

bool dwarf_lines_path(const struct dwarf_lines *l, uint64_t file, struct strbuf *to)
{
	const struct dwarf_line_name *name;
	const char *dir;

	file -= l->version < 5;
	if (file >= l->nr_files)
		return false;
	name = &l->files[file];
	if (*name->name != '/' && name->dir < l->nr_dirs) {
		dir = l->dirs[name->dir].name;
		if (*dir != '/' && name->dir && *l->dirs[0].name)
			strbuf_addf(to, "%s/", l->dirs[0].name);
		if (*dir)
			strbuf_addf(to, "%s/", dir);
	}
	strbuf_addstr(to, name->name);
	return true;
}

/* ---- programs ----------------------------------------------------------------------------- */

struct row {
	uint64_t address, file;
	uint32_t line;
};

struct machine {
	const struct dwarf_lines *l;
	struct byte_reader r;
	struct dwarf_line *lines; /* what is looked for */
	size_t nr, next;	  /* the first that is not before the row */
	struct row row, last;	  /* last.line 0 with `is_first`: none in this sequence */
	bool is_first;
};

static void sequence_begin(struct machine *m)
{
	m->row = (struct row){ .file = 1, .line = 1 };
	m->is_first = true;
	m->next = 0;
}

static size_t first_not_before(const struct machine *m, uint64_t address)
{
	size_t low = 0, high = m->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->lines[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void line_put(struct dwarf_line *line, const struct row *row)
{
	if (line->line && row->address < line->row)
		return;
	line->row = row->address;
	line->file = row->file;
	line->line = row->line;
}

/* The row begins where the one before it ends, or the sequence does. */
static void row_add(struct machine *m, bool is_end)
{
	if (m->is_first || m->row.address < m->last.address)
		m->next = first_not_before(m, m->row.address);
	else
		for (; m->next < m->nr && m->lines[m->next].address < m->row.address; m->next++)
			line_put(&m->lines[m->next], &m->last);
	m->last = m->row;
	m->is_first = false;
	if (is_end)
		sequence_begin(m);
}

static void advance(struct machine *m, uint64_t operations)
{
	m->row.address += operations * m->l->min_insn_bytes;
}

static bool extended(struct machine *m)
{
	const uint64_t len = byte_reader_uleb(&m->r);
	const uint8_t *bytes = byte_reader_take(&m->r, len);
	struct byte_reader r = { bytes, bytes ? bytes + len : NULL, false };

	if (!bytes || !len)
		return false;
	switch (byte_reader_u8(&r)) {
	case DW_LNE_end_sequence:
		row_add(m, true);
		return true;
	case DW_LNE_set_address:
		m->row.address = len == 9 ? byte_reader_u64(&r) : byte_reader_u32(&r);
		return len == 9 || len == 5;
	case DW_LNE_define_file:
		return false;
	}
	return true;
}

static bool standard(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		row_add(m, false);
		return true;
	case DW_LNS_advance_pc:
		advance(m, byte_reader_uleb(&m->r));
		return true;
	case DW_LNS_advance_line:
		m->row.line += (uint32_t)byte_reader_sleb(&m->r);
		return true;
	case DW_LNS_set_file:
		m->row.file = byte_reader_uleb(&m->r);
		return true;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->l->opcode_base) / m->l->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		m->row.address += byte_reader_u16(&m->r);
		return true;
	}
	for (uint8_t i = m->l->operands[opcode - 1]; i; i--)
		byte_reader_uleb(&m->r);
	return true;
}

bool dwarf_lines_find(const struct dwarf_lines *l, struct dwarf_line *lines, size_t nr)
{
	struct machine m = { .l = l, .r = l->program, .lines = lines, .nr = nr };
	bool is_good = true;

	sequence_begin(&m);
	while (is_good && byte_reader_left(&m.r)) {
		uint8_t opcode = byte_reader_u8(&m.r);

		if (opcode >= l->opcode_base) {
			opcode -= l->opcode_base;
			advance(&m, opcode / l->line_range);
			m.row.line += (uint32_t)(l->line_base + opcode % l->line_range);
			row_add(&m, false);
		} else {
			is_good = opcode ? standard(&m, opcode) : extended(&m);
		}
	}
	return is_good && !m.r.failed;
}
