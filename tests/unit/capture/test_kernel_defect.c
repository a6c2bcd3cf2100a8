// SPDX-License-Identifier: GPL-2.0-or-later
/* Versions read from what kernels say of themselves, and which of them have which defect. */
#include "unit/unit.h"

#include "capture/kernel_defect.h"

#define NO    KERNEL_DEFECT_NO
#define MAYBE KERNEL_DEFECT_MAYBE
#define YES   KERNEL_DEFECT_YES

#define UNKNOWN -1

/* Releases as distributions write them, with what else the kernel says where that matters. */
static const struct {
	const char *release, *build, *signature;
	int major, minor, patch;
	enum kernel_defect usercopy, clock_stop;
} kernels[] = {
	/* clang-format off: a table */
	/* The kernel's own */
	{ "5.18.19", "#1 SMP", "", 5, 18, 19, NO, NO },
	{ "5.19.0", "#1 SMP", "", 5, 19, 0, YES, NO },
	{ "6.0.19", "#1 SMP", "", 6, 0, 19, YES, NO },
	{ "6.1.0", "#1 SMP", "", 6, 1, 0, YES, NO },
	{ "6.1.35", "#1 SMP", "", 6, 1, 35, YES, NO },
	{ "6.1.36", "#1 SMP", "", 6, 1, 36, NO, NO },
	{ "6.2.16", "#1 SMP", "", 6, 2, 16, YES, NO },
	{ "6.3.9", "#1 SMP", "", 6, 3, 9, YES, NO },
	{ "6.3.10", "#1 SMP", "", 6, 3, 10, NO, NO },
	{ "6.4.0", "#1 SMP", "", 6, 4, 0, NO, NO },
	{ "6.15.11", "#1 SMP", "", 6, 15, 11, NO, NO },
	{ "6.16.0-rc3", "#1 SMP", "", 6, 16, 0, NO, YES },
	{ "6.16.12", "#1 SMP", "", 6, 16, 12, NO, YES },
	{ "6.17.7", "#1 SMP", "", 6, 17, 7, NO, YES },
	{ "6.17.8", "#1 SMP", "", 6, 17, 8, NO, NO },
	{ "6.18.0", "#1 SMP", "", 6, 18, 0, NO, NO },
	{ "7.0.1", "#1 SMP", "", 7, 0, 1, NO, NO },
	/* Debian: the release stands still until trixie */
	{ "6.1.0-9-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.27-1 (2023-05-08)", "", 6, 1, 27, YES,
	  NO },
	{ "6.1.0-56-cloud-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)", "", 6, 1,
	  192, NO, NO },
	{ "5.10.0-46-cloud-amd64", "#1 SMP Debian 5.10.257-1 (2026-10-02)", "", 5, 10, 257, NO,
	  NO },
	{ "6.12.95+deb12-cloud-amd64",
	  "#1 SMP PREEMPT_DYNAMIC Debian 6.12.95-1~deb12u1 (2026-10-30)", "", 6, 12, 95, NO, NO },
	{ "6.17.8+deb14-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.17.8-1 (2025-11-16)", "", 6, 17, 8,
	  NO, NO },
	/* A kernel that somebody else built on Debian */
	{ "6.1.0-custom", "#3 SMP PREEMPT_DYNAMIC Mon May  1 10:00:00 UTC 2023", "", 6, 1, UNKNOWN,
	  MAYBE, NO },
	/* Ubuntu */
	{ "6.2.0-26-generic", "#26~22.04.1-Ubuntu SMP PREEMPT_DYNAMIC",
	  "Ubuntu 6.2.0-26.26~22.04.1-generic 6.2.13", 6, 2, 13, YES, NO },
	{ "6.2.0-26-generic", "#26~22.04.1-Ubuntu SMP PREEMPT_DYNAMIC", "", 6, 2, UNKNOWN, MAYBE,
	  NO },
	{ "5.19.0-50-generic", "#50-Ubuntu SMP PREEMPT_DYNAMIC", "", 5, 19, UNKNOWN, MAYBE, NO },
	{ "6.17.0-8-generic", "#8-Ubuntu SMP PREEMPT_DYNAMIC", "Ubuntu 6.17.0-8.8-generic 6.17.2",
	  6, 17, 2, NO, YES },
	{ "6.17.0-14-generic", "#14-Ubuntu SMP PREEMPT_DYNAMIC",
	  "Ubuntu 6.17.0-14.14-generic 6.17.9", 6, 17, 9, NO, NO },
	{ "6.17.0-8-generic", "#8-Ubuntu SMP PREEMPT_DYNAMIC", "", 6, 17, UNKNOWN, NO, MAYBE },
	/* A signature of another kernel says nothing */
	{ "6.1.0-3-lowlatency", "#3-Ubuntu SMP", "Ubuntu 5.15.0-3.3-generic 5.15.99", 6, 1, UNKNOWN,
	  MAYBE, NO },
	/* Others */
	{ "6.17.6-300.fc43.x86_64", "#1 SMP PREEMPT_DYNAMIC", "", 6, 17, 6, NO, YES },
	{ "6.15.4-200.fc42.x86_64", "#1 SMP PREEMPT_DYNAMIC", "", 6, 15, 4, NO, NO },
	{ "6.1.25-37.47.amzn2023.x86_64", "#1 SMP PREEMPT_DYNAMIC", "", 6, 1, 25, YES, NO },
	{ "6.1.119-129.201.amzn2023.aarch64", "#1 SMP", "", 6, 1, 119, NO, NO },
	{ "5.14.0-570.el9.x86_64", "#1 SMP PREEMPT_DYNAMIC", "", 5, 14, UNKNOWN, NO, NO },
	{ "6.4.0-150600.23-default", "#1 SMP PREEMPT_DYNAMIC", "", 6, 4, UNKNOWN, NO, NO },
	{ "6.2.16-3-pve", "#1 SMP PREEMPT_DYNAMIC PVE 6.2.16-3", "", 6, 2, 16, YES, NO },
	{ "6.1.12-arch1-1", "#1 SMP PREEMPT_DYNAMIC", "", 6, 1, 12, YES, NO },
	{ "6.1.21-v8+", "#1642 SMP PREEMPT", "", 6, 1, 21, YES, NO },
	{ "6.6.87.2-microsoft-standard-WSL2", "#1 SMP PREEMPT_DYNAMIC", "", 6, 6, 87, NO, NO },
	{ "6.18.44-custom", "#1 SMP PREEMPT_DYNAMIC", "", 6, 18, 44, NO, NO },
	{ "6.17-rc4", "#1 SMP", "", 6, 17, UNKNOWN, NO, MAYBE },
	/* clang-format on */
};

