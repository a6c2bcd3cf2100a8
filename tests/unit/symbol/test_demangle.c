// SPDX-License-Identifier: GPL-2.0-or-later
/* C++ and Rust names, what is none, and names made to explode. */
#include "unit/unit.h"

#include <stdio.h>

#include "symbol/demangle.h"

static void expect(const char *mangled, const char *want)
{
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;

	strbuf_addstr(&to, ">");
	assert_int_equal(demangle(mangled, &to), want != NULL);
	assert_string_equal(to.bytes + 1, want ? want : "");
	assert_int_equal(to.len, 1 + (want ? strlen(want) : 0));
}

static void test_names(void **state)
{
	expect("_ZN3foo3barEi", "foo::bar(int)");
	expect("_ZNSt6vectorIiSaIiEE9push_backEOi",
	       "std::vector<int, std::allocator<int> >::push_back(int&&)");
	expect("_ZN3foo3barEi.cold", "foo::bar(int) [clone .cold]");
	/* Rust: the hash of the legacy scheme is left off. */
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("_ZN69_$LT$core..iter..Map$LT$I$C$F$GT$$u20$as$u20$core..iter..Iterator$GT$4next"
	       "17h0123456789abcdefE",
	       "<core::iter::Map<I,F> as core::iter::Iterator>::next");
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
}

static void test_plain(void **state)
{
	static const char *const plain[] = { "",     "main",	  "_start", "_Z",     "_R",
					     "__Zx", "_ZN3fooE(", "ZN3foo", "_GLOBAL" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		expect(plain[i], NULL);
}

/* Each component repeats the one before twice: 2^40 names in 300 bytes. */
static void test_bombs(void **state)
{
	_cleanup_strbuf_ struct strbuf cxx = STRBUF_INIT, rust = STRBUF_INIT;
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	size_t before;

	strbuf_addstr(&cxx, "_Z1f1AIiiES_IS0_S0_E");
	for (int i = 2; i < 30; i++) {
		char c = i < 10 ? '0' + i : 'A' + i - 10;

		strbuf_addf(&cxx, "S_IS%c_S%c_E", c, c);
	}
	expect(cxx.bytes, NULL);

	strbuf_addstr(&rust, "_RINvC1a1b");
	before = rust.len - 2;
	strbuf_addstr(&rust, "TmmE");
	for (int i = 0; i < 40; i++) {
		size_t here = rust.len - 2, back = before - 1;
		char ref[8];

		if (back < 36)
			snprintf(ref, sizeof(ref), "B%c_", digits[back]);
		else /* base 62; the second digit stays below 36 here */
			snprintf(ref, sizeof(ref), "B%c%c_", digits[back / 62],
				 back % 62 < 36 ? digits[back % 62] : 'A' + (char)(back % 62 - 36));
		strbuf_addf(&rust, "T%s%sE", ref, ref);
		before = here;
	}
	strbuf_addstr(&rust, "E");
	expect(rust.bytes, NULL);
}

static void test_long(void **state)
{
	char name[6000] = "_Z1f";

	memset(name + 4, 'P', sizeof(name) - 6);
	name[sizeof(name) - 2] = 'i';
	expect(name, NULL);
	memset(name + 2, 'N', sizeof(name) - 4);
	name[4096] = '\0';
	expect(name, NULL);
}

static void test_mutated(void **state)
{
	static const char *const seeds[] = {
		"_ZNSt6vectorIiSaIiEE9push_backEOi",
		"_RNvXs1_NtCs1234_4core3fmtRNtB4_3FooNtB4_5Write9write_fmt",
		"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		"_ZZN3fooIXadL_Z3barvEEE3bazEvENKUlvE_clEv",
	};

	for (int i = 0; i < 20000; i++) {
		char name[128];
		_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
		size_t len;

		strcpy(name, seeds[test_random_below(4)]);
		len = strlen(name);
		for (size_t n = 1 + test_random_below(4); n; n--)
			name[2 + test_random_below(len - 2)] = 33 + test_random_below(94);
		if (!demangle(name, &to))
			assert_int_equal(to.len, 0);
		else
			assert_true(to.len > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bombs),	cmocka_unit_test(test_long),
		cmocka_unit_test(test_mutated),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
