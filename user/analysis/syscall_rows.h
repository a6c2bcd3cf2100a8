/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time under each system call: the rows of `--view syscalls`.  A stack is in the system call whose
 * entry function is the first of its frames: __x64_sys_read, __arm64_sys_read,
 * __ia32_compat_sys_... (arch/.../syscall_wrapper.h of Linux; before 4.17 sys_read, SyS_read under
 * the dispatcher).
 */
#ifndef EDDY_ANALYSIS_SYSCALL_ROWS_H
#define EDDY_ANALYSIS_SYSCALL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct syscall_row {
	const char *name; /* "read": bytes of the frame table, NUL-terminated */
	uint64_t inclusive;
};

struct syscall_rows {
	struct syscall_row *rows; /* most samples first, then by name bytewise */
	size_t nr;
	/* In the dispatcher (do_syscall_64 and the like) and in no system call that has a name. */
	uint64_t unnamed;
	uint64_t total; /* of all rows and of those */
};

/* ret_rows is overwritten; syscall_rows_deinit() it. */
void syscall_rows_find(const struct profile *p, struct syscall_rows *ret_rows);
void syscall_rows_deinit(struct syscall_rows *rows); /* zero-filled is fine */
#define _cleanup_syscall_rows_ __attribute__((cleanup(syscall_rows_deinit)))

#endif
