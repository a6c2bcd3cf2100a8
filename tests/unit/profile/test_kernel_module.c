// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of files that are a kernel module's, and those that only look so. */
#include "unit/unit.h"

#include "profile/kernel_module.h"
#include "util/mem.h"

static void test_suffixes(void **state)
{
	static const struct {
		const char *file, *suffix;
	} cases[] = {
		{ "nf_nat.ko", ".ko" },
		{ "nf_nat.ko.xz", ".ko.xz" },
		{ "nf_nat.ko.zst", ".ko.zst" },
		{ "/lib/modules/x.ko.gz", ".ko.gz" },
		{ "x.ko.debug", ".ko.debug" },
		{ ".ko", ".ko" },
		{ "nf_nat", "" },
		{ "x.ko.bak", "" },
		{ "xko", "" },
		{ "x.kox", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct bytes file = { cases[i].file, strlen(cases[i].file) };

		assert_int_equal(kernel_module_suffix(file), strlen(cases[i].suffix));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes),
	};

	return cmocka_run_group_tests_name("kernel_module", tests, NULL, NULL);
}
