/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose code a frame is: the kernel, one of its modules, a BPF program, a program, a library.  Live
 * data, perf script text and pprof say it with the frame.  Folded text says it by the frame's
 * suffix, in names of the form [module+0x...], and by the `.json` beside it ("modules").
 */
#ifndef EDDY_ANALYSIS_FRAME_MODULE_H
#define EDDY_ANALYSIS_FRAME_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/frame.h"

enum module_kind {
	MODULE_KERNEL,
	MODULE_OF_KERNEL, /* nf_nat */
	MODULE_BPF,	  /* a BPF program or a trampoline: each by its function's name */
	MODULE_PROGRAM,
	MODULE_LIBRARY, /* by its name: *.so, *.so.*, [vdso] */
	MODULE_JIT,	/* compiled at run time */
	MODULE_MEMORY,	/* code in no file: [anon], [heap] */
	MODULE_UNKNOWN, /* nothing says whose it is, or several have a function of that name */
	MODULE_LOST,	/* [lost:...]: the stack is not known */
	MODULE_NONE,	/* no code: stacks of marks alone */
	NR_MODULE_KINDS
};

/* "kernel", "module", ... as the view `modules` prints it. */
const char *module_kind_name(enum module_kind kind);

struct frame_module {
	enum module_kind kind;
	const char *name; /* len bytes of the frame table or of the program */
	size_t len;
};

#define MODULES_KNOWN_SEVERAL ((str_id)UINT32_MAX) /* functions of one name in several modules */
#define MODULE_SEVERAL	      "[several]" /* what these are shown as, of the kind unknown */

/* What a file's `.json` says: the module of frames without one. */
struct modules_known {
	str_id *of; /* by frame; 0: nothing */
	size_t nr;
};

/*
 * False: the frame says nothing of its own, it is code of whoever called it (a base frame, a mark,
 * an inlined function).  known may be NULL.
 */
bool frame_module_find(const struct frame_table *frames, frame_id id,
		       const struct modules_known *known, struct frame_module *ret_module);

#endif
