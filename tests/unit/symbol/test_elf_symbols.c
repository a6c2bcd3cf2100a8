// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of ELF files, made up, damaged, and real ones against nm and objdump. */
#include "unit/unit.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/elf_symbols_parse.h"
#include "symbol/elf_symbols_read.h"
#include "unit/elf/elf_maker.h"

#define TEXT 0x5000ull

static const char build_id[] = "0123456789abcdefghij";

static const struct made_symbol symbols[] = {
	{ "first", TEXT, 0x20, STT_FUNC, STB_GLOBAL, 0 },
	{ "__libc_read", TEXT + 0x40, 0x10, STT_FUNC, STB_GLOBAL, 0 },
	{ "read", TEXT + 0x40, 0x10, STT_FUNC, STB_WEAK, 0 },
	{ "_read", TEXT + 0x40, 0x10, STT_FUNC, STB_LOCAL, 0 },
	{ "__read", TEXT + 0x40, 0x10, STT_FUNC, STB_GLOBAL, 0 },
	{ "memcpy@@GLIBC_2.14", TEXT + 0x60, 0x10, STT_GNU_IFUNC, STB_GLOBAL, 0 },
	{ "asm_label", TEXT + 0x80, 0, STT_NOTYPE, STB_LOCAL, 0 },
	{ "behind", TEXT + 0xa0, 8, STT_FUNC, STB_LOCAL, 0 },
	{ "__GI_____strtol_l_internal", TEXT + 0xb0, 8, STT_FUNC, STB_LOCAL, 0 },
	{ "____strtol_l_internal", TEXT + 0xb0, 8, STT_FUNC, STB_LOCAL, 0 },
	{ "an_object", TEXT + 0xc0, 8, STT_OBJECT, STB_GLOBAL, 0 },
	{ "read_only_label", TEXT + 0xd0, 0, STT_NOTYPE, STB_GLOBAL, 9 },
	{ "elsewhere", 0x1000, 8, STT_FUNC, STB_GLOBAL, 0 },
	{ "with;semicolon\nand \x1b[31m", TEXT + 0xe0, 8, STT_FUNC, STB_GLOBAL, 0 },
};

static struct made_elf example(void)
{
	return (struct made_elf){ .text_vaddr = TEXT,
				  .text_bytes = 0x100,
				  .symtab = symbols,
				  .nr_symtab = sizeof(symbols) / sizeof(*symbols),
				  .build_id = build_id };
}

static int read_symbols(int fd, struct elf_symbols **ret_table)
{
	return elf_symbols_read(&(struct elf_symbols_input){ .fd = fd,
							     .debug_fd = -1,
							     .max_unpacked_bytes = 64 << 20 },
				ret_table);
}

/* Nothing of the file is needed when its table is made. */
static int open_and_close(int fd, struct elf_symbols **ret_table)
{
	int r = read_symbols(fd, ret_table);

	close(fd);
	return r;
}

static struct elf_symbols *open_made(const struct made_elf *m, const char *debug_root)
{
	_cleanup_close_ int fd = elf_make_fd(m);
	struct elf_symbols *t = NULL;

	const struct elf_symbols_source source = { .fd = fd,
						   .debug_root = debug_root,
						   .max_unpacked_bytes = 64 << 20 };
	uint64_t cpu_ns;

	assert_int_equal(elf_symbols_parse(&source, &t, &cpu_ns), 0);
	return t;
}

/* The name at an address; "" when there is none. */
static const char *name_at(const struct elf_symbols *t, uint64_t addr)
{
	static char name[8192];
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
	uint64_t start;

	if (elf_symbols_find(t, addr, &start) < 0 || elf_symbols_name(t, start, &to) < 0)
		return "";
	assert_true(start <= addr);
	snprintf(name, sizeof(name), "%s", to.bytes);
	return name;
}

