// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of stack ends: one table, in the order of the enum. */
#include "unwind/unwind_end.h"

#include "util/mem.h"

static const char *const end_names[] = {
	[EDDY_END_NONE] = "none",	  [EDDY_END_ROOT] = "root",
	[EDDY_END_PENDING] = "pending",	  [EDDY_END_NOTABLE] = "no-table",
	[EDDY_END_NOINFO] = "no-info",	  [EDDY_END_JIT] = "jit",
	[EDDY_END_FPFAIL] = "fp-fail",	  [EDDY_END_NOMAP] = "no-map",
	[EDDY_END_FAULT] = "fault",	  [EDDY_END_UNSUP] = "unsupported",
	[EDDY_END_DEPTH] = "depth",	  [EDDY_END_BADSP] = "bad-sp",
	[EDDY_END_ZERORA] = "zero-ra",	  [EDDY_END_EXEC] = "exec",
	[EDDY_END_EXIT] = "exit",	  [EDDY_END_KTHREAD] = "kernel-thread",
	[EDDY_END_COMPAT32] = "compat32", [EDDY_END_VMARACE] = "vma-race",
	[EDDY_END_HIDDEN] = "hidden",	  [EDDY_END_WORKER] = "user-worker",
	[EDDY_END_UNSEEN] = "unseen",	  [EDDY_END_QUEUE] = "queue-full",
};

_Static_assert(ARRAY_SIZE(end_names) == EDDY_NR_ENDS, "every end has a name");

const char *unwind_end_name(enum eddy_unwind_end end)
{
	return (unsigned int)end < EDDY_NR_ENDS ? end_names[end] : "invalid";
}
