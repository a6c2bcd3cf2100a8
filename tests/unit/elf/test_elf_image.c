// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files of both classes, cut and corrupted: sections lie inside, or it does not open. */
#include "unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "elf/elf_image.h"
#include "unit/elf/elf_maker.h"

static const struct made_symbol one[] = { { "f", 0x5000, 16, STT_FUNC, STB_GLOBAL, 0 } };

static struct made_elf example(bool is32)
{
	return (struct made_elf){ .is32 = is32,
				  .text_vaddr = 0x5000,
				  .text_bytes = 0x800,
				  .symtab = one,
				  .nr_symtab = 1,
				  .build_id = "0123456789abcdefghij" };
}

static void test_both_classes(void **state)
{
	for (int is32 = 0; is32 < 2; is32++) {
		struct made_elf m = example(is32);
		int fd = elf_make_fd(&m);
		_cleanup_elf_image_ struct elf_image img = { 0 };
		const struct elf_section *symtab;
		uint64_t v = 7;

		assert_int_equal(elf_image_open(fd, &img), 0);
		assert_int_equal(img.is64, !is32);
		assert_int_equal(img.phoff, is32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr));
		assert_int_equal(img.phnum, 1);
		assert_int_equal(img.shoff + MADE_SECTIONS * (is32 ? sizeof(Elf32_Shdr)
								   : sizeof(Elf64_Shdr)),
				 img.source.len);
		assert_int_equal(img.nr_notes, 0); /* only a section is one */
		assert_int_equal(img.nr_segments, 1);
		assert_true(img.segments[0].executable);
		assert_int_equal(img.build_id_len, 20);
		assert_memory_equal(img.build_id, "0123456789abcdefghij", 20);
		symtab = elf_image_section_by_name(&img, ".symtab");
		assert_non_null(symtab);
		assert_ptr_equal(symtab, elf_image_section_by_type(&img, SHT_SYMTAB));
		assert_int_equal(elf_image_section_link(&img, symtab)->type, SHT_STRTAB);
		assert_null(elf_image_section_by_type(&img, SHT_DYNSYM));

		assert_true(elf_image_vaddr(&img, 0x1010, &v));
		assert_int_equal(v, 0x5010);
		assert_true(elf_image_offset(&img, 0x57ff, &v));
		assert_int_equal(v, 0x17ff);
		assert_false(elf_image_vaddr(&img, 0x1800, &v));
		assert_false(elf_image_offset(&img, 0x4fff, &v));
		assert_int_equal(v, 0x17ff); /* untouched */
		elf_image_drop_sections(&img);
		assert_null(elf_image_section_by_name(&img, ".symtab"));
		assert_true(elf_image_vaddr(&img, 0x1010, &v));
		close(fd);
	}
}

static void test_not_elf(void **state)
{
	struct elf_image img;
	int fd = fd_of("#!/bin/sh\n", 10);
	struct made_elf m = example(false);
	struct strbuf bytes = elf_make(&m);

	assert_int_equal(elf_image_open(fd, &img), -ENOEXEC);
	close(fd);
	fd = fd_of("", 0);
	assert_int_equal(elf_image_open(fd, &img), -ENOEXEC);
	close(fd);
	bytes.bytes[EI_DATA] = ELFDATA2MSB;
	fd = fd_of(bytes.bytes, bytes.len);
	assert_int_equal(elf_image_open(fd, &img), -ENOEXEC);
	close(fd);
	strbuf_deinit(&bytes);
}

/* Cut anywhere, it either opens (and its sections lie inside) or says why not. */
static void test_truncated(void **state)
{
	struct made_elf m = example(false);
	struct strbuf bytes = elf_make(&m);

	for (size_t len = 0; len < bytes.len; len += len < 300 ? 1 : 37) {
		int fd = fd_of(bytes.bytes, len);
		struct elf_image img = { 0 };
		int r = elf_image_open(fd, &img);

		assert_true(r == 0 || r == -ENOEXEC || r == -EBADMSG);
		if (r == 0)
			assert_int_equal(img.nr_sections, 0); /* their table is at the end */
		elf_image_deinit(&img);
		close(fd);
	}
	strbuf_deinit(&bytes);
}

static void test_cut_while_open(void **state)
{
	struct made_elf m = example(false);
	int fd = elf_make_fd(&m);
	struct elf_image img;
	char byte;

	assert_int_equal(elf_image_open(fd, &img), 0);
	assert_int_equal(elf_image_read(&img, 0x1000, &byte, 1), 0);
	assert_int_equal(elf_image_read(&img, img.source.len, &byte, 1), -EBADMSG);
	assert_int_equal(elf_image_read(&img, UINT64_MAX, &byte, 1), -EBADMSG);
	assert_int_equal(ftruncate(fd, 0x1000), 0);
	assert_int_equal(elf_image_read(&img, 0x1000, &byte, 1), -EBADMSG);
	elf_image_deinit(&img);
	close(fd);
}

