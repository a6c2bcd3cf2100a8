// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel gives numbers to programs in rising order, so what is new is behind the last. */
#include "capture/other_programs.h"

#include <bpf/bpf.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MAX_LOOKED 16384 /* in one call */

/* NULL: a program of this kind holds nobody off. */
static const char *kind_name(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
		return "kprobe";
	case BPF_PROG_TYPE_TRACEPOINT:
		return "tracepoint";
	case BPF_PROG_TYPE_PERF_EVENT:
		return "perf_event";
	}
	return NULL;
}

static int info_read(uint32_t id, struct bpf_prog_info *ret_info)
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	uint32_t bytes = sizeof(*ret_info);

	if (fd < 0)
		return fd;
	*ret_info = (struct bpf_prog_info){ 0 };
	return bpf_obj_get_info_by_fd(fd, ret_info, &bytes);
}

static void look_at(struct other_programs *o, uint32_t id, bool is_new)
{
	struct other_program *p;
	struct bpf_prog_info info;

	if (id == o->own_id || info_read(id, &info) < 0 || !kind_name(info.type))
		return;
	if (o->nr == ARRAY_SIZE(o->items)) {
		o->nr_more++;
		return;
	}
	p = &o->items[o->nr++];
	*p = (struct other_program){
		.id = id,
		.kind = kind_name(info.type),
		.run_ns_so_far = is_new ? 0 : info.run_time_ns,
	};
	memcpy(p->name, info.name, sizeof(p->name) - 1);
}

static void look(struct other_programs *o, bool is_new)
{
	for (int i = 0; i < MAX_LOOKED; i++) {
		uint32_t id;

		if (bpf_prog_get_next_id(o->last_id, &id) < 0)
			return;
		o->is_known = true;
		look_at(o, id, is_new);
		o->last_id = id;
	}
}

void other_programs_begin(struct other_programs *o, uint32_t own_id)
{
	*o = (struct other_programs){ .own_id = own_id };
	look(o, false);
}

void other_programs_look(struct other_programs *o)
{
	if (!o->is_known)
		return;
	look(o, true);
	for (size_t i = 0; i < o->nr; i++) {
		struct other_program *p = &o->items[i];
		struct bpf_prog_info info;

		p->is_gone_now = p->is_gone_now || info_read(p->id, &info) < 0;
		if (p->is_gone_now)
			continue;
		p->run_ns_now += info.run_time_ns - p->run_ns_so_far;
		p->run_ns_so_far = info.run_time_ns;
	}
}

void other_programs_update(struct other_programs *o)
{
	size_t nr = 0;

	other_programs_look(o);
	for (size_t i = 0; i < o->nr; i++) {
		struct other_program p = o->items[i];

		if (p.is_gone)
			continue; /* since the window before */
		p.is_gone = p.is_gone_now;
		p.run_ns = p.run_ns_now;
		p.run_ns_now = 0;
		o->items[nr++] = p;
	}
	o->nr = nr;
}
