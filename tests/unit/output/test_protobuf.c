// SPDX-License-Identifier: GPL-2.0-or-later
/* The bytes of the examples in the description of the wire format, and the ends of its range. */
#include "unit/unit.h"

#include "output/protobuf.h"

static void expect(const struct strbuf *sb, const char *bytes, size_t len)
{
	assert_int_equal(sb->len, len);
	assert_memory_equal(sb->bytes, bytes, len);
}

static void test_fields(void **state)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	protobuf_add_number(&sb, 1, 150);
	expect(&sb, "\x08\x96\x01", 3);
	protobuf_add_number(&sb, 1, 0); /* is left out */
	expect(&sb, "\x08\x96\x01", 3);
	strbuf_reset(&sb);
	protobuf_add_bytes(&sb, 2, "testing", 7);
	expect(&sb, "\x12\x07testing", 9);
	strbuf_reset(&sb);
	protobuf_add_bytes(&sb, 16, "", 0);
	expect(&sb, "\x82\x01\x00", 3);
}

static void test_numbers(void **state)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	protobuf_add_varint(&sb, 0);
	protobuf_add_varint(&sb, 127);
	protobuf_add_varint(&sb, 128);
	expect(&sb, "\x00\x7f\x80\x01", 4);
	strbuf_reset(&sb);
	protobuf_add_varint(&sb, (uint64_t)INT64_C(-2));
	expect(&sb, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests_name("protobuf", tests, NULL, NULL);
}
