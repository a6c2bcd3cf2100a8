// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of real files, packed and unpacked, whole, with lies and with random bytes changed. */
#include "symbol/elf_symbols_pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "symbol/elf_symbols_read.h"
#include "symbol/elf_symbols_table.h"
#include "unit/elf/elf_maker.h"
#include "unit/unit.h"
#include "util/mem.h"

static const char *const files[] = { "/proc/self/exe", "/bin/bash", "/usr/bin/make",
				     "/lib/x86_64-linux-gnu/libc.so.6",
				     "/lib/aarch64-linux-gnu/libc.so.6" };

static struct elf_symbols *read_fd(int fd)
{
	const struct elf_symbols_input in = { .fd = fd, .debug_fd = -1 };
	struct elf_symbols *t = NULL;

	assert_int_equal(elf_symbols_read(&in, &t), 0);
	return t;
}

static struct elf_symbols *read_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : read_fd(fd);
}

static void same_tables(const struct elf_symbols *a, const struct elf_symbols *b)
{
	assert_true(elf_symbols_are_equal(a, b));
	assert_int_equal(a->wants_functions, b->wants_functions);
	assert_int_equal(a->functions.nr, b->functions.nr);
	assert_true(a->functions.base == b->functions.base);
	if (a->functions.nr)
		assert_memory_equal(a->functions.ranges, b->functions.ranges,
				    a->functions.nr * sizeof(*a->functions.ranges));
	assert_int_equal(a->img.build_id_len, b->img.build_id_len);
	assert_memory_equal(a->img.build_id, b->img.build_id, sizeof(a->img.build_id));
	assert_int_equal(a->img.type, b->img.type);
	assert_int_equal(a->img.machine, b->img.machine);
	assert_int_equal(a->img.is64, b->img.is64);
	assert_true(a->img.entry == b->img.entry);
}

static void tables_come_back(void **state)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(elf_symbols_freep) struct elf_symbols *t = read_file(files[i]);
		_cleanup_(elf_symbols_freep) struct elf_symbols *back = NULL;
		_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;

		if (!t)
			continue;
		elf_symbols_pack(t, &packed);
		back = elf_symbols_unpack(packed.bytes, packed.len);
		assert_non_null(back);
		same_tables(t, back);
		nr += elf_symbols_nr(t) > 0;
		for (size_t len = 0; len < packed.len; len += 1 + test_random() % packed.len)
			assert_null(elf_symbols_unpack(packed.bytes, len));
		strbuf_addch(&packed, 0);
		assert_null(elf_symbols_unpack(packed.bytes, packed.len));
	}
	assert_true(nr >= 2);
}

/* Answers of parsers: small ones are copied, large ones stay where they are. */
static void answers(void **state)
{
	for (size_t nr = 10; nr <= 100000; nr *= 100) {
		_cleanup_(elf_symbols_freep) struct elf_symbols *t = elf_symbols_new();
		_cleanup_(elf_symbols_freep) struct elf_symbols *back = NULL;
		_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
		uint64_t start;

		t->names = (struct elf_names){ xmemdup0("\0name", 6), 6, 6 };
		for (size_t i = 0; i < nr; i++) {
			symbol_index_add(&t->index, &(struct symbol){ i * 16, 16, 1, 0, 0 });
			function_table_add(&t->functions, i * 16, 16);
		}
		t->index.max_size = 16;
		elf_symbols_give(t, &a);
		assert_int_equal(a.status, 0);
		back = elf_symbols_taken(&a);
		assert_non_null(back);
		same_tables(t, back);
		assert_int_equal(back->is_mapped, nr > 10000);
		assert_int_equal(elf_symbols_find(back, 16 * (nr - 1) + 3, &start), 0);
		elf_symbols_add_functions(back, t);
		assert_int_equal(back->functions.nr, nr);
		t->index.entries[nr - 1].name = 6; /* a lie */
		worker_answer_deinit(&a);
		elf_symbols_give(t, &a);
		assert_null(elf_symbols_taken(&a));
	}
}

/* ---- lies --------------------------------------------------------------------------------- */

#define TEXT 0x5000

static struct elf_symbols *example(void)
{
	static const struct made_symbol symbols[] = {
		{ "first", TEXT, 16, STT_FUNC, STB_GLOBAL, 0 },
		{ "second", TEXT + 16, 32, STT_FUNC, STB_LOCAL, 0 },
		{ "third", TEXT + 64, 0, STT_NOTYPE, STB_GLOBAL, 0 },
	};
	struct made_elf m = { .text_vaddr = TEXT,
			      .text_bytes = 0x100,
			      .symtab = symbols,
			      .nr_symtab = 3,
			      .build_id = "build-1" };
	_cleanup_close_ int fd = elf_make_fd(&m);
	struct elf_symbols *t = read_fd(fd);

	function_table_add(&t->functions, TEXT, 16);
	function_table_add(&t->functions, TEXT + 8, 64); /* real ones overlap */
	function_table_add(&t->functions, TEXT + 64, 16);
	function_table_finish(&t->functions);
	return t;
}

static void tell_nothing(struct elf_symbols *t)
{
}

static void symbols_fall(struct elf_symbols *t)
{
	t->index.entries[1].value = 80;
}

