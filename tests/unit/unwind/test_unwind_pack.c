// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of real files, packed and unpacked, whole and with random bytes changed. */
#include "unwind/unwind_pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "unit/unit.h"
#include "unwind/elf_unwind.h"
#include "util/mem.h"

static const char *const programs[] = { "/proc/self/exe",
					"/bin/bash",
					"/usr/bin/make",
					"/lib/x86_64-linux-gnu/libc.so.6",
					"/lib/aarch64-linux-gnu/libc.so.6",
					"/etc/passwd" };

static struct unwind_table *read_file(const char *path, struct unwind_rules *rules)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table *t = NULL;
	struct elf_source source;

	if (fd < 0)
		return NULL;
	if (!elf_source_from_fd(fd, &source))
		t = elf_unwind_read(&source, rules);
	close(fd);
	return t;
}

/* A dictionary in which other rules have the numbers of the first. */
static struct unwind_rules *used_rules(void)
{
	struct unwind_rules *rules = unwind_rules_new();

	for (int i = 0; i < 100; i++)
		unwind_rules_intern(
			rules, &(struct eddy_unwind_rule){ .cfa = EDDY_CFA_FP, .off = 1000 + i });
	return rules;
}

static void same_rules(const struct unwind_table *a, const struct unwind_rules *rules_a,
		       const struct unwind_table *b, const struct unwind_rules *rules_b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->elf_machine, b->elf_machine);
	assert_int_equal(a->page_base, b->page_base);
	assert_int_equal(a->nr_segments, b->nr_segments);
	assert_memory_equal(a->segment, b->segment, sizeof(a->segment));
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->nr_rows, b->nr_rows);
	assert_int_equal(a->nr_fdes, b->nr_fdes);
	assert_int_equal(a->nr_raw_rows, b->nr_raw_rows);
	assert_memory_equal(&a->defects, &b->defects, sizeof(a->defects));
	if (a->nr_pages)
		assert_memory_equal(a->page, b->page, a->nr_pages * sizeof(*a->page));
	for (uint32_t i = 0; i < a->nr_rows; i++) {
		assert_int_equal(a->row[i] >> 16, b->row[i] >> 16);
		assert_memory_equal(unwind_rules_get(rules_a, a->row[i] & 0xffff),
				    unwind_rules_get(rules_b, b->row[i] & 0xffff),
				    sizeof(struct eddy_unwind_rule));
	}
}

static void tables_come_back(void **state)
{
	size_t nr_tables = 0;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		_cleanup_(unwind_rules_freep) struct unwind_rules *here = unwind_rules_new();
		_cleanup_(unwind_rules_freep) struct unwind_rules *there = used_rules();
		_cleanup_(unwind_table_freep) struct unwind_table *t = read_file(programs[i], here);
		_cleanup_(unwind_table_freep) struct unwind_table *back = NULL;
		_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;

		if (!t)
			continue;
		unwind_table_pack(t, here, &packed);
		back = unwind_table_unpack(packed.bytes, packed.len, there);
		assert_non_null(back);
		same_rules(t, here, back, there);
		nr_tables += t->kind == EDDY_FILE_TABLE;
		for (size_t len = 0; len < packed.len; len += 1 + test_random() % packed.len)
			assert_null(unwind_table_unpack(packed.bytes, len, there));
		strbuf_addch(&packed, 0);
		assert_null(unwind_table_unpack(packed.bytes, packed.len, there));
	}
	assert_true(nr_tables >= 2);
}

/* A dictionary that is full says so; rows without a rule are unsupported and not another's. */
static void a_full_dictionary(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *here = unwind_rules_new();
	_cleanup_(unwind_rules_freep) struct unwind_rules *there = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = read_file("/proc/self/exe", here);
	_cleanup_(unwind_table_freep) struct unwind_table *back = NULL;
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	uint64_t nr_refused;

	assert_non_null(t);
	for (int i = 0; unwind_rules_count(there) < UNWIND_RULES_MAX - 16; i++)
		unwind_rules_intern(
			there, &(struct eddy_unwind_rule){ .cfa = EDDY_CFA_FP, .off = 100000 + i });
	nr_refused = unwind_rules_refused(there);
	unwind_table_pack(t, here, &packed);
	back = unwind_table_unpack(packed.bytes, packed.len, there);
	assert_non_null(back);
	assert_true(unwind_rules_refused(there) > nr_refused);
	for (uint32_t i = 0; i < t->nr_rows; i++) {
		uint32_t nr = back->row[i] & 0xffff;

		if (nr != UNWIND_RULE_UNSUP)
			assert_memory_equal(unwind_rules_get(here, t->row[i] & 0xffff),
					    unwind_rules_get(there, nr),
					    sizeof(struct eddy_unwind_rule));
	}
}

/* Whatever it says, BPF may search it. */
static void well_formed(const struct unwind_table *t, const struct unwind_rules *rules)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nr_pages; i++) {
		const uint32_t *row = t->row + t->page[i].first;

		assert_int_equal(t->page[i].first, next);
		assert_int_equal(row[0] >> 16, 0);
		for (uint32_t k = 0; k < t->page[i].nr_rows; k++) {
			assert_true((row[k] & 0xffff) < unwind_rules_count(rules));
			assert_true(k == 0 || row[k] >> 16 > row[k - 1] >> 16);
		}
		next += t->page[i].nr_rows;
	}
	assert_int_equal(next, t->nr_rows);
	assert_true(t->nr_segments <= EDDY_UNWIND_MAX_SEGMENTS);
}

static void changed_bytes(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *here = unwind_rules_new();
	_cleanup_(unwind_rules_freep) struct unwind_rules *there = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *t = read_file("/proc/self/exe", here);
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	size_t nr_refused = 0, nr_taken = 0;

	assert_non_null(t);
	unwind_table_pack(t, here, &packed);
	for (int i = 0; i < 3000; i++) {
		_cleanup_free_ char *bytes = xmemdup0(packed.bytes, packed.len);
		/* Most of what can be wrong stands at the beginning and the end. */
		size_t within = test_random() % 2 ? 256 : packed.len, at = test_random() % within;
		struct unwind_table *back;

		if (test_random() % 4 == 0)
			at = packed.len - 1 - at;
		bytes[at] ^= 1 << test_random() % 8;
		back = unwind_table_unpack(bytes, packed.len, there);
		if (back)
			well_formed(back, there);
		nr_taken += back != NULL;
		nr_refused += back == NULL;
		unwind_table_free(back);
	}
	assert_true(nr_refused > 100 && nr_taken > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_come_back),
		cmocka_unit_test(a_full_dictionary),
		cmocka_unit_test(changed_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
