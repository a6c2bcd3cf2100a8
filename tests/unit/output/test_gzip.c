// SPDX-License-Identifier: GPL-2.0-or-later
/* Packing: what goes in comes out, and a disk that is full is known at the end. */
#include "unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

#include "output/gzip.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* Packs the bytes in writes of random length; free() the result. */
static unsigned char *pack(const char *bytes, size_t len, int level, size_t *ret_len)
{
	char *packed = NULL;
	FILE *to = open_memstream(&packed, ret_len), *f = gzip_stream_new(to, level);
	size_t at = 0;

	assert_non_null(f);
	while (at < len) {
		size_t n = 1 + test_random_below(200000);

		n = n < len - at ? n : len - at;
		assert_int_equal(fwrite(bytes + at, 1, n, f), n);
		at += n;
	}
	assert_int_equal(fclose(f), 0);
	assert_int_equal(fclose(to), 0);
	return (unsigned char *)packed;
}

static void expect_round_trip(const char *bytes, size_t len)
{
	for (int level = 1; level <= 12; level += 5) {
		size_t packed_len, again_len;
		_cleanup_free_ unsigned char *packed = pack(bytes, len, level, &packed_len);
		_cleanup_free_ unsigned char *again = pack(bytes, len, level, &again_len);
		_cleanup_free_ char *unpacked = xmalloc(len + 1);
		z_stream z = { .next_in = packed, .avail_in = packed_len };

		assert_int_equal(packed_len, again_len);
		assert_memory_equal(packed, again, packed_len);
		assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
		z.next_out = (unsigned char *)unpacked;
		z.avail_out = len + 1;
		while (z.avail_in) { /* one member after the other */
			assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
			assert_int_equal(inflateReset(&z), Z_OK);
		}
		assert_int_equal(z.next_out - (unsigned char *)unpacked, len);
		inflateEnd(&z);
		if (len)
			assert_memory_equal(unpacked, bytes, len);
	}
}

static void test_round_trip(void **state)
{
	static const size_t lens[] = { 0, 1, 65535, 65536, 65537, 262143, 262144, 262145, 3000000 };

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		_cleanup_free_ char *noise = xmalloc(lens[i]), *text = xmalloc(lens[i]);

		for (size_t k = 0; k < lens[i]; k++) {
			noise[k] = test_random();
			text[k] = "main;f;g 1\n"[k % 11];
		}
		expect_round_trip(noise, lens[i]);
		expect_round_trip(text, lens[i]);
	}
}

/* What cannot be written is known to the one who closes the file. */
static void test_full(void **state)
{
	FILE *to = fopen("/dev/full", "w"), *f = gzip_stream_new(to, 1);
	bool is_bad;

	for (int i = 0; i < 1000000; i++)
		fprintf(f, "%llu;", (unsigned long long)test_random());
	fclose(f);
	is_bad = ferror(to);
	is_bad |= fclose(to) == EOF;
	assert_true(is_bad);
}

static void test_level(void **state)
{
	assert_null(gzip_stream_new(stdout, 13));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
