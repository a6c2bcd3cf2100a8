/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that eddy reads, kept by hand: names are what counts, libbpf relocates every
 * access to the layout of the running kernel (CO-RE).  Fields that exist only on some kernels
 * are asked for with bpf_core_field_exists() before they are read.
 *
 * The uapi headers come first: they do not change between kernels and are not relocated.
 */
#ifndef EDDY_VMLINUX_H
#define EDDY_VMLINUX_H

#include <stdbool.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct vm_struct {
	unsigned int nr_pages;
};

struct mm_struct;

struct task_struct {
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	struct mm_struct *mm;
	struct vm_struct *stack_vm_area; /* with CONFIG_VMAP_STACK */
};

#pragma clang attribute pop

#endif
