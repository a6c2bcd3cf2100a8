// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames come innermost first, a profile wants them outermost first: they are turned round. */
#include "input/perf_stack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/perf_module.h"
#include "profile/foreign_name.h"
#include "util/mem.h"

void perf_stack_init(struct perf_stack *s, struct reading *r)
{
	*s = (struct perf_stack){ .r = r, .name = STRBUF_INIT };
}

void perf_stack_deinit(struct perf_stack *s)
{
	strbuf_deinit(&s->name);
	free(s->frames);
	free(s->path);
	free(s->nodes);
}

/* ---- the base frame ----------------------------------------------------------------------- */

/* "[003]" is CPU 3. */
static void add_cpu(struct strbuf *sb, struct bytes cpu)
{
	while (cpu.len > 1 && *cpu.at == '0') {
		cpu.at++;
		cpu.len--;
	}
	strbuf_addstr(sb, "cpu-");
	if (cpu.len)
		strbuf_add(sb, cpu.at, cpu.len);
	else
		strbuf_addch(sb, '?');
}

/* False: the sample does not say it. */
static bool add_base_text(struct strbuf *sb, enum base_frame kind, const struct perf_header *h)
{
	const struct base_frame_task task = { h->comm, h->pid, h->tid };

	if (kind == BASE_FRAME_CPU) {
		add_cpu(sb, h->cpu);
		return h->cpu.len;
	}
	base_frame_add_task(sb, kind, &task);
	if (kind == BASE_FRAME_PROCESS)
		return h->pid.len;
	if (kind == BASE_FRAME_THREAD)
		return h->tid.len;
	return kind == BASE_FRAME_COMM;
}

void perf_stack_set_base(struct perf_stack *s, const struct perf_header *h)
{
	const struct base_frames *root = &s->r->opts.root;
	bool is_known = true;

	size_t nr = base_frames_nr(root);

	s->nr_bases = 0;
	for (size_t i = 0; i < (nr ? nr : 1); i++) {
		strbuf_reset(&s->name);
		if (nr)
			is_known &= add_base_text(&s->name, base_frames_kind(root, i), h);
		else
			strbuf_addch(&s->name, '?');
		if (s->name.len)
			s->bases[s->nr_bases++] =
				frame_table_add_base(profile_frames(s->r->into), s->name.bytes);
	}
	s->nr_unknown += !is_known;
}

const char *perf_stack_need(const struct perf_stack *s)
{
	static const char *const needs[NR_BASE_FRAMES] = {
		[BASE_FRAME_PROCESS] = "pid",
		[BASE_FRAME_THREAD] = "tid",
		[BASE_FRAME_CPU] = "cpu",
	};
	const struct base_frames *root = &s->r->opts.root;

	for (size_t i = 0; i < base_frames_nr(root); i++)
		if (needs[base_frames_kind(root, i)])
			return needs[base_frames_kind(root, i)];
	return NULL;
}

void perf_stack_begin(struct perf_stack *s, const struct perf_header *h)
{
	perf_stack_drop_frames(s);
	perf_stack_set_base(s, h);
}

/* ---- frames ------------------------------------------------------------------------------- */

/* "[module+0xOFFSET]" or "[module]" in the way of symbol/: brackets are not doubled. */
static str_id unnamed(struct perf_stack *s, struct bytes module, const struct frame *f)
{
	if (module.len > 2 && module.at[0] == '[' && module.at[module.len - 1] == ']')
		module = (struct bytes){ module.at + 1, module.len - 2 };
	if (!module.len)
		module = (struct bytes){ "unknown", strlen("unknown") };
	strbuf_reset(&s->name);
	strbuf_addch(&s->name, '[');
	strbuf_add(&s->name, module.at, module.len);
	if (!f->is_raw)
		strbuf_addf(&s->name, "+0x%" PRIx64, f->start);
	strbuf_addch(&s->name, ']');
	foreign_name_guard_end(&s->name, 0);
	return frame_table_intern(profile_frames(s->r->into), s->name.bytes, s->name.len);
}

void perf_stack_push(struct perf_stack *s, const struct perf_frame *from)
{
	struct frame_table *t = profile_frames(s->r->into);
	struct frame f = { .origin = perf_frame_origin(from, s->has_user) };
	struct bytes module = perf_module_name(from, f.origin);

	s->has_user |= f.origin == FRAME_USER || f.origin == FRAME_JIT;
	f.module = frame_table_intern(t, module.at, module.len);
	if (from->symbol.len) {
		f.name = foreign_name_intern(t, from->symbol.at, from->symbol.len);
	} else {
		f.start = from->has_module_offset ? from->module_offset : from->addr;
		f.is_raw = perf_frame_is_raw(from, module, f.origin);
		f.name = unnamed(s, module, &f);
		f.unnamed = true;
	}
	array_reserve(s->frames, s->cap, s->nr + 1);
	s->frames[s->nr++] = frame_table_add(t, &f);
}

void perf_stack_push_ids(struct perf_stack *s, const frame_id *frames, size_t nr)
{
	array_reserve(s->frames, s->cap, s->nr + nr);
	memcpy(s->frames + s->nr, frames, nr * sizeof(*frames));
	s->nr += nr;
}

void perf_stack_drop_frames(struct perf_stack *s)
{
	s->nr = 0;
	s->has_user = false;
}

int perf_stack_add(struct perf_stack *s, uint64_t weight)
{
	size_t nr = 0, most = s->nr + s->nr_bases + 1;

	if (most > s->cap_path) {
		s->cap_path = array_capacity(s->cap_path, most);
		s->path = xreallocarray(s->path, s->cap_path, sizeof(*s->path));
		s->nodes = xreallocarray(s->nodes, s->cap_path, sizeof(*s->nodes));
	}
	for (size_t i = 0; i < s->nr_bases; i++)
		s->path[nr++] = s->bases[i];
	for (size_t i = s->nr; i-- > 0;)
		s->path[nr++] = s->frames[i];
	if (!nr) /* neither a comm nor a frame */
		s->path[nr++] = frame_table_add_base(profile_frames(s->r->into), "[unknown]");
	profile_path(s->r->into, NODE_ROOT, s->path, nr, s->nodes);
	return profile_add(s->r->into, s->nodes[nr - 1], weight);
}
