// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows over sources of random sizes: the same bytes as without, and fewer reads. */
#include "elf/elf_window.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "unit/unit.h"
#include "util/mem.h"

#define BYTES (3 * ELF_WINDOW_BYTES + 777)

static struct {
	uint8_t bytes[BYTES];
	size_t nr_reads;
	uint64_t cut; /* reads that reach behind it fail */
} under;

static int read_counted(const struct elf_source *source, void *dst, size_t len, uint64_t offset)
{
	under.nr_reads++;
	if (offset + len > under.cut)
		return -EIO;
	memcpy(dst, under.bytes + offset, len);
	return 0;
}

static struct elf_source source_of(uint64_t len)
{
	under.nr_reads = 0;
	under.cut = UINT64_MAX;
	return (struct elf_source){ .read = read_counted, .len = len, .fd = -1 };
}

static int begin(void **state)
{
	for (size_t i = 0; i < BYTES; i++)
		under.bytes[i] = (uint8_t)(i * 31 + i / 251);
	return 0;
}

static void reads_are_those_of_the_source(void **state)
{
	uint8_t *got = xmalloc(BYTES);

	for (int round = 0; round < 200; round++) {
		struct elf_source s = source_of(test_random_below(BYTES));
		_cleanup_elf_window_ struct elf_window w = { 0 };

		for (int i = 0; i < 100; i++) {
			size_t len = test_random_below(i % 10 ? 64 : ELF_WINDOW_BYTES);
			uint64_t at = test_random_below(BYTES + 10);
			bool fits = at <= s.len && len <= s.len - at;

			assert_int_equal(elf_window_read(&w, &s, got, len, at),
					 fits ? 0 : -ENODATA);
			if (fits)
				assert_memory_equal(got, under.bytes + at, len);
		}
	}
	free(got);
}

static void reads_upwards_are_few(void **state)
{
	struct elf_source s = source_of(BYTES);
	_cleanup_elf_window_ struct elf_window w = { 0 };
	uint8_t got[16];

	for (uint64_t at = 0; at + sizeof(got) <= BYTES; at += 24)
		assert_int_equal(elf_window_read(&w, &s, got, sizeof(got), at), 0);
	assert_in_range(under.nr_reads, 4, 5);
}

static void what_cannot_be_read_hides_nothing_before_it(void **state)
{
	struct elf_source s = source_of(BYTES);
	_cleanup_elf_window_ struct elf_window w = { 0 };
	uint8_t got[16];

	under.cut = 1000;
	assert_int_equal(elf_window_read(&w, &s, got, sizeof(got), 900), 0);
	assert_memory_equal(got, under.bytes + 900, sizeof(got));
	assert_int_equal(elf_window_read(&w, &s, got, sizeof(got), 990), -EIO);
	assert_int_equal(elf_window_read(&w, &s, got, sizeof(got), 984), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_are_those_of_the_source),
		cmocka_unit_test(reads_upwards_are_few),
		cmocka_unit_test(what_cannot_be_read_hides_nothing_before_it),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
