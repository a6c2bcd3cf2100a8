// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes from plain and packed files: members, damage, and bounds that hold against a bomb. */
#include "unit/input/read.h"

#include <zlib.h>

#include "util/mem.h"

/* The bytes as one gzip member; free() them. */
static unsigned char *pack(const void *bytes, size_t len, size_t *ret_len)
{
	z_stream z = { .next_in = (unsigned char *)bytes, .avail_in = len };
	unsigned char *packed;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	*ret_len = deflateBound(&z, len);
	packed = xmalloc(*ret_len);
	z.next_out = packed;
	z.avail_out = *ret_len;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*ret_len = z.total_out;
	deflateEnd(&z);
	return packed;
}

/* A folded text of many lines, longer than every buffer. */
static char *make_text(size_t nr_lines)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < nr_lines; i++)
		strbuf_addf(&sb, "main;f%llu;g%zu 1\n", (unsigned long long)test_random() % 100000,
			    i);
	return strbuf_detach(&sb);
}

static void test_members(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_free_ char *text = make_text(50000);
	size_t half = strchr(text + strlen(text) / 2, '\n') - text - 3, len[3];
	_cleanup_free_ unsigned char *a = pack(text, half, &len[0]);
	_cleanup_free_ unsigned char *b = pack(text + half, strlen(text) - half, &len[1]);
	_cleanup_free_ unsigned char *empty = pack("", 0, &len[2]);
	struct strbuf all = STRBUF_INIT;
	struct diag diag = { "" };

	strbuf_add(&all, empty, len[2]);
	strbuf_add(&all, a, len[0]);
	strbuf_add(&all, empty, len[2]);
	strbuf_add(&all, b, len[1]);
	if (read_bytes(all.bytes, all.len, NULL, p, &diag) < 0)
		fail_msg("%s", diag.text);
	assert_int_equal(profile_total(p), 50000);
	strbuf_deinit(&all);
}

/* Less and more than what is unpacked at once, in packed and in plain bytes; some exactly full. */
static void test_lengths(void **state)
{
	static const size_t nr_lines[] = { 1, 3000, 7000, 7700, 60000, 150000 };

	for (size_t i = 0; i < ARRAY_SIZE(nr_lines); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL), *plain = profile_new(NULL);
		_cleanup_free_ char *text = make_text(nr_lines[i]);
		size_t len;
		_cleanup_free_ unsigned char *packed = pack(text, strlen(text), &len);

		assert_int_equal(read_bytes(packed, len, NULL, p, NULL), 0);
		assert_int_equal(read_bytes(text, strlen(text), NULL, plain, NULL), 0);
		assert_int_equal(profile_total(p), nr_lines[i]);
		assert_int_equal(profile_nr_nodes(p), profile_nr_nodes(plain));
		/* All of it or nothing: no byte may be missing, and none may follow. */
		packed[len - 1] ^= 1;
		assert_int_equal(read_bytes(packed, len, NULL, p, NULL), -EINVAL);
		packed[len - 1] ^= 1;
		assert_int_equal(read_bytes(packed, len - 1, NULL, p, NULL), -EINVAL);
	}
}

/* Little that unpacks to much, and no bomb: it is read as it comes. */
static void test_long_lines(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const size_t nr = 40 << 20;
	_cleanup_free_ char *text = xmalloc(nr);
	size_t len;
	unsigned char *packed;

	memset(text, ' ', nr);
	memcpy(text, "a 1\n", 4);
	memcpy(text + nr - 5, "\nb 2\n", 5);
	packed = pack(text, nr, &len);
	assert_true(len < 1 << 20);
	assert_int_equal(read_bytes(packed, len, NULL, p, NULL), 0);
	assert_int_equal(profile_total(p), 3);
	free(packed);
}

static void test_nothing_packed(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	size_t len;
	_cleanup_free_ unsigned char *empty = pack("", 0, &len);

	assert_int_equal(read_bytes(empty, len, NULL, p, NULL), 0);
	assert_int_equal(profile_total(p), 0);
}

static void expect_error(const void *bytes, size_t len, const struct input_opts *opts, int err,
			 const char *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	assert_int_equal(read_bytes(bytes, len, opts, p, &diag), -err);
	if (!strstr(diag.text, want))
		fail_msg("'%s' is not in '%s'", want, diag.text);
}

