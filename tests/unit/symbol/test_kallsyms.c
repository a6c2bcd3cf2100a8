// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names, modules, roles and addresses of kernel symbols, and random tables against a linear search.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "profile/kernel_place.h"
#include "symbol/kallsyms.h"
#include "util/mem.h"
#include "unit/elf/elf_maker.h"

static const char table[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000000 t first_function\n"
			    "ffffffff81000100 T __pfx_vfs_read\n"
			    "ffffffff81000110 T vfs_read\n"
			    "ffffffff81000200 t helper.isra.0\n"
			    "ffffffff81000200 T __x64_sys_getpid\n"
			    "ffffffff81000200 T __ia32_sys_getpid\n"
			    "ffffffff81000240 D some_data\n"
			    "ffffffff81000300 T __softirqentry_text_start\n"
			    "ffffffff81000300 T __do_softirq\n"
			    "ffffffff81000400 W weak_one\n"
			    "ffffffff81000400 T strong_but_longer_name\n"
			    "ffffffff81000500 T _etext\n"
			    "not a line\n"
			    "ffffffff81000600\n"
			    "0000000000000000 T hidden\n"
			    "ffffffffc0201000 t ext4_readdir\t[ext4]\n"
			    "ffffffffc0202000 t ext4_last\t[ext4]\n"
			    "ffffffffc0900000 t bpf_prog_6deef7357e7b4530_sampler\t[bpf]";

static struct kallsyms *read_table(const char *text)
{
	int fd = fd_of(text, strlen(text));
	struct kallsyms *k = NULL;

	assert_int_equal(kallsyms_read(fd, &k), 0);
	close(fd);
	return k;
}

static const char *find(const struct kallsyms *k, uint64_t addr)
{
	struct kernel_symbol s;

	if (kallsyms_find(k, addr, &s) < 0)
		return "";
	assert_true(s.start <= addr && addr < s.end);
	return s.name;
}

static void test_names(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k = read_table(table);

	assert_string_equal(find(k, 0xffffffff80ffffff), "");
	assert_string_equal(find(k, 0xffffffff81000010), "first_function"); /* not _stext */
	assert_string_equal(find(k, 0xffffffff8100010f), "first_function"); /* not __pfx_ */
	assert_string_equal(find(k, 0xffffffff810001ff), "vfs_read");
	assert_string_equal(find(k, 0xffffffff81000200), "__x64_sys_getpid"); /* global, shorter */
	assert_string_equal(find(k, 0xffffffff81000250), "__x64_sys_getpid"); /* data is not code */
	assert_string_equal(find(k, 0xffffffff81000300), "__do_softirq");
	assert_string_equal(find(k, 0xffffffff81000410), "strong_but_longer_name");
	assert_string_equal(find(k, 0xffffffff81000500), ""); /* behind the kernel's text */
	assert_string_equal(find(k, 0), "");
	assert_string_equal(find(k, UINT64_MAX), "");
}

static void test_modules(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k = read_table(table);
	struct kernel_symbol s;

	assert_int_equal(kallsyms_find(k, 0xffffffffc0201fff, &s), 0);
	assert_string_equal(s.name, "ext4_readdir");
	assert_string_equal(s.module, "ext4");
	assert_true(s.end == 0xffffffffc0202000);
	/* The last one of a module does not reach the next module. */
	assert_int_equal(kallsyms_find(k, 0xffffffffc0202fff, &s), 0);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0800000, &s), -ENOENT);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0900040, &s), 0);
	assert_string_equal(s.module, "bpf");
	assert_int_equal(kallsyms_find(k, 0xffffffff81000110, &s), 0);
	assert_string_equal(s.module, "");
}

/* Where a module ends is told; without that the last symbol has a page, and no more. */
static void test_module_ends(void **state)
{
	static const char modules[] = "ext4 12288 1 - Live 0xffffffffc0201000\n"
				      "hidden 4096 0 - Live 0x0000000000000000\nnonsense\n";
	_cleanup_(kallsyms_freep) struct kallsyms *k = read_table(table);
	struct kernel_symbol s;
	int fd;

	assert_int_equal(kallsyms_find(k, 0xffffffffc0203000, &s), -ENOENT);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0900fff, &s), 0);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0901000, &s), -ENOENT);
	fd = fd_of(modules, strlen(modules));
	kallsyms_read_modules(k, fd);
	close(fd);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0203fff, &s), 0);
	assert_string_equal(s.name, "ext4_last");
	assert_int_equal(kallsyms_find(k, 0xffffffffc0204000, &s), -ENOENT);
	assert_true(kallsyms_is_passing("bpf"));
	assert_true(kallsyms_is_passing("__builtin__ftrace"));
	assert_false(kallsyms_is_passing("ext4"));
	assert_false(kallsyms_is_passing(""));
}

