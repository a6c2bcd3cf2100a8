// SPDX-License-Identifier: GPL-2.0-or-later
/* Several names at one address: by rule, and those of the C library that runs here. */
#include "unit/unit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/elf_symbols_read.h"
#include "unit/elf/elf_maker.h"
#include "util/mem.h"

#define TEXT 0x5000ull

static struct elf_symbols *read_and_close(int fd)
{
	const struct elf_symbols_input in = { .fd = fd, .debug_fd = -1 };
	struct elf_symbols *t = NULL;

	assert_true(fd >= 0);
	assert_int_equal(elf_symbols_read(&in, &t), 0);
	close(fd);
	return t;
}

/* The name at an address; "" when there is none. */
static const char *name_at(const struct elf_symbols *t, uint64_t addr)
{
	static char name[512];
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;

	if (elf_symbols_name(t, addr, &to) < 0)
		return "";
	snprintf(name, sizeof(name), "%s", to.bytes);
	return name;
}

/* Of several names at one address, whichever stands first: what people call it. */
static void test_aliases(void **state)
{
	static const struct made_symbol rows[][2] = {
		{ { "strtol", 0, 8, STT_FUNC, STB_GLOBAL, 0 },
		  { "__GI_strtol", 0, 8, STT_FUNC, STB_LOCAL, 0 } },
		{ { "getpid", 0, 8, STT_FUNC, STB_WEAK, 0 },
		  { "__getpid", 0, 8, STT_FUNC, STB_GLOBAL, 0 } },
		{ { "fread", 0, 8, STT_FUNC, STB_WEAK, 0 },
		  { "_IO_fread", 0, 8, STT_FUNC, STB_GLOBAL, 0 } },
		{ { "strchr", 0, 8, STT_FUNC, STB_GLOBAL, 0 },
		  { "index", 0, 8, STT_FUNC, STB_WEAK, 0 } },
		{ { "getc", 0, 8, STT_FUNC, STB_WEAK, 0 },
		  { "fgetc", 0, 8, STT_FUNC, STB_WEAK, 0 } },
		{ { "__libc_dn_expand", 0, 8, STT_FUNC, STB_GLOBAL, 0 },
		  { "dn_expand@GLIBC_2.2.5", 0, 8, STT_FUNC, STB_GLOBAL, 0 } },
		{ { "__public", 0, 8, STT_FUNC, STB_WEAK, 0 },
		  { "inside", 0, 8, STT_FUNC, STB_LOCAL, 0 } },
		{ { "old@V1", 0, 8, STT_FUNC, STB_GLOBAL, 0 },
		  { "inside", 0, 8, STT_FUNC, STB_LOCAL, 0 } },
		{ { "now@@V2", 0, 8, STT_FUNC, STB_GLOBAL, 0 },
		  { "a@V1", 0, 8, STT_FUNC, STB_GLOBAL, 0 } },
		{ { "with_size", 0, 8, STT_FUNC, STB_LOCAL, 0 },
		  { "label", 0, 0, STT_NOTYPE, STB_GLOBAL, 0 } },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct made_symbol both[2] = { rows[i / 2][i % 2], rows[i / 2][!(i % 2)] };
		struct made_elf m = {
			.text_vaddr = TEXT, .text_bytes = 0x100, .symtab = both, .nr_symtab = 2
		};
		_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
		char want[64];

		both[0].value = both[1].value = TEXT;
		t = read_and_close(elf_make_fd(&m));
		snprintf(want, sizeof(want), "%s", rows[i / 2][0].name);
		want[strcspn(want, "@")] = '\0';
		assert_string_equal(name_at(t, TEXT), want);
	}
}

/* Where the C library has it, by nm -D; 0: nowhere, or in several places. */
static uint64_t libc_address(const char *libc, const char *name)
{
	char command[512], line[1024];
	unsigned long long addr = 0;
	FILE *f;

	snprintf(command, sizeof(command), "nm -D '%s' 2>/dev/null | grep -E ' [TW] %s@@'", libc,
		 name);
	f = popen(command, "r");
	assert_non_null(f);
	if (!fgets(line, sizeof(line), f) || sscanf(line, "%llx", &addr) != 1)
		addr = 0;
	pclose(f);
	return addr;
}

/* What the manual calls them: of all these the C library has other names, too. */
static void test_names_of_libc(void **state)
{
	static const char *const names[] = {
		"strtol", "getpid", "fread",   "fwrite", "fopen",     "fclose", "puts",	 "read",
		"write",  "open",   "close",   "fork",	 "waitpid",   "printf", "fgets", "adjtimex",
		"poll",	  "select", "connect", "send",	 "sigaction", "getenv", "qsort", "tsearch",
	};
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	size_t nr = 0;
	Dl_info info;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "getpid"), &info));
	t = read_and_close(open(info.dli_fname, O_RDONLY | O_CLOEXEC));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t addr = libc_address(info.dli_fname, names[i]);

		if (!addr)
			continue;
		nr++;
		assert_string_equal(name_at(t, addr), names[i]);
	}
	if (nr < 10) {
		elf_symbols_unref(take_ptr(t));
		skip(); /* no nm, or a static program */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_names_of_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