static void test_damaged(void **state)
{
	_cleanup_free_ char *text = make_text(20000);
	size_t len;
	_cleanup_free_ unsigned char *packed = pack(text, strlen(text), &len);
	struct strbuf sb = STRBUF_INIT;

	expect_error(packed, 2, NULL, EINVAL, "in: gzip data is cut off");
	expect_error(packed, 15, NULL, EINVAL, "in: gzip data is cut off");
	expect_error(packed, len - 1, NULL, EINVAL, "in: gzip data is cut off");
	strbuf_add(&sb, packed, len);
	strbuf_addstr(&sb, "garbage");
	expect_error(sb.bytes, sb.len, NULL, EINVAL,
		     "in: damaged gzip data: incorrect header check");
	strbuf_deinit(&sb);
	packed[len - 5] ^= 1; /* of the CRC or the length */
	expect_error(packed, len, NULL, EINVAL, "in: damaged gzip data: incorrect");
	expect_error("\x1f\x8b\x07", 3, NULL, EINVAL, "in: ");
}

/* What unpacks to more than the bound is refused before it is unpacked whole. */
static void test_bounds(void **state)
{
	const struct input_opts opts = { .max_input_bytes = 100000 };
	_cleanup_free_ char *text = make_text(20000);
	size_t len;
	_cleanup_free_ unsigned char *packed = pack(text, strlen(text), &len);

	expect_error(packed, len, &opts, E2BIG,
		     "in: more than 100000 bytes unpacked (--max-input raises the limit)");
}

/* 300 MB of one line again and again in 300 kB, which is under the bound of bytes. */
static void test_bomb(void **state)
{
	enum { BLOCK = 1 << 20, NR_BLOCKS = 300 };
	_cleanup_free_ unsigned char *packed = xmalloc(BLOCK);
	_cleanup_free_ unsigned char *block = xmalloc(BLOCK);
	z_stream z = { 0 };

	for (size_t i = 0; i < BLOCK; i++)
		block[i] = "a;b;c 1\n"[i % 8];
	deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_out = packed;
	z.avail_out = BLOCK;
	for (int i = 0; i < NR_BLOCKS; i++) {
		z.next_in = block;
		z.avail_in = BLOCK;
		assert_int_equal(deflate(&z, i + 1 < NR_BLOCKS ? Z_NO_FLUSH : Z_FINISH),
				 i + 1 < NR_BLOCKS ? Z_OK : Z_STREAM_END);
	}
	expect_error(packed, z.total_out, NULL, E2BIG, "refused as a gzip bomb");
	deflateEnd(&z);
}

static struct {
	size_t nr;
	uint64_t done, all;
	char name[16];
} told;

static void hear(const char *what, const char *name, uint64_t done, uint64_t all)
{
	assert_true(done >= told.done);
	told.nr++;
	told.done = done;
	told.all = all;
	snprintf(told.name, sizeof(told.name), "%s", name);
}

/* How much of a file was read is told some times, whatever it unpacks to. */
static void test_listener(void **state)
{
	static const struct listener listener = { .part = hear };
	const struct input_opts opts = { .listener = &listener };
	_cleanup_free_ char *text = make_text(1000000);
	size_t len = strlen(text), packed_len;
	_cleanup_free_ unsigned char *packed = pack(text, len, &packed_len);
	const struct {
		const void *bytes;
		size_t len;
	} files[] = { { text, len }, { packed, packed_len } };

	for (int i = 0; i < 2; i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		FILE *f = tmpfile();

		memset(&told, 0, sizeof(told));
		fwrite(files[i].bytes, 1, files[i].len, f);
		rewind(f);
		assert_int_equal(input_read(f, "a file", &opts, p, NULL), 0);
		assert_in_range(told.nr, (len >> 22) - 2, len >> 22);
		assert_int_equal(told.all, files[i].len);
		assert_true(told.done > told.all / 2 && told.done <= told.all);
		assert_string_equal(told.name, "a file");
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),	   cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_long_lines), cmocka_unit_test(test_nothing_packed),
		cmocka_unit_test(test_damaged),	   cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_bomb),	   cmocka_unit_test(test_listener),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
