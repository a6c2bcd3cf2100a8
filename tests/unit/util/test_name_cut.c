// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that are too long: bounded, apart from one another, the same in every process. */
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "util/name_cut.h"

static void name_of(struct strbuf *name, size_t len, char with)
{
	strbuf_reset(name);
	for (size_t i = 0; i < len; i++)
		strbuf_addch(name, with);
}

static void what_fits_stays(void **state)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	for (size_t len = 0; len <= 100; len++) {
		name_of(&name, len, 'a');
		assert_false(name_cut(&name, 100));
		assert_int_equal(name.len, len);
	}
}

static void the_mark_is_the_same_for_ever(void **state)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	name_of(&name, 101, 'a');
	assert_true(name_cut(&name, 64));
	assert_string_equal(name.bytes,
			    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...#35feac92c3f8efc8");
	assert_int_equal(name.len, 64);
}

static void names_that_differ_at_their_ends_stay_apart(void **state)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	name_of(&a, 5000, 'x');
	name_of(&b, 5000, 'x');
	b.bytes[4999] = 'y';
	assert_true(name_cut(&a, NAME_MAX_BYTES));
	assert_true(name_cut(&b, NAME_MAX_BYTES));
	assert_int_equal(a.len, NAME_MAX_BYTES);
	assert_string_not_equal(a.bytes, b.bytes);
}

static void characters_stay_whole(void **state)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	for (size_t shift = 0; shift < 4; shift++) {
		name_of(&name, shift, 'a');
		for (int i = 0; i < 100; i++)
			strbuf_addstr(&name, "\xf0\x9f\x98\x80");
		assert_true(name_cut(&name, 64));
		assert_true(name.len <= 64 && name.len >= 61);
		assert_int_equal(strstr(name.bytes, "...#") - name.bytes,
				 shift + (44 - shift) / 4 * 4);
	}
}

static void any_bytes_are_bounded(void **state)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	for (int round = 0; round < 2000; round++) {
		size_t len = test_random_below(300), max = 64 + test_random_below(100);

		strbuf_reset(&name);
		for (size_t i = 0; i < len; i++)
			strbuf_addch(&name, (char)test_random_below(256));
		assert_int_equal(name_cut(&name, max), len > max);
		assert_true(name.len <= max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(the_mark_is_the_same_for_ever),
		cmocka_unit_test(names_that_differ_at_their_ends_stay_apart),
		cmocka_unit_test(characters_stay_whole),
		cmocka_unit_test(any_bytes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
