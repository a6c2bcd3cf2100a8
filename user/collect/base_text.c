// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of others are made safe here; only eddy's own words are marks. */
#include "collect/base_text.h"

#include <stdio.h>
#include <string.h>

#include "profile/cgroup_parts.h"
#include "profile/foreign_name.h"

#define MAX_DIGITS 11 /* with the NUL */

static void add_comm(struct strbuf *text, const char *comm)
{
	foreign_name_add(text, comm, strnlen(comm, EDDY_COMM_BYTES));
}

static struct bytes decimal(uint32_t number, char digits[MAX_DIGITS])
{
	return (struct bytes){ digits, snprintf(digits, MAX_DIGITS, "%u", number) };
}

static void add_task(struct strbuf *text, enum base_frame kind, const struct eddy_stack_event *ev)
{
	struct base_frame_task t = { .comm = { ev->comm, strnlen(ev->comm, EDDY_COMM_BYTES) } };
	char pid[MAX_DIGITS], tid[MAX_DIGITS];

	if (!(ev->flags & EDDY_SAMPLE_HIDDEN)) {
		t.pid = decimal(ev->pid, pid);
		t.tid = decimal(ev->tid, tid);
	}
	base_frame_add_task(text, kind, &t);
}

/* The cgroup's path, or what that says. */
static void add_cgroup(struct strbuf *text, enum base_frame kind, const char *path)
{
	const char *part = path;
	size_t len = strlen(path);

	if (kind == BASE_FRAME_UNIT)
		part = cgroup_unit(path, len, &len);
	else if (kind == BASE_FRAME_CONTAINER)
		part = cgroup_container(path, len, &len);
	if (kind == BASE_FRAME_CGROUP || (*path == '[' && !part)) {
		strbuf_addstr(text, path); /* a mark where it is not known */
		foreign_name_guard_end(text, 0);
	} else if (part) {
		foreign_name_add(text, part, len);
	} else {
		strbuf_addstr(text, kind == BASE_FRAME_UNIT ? BASE_FRAME_NO_UNIT
							    : BASE_FRAME_NO_CONTAINER);
	}
}

void base_text_add(struct strbuf *text, enum base_frame kind, const struct eddy_stack_event *ev,
		   const struct base_text_source *from)
{
	switch (kind) {
	case BASE_FRAME_NONE:
	case NR_BASE_FRAMES:
		return;
	case BASE_FRAME_COMM:
		add_comm(text, ev->comm);
		break;
	case BASE_FRAME_PROCESS:
	case BASE_FRAME_THREAD:
		add_task(text, kind, ev);
		break;
	case BASE_FRAME_CPU:
		strbuf_addf(text, "cpu-%u", ev->cpu);
		break;
	case BASE_FRAME_CGROUP:
	case BASE_FRAME_UNIT:
	case BASE_FRAME_CONTAINER:
		add_cgroup(text, kind, cgroups_path(from->cgroups, ev->cgroup));
		break;
	case BASE_FRAME_PROGRAM:
		add_comm(text, ev->program);
		break;
	case BASE_FRAME_HOST:
		foreign_name_add(text, from->host, strlen(from->host));
		break;
	}
	if (!text->len) /* prctl(PR_SET_NAME, "") */
		strbuf_addstr(text, BASE_FRAME_NO_NAME);
}
