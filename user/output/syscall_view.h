/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time under each system call: for programs and for people. */
#ifndef EDDY_OUTPUT_SYSCALL_VIEW_H
#define EDDY_OUTPUT_SYSCALL_VIEW_H

#include <stdio.h>

#include "analysis/syscall_rows.h"

/* Columns `inclusive name`; what has no name is the row [unnamed].  limit rows, 0: all. */
void syscall_tsv_write(FILE *out, const struct syscall_rows *rows, size_t limit);
/* The same with shares of `all`, the whole profile's. */
void syscall_text_write(FILE *out, const struct syscall_rows *rows, uint64_t all, size_t limit);

#endif
