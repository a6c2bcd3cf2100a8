/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the comparison of one sample says.  Every verdict other than SAME and UNEXPLAINED names a
 * cause that is checked, on that very sample, with libdw and the copy; none is assumed.
 */
#ifndef EDDY_TESTS_DWFL_VERDICT_H
#define EDDY_TESTS_DWFL_VERDICT_H

#include "dwfl_walk.h"

enum verdict {
	VERDICT_SAME, /* frame by frame, and both end there */
	/*
	 * All frames but one, and there libdwfl is one byte lower: the last instructions of
	 * __builtin_eh_return (their CFA is counted from rcx, or the return address is in it) go to
	 * a landing pad, which was not called.  Where the row of the byte before is another one,
	 * libdwfl may find no caller from there on.
	 */
	VERDICT_LANDING,
	/* Both agree as far as the shorter goes, and it is shorter because: */
	VERDICT_COPY,	 /* libdwfl asked for memory behind the copy */
	VERDICT_PENDING, /* the table was not there yet when the sampler came to the file */
	VERDICT_DEPTH,	 /* the sampler, or libdwfl, was at its limit of frames */
	/*
	 * The last frame in common has no CFI (libdw finds none for it): from there on both follow
	 * frame pointers, the sampler only those that look like a chain; in a function that is
	 * about to make its frame, or has taken it down, that leads past its caller or nowhere.
	 */
	VERDICT_NO_CFI,
	/*
	 * The sampler says that it has no rule for the code: the CFA there is an expression of more
	 * than a register, a read and two offsets (assembly of OpenSSL counts it from two
	 * registers).
	 */
	VERDICT_NO_RULE,
	/*
	 * The CFA of libdwfl's last frame counts from rbx (_dl_runtime_resolve), and the CFI of the
	 * frame below does not mention rbx: kept, by the ABI; lost, for elfutils 0.188.
	 */
	VERDICT_NO_RBX,
	/* The sampler was at a root; what libdwfl says called it lies in no file. */
	VERDICT_ROOT,
	/*
	 * Both say the next address, and there is nothing mapped: the CFI is wrong there.  libgcc's
	 * _Unwind_RaiseException and _Unwind_Resume put the registers of the landing pad's frame
	 * over their own saved ones, the return address too, a few instructions before they go
	 * there.
	 */
	VERDICT_NOWHERE,
	/* Not compared: */
	VERDICT_GONE,  /* the process ended, or called exec, before its mappings were read */
	VERDICT_MOVED, /* it disagrees, and its mappings were not the same before and after it */
	/* A failure. */
	VERDICT_UNEXPLAINED,
	NR_VERDICTS
};

const char *verdict_name(enum verdict v); /* "same", ... */

/* `w` has walked the sample.  *ret_same: frames that agree from the leaf on. */
enum verdict verdict_find(const struct dwfl_walk *w, bool is_certain, size_t *ret_same);

#endif
