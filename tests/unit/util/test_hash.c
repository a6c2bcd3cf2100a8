// SPDX-License-Identifier: GPL-2.0-or-later
/* Keyed hashes: names made to fall together do not, and no two processes hash alike. */
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "util/hash.h"

#define NR 4096

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t nr_distinct(uint64_t *hashes)
{
	size_t nr = 1;

	qsort(hashes, NR, sizeof(*hashes), compare);
	for (size_t i = 1; i < NR; i++)
		nr += hashes[i] != hashes[i - 1];
	return nr;
}

/* One factor of the product is 0 for whoever knows a constant: then all before it is forgotten. */
static void test_made_names(void **state)
{
	static const uint64_t constants[] = { 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93,
					      0xa0761d6478bd642f, 0xe7037ed1a0b428db,
					      0x8ebc6af09c88c6e3, 0 };
	static uint64_t hashes[NR];

	for (size_t c = 0; c < sizeof(constants) / sizeof(*constants); c++) {
		for (uint64_t i = 0; i < NR; i++) {
			uint64_t name[4] = { i + 1, constants[c], 0x2020202020202020,
					     0x2020202020202020 };

			hashes[i] = hash_bytes(name, sizeof(name));
		}
		assert_int_equal(nr_distinct(hashes), NR);
	}
}

/* Of every length, each byte counts. */
static void test_all_bytes(void **state)
{
	unsigned char name[64];

	for (size_t len = 1; len <= sizeof(name); len++) {
		uint64_t all;

		for (size_t i = 0; i < len; i++)
			name[i] = test_random_below(256);
		all = hash_bytes(name, len);
		assert_int_equal(hash_bytes(name, len), all);
		for (size_t i = 0; i < len; i++) {
			name[i] ^= 1;
			assert_int_not_equal(hash_bytes(name, len), all);
			name[i] ^= 1;
		}
	}
	assert_int_not_equal(hash_bytes("", 0), hash_bytes("\0", 1));
}

static uint64_t of_another_process(void)
{
	char text[32] = "";
	FILE *p;

	snprintf(text, sizeof(text), "/proc/%d/exe x", getpid());
	p = popen(text, "r");
	assert_non_null(p);
	assert_non_null(fgets(text, sizeof(text), p));
	pclose(p);
	return strtoull(text, NULL, 16);
}

static void test_key(void **state)
{
	uint64_t one, other;

	if (getenv("EDDY_EMULATED"))
		skip();
	one = of_another_process();
	other = of_another_process();
	assert_int_not_equal(one, other);
	assert_int_not_equal(one, hash_u64(1));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_names),
		cmocka_unit_test(test_all_bytes),
		cmocka_unit_test(test_key),
	};

	if (argc > 1)
		return printf("%llx\n", (unsigned long long)hash_u64(1)) < 0;
	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