static void test_names(void **state)
{
	for (int is32 = 0; is32 < 2; is32++) {
		struct made_elf m = example();
		_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;

		m.is32 = is32;
		t = open_made(&m, NULL);
		assert_true(elf_symbols_is_full(t));
		assert_false(elf_symbols_is_damaged(t));
		assert_string_equal(name_at(t, TEXT), "first");
		assert_string_equal(name_at(t, TEXT + 0x1f), "first");
		assert_string_equal(name_at(t, TEXT + 0x20), "");
		assert_string_equal(name_at(t, TEXT + 0x45), "read");
		assert_string_equal(name_at(t, TEXT + 0x60), "memcpy");
		assert_string_equal(name_at(t, TEXT + 0x9f), "asm_label");
		assert_string_equal(name_at(t, TEXT + 0xa7), "behind");
		assert_string_equal(name_at(t, TEXT + 0xa8), "");
		assert_string_equal(name_at(t, TEXT + 0xb0), "____strtol_l_internal");
		assert_string_equal(name_at(t, TEXT + 0xc4), "");
		assert_string_equal(name_at(t, TEXT + 0xd4), "");
		assert_string_equal(name_at(t, TEXT + 0xe4), "with;semicolon\nand \x1b[31m");
		assert_string_equal(name_at(t, 0x1000), ""); /* in no executable segment */
		assert_string_equal(name_at(t, 0), "");
		assert_string_equal(name_at(t, UINT64_MAX), "");
	}
}

static void test_mapping_symbols(void **state)
{
	static const struct made_symbol arm[] = {
		{ "function", TEXT, 0x40, STT_FUNC, STB_GLOBAL, 0 },
		{ "$x", TEXT, 0, STT_NOTYPE, STB_LOCAL, 0 },
		{ "$d", TEXT + 0x60, 0, STT_NOTYPE, STB_LOCAL, 0 },
	};
	struct made_elf m = { .machine = EM_AARCH64,
			      .text_vaddr = TEXT,
			      .text_bytes = 0x100,
			      .symtab = arm,
			      .nr_symtab = 3 };
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = open_made(&m, NULL);

	assert_string_equal(name_at(t, TEXT + 4), "function");
	assert_string_equal(name_at(t, TEXT + 0x64), "");
}

static void test_dynsym_only(void **state)
{
	struct made_elf m = example();
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;

	m.dynsym = symbols;
	m.nr_dynsym = 1;
	m.symtab = NULL;
	t = open_made(&m, NULL);
	assert_false(elf_symbols_is_full(t));
	assert_string_equal(name_at(t, TEXT), "first");
	assert_string_equal(name_at(t, TEXT + 0x40), "");
}

static void test_long_names(void **state)
{
	char names[3][6001];
	struct made_symbol long_ones[3];
	struct made_elf m = {
		.text_vaddr = TEXT, .text_bytes = 0x100, .symtab = long_ones, .nr_symtab = 3
	};
	static const size_t lens[] = { 255, 257, 6000 };
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;

	for (size_t i = 0; i < 3; i++) {
		memset(names[i], 'a' + (int)i, lens[i]);
		names[i][lens[i]] = '\0';
		long_ones[i] = (struct made_symbol){ names[i], TEXT + i * 16, 16,
						     STT_FUNC, STB_GLOBAL,    0 };
	}
	t = open_made(&m, NULL);
	assert_string_equal(name_at(t, TEXT), names[0]);
	assert_string_equal(name_at(t, TEXT + 16), names[1]);
	assert_int_equal(strlen(name_at(t, TEXT + 32)), 4096); /* cut */
}

/* Names that overlap, each ending in the next: the few bytes of a file do not become many. */
static void test_overlapping_names(void **state)
{
	enum { NR = 4000 };
	struct made_symbol *many = calloc(NR, sizeof(*many));
	char *long_name = malloc(4000);
	struct made_elf m = {
		.text_vaddr = TEXT, .text_bytes = 0x10000, .symtab = many, .nr_symtab = NR
	};
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	struct strbuf bytes;
	Elf64_Ehdr *e;
	Elf64_Sym *symbol;

	memset(long_name, 'n', 3999);
	long_name[3999] = '\0';
	for (int i = 0; i < NR; i++)
		many[i] = (struct made_symbol){
			i ? "x" : long_name, TEXT + i * 16, 16, STT_FUNC, STB_GLOBAL, 0
		};
	bytes = elf_make(&m);
	e = (Elf64_Ehdr *)bytes.bytes;
	symbol = (Elf64_Sym *)(bytes.bytes +
			       ((Elf64_Shdr *)(bytes.bytes + e->e_shoff))[3].sh_offset);
	for (int i = 1; i < NR; i++)
		symbol[i + 1].st_name = symbol[1].st_name + i;
	assert_int_equal(open_and_close(fd_of(bytes.bytes, bytes.len), &t), 0);
	assert_int_equal(elf_symbols_nr(t), NR);
	assert_true(elf_symbols_is_damaged(t)); /* not all of them have a name */
	assert_true(elf_symbols_bytes(t) < 1 << 20);
	assert_string_equal(name_at(t, TEXT), long_name);
	strbuf_deinit(&bytes);
	free(many);
	free(long_name);
}

