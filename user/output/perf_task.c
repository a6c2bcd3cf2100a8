// SPDX-License-Identifier: GPL-2.0-or-later
/* "comm", "comm-PID", "comm-PID/TID", "cpu-N"; a name too long for a comm keeps its beginning. */
#include "output/perf_task.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_PID 4194304 /* the kernel's own bound */

/* Takes "12" and the character before it off the end; false: that is not what is there. */
static bool take_number(const char *text, size_t *len, char before, uint32_t *ret_number)
{
	uint64_t number = 0;
	size_t at = *len;

	while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (at == *len || *len - at > 9 || at < 2 || text[at - 1] != before)
		return false;
	for (size_t i = at; i < *len; i++)
		number = number * 10 + (uint64_t)(text[i] - '0');
	if (number > MAX_PID)
		return false;
	*ret_number = (uint32_t)number;
	*len = at - 1;
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
	struct perf_task t = { 0 };
	bool has_tid = root == BASE_FRAME_THREAD && take_number(text, &len, '/', &t.tid);

	if (has_tid || root == BASE_FRAME_PROCESS)
		take_number(text, &len, '-', &t.pid);
	if (!has_tid)
		t.tid = t.pid;
	if (root == BASE_FRAME_CPU && take_number(text, &len, '-', &t.cpu))
		len += 1 + (size_t)snprintf(NULL, 0, "%u", t.cpu); /* its name stays */
	take_comm(&t, text, len);
	*ret = t;
}
