// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of the kernel about its symbols: whole ones, and all that can be wrong with one. */
#include "capture/ksymbol.h"

#include <linux/perf_event.h>
#include <string.h>

#include "unit/unit.h"

#define HEAD_BYTES 24

/* A record with a name padded to 8, and behind it the time; its length. */
static size_t record_make(char *to, const char *name, uint16_t type, uint16_t flags)
{
	size_t name_bytes = (strlen(name) / 8 + 1) * 8;
	struct perf_event_header h = { .type = 17, .size = HEAD_BYTES + name_bytes + 8 };
	const uint64_t addr = 0xffffffffc0001234, time_ns = 77;
	const uint32_t len = 0x321;

	memset(to, 0, h.size);
	memcpy(to, &h, sizeof(h));
	memcpy(to + 8, &addr, sizeof(addr));
	memcpy(to + 16, &len, sizeof(len));
	memcpy(to + 20, &type, sizeof(type));
	memcpy(to + 22, &flags, sizeof(flags));
	strcpy(to + HEAD_BYTES, name);
	memcpy(to + HEAD_BYTES + name_bytes, &time_ns, sizeof(time_ns));
	return h.size;
}

static void whole_records(void **state)
{
	static const char *const names[] = { "a", "bpf_prog_6deef7357e7b4530_x", "1234567",
					     "12345678" };
	char record[KSYMBOL_RECORD_BYTES];
	struct ksymbol k;

	for (size_t i = 0; i < 4; i++) {
		size_t bytes = record_make(record, names[i], 1 + i % 2, i / 2);

		assert_true(ksymbol_parse(record, bytes, &k));
		assert_string_equal(k.name, names[i]);
		assert_true(k.start == 0xffffffffc0001234);
		assert_int_equal(k.bytes, 0x321);
		assert_int_equal(k.time_ns, 77);
		assert_int_equal(k.is_bpf, i % 2 == 0);
		assert_int_equal(k.is_gone, i / 2);
	}
}

static void broken_records(void **state)
{
	char record[KSYMBOL_RECORD_BYTES + 64], copy[sizeof(record)];
	size_t bytes = record_make(record, "bpf_prog_x", 1, 0);
	struct ksymbol k;

	for (size_t n = 0; n < bytes; n++)
		assert_false(ksymbol_parse(record, n, &k));
	memcpy(copy, record, sizeof(copy));
	copy[0] = 18; /* of another kind */
	assert_false(ksymbol_parse(copy, bytes, &k));
	memcpy(copy, record, sizeof(copy));
	memset(copy + 16, 0, 4); /* of no length */
	assert_false(ksymbol_parse(copy, bytes, &k));
	memcpy(copy, record, sizeof(copy));
	copy[HEAD_BYTES] = '\0'; /* without a name */
	assert_false(ksymbol_parse(copy, bytes, &k));
	memcpy(copy, record, sizeof(copy));
	memset(copy + HEAD_BYTES, 'x', bytes - HEAD_BYTES - 8); /* a name without an end */
	assert_false(ksymbol_parse(copy, bytes, &k));
}

static void the_longest_name(void **state)
{
	char record[KSYMBOL_RECORD_BYTES], name[KSYMBOL_NAME_BYTES];
	struct ksymbol k;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_true(ksymbol_parse(record, record_make(record, name, 1, 0), &k));
	assert_string_equal(k.name, name);
}

/* Any bytes: nothing is read behind the record, and a name ends. */
static void random_records(void **state)
{
	struct ksymbol k;

	for (int round = 0; round < 20000; round++) {
		size_t bytes = test_random_below(KSYMBOL_RECORD_BYTES) + 1;
		char *record = malloc(bytes);

		for (size_t i = 0; i < bytes; i++)
			record[i] = test_random_below(4) ? test_random_below(256) : 0;
		if (bytes >= 8) {
			record[0] = 17;
			record[1] = record[2] = record[3] = 0;
			record[6] = bytes;
			record[7] = bytes >> 8;
		}
		if (ksymbol_parse(record, bytes, &k))
			assert_true(strlen(k.name) && strlen(k.name) < bytes);
		free(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_records),
		cmocka_unit_test(broken_records),
		cmocka_unit_test(the_longest_name),
		cmocka_unit_test(random_records),
	};

	return cmocka_run_group_tests_name("ksymbol", tests, NULL, NULL);
}