static void test_table(void **state)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		struct kernel_version v;

		if (kernel_version_parse(kernels[i].release, kernels[i].build, kernels[i].signature,
					 &v) ||
		    (int)v.major != kernels[i].major || (int)v.minor != kernels[i].minor ||
		    (v.patch_is_known ? (int)v.patch : UNKNOWN) != kernels[i].patch ||
		    kernel_defect_usercopy(&v) != kernels[i].usercopy ||
		    kernel_defect_clock_stop(&v) != kernels[i].clock_stop)
			fail_msg("%s, %s, %s: %u.%u.%u %d, %d %d", kernels[i].release,
				 kernels[i].build, kernels[i].signature, v.major, v.minor, v.patch,
				 v.patch_is_known, kernel_defect_usercopy(&v),
				 kernel_defect_clock_stop(&v));
	}
}

static void test_nonsense(void **state)
{
	struct kernel_version v = { 9, 9, 9, true };

	assert_int_equal(kernel_version_parse("", "", "", &v), -EINVAL);
	assert_int_equal(kernel_version_parse("linux", "", "", &v), -EINVAL);
	assert_int_equal(kernel_version_parse("6", "", "", &v), -EINVAL);
	assert_int_equal(v.major, 9);
	assert_int_equal(kernel_version_parse("6.1.99999999999999999999", "Debian", "Ubuntu ", &v),
			 0);
	assert_int_equal(v.major, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
