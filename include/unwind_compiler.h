/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What code that is compiled into BPF and into user space asks of the compiler. */
#ifndef EDDY_UNWIND_COMPILER_H
#define EDDY_UNWIND_COMPILER_H

#define EDDY_UNWIND_INLINE static inline __attribute__((always_inline, unused))

/* Keeps the compiler from turning mask arithmetic back into branches, which the verifier forks. */
#define EDDY_UNWIND_OPAQUE(var) __asm__ volatile("" : "+r"(var))

#endif
