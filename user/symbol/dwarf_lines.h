/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a few addresses of a unit, by its line program (DWARF 5, 6.2; versions 2 to 5): one
 * pass, and no row is kept but those that were asked for.  libdw makes a table of all rows of a
 * unit and sorts it, which takes far longer.
 */
#ifndef EDDY_SYMBOL_DWARF_LINES_H
#define EDDY_SYMBOL_DWARF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/byte_reader.h"
#include "symbol/dwarf_file.h"
#include "util/strbuf.h"

/* What names stand in; they must outlive the lines. */
struct dwarf_line_sections {
	struct byte_reader lines, strings, line_strings; /* .debug_line, _str, _line_str */
};

struct dwarf_line_name {
	const char *name; /* ends in its section */
	uint64_t dir;
};

struct dwarf_lines {
	unsigned int version;
	struct dwarf_line_name *dirs, *files; /* as they are numbered, files of version 5 from 0 */
	size_t nr_dirs, nr_files, cap_dirs, cap_files;
	const char *comp_dir; /* NULL: not known */
	struct byte_reader program;
	uint8_t min_insn_bytes, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands; /* of opcode 1 and up, how many */
};

struct dwarf_line {
	uint64_t address; /* that is asked for; they rise */
	uint64_t row;	  /* of the row that covers it; and what that says */
	uint64_t file;
	uint32_t line; /* 0: none covers it */
};

/* Of a file; false: it has none, or they are of a kind that is left to libdw. */
bool dwarf_line_sections_find(const struct dwarf_file *f, struct dwarf_line_sections *ret_sections);

/*
 * The line program at an offset of .debug_line.  False: it is damaged, or of a kind that is left to
 * libdw (64-bit, several operations to an instruction, names in other files).  Good for
 * dwarf_lines_close() in any case.
 */
bool dwarf_lines_open(const struct dwarf_line_sections *sections, uint64_t offset,
		      const char *comp_dir, struct dwarf_lines *ret_lines);
void dwarf_lines_close(struct dwarf_lines *l);
#define _cleanup_dwarf_lines_ __attribute__((cleanup(dwarf_lines_close)))

/*
 * Of each address the last row that is not behind it, in a sequence that has not ended before it;
 * of several sequences that with the highest row.  False: the program is damaged, what was found
 * before that stands.
 */
bool dwarf_lines_find(const struct dwarf_lines *l, struct dwarf_line *lines, size_t nr);

/* Sets the path of a file, relative when no directory is known; false: there is no such file. */
bool dwarf_lines_path(const struct dwarf_lines *l, uint64_t file, struct strbuf *to);

#endif
