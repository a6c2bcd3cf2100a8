// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls of stacks: wrappers of every kind, dispatchers, look-alikes. */
#include "unit/analysis/stacks.h"

#include "analysis/syscall_rows.h"

/* What comes of folded text: "3 read;1 write;2 [unnamed];". */
static void check(const char *text, const char *want)
{
	_cleanup_syscall_rows_ struct syscall_rows rows = { 0 };
	struct stacks s;
	char got[512] = "";
	size_t len = 0;
	uint64_t sum = 0;

	stacks_init(&s);
	stacks_parse(&s, text);
	syscall_rows_find(s.profile, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%d %s;",
					(int)rows.rows[i].inclusive, rows.rows[i].name);
		sum += rows.rows[i].inclusive;
	}
	if (rows.unnamed)
		snprintf(got + len, sizeof(got) - len, "%d [unnamed];", (int)rows.unnamed);
	assert_string_equal(got, want);
	assert_int_equal(rows.total, sum + rows.unnamed);
	stacks_deinit(&s);
}

static void test_wrappers(void **state)
{
	check("m;do_syscall_64_[k];__x64_sys_read_[k];vfs_read_[k] 3 "
	      "m;do_syscall_64_[k];__x64_sys_read_[k] 1 "
	      "m;el0_svc_[k];__arm64_sys_write_[k] 2 m;x 9",
	      "4 read;2 write;");
	/* One call, two wrappers. */
	check("m;__ia32_sys_read_[k] 1 m;__x64_sys_read_[k] 2 m;__ia32_compat_sys_ioctl_[k] 3",
	      "3 ioctl;3 read;");
	/* Files of others do not mark the kernel's frames. */
	check("m;do_syscall_64;__x64_sys_futex;futex_wait 5", "5 futex;");
	check("m 3", "");
}

static void test_the_first_is_it(void **state)
{
	check("m;__x64_sys_execve_[k];__x64_sys_read_[k] 2 m;__x64_sys_read_[k];x 1",
	      "2 execve;1 read;");
}

static void test_dispatchers(void **state)
{
	check("m;do_syscall_64_[k];syscall_exit_to_user_mode_[k] 2 m;do_syscall_64_[k] 1 "
	      "m;do_syscall_64_[k];x64_sys_call_[k];__x64_sys_brk_[k] 4",
	      "4 brk;3 [unnamed];");
	/* Before 4.17, and where a wrapper was a tail call. */
	check("m;entry_SYSCALL_64_fastpath_[k];SyS_read_[k];vfs_read_[k] 2 "
	      "m;do_syscall_64_[k];ksys_write_[k] 1 "
	      "m;do_syscall_64_[k];ksys_mmap_pgoff_[k] 5",
	      "5 mmap;2 read;1 write;");
}

static void test_look_alikes(void **state)
{
	check("m;asm_exc_page_fault_[k];sys_fillrect_[k] 2 m;sys_read;x 1 m;ksys_read_[k] 1", "");
	check("m;__x64_sys_ 1 m;do_syscall_64_not_[k] 1", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_the_first_is_it),
		cmocka_unit_test(test_dispatchers),
		cmocka_unit_test(test_look_alikes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