/* Parts of the kernel: their begins, and what is shown in place of those. */
static void test_bases(void **state)
{
	static const char modules[] = "ext4 12288 1 - Live 0xffffffffc0700000\n";
	_cleanup_(kallsyms_freep) struct kallsyms *k =
		read_table("ffffffff9a000000 T _text\n"
			   "ffffffff9a000000 T _stext\n"
			   "ffffffff9a400200 T vfs_read\n"
			   "ffffffff9a500000 T _etext\n"
			   "ffffffffc0701000 t ext4_readdir\t[ext4]\n"
			   "ffffffffc0900000 t ext4_init\t[ext4]\n"
			   "ffffffffc0a00040 t bpf_prog_1_x\t[bpf]\n");
	int fd = fd_of(modules, strlen(modules));
	static const struct {
		uint64_t at, base, shown;
	} cases[] = {
		{ 0xffffffff9a400210, 0xffffffff9a000000, KERNEL_PLACE_TEXT },
		{ 0xffffffffc0701010, 0xffffffffc0700000, KERNEL_PLACE_MODULE },
		{ 0xffffffffc0900010, 0xffffffffc0900000, KERNEL_PLACE_PASSING },
		{ 0xffffffffc0a00050, 0xffffffffc0a00040, KERNEL_PLACE_PASSING },
	};

	kallsyms_read_modules(k, fd);
	close(fd);
	assert_int_equal(kallsyms_text(k), 0xffffffff9a000000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kernel_symbol s;

		assert_int_equal(kallsyms_find(k, cases[i].at, &s), 0);
		assert_int_equal(s.base, cases[i].base);
		assert_int_equal(s.shown, cases[i].shown);
	}
}

static void add_start(void *ctx, const struct kernel_symbol *symbol)
{
	*(uint64_t *)ctx += symbol->start;
}

/* All of that name, but the kernel's own. */
static void test_each_named(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k =
		read_table("0000000000001000 T read\n"
			   "0000000000002000 t read\t[one]\n"
			   "0000000000003000 t other\t[one]\n"
			   "0000000000030000 t read\t[two]\n");
	uint64_t sum = 0;

	kallsyms_each_named(k, "read", add_start, &sum);
	assert_int_equal(sum, 0x32000);
}

/* A role is that of any alias, whichever of them names the address. */
static void test_roles(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k =
		read_table("ffffffff81000100 T plain\n"
			   "ffffffff81000200 T a\n"
			   "ffffffff81000200 t handle_softirqs\n"
			   "ffffffff81000300 T asm_sysvec_call_function\n");
	struct kernel_symbol s;

	assert_int_equal(kallsyms_find(k, 0xffffffff81000101, &s), 0);
	assert_int_equal(s.role, FRAME_ROLE_NONE);
	assert_int_equal(kallsyms_find(k, 0xffffffff81000201, &s), 0);
	assert_string_equal(s.name, "a");
	assert_int_equal(s.role, FRAME_ROLE_SOFTIRQ_CORE);
	assert_int_equal(kallsyms_find(k, 0xffffffff81000301, &s), 0);
	assert_int_equal(s.role, FRAME_ROLE_IRQ_ENTRY);
}

static void test_address(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k = read_table(table);
	uint64_t end = 0;

	assert_true(kallsyms_address(k, "vfs_read", &end) == 0xffffffff81000110);
	assert_true(end == 0xffffffff81000200);
	assert_true(kallsyms_address(k, "_text", &end) == 0xffffffff81000000);
	assert_true(end == 0xffffffff81000110);
	assert_true(kallsyms_address(k, "hidden", NULL) == 0);
	assert_true(kallsyms_address(k, "nowhere", NULL) == 0);
}

