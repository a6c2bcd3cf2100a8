/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's code is said to be.  In memory it is at another address on each boot, which is
 * for nobody to know (KASLR): in a profile the kernel stands where it was linked, and a module, or
 * code that comes and goes, at an address that no memory has.
 */
#ifndef EDDY_PROFILE_KERNEL_PLACE_H
#define EDDY_PROFILE_KERNEL_PLACE_H

#include <stdint.h>

/* The kernel's first byte, _text, as a vmlinux has it; perf moves from there to what it reads. */
#if defined(__aarch64__)
#define KERNEL_PLACE_TEXT UINT64_C(0xffff800080000000)
#else
#define KERNEL_PLACE_TEXT UINT64_C(0xffffffff81000000)
#endif
/* Any module's first byte, and the first one of a BPF program, a trampoline, a page of a probe. */
#define KERNEL_PLACE_MODULE  UINT64_C(0x8000000000000000)
#define KERNEL_PLACE_PASSING UINT64_C(0x9000000000000000)

#endif
