/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a stack is, for perf.data: what a base frame's text says by --root. */
#ifndef EDDY_OUTPUT_PERF_TASK_H
#define EDDY_OUTPUT_PERF_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "profile/base_frame.h"

#define PERF_COMM_BYTES 16 /* with the NUL */

struct perf_task {
	uint32_t pid, tid; /* 0, 0: it says none */
	uint32_t cpu;
	char comm[PERF_COMM_BYTES];
};

void perf_task_parse(const char *text, size_t len, enum base_frame root, struct perf_task *ret);

#endif