static void test_corrupted(void **state)
{
	struct made_elf m = example(true);
	struct strbuf bytes = elf_make(&m);

	for (int round = 0; round < 3000; round++) {
		struct strbuf broken = STRBUF_INIT;
		struct elf_image img = { 0 };
		int fd;

		strbuf_add(&broken, bytes.bytes, bytes.len);
		for (int n = 1 + test_random_below(6); n; n--) {
			size_t at = test_random_below(2)
					    ? test_random_below(120)
					    : MADE_TEXT_OFFSET + 0x800 +
						      test_random_below(bytes.len -
									MADE_TEXT_OFFSET - 0x800);

			broken.bytes[at] = test_random_below(2) ? 0xff : test_random();
		}
		fd = fd_of(broken.bytes, broken.len);
		if (elf_image_open(fd, &img) == 0)
			for (size_t i = 0; i < img.nr_sections; i++) {
				const struct elf_section *s = &img.sections[i];

				if (s->type != SHT_NULL && s->type != SHT_NOBITS)
					assert_true(s->offset <= img.source.len &&
						    s->bytes <= img.source.len - s->offset);
			}
		elf_image_deinit(&img);
		close(fd);
		strbuf_deinit(&broken);
	}
	strbuf_deinit(&bytes);
}

/* More sections than 16 bits can count: the numbers stand in section 0. */
static void test_extended_numbers(void **state)
{
	struct made_elf m = example(false);
	struct strbuf bytes = elf_make(&m);
	Elf64_Ehdr *e = (Elf64_Ehdr *)bytes.bytes;
	Elf64_Shdr *first = (Elf64_Shdr *)(bytes.bytes + e->e_shoff);
	struct elf_image img;
	int fd;

	first->sh_size = e->e_shnum;
	first->sh_link = e->e_shstrndx;
	e->e_shnum = 0;
	e->e_shstrndx = SHN_XINDEX;
	fd = fd_of(bytes.bytes, bytes.len);
	assert_int_equal(elf_image_open(fd, &img), 0);
	assert_int_equal(img.nr_sections, MADE_SECTIONS);
	assert_non_null(elf_image_section_by_name(&img, ".strtab"));
	elf_image_deinit(&img);
	close(fd);
	strbuf_deinit(&bytes);
}

/* Each address is looked for in all segments, so there may not be any number of them. */
static void test_many_segments(void **state)
{
	struct made_elf m = example(false);

	for (uint16_t nr = 4096; nr <= 4097; nr++) {
		struct strbuf bytes = elf_make(&m);
		Elf64_Ehdr *e = (Elf64_Ehdr *)bytes.bytes;
		Elf64_Phdr p;
		struct elf_image img = { 0 };
		int fd, r;

		memcpy(&p, bytes.bytes + e->e_phoff, sizeof(p));
		e->e_phoff = bytes.len;
		e->e_phnum = nr;
		for (uint16_t i = 0; i < nr; i++)
			strbuf_add(&bytes, &p, sizeof(p));
		fd = fd_of(bytes.bytes, bytes.len);
		r = elf_image_open(fd, &img);
		assert_int_equal(r, nr == 4096 ? 0 : -E2BIG);
		assert_int_equal(img.nr_segments, nr == 4096 ? 4096 : 0);
		elf_image_deinit(&img);
		close(fd);
		strbuf_deinit(&bytes);
	}
}

/* Notes can be said to stand in any number of places, each of them has to be read. */
static void test_many_notes(void **state)
{
	struct made_elf m = example(false);

	for (uint16_t nr = 63; nr <= 64; nr++) {
		struct strbuf bytes = elf_make(&m);
		Elf64_Phdr code, note = { .p_type = PT_NOTE, .p_offset = 0x1000, .p_filesz = 16 };
		Elf64_Ehdr *e = (Elf64_Ehdr *)bytes.bytes;
		_cleanup_elf_image_ struct elf_image img = { 0 };
		int fd;

		memcpy(&code, bytes.bytes + e->e_phoff, sizeof(code));
		e->e_phoff = bytes.len;
		e->e_phnum = nr + 1;
		strbuf_add(&bytes, &code, sizeof(code));
		for (uint16_t i = 0; i < nr; i++)
			strbuf_add(&bytes, &note, sizeof(note));
		fd = fd_of(bytes.bytes, bytes.len);
		assert_int_equal(elf_image_open(fd, &img), 0);
		assert_int_equal(img.build_id_len, nr == 63 ? 20 : 0);
		assert_int_equal(img.nr_segments, 1);
		assert_int_equal(img.nr_notes, nr);
		assert_int_equal(img.notes[nr - 1].offset, 0x1000);
		assert_int_equal(img.notes[nr - 1].bytes, 16);
		elf_image_drop_sections(&img);
		assert_int_equal(img.nr_notes, 0);
		close(fd);
		strbuf_deinit(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_classes),  cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_truncated),     cmocka_unit_test(test_cut_while_open),
		cmocka_unit_test(test_corrupted),     cmocka_unit_test(test_extended_numbers),
		cmocka_unit_test(test_many_segments), cmocka_unit_test(test_many_notes),
	};

	return cmocka_run_group_tests_name("elf_image", tests, NULL, NULL);
}
