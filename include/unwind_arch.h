/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines whose stacks are walked.  A table, a copy of a stack and a test may be of the other
 * one; what is sampled is of EDDY_ARCH_NATIVE.
 */
#ifndef EDDY_UNWIND_ARCH_H
#define EDDY_UNWIND_ARCH_H

enum eddy_unwind_arch {
	EDDY_ARCH_X86_64 = 0,
	EDDY_ARCH_ARM64 = 1,
};

#if defined(__TARGET_ARCH_arm64) || (!defined(__TARGET_ARCH_x86) && defined(__aarch64__))
#define EDDY_ARCH_NATIVE EDDY_ARCH_ARM64
#else
#define EDDY_ARCH_NATIVE EDDY_ARCH_X86_64
#endif

#endif