static void test_corrupted(void **state)
{
	struct made_elf m = example();
	struct strbuf bytes = elf_make(&m);

	for (int round = 0; round < 3000; round++) {
		struct strbuf broken = STRBUF_INIT;
		struct elf_symbols *t;
		int fd;

		strbuf_add(&broken, bytes.bytes, bytes.len);
		for (int n = 1 + test_random_below(8); n; n--)
			broken.bytes[test_random_below(3)
					     ? 0x1100 + test_random_below(bytes.len - 0x1100)
					     : test_random_below(0x80)] =
				test_random_below(3) ? (char)test_random() : (char)0xff;
		fd = fd_of(broken.bytes, broken.len);
		if (read_symbols(fd, &t) == 0) {
			for (uint64_t at = 0; at < 0x100; at += 8)
				name_at(t, TEXT + at);
			elf_symbols_unref(t);
		}
		close(fd);
		strbuf_deinit(&broken);
	}
	strbuf_deinit(&bytes);
}

/* A table that lies outside of the file is not there; one that cannot be right is damage. */
static void test_damaged(void **state)
{
	struct made_elf m = example();
	struct strbuf bytes = elf_make(&m);
	Elf64_Ehdr *e = (Elf64_Ehdr *)bytes.bytes;
	Elf64_Shdr *s = (Elf64_Shdr *)(bytes.bytes + e->e_shoff);
	struct elf_symbols *t;

	s[3].sh_entsize = 23;
	assert_int_equal(open_and_close(fd_of(bytes.bytes, bytes.len), &t), 0);
	assert_true(elf_symbols_is_damaged(t));
	assert_string_equal(name_at(t, TEXT), "");
	elf_symbols_unref(t);
	strbuf_deinit(&bytes);
}

/*
 * Segments of one symbol's code each, before the one that the sections are in: as many as are
 * looked through for a symbol, and one more.  What is beyond them is missing, and that is said.
 */
static void test_many_segments(void **state)
{
	struct made_symbol own[65];
	struct made_elf m = {
		.text_vaddr = TEXT, .text_bytes = 0x100, .symtab = own, .nr_symtab = 65
	};

	for (uint64_t i = 0; i < 65; i++)
		own[i] = (struct made_symbol){ "own",	   0x100000 - i * 0x1000,
					       16,	   STT_FUNC,
					       STB_GLOBAL, 0 };
	for (uint16_t nr = 64; nr <= 65; nr++) {
		struct strbuf bytes = elf_make(&m);
		Elf64_Ehdr *e = (Elf64_Ehdr *)bytes.bytes;
		struct elf_symbols *t;

		e->e_phoff = bytes.len;
		e->e_phnum = nr * 2;
		for (uint16_t i = 0; i < nr; i++) {
			Elf64_Phdr p = { .p_type = PT_LOAD,
					 .p_vaddr = own[i].value,
					 .p_memsz = 16,
					 .p_flags = PF_R | PF_X };

			strbuf_add(&bytes, &p, sizeof(p));
			p.p_vaddr = 0; /* data does not count */
			p.p_flags = PF_R;
			strbuf_add(&bytes, &p, sizeof(p));
		}
		assert_int_equal(open_and_close(fd_of(bytes.bytes, bytes.len), &t), 0);
		assert_int_equal(elf_symbols_is_damaged(t), nr == 65);
		assert_int_equal(elf_symbols_nr(t), 64);
		assert_string_equal(name_at(t, own[0].value), "own");
		assert_string_equal(name_at(t, own[63].value + 15), "own");
		assert_string_equal(name_at(t, own[64].value), "");
		elf_symbols_unref(t);
		strbuf_deinit(&bytes);
	}
}

/* ROOT/usr/lib/debug/.build-id/30/3132....debug for the build id above. */
static void write_debug_file(const char *root, const struct strbuf *bytes)
{
	static const char *const dirs[] = { "usr", "usr/lib", "usr/lib/debug",
					    "usr/lib/debug/.build-id",
					    "usr/lib/debug/.build-id/30" };
	char path[512];
	FILE *f;

	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		mkdir(path, 0755);
	}
	snprintf(path, sizeof(path),
		 "%s/usr/lib/debug/.build-id/30/3132333435363738396162636465666768696a.debug",
		 root);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(bytes->bytes, 1, bytes->len, f);
	fclose(f);
}