static void a_symbol_is_larger_than_the_largest(struct elf_symbols *t)
{
	t->index.max_size--;
}

static void a_name_is_behind_the_names(struct elf_symbols *t)
{
	t->index.entries[2].name = t->names.len;
}

static void a_name_is_far_away(struct elf_symbols *t)
{
	t->index.entries[0].name = UINT32_MAX;
}

static void symbols_without_names(struct elf_symbols *t)
{
	t->names.len = 0;
}

static void a_source_that_is_none(struct elf_symbols *t)
{
	t->index.entries[0].source = NR_ELF_SYMBOL_SOURCES;
}

static void the_last_name_does_not_end(struct elf_symbols *t)
{
	t->names.bytes[t->names.len - 1] = 'x';
}

static void no_empty_name(struct elf_symbols *t)
{
	t->names.bytes[0] = 'x';
}

static void a_name_is_too_long(struct elf_symbols *t)
{
	size_t len = t->names.len + 2 * ELF_NAME_MAX_BYTES + 1;

	t->names.bytes = xreallocarray(t->names.bytes, len, 1);
	memset(t->names.bytes + t->names.len, 'n', 2 * ELF_NAME_MAX_BYTES);
	t->names.bytes[len - 1] = '\0';
	for (size_t i = 0; i < t->index.nr; i++)
		t->index.entries[i].name = t->names.len;
	t->names.len = t->names.cap = len;
}

static void functions_fall(struct elf_symbols *t)
{
	t->functions.ranges[1].start = 65;
}

static void functions_repeat(struct elf_symbols *t)
{
	t->functions.ranges[1].start = t->functions.ranges[0].start;
}

static void a_long_build_id(struct elf_symbols *t)
{
	t->img.build_id_len = ELF_IMAGE_MAX_BUILD_ID + 1;
}

static void too_many_segments(struct elf_symbols *t)
{
	free(t->img.segments);
	t->img.segments = xcalloc(4097, sizeof(*t->img.segments));
	t->img.nr_segments = 4097;
}

static void no_name_is_too_long(const struct elf_symbols *t)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < t->index.nr; i++) {
		strbuf_reset(&name);
		elf_symbols_name(t, t->index.base + t->index.entries[i].value, &name);
		assert_in_range(name.len, 0, ELF_NAME_MAX_BYTES + 4);
	}
}

/* Each of these is told of a table that is taken otherwise. */
static void lies(void **state)
{
	static const struct {
		const char *what;
		void (*tell)(struct elf_symbols *t);
		bool is_taken;
	} told[] = {
		{ "nothing", tell_nothing, true },
		{ "symbols fall", symbols_fall, false },
		{ "larger than the largest", a_symbol_is_larger_than_the_largest, false },
		{ "name behind the names", a_name_is_behind_the_names, false },
		{ "name far away", a_name_is_far_away, false },
		{ "symbols without names", symbols_without_names, false },
		{ "a source that is none", a_source_that_is_none, false },
		{ "the last name does not end", the_last_name_does_not_end, false },
		{ "no empty name", no_empty_name, false },
		{ "a name is too long", a_name_is_too_long, true },
		{ "functions fall", functions_fall, false },
		{ "functions repeat", functions_repeat, false },
		{ "a long build id", a_long_build_id, false },
		{ "too many segments", too_many_segments, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		_cleanup_(elf_symbols_freep) struct elf_symbols *t = example();
		_cleanup_(elf_symbols_freep) struct elf_symbols *back = NULL;
		_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;

		told[i].tell(t);
		elf_symbols_pack(t, &packed);
		back = elf_symbols_unpack(packed.bytes, packed.len);
		if ((back != NULL) != told[i].is_taken)
			fail_msg("%s", told[i].what);
		if (back)
			no_name_is_too_long(back);
	}
}

/* ---- random bytes ------------------------------------------------------------------------- */

/* Whatever it says, it can be asked. */
static void ask(const struct elf_symbols *t, uint64_t addr)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t start = 0;

	if (elf_symbols_find(t, addr, &start) < 0)
		return;
	assert_true(start <= addr);
	if (elf_symbols_name(t, start, &name) == 0)
		assert_in_range(name.len, 1, ELF_NAME_MAX_BYTES + 4);
}

static void changed_bytes(void **state)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = example();
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	size_t nr_refused = 0, nr_taken = 0;

	elf_symbols_pack(t, &packed);
	for (int i = 0; i < 20000; i++) {
		_cleanup_free_ char *bytes = xmemdup0(packed.bytes, packed.len);
		_cleanup_(elf_symbols_freep) struct elf_symbols *back = NULL;

		for (int n = 1 + test_random_below(3); n; n--)
			bytes[test_random_below(packed.len)] ^= 1 << test_random_below(8);
		back = elf_symbols_unpack(bytes, packed.len);
		nr_taken += back != NULL;
		nr_refused += back == NULL;
		for (uint64_t at = 0; back && at < 96; at += 5)
			ask(back, TEXT + at);
	}
	assert_true(nr_refused > 1000 && nr_taken > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_come_back),
		cmocka_unit_test(answers),
		cmocka_unit_test(lies),
		cmocka_unit_test(changed_bytes),
	};

	return cmocka_run_group_tests_name("elf_symbols_pack", tests, NULL, NULL);
}
