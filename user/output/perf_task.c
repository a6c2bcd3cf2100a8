// SPDX-License-Identifier: GPL-2.0-or-later
/* "comm", "comm-PID", "comm-PID/TID", "cpu-N"; a name too long for a comm keeps its beginning. */
#include "output/perf_task.h"

#include <stdbool.h>
#include <string.h>

#define MAX_PID 4194304 /* the kernel's own bound */

static bool take_number(struct bytes part, uint32_t *ret_number)
{
	uint64_t number;

	if (!base_frame_number(part, &number) || number > MAX_PID)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

static void take_comm(struct perf_task *t, const char *text, size_t len)
{
	if (len > PERF_COMM_BYTES - 1)
		len = PERF_COMM_BYTES - 1;
	while (len && ((unsigned char)text[len] & 0xc0) == 0x80) /* not within a character */
		len--;
	memcpy(t->comm, text, len);
}

void perf_task_parse(const char *text, size_t len, enum base_frame root, struct perf_task *ret)
{
	const struct base_frame_task task = base_frame_split(text, len);
	struct perf_task t = { 0 };
	bool has_tid = root == BASE_FRAME_THREAD && take_number(task.tid, &t.tid);

	if ((has_tid || (root == BASE_FRAME_PROCESS && !task.tid.len)) &&
	    take_number(task.pid, &t.pid))
		len = task.comm.len;
	else if (has_tid)
		len = task.pid.at + task.pid.len - text;
	if (!has_tid)
		t.tid = t.pid;
	if (root == BASE_FRAME_CPU && !task.tid.len)
		take_number(task.pid, &t.cpu); /* its name stays */
	take_comm(&t, text, len);
	*ret = t;
}