/* The bounds of the ORC tables are data: known by name, and no place of a function. */
static void test_data(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k =
		read_table("ffffffff81000100 T last\n"
			   "ffffffff81000200 R __start_orc_unwind_ip\n"
			   "ffffffff81000300 D __stop_orc_unwind_ip\n"
			   "ffffffff81000300 R __start_orc_unwind\n"
			   "ffffffff81000400 R linux_banner\n"
			   "ffffffffc0000000 r __stop_orc_unwind\t[module]\n");
	struct kernel_symbol s;
	uint64_t end = 0;

	assert_true(kallsyms_address(k, "__start_orc_unwind_ip", &end) == 0xffffffff81000200);
	assert_true(end == 0xffffffff81000200);
	assert_true(kallsyms_address(k, "__stop_orc_unwind_ip", NULL) == 0xffffffff81000300);
	assert_true(kallsyms_address(k, "__start_orc_unwind", NULL) == 0xffffffff81000300);
	assert_true(kallsyms_address(k, "__stop_orc_unwind", NULL) == 0);
	assert_true(kallsyms_address(k, "linux_banner", NULL) == 0);
	assert_int_equal(kallsyms_nr(k), 1);
	assert_int_equal(kallsyms_find(k, 0xffffffff81000210, &s), 0);
	assert_string_equal(s.name, "last");
}

/* Anybody may call a function of a module what the kernel calls its data. */
static void test_data_and_text(void **state)
{
	_cleanup_(kallsyms_freep) struct kallsyms *k =
		read_table("ffffffff81000100 t __start_orc_unwind\n"
			   "ffffffff81000200 R __start_orc_unwind\n"
			   "ffffffff81000300 R __stop_orc_unwind\n"
			   "ffffffffc0000000 t __stop_orc_unwind\t[module]\n"
			   "ffffffffc0000100 t __start_orc_unwind_ip\t[module]\n");
	uint64_t end = 0;

	assert_true(kallsyms_address(k, "__start_orc_unwind", &end) == 0xffffffff81000100);
	assert_true(end > 0xffffffff81000100);
	assert_true(kallsyms_address(k, "__stop_orc_unwind", &end) == 0xffffffff81000300);
	assert_true(end == 0xffffffff81000300);
	assert_true(kallsyms_address(k, "__start_orc_unwind_ip", &end) == 0xffffffffc0000100);
	assert_true(end > 0xffffffffc0000100);
}

static void test_hidden(void **state)
{
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 T vfs_read\n";
	int fd = fd_of(zeros, strlen(zeros));
	struct kallsyms *k = NULL;

	assert_int_equal(kallsyms_read(fd, &k), -ENODATA);
	assert_null(k);
	close(fd);
	fd = open("/", O_RDONLY);
	assert_int_equal(kallsyms_read(fd, &k), -EISDIR);
	close(fd);
}

/* Unsorted tables of random symbols, longer than the reader's buffer, against a linear search. */
static void test_against_slow(void **state)
{
	enum { NR = 6000 };
	static uint64_t addr[NR];
	struct strbuf text = STRBUF_INIT;
	struct kallsyms *k;

	for (size_t i = 0; i < NR; i++) {
		addr[i] = 0xffffffff81000000 + test_random_below(1 << 20);
		strbuf_addf(&text, "%016llx t sym_%llx\n", (unsigned long long)addr[i],
			    (unsigned long long)addr[i]);
	}
	k = read_table(text.bytes);
	assert_int_equal(kallsyms_nr(k), NR);
	for (int round = 0; round < 2000; round++) {
		uint64_t asked = 0xffffffff81000000 + test_random_below(1 << 20), below = 0;
		char want[64] = "";

		for (size_t i = 0; i < NR; i++)
			if (addr[i] <= asked && addr[i] > below)
				below = addr[i];
		if (below)
			snprintf(want, sizeof(want), "sym_%llx", (unsigned long long)below);
		assert_string_equal(find(k, asked), want);
	}
	kallsyms_free(k);
	strbuf_deinit(&text);
}

static void test_long_line(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct kallsyms *k;

	strbuf_addstr(&text, "ffffffff81000000 T before\nffffffff81000100 T ");
	for (int i = 0; i < 200000; i++)
		strbuf_addch(&text, 'x');
	strbuf_addstr(&text, "\nffffffff81000200 T after\n");
	k = read_table(text.bytes);
	assert_string_equal(find(k, 0xffffffff81000010), "before");
	assert_string_equal(find(k, 0xffffffff81000210), "after");
	kallsyms_free(k);
	strbuf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_module_ends),
		cmocka_unit_test(test_modules),	      cmocka_unit_test(test_roles),
		cmocka_unit_test(test_bases),	      cmocka_unit_test(test_each_named),
		cmocka_unit_test(test_address),	      cmocka_unit_test(test_data),
		cmocka_unit_test(test_data_and_text), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_against_slow),  cmocka_unit_test(test_long_line),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
