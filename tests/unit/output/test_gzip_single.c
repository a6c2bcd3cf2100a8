// SPDX-License-Identifier: GPL-2.0-or-later
/* One member, however much it is, and a disk that is full is known at the end. */
#include "unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

#include "output/gzip.h"
#include "util/mem.h"

static void expect_round_trip(size_t len)
{
	char *packed = NULL;
	size_t packed_len;
	unsigned char *plain = xmalloc(len), *back = xmalloc(len + 1);
	FILE *to = open_memstream(&packed, &packed_len), *f = gzip_stream_new_single(to, 1);
	z_stream z = { 0 };

	for (size_t i = 0; i < len; i++)
		plain[i] = i % 3 ? i : test_random();
	assert_int_equal(fwrite(plain, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(fclose(to), 0);
	z.next_in = (unsigned char *)packed;
	z.avail_in = packed_len;
	z.next_out = back;
	z.avail_out = len + 1;
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, len);
	assert_memory_equal(plain, back, len);
	inflateEnd(&z);
	free(packed);
	free(plain);
	free(back);
}

static void test_round_trip(void **state)
{
	static const size_t lens[] = { 0, 1, 65535, 65536, 65537, 3000000 };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++)
		expect_round_trip(lens[i]);
}

static void test_full(void **state)
{
	FILE *to = fopen("/dev/full", "w"), *f = gzip_stream_new_single(to, 1);
	bool is_bad;

	for (int i = 0; i < 100000; i++)
		fprintf(f, "%llu;", (unsigned long long)test_random());
	fclose(f);
	is_bad = ferror(to);
	is_bad |= fclose(to) == EOF;
	assert_true(is_bad);
}

static void test_level(void **state)
{
	assert_null(gzip_stream_new_single(stdout, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests_name("gzip_single", tests, NULL, NULL);
}