static void remove_tree(const char *root)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

static void test_separate_debug_file(void **state)
{
	char root[] = "/tmp/eddy-test-XXXXXX";
	struct made_elf debug = example(), stripped = example(), other = example();
	struct strbuf bytes = elf_make(&debug);
	struct elf_symbols *t;

	assert_non_null(mkdtemp(root));
	stripped.symtab = NULL;
	stripped.dynsym = symbols;
	stripped.nr_dynsym = 1;
	t = open_made(&stripped, root); /* not there yet */
	assert_string_equal(name_at(t, TEXT + 0xa0), "");
	elf_symbols_unref(t);

	write_debug_file(root, &bytes);
	t = open_made(&stripped, root);
	assert_true(elf_symbols_is_full(t));
	assert_string_equal(name_at(t, TEXT + 0xa0), "behind");
	elf_symbols_unref(t);

	/* One that belongs to another program is not taken. */
	strbuf_deinit(&bytes);
	other.build_id = "another-build-id-000";
	bytes = elf_make(&other);
	write_debug_file(root, &bytes);
	t = open_made(&stripped, root);
	assert_string_equal(name_at(t, TEXT + 0xa0), "");
	assert_string_equal(name_at(t, TEXT), "first");
	elf_symbols_unref(t);
	strbuf_deinit(&bytes);
	remove_tree(root);
}

/* What debuginfod's clients have fetched: CACHE/BUILDID/debuginfo, empty where nobody had it. */
static void test_cached_debug_file(void **state)
{
	char cache[] = "/tmp/eddy-test-XXXXXX", path[256];
	struct made_elf debug = example(), stripped = example();
	struct strbuf bytes = elf_make(&debug);
	struct elf_symbols *t;
	FILE *f;

	assert_non_null(mkdtemp(cache));
	stripped.symtab = NULL;
	stripped.dynsym = symbols;
	stripped.nr_dynsym = 1;
	assert_int_equal(setenv("DEBUGINFOD_CACHE_PATH", cache, 1), 0);
	snprintf(path, sizeof(path), "%s/303132333435363738396162636465666768696a", cache);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/debuginfo");
	f = fopen(path, "w");
	assert_non_null(f);
	fflush(f);
	t = open_made(&stripped, cache);
	assert_false(elf_symbols_is_full(t));
	elf_symbols_unref(t);
	fwrite(bytes.bytes, 1, bytes.len, f);
	fclose(f);
	t = open_made(&stripped, cache);
	assert_true(elf_symbols_is_full(t));
	assert_string_equal(name_at(t, TEXT + 0xa0), "behind");
	elf_symbols_unref(t);
	if (!geteuid()) { /* another user's is not believed */
		assert_int_equal(chown(path, 12345, 12345), 0);
		t = open_made(&stripped, cache);
		assert_false(elf_symbols_is_full(t));
		elf_symbols_unref(t);
	}
	assert_int_equal(unsetenv("DEBUGINFOD_CACHE_PATH"), 0);
	t = open_made(&stripped, cache);
	assert_false(elf_symbols_is_full(t));
	elf_symbols_unref(t);
	strbuf_deinit(&bytes);
	remove_tree(cache);
}

static void test_packed_debugdata(void **state)
{
	struct made_elf inner = example(), outer = example();
	struct strbuf bytes = elf_make(&inner);
	size_t packed_len = 0, cap = lzma_stream_buffer_bound(bytes.len);
	unsigned char *packed = malloc(cap);
	struct elf_symbols *t;

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (uint8_t *)bytes.bytes,
						 bytes.len, packed, &packed_len, cap),
			 LZMA_OK);
	outer.symtab = NULL;
	outer.dynsym = symbols;
	outer.nr_dynsym = 1;
	outer.debugdata = packed;
	outer.debugdata_bytes = packed_len;
	t = open_made(&outer, NULL);
	assert_true(elf_symbols_is_full(t));
	assert_string_equal(name_at(t, TEXT + 0xa0), "behind");
	assert_string_equal(name_at(t, TEXT), "first");
	assert_true(elf_symbols_bytes(t) < bytes.len); /* what was unpacked does not stay */
	elf_symbols_unref(t);
	for (size_t len = 0; len < packed_len; len += 7) { /* cut anywhere */
		outer.debugdata_bytes = len;
		t = open_made(&outer, NULL);
		assert_false(elf_symbols_is_full(t));
		assert_true(elf_symbols_bytes(t) < bytes.len);
		assert_string_equal(name_at(t, TEXT), "first");
		elf_symbols_unref(t);
	}
	free(packed);
	strbuf_deinit(&bytes);
}

