/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's memory as it is now, for its code as it runs: patched, with modules and BPF
 * programs.  By /proc/kcore, and where there is none, by a BPF program that reads.
 */
#ifndef EDDY_CAPTURE_KERNEL_MEMORY_H
#define EDDY_CAPTURE_KERNEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"
#include "util/diag.h"

struct kernel_memory;

/* 0, or -errno with a diag: neither is permitted. */
int kernel_memory_open(struct kernel_memory **ret_memory, struct diag *ret_diag);
void kernel_memory_free(struct kernel_memory *m);
DEFINE_FREE(kernel_memory, struct kernel_memory *, kernel_memory_free)

/* All of it: 0; or -EFAULT, with nothing of use: some of that is not there. */
int kernel_memory_read(struct kernel_memory *m, uint64_t address, void *buf, size_t len);

#endif
