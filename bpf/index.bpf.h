/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as indexes of arrays, in a way that every verifier and compiler follows. */
#ifndef EDDY_INDEX_BPF_H
#define EDDY_INDEX_BPF_H

#include "unwind_compiler.h"

/*
 * A number as an index of n elements, n a power of two: the mask stays in the program.  The
 * compiler drops one where it knows that the number is below n, by a range that the verifier does
 * not see behind a call (clang 19: "R7 unbounded memory access").
 */
#define EDDY_INDEX(number, n)               \
	({                                  \
		__u64 index_ = (number);    \
		EDDY_UNWIND_OPAQUE(index_); \
		index_ &((__u64)(n)-1);     \
	})

#endif