/* ---- against binutils --------------------------------------------------------------------- */

struct nm_symbol {
	uint64_t value, size;
	char name[512];
};

struct nm {
	struct nm_symbol *items;
	size_t nr;
};

static const char *own_path(void)
{
	static char path[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

static struct nm nm_read(const char *file)
{
	struct nm nm = { calloc(100000, sizeof(*nm.items)), 0 };
	char command[512], line[1024];
	FILE *f;

	snprintf(command, sizeof(command), "nm -S --defined-only '%s' 2>/dev/null", file);
	f = popen(command, "r");
	assert_non_null(f);
	while (nm.nr < 100000 && fgets(line, sizeof(line), f)) {
		struct nm_symbol *s = &nm.items[nm.nr];
		unsigned long long value, size;
		char type, *at;

		if (sscanf(line, "%llx %llx %c %511s", &value, &size, &type, s->name) != 4 ||
		    !strchr("TtWwi", type))
			continue;
		at = strchr(s->name, '@');
		if (at)
			*at = '\0';
		s->value = value;
		s->size = size;
		nm.nr++;
	}
	pclose(f);
	return nm;
}

static bool nm_has(const struct nm *nm, uint64_t value, const char *name)
{
	for (size_t i = 0; i < nm->nr; i++)
		if (nm->items[i].value == value && !strcmp(nm->items[i].name, name))
			return true;
	return false;
}

static bool nm_starts_inside(const struct nm *nm, const struct nm_symbol *s)
{
	for (size_t i = 0; i < nm->nr; i++)
		if (nm->items[i].value > s->value && nm->items[i].value < s->value + s->size)
			return true;
	return false;
}

/* Each function that nm lists is found, at its first and last byte, under a name that nm has. */
static void compare_with_nm(const struct elf_symbols *t, const struct nm *nm)
{
	for (size_t i = 0; i < nm->nr; i += 1 + nm->nr / 500) {
		const struct nm_symbol *s = &nm->items[i];
		uint64_t start = 0;

		assert_int_equal(elf_symbols_find(t, s->value, &start), 0);
		assert_true(start == s->value);
		assert_true(nm_has(nm, s->value, name_at(t, s->value)));
		if (nm_starts_inside(nm, s))
			continue;
		assert_int_equal(elf_symbols_find(t, s->value + s->size - 1, &start), 0);
		assert_true(start == s->value);
	}
}

static void test_against_nm(void **state)
{
	struct nm nm = nm_read(own_path());
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;

	if (!nm.nr) {
		free(nm.items);
		skip(); /* no nm here */
	}
	assert_int_equal(open_and_close(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), &t), 0);
	assert_true(nm.nr > 50);
	compare_with_nm(t, &nm);
	free(nm.items);
}

/* PLT stubs carry the names that objdump gives them. */
static void test_plt_against_objdump(void **state)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	const char *objdump = getenv("OBJDUMP");
	char line[1024], name[512];
	size_t nr = 0;
	FILE *f;

	snprintf(line, sizeof(line), "%s -d -j .plt -j .plt.sec -j .plt.got '%s' 2>/dev/null",
		 objdump ? objdump : "objdump", own_path());
	f = popen(line, "r");
	assert_non_null(f);
	assert_int_equal(open_and_close(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), &t), 0);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		char *at;

		if (sscanf(line, "%llx <%511[^>]>:", &addr, name) != 2 ||
		    !(at = strstr(name, "@plt")) || at == name || at[4])
			continue;
		if (strchr(name, '@') != at) /* name@VERSION@plt */
			strcpy(strchr(name, '@'), "@plt");
		assert_string_equal(name_at(t, addr), name);
		assert_string_equal(name_at(t, addr + 7), name);
		nr++;
	}
	pclose(f);
	if (!nr)
		skip(); /* no objdump here */
	assert_true(nr > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_mapping_symbols),
		cmocka_unit_test(test_dynsym_only),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_overlapping_names),
		cmocka_unit_test(test_corrupted),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_separate_debug_file),
		cmocka_unit_test(test_cached_debug_file),
		cmocka_unit_test(test_packed_debugdata),
		cmocka_unit_test(test_against_nm),
		cmocka_unit_test(test_plt_against_objdump),
	};

	return cmocka_run_group_tests_name("elf_symbols", tests, NULL, NULL);
}
