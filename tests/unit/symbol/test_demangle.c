// SPDX-License-Identifier: GPL-2.0-or-later
/* C++ and Rust names, what is none, and names made to explode. */
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

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

/* Names that take time without writing anything: 2^40 ways to read one, 2^60 lifetimes. */
static void test_slow(void **state)
{
	static const char *const rust[] = {
		/* A part that is skipped binds the lifetimes; they are counted all the same. */
		"_RMINvC1a1bFGzzzzzzzzz_EuEu",
		"_RMINvC1a1bDGzzzzzzzzz_EL_Eu",
		"_RINvC1a1bFGzzzzzzzzz_EuE",
		/* Its own argument, and its own arguments. */
		"_RINvC1a1bB3_E",
		"_RINvC1a1bB5_E",
	};
	_cleanup_strbuf_ struct strbuf cxx = STRBUF_INIT, local = STRBUF_INIT, fold = STRBUF_INIT;

	alarm(900); /* instead of for ever */
	for (size_t i = 0; i < sizeof(rust) / sizeof(*rust); i++)
		expect(rust[i], NULL);
	strbuf_addstr(&cxx, "_Zcv");
	strbuf_addstr(&local, "_ZcvT_I");
	for (int i = 0; i < 40; i++) {
		strbuf_addstr(&cxx, "T_I");
		strbuf_addstr(&local, "L_ZcvT0_I");
	}
	strbuf_addstr(&cxx, "i");
	for (int i = 0; i < 40; i++) {
		strbuf_addstr(&cxx, "E");
		strbuf_addstr(&local, "EE");
	}
	expect(cxx.bytes, NULL);
	expect(local.bytes, NULL);
	/* Empty packs of empty packs: nothing is written of any. */
	strbuf_addstr(&fold, "_Z1aIJJEEEv");
	for (int i = 0; i < 40; i++)
		strbuf_addstr(&fold, "Z1bIJT_T_EEv");
	strbuf_addstr(&fold, "DTflplT_E");
	for (int i = 0; i < 40; i++)
		strbuf_addstr(&fold, "E1c");
	expect(fold.bytes, NULL);
	alarm(0);
	expect("_Z1aIJiiEEDTflplfp_EDpT_", "decltype ((...+{parm#1})) a<int, int>(int, int)");
	expect("_ZN1acvT_IiEIPFvvEEEv", "a::operator void (*)()<int><void (*)()>()");
}

/* What the scheme knows is let through: every kind of part, crates of any number. */
static void test_rust_parts(void **state)
{
	expect("_RNvCs2N2TEQjwqGk_7stacker4grow", "stacker::grow");
	expect("_RNvCslyzlyzlyzlyz_4core1f.llvm.123", "core::f");
	expect("_RINvC1a1bFG_RL0_hEuE", "a::b::<for<'a> fn(&'a u8)>");
	expect("_RINvC1a1bFUKCEuE", "a::b::<unsafe extern \"C\" fn()>");
	expect("_RINvC1a1bDNtC1c1dp1ehEL_E", "a::b::<dyn c::d<e = u8>>");
	expect("_RINvC1a1bAhj8_SeTmlERbQcPxOzyKj3_KpE",
	       "a::b::<[u8; 8], [str], (u32, i32), &bool, &mut char, *const i64, *mut !, u64, 3, "
	       "_>");
	expect("_RNvXs_C1aNtB2_1bNtC1c1d1f", NULL);
	expect("_RNvXC1aNtB2_1bNtC1c1d1f", "<a::b as c::d>::f");
	expect("_RNvYhNtC1c1d1fC1e", "<u8 as c::d>::f");
	expect("_RNCNvC1a1b0", "a::b::{closure#0}");
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
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bombs),	   cmocka_unit_test(test_long),
		cmocka_unit_test(test_mutated),	   cmocka_unit_test(test_slow),
		cmocka_unit_test(test_rust_parts),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
