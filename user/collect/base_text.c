// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of others are made safe here; only eddy's own words are marks. */
#include "collect/base_text.h"

#include <string.h>

#include "profile/cgroup_parts.h"
#include "profile/foreign_name.h"

static void add_comm(struct strbuf *text, const char *comm)
{
	foreign_name_add(text, comm, strnlen(comm, EDDY_COMM_BYTES));
}

/* "comm-PID", "comm-PID/TID" */
static void add_task(struct strbuf *text, const struct eddy_stack_event *ev, bool has_tid)
{
	add_comm(text, ev->comm);
	if (ev->flags & EDDY_SAMPLE_HIDDEN)
		strbuf_addstr(text, has_tid ? "-?/?" : "-?");
	else if (has_tid)
		strbuf_addf(text, "-%u/%u", ev->pid, ev->tid);
	else
		strbuf_addf(text, "-%u", ev->pid);
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
		add_task(text, ev, kind == BASE_FRAME_THREAD);
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
