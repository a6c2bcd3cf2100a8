// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Line programs that are made by hand.  Those of compilers are compared with addr2line, each
 * address of theirs, in test_dwarf_source.
 */
#include "symbol/dwarf_lines.h"

#include "unit/unit.h"

/* Rows at 0x1000 (a.c:10), 0x1004 (a.c:11), 0x1006 (sub/b.h:11); the end is at 0x100c. */
#define PROGRAM                                                                       \
	"\x00\x09\x02\x00\x10\0\0\0\0\0\0"		  /* extended: set address */ \
	"\x03\x09\x01"					  /* advance line, copy */    \
	"\x4b"						  /* 4 bytes, a line */       \
	"\x04\x02\x2e"					  /* set file, 2 bytes */     \
	"\x02\x06\x00\x01\x01"				  /* advance pc, end of sequence */
#define HEAD   "\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1" /* statements, -5, 14, 13, operands */
#define HEAD_4 "\x01\x01" HEAD "sub\0\0a.c\0\0\0\0b.h\0\1\0\0"
#define HEAD_5                                                                             \
	"\x01\x01" HEAD "\x01\x01\x08\x02/src\0sub\0"	       /* path: text */            \
	"\x03\x01\x1f\x02\x0b\x05\x1e\x03"		       /* path, directory, hash */ \
	"\4\0\0\0\0________________\4\0\0\0\0________________" /* files 0 and 1 are one */ \
	"\0\0\0\0\1________________"

struct made {
	uint8_t bytes[256];
	size_t len;
	struct dwarf_line_sections sections;
};

static void put(struct made *m, const void *bytes, size_t len)
{
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void put32(struct made *m, size_t number)
{
	const uint32_t n = (uint32_t)number;

	put(m, &n, sizeof(n));
}

/* A unit; v5: that version, else 4. */
static void make(struct made *m, bool v5)
{
	static const char strings[] = "b.h\0a.c";
	static const char head_4[] = HEAD_4, head_5[] = HEAD_5, program[] = PROGRAM;
	const size_t len = v5 ? sizeof(head_5) - 1 : sizeof(head_4);
	const size_t program_len = sizeof(program) - 1;

	*m = (struct made){ 0 };
	put32(m, 2 + (v5 ? 2 : 0) + 4 + len + program_len);
	put(m, v5 ? "\5\0\x08\0" : "\4\0", v5 ? 4 : 2);
	put32(m, len);
	put(m, v5 ? head_5 : head_4, len);
	put(m, program, program_len);
	m->sections.lines = (struct byte_reader){ m->bytes, m->bytes + m->len, false };
	m->sections.line_strings =
		(struct byte_reader){ (const uint8_t *)strings,
				      (const uint8_t *)strings + sizeof(strings), false };
}

static const struct dwarf_line expected[] = {
	{ .address = 0xfff },
	{ .address = 0x1000, .file = 1, .line = 10 },
	{ .address = 0x1003, .file = 1, .line = 10 },
	{ .address = 0x1004, .file = 1, .line = 11 },
	{ .address = 0x1006, .file = 2, .line = 11 },
	{ .address = 0x100b, .file = 2, .line = 11 },
	{ .address = 0x100c },
};
#define NR (sizeof(expected) / sizeof(*expected))

static void check_path(const struct dwarf_lines *l, uint64_t file, const char *path)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;

	assert_int_equal(dwarf_lines_path(l, file, &got), path != NULL);
	if (path)
		assert_string_equal(got.bytes, path);
}

static void check_lines(bool v5)
{
	_cleanup_dwarf_lines_ struct dwarf_lines l;
	struct dwarf_line lines[NR];
	struct made m;

	make(&m, v5);
	assert_true(dwarf_lines_open(&m.sections, 0, "/src", &l));
	for (size_t i = 0; i < NR; i++)
		lines[i] = (struct dwarf_line){ .address = expected[i].address };
	assert_true(dwarf_lines_find(&l, lines, NR));
	for (size_t i = 0; i < NR; i++) {
		assert_int_equal(lines[i].line, expected[i].line);
		if (lines[i].line)
			assert_int_equal(lines[i].file, expected[i].file);
	}
	check_path(&l, 1, "/src/a.c");
	check_path(&l, 2, "/src/sub/b.h");
	check_path(&l, 3, NULL);
	check_path(&l, 0, v5 ? "/src/a.c" : NULL);
}

static void version_4(void **state)
{
	check_lines(false);
}

static void version_5(void **state)
{
	check_lines(true);
}

/* Of a unit that is cut, or has another byte somewhere, something is said or nothing: no crash. */
static void damaged(void **state)
{
	for (int v5 = 0; v5 < 2; v5++) {
		struct made good, m;

		make(&good, v5);
		for (size_t i = 0; i < 4 * good.len; i++) {
			struct dwarf_line lines[NR] = { 0 };
			struct dwarf_lines l;

			m = good;
			m.sections.lines =
				(struct byte_reader){ m.bytes, m.bytes + (i < m.len ? i : m.len),
						      false };
			if (i >= m.len)
				m.bytes[i % m.len] ^= (uint8_t)(1u << test_random_below(8));
			for (size_t n = 0; n < NR; n++)
				lines[n].address = expected[n].address;
			if (dwarf_lines_open(&m.sections, 0, NULL, &l))
				dwarf_lines_find(&l, lines, NR);
			dwarf_lines_close(&l);
		}
	}
}

/* 64-bit, several operations to an instruction, and what is beyond the section, are libdw's. */
static void others_are_left(void **state)
{
	struct dwarf_lines l;
	struct made m;

	make(&m, false);
	assert_false(dwarf_lines_open(&m.sections, m.len, "/src", &l));
	dwarf_lines_close(&l);
	m.bytes[11] = 2; /* operations */
	assert_false(dwarf_lines_open(&m.sections, 0, "/src", &l));
	dwarf_lines_close(&l);
	make(&m, false);
	memset(m.bytes, 0xff, 4);
	assert_false(dwarf_lines_open(&m.sections, 0, "/src", &l));
	dwarf_lines_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_4),
		cmocka_unit_test(version_5),
		cmocka_unit_test(damaged),
		cmocka_unit_test(others_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
