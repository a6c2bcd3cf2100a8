// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of what was found; a cause is counted when its frame is new. */
#include "symbol/frame_maker.h"

#include <inttypes.h>
#include <string.h>

#include "profile/foreign_name.h"
#include "symbol/demangle.h"
#include "symbol/demangle_queue.h"
#include "util/name_cut.h"

#define MAX_OFFSET_BYTES 20 /* "+0x0123456789abcdef]" */

const char *symbol_miss_name(enum symbol_miss miss)
{
	static const char *const names[NR_SYMBOL_MISSES] = {
		[SYMBOL_MISS_NO_PROCESS] = "no-process",   [SYMBOL_MISS_NO_MAPPING] = "no-mapping",
		[SYMBOL_MISS_ANONYMOUS] = "anonymous",	   [SYMBOL_MISS_NO_FILE] = "no-file",
		[SYMBOL_MISS_STALLED] = "stalled",	   [SYMBOL_MISS_UNPARSED] = "unparsed",
		[SYMBOL_MISS_BAD_ELF] = "bad-elf",	   [SYMBOL_MISS_NO_SYMBOL] = "no-symbol",
		[SYMBOL_MISS_NO_KALLSYMS] = "no-kallsyms",
	};

	return miss < NR_SYMBOL_MISSES ? names[miss] : "unknown";
}

static void intern_modules(struct frame_maker *m)
{
	m->kernel_module = frame_table_intern0(m->frames, "[kernel]");
	m->jit_module = frame_table_intern0(m->frames, "[jit]");
}

void frame_maker_init(struct frame_maker *m, struct frame_table *frames, bool no_demangle)
{
	*m = (struct frame_maker){ .frames = frame_table_ref(frames),
				   .no_demangle = no_demangle,
				   .text = STRBUF_INIT,
				   .raw = STRBUF_INIT };
	intern_modules(m);
}

void frame_maker_deinit(struct frame_maker *m)
{
	demangle_queue_free(m->mangled);
	frame_table_unref(m->frames);
	strbuf_deinit(&m->text);
	strbuf_deinit(&m->raw);
}

void frame_maker_use_pool(struct frame_maker *m, struct worker_pool *pool)
{
	if (pool && !m->no_demangle && !m->mangled)
		m->mangled = demangle_queue_new(pool);
}

void frame_maker_use_frames(struct frame_maker *m, struct frame_table *frames)
{
	frame_maker_settle(m);
	frame_table_unref(m->frames);
	m->frames = frame_table_ref(frames);
	intern_modules(m);
}

/* Is it an address of this run, which is another one each time?  Else it is one of a file. */
static bool is_raw(str_id module, enum frame_origin origin, enum symbol_miss miss)
{
	return !module || origin == FRAME_KERNEL || miss == SYMBOL_MISS_ANONYMOUS;
}

frame_id frame_maker_unnamed(struct frame_maker *m, str_id module, uint64_t offset,
			     enum frame_origin origin, enum symbol_miss miss)
{
	size_t before = frame_table_nr(m->frames), len;
	const char *name = frame_table_str(m->frames, module, &len);
	struct frame f = { .module = module,
			   .start = offset,
			   .origin = origin,
			   .unnamed = true,
			   .is_raw = is_raw(module, origin, miss) };
	frame_id id;

	if (len > 2 && name[0] == '[' && name[len - 1] == ']')
		name++, len -= 2;
	strbuf_reset(&m->text);
	strbuf_addch(&m->text, '[');
	if (len)
		strbuf_add(&m->text, name, len);
	else
		strbuf_addstr(&m->text, "unknown");
	name_cut(&m->text, NAME_MAX_BYTES - MAX_OFFSET_BYTES);
	if (!f.is_raw)
		strbuf_addf(&m->text, "+0x%" PRIx64, offset);
	strbuf_addch(&m->text, ']');
	foreign_name_guard_end(&m->text, 0);
	f.name = frame_table_intern(m->frames, m->text.bytes, m->text.len);
	id = frame_table_add(m->frames, &f);
	m->misses[miss] += frame_table_nr(m->frames) > before;
	return id;
}

/* A name that a program chose, as it is to be shown; it may be cut in place. */
static str_id shown_name(struct frame_maker *m, struct strbuf *name)
{
	m->limits.nr[LIMIT_NAMES] += name_cut(name, NAME_MAX_BYTES);
	return foreign_name_intern(m->frames, name->bytes, name->len);
}

static void name_settled(void *ctx, frame_id frame, const char *name, size_t len)
{
	struct frame_maker *m = ctx;

	if (!name) /* it is called what it is known by */
		return;
	strbuf_reset(&m->text);
	strbuf_add(&m->text, name, len);
	frame_table_show(m->frames, frame, shown_name(m, &m->text));
}

void frame_maker_settle(struct frame_maker *m)
{
	if (m->mangled)
		demangle_queue_run(m->mangled, name_settled, m);
}

/* The frame has its mangled name for now; one that is there already is in the queue or was. */
static frame_id mangled_frame(struct frame_maker *m, struct frame *f, struct strbuf *raw,
			      owner_id owner)
{
	const size_t before = frame_table_nr(m->frames);
	frame_id id;

	strbuf_reset(&m->raw);
	strbuf_add(&m->raw, raw->bytes, raw->len);
	f->name = shown_name(m, raw);
	id = frame_table_add(m->frames, f);
	if (frame_table_nr(m->frames) > before &&
	    demangle_queue_add(m->mangled, owner, m->raw.bytes, id))
		frame_maker_settle(m);
	return id;
}

frame_id frame_maker_named(struct frame_maker *m, struct frame *f, struct strbuf *raw,
			   owner_id owner)
{
	if (m->mangled && demangle_is_mangled(raw->bytes) && strlen(raw->bytes) == raw->len)
		return mangled_frame(m, f, raw, owner);
	strbuf_reset(&m->text);
	if (!m->no_demangle && !m->mangled && demangle(raw->bytes, &m->text))
		f->name = shown_name(m, &m->text);
	else
		f->name = shown_name(m, raw);
	return frame_table_add(m->frames, f);
}

void frame_maker_add_limits(const struct frame_maker *m, struct limit_counts *to)
{
	limit_counts_add(to, &m->limits);
	if (m->mangled)
		demangle_queue_add_limits(m->mangled, to);
}

frame_id frame_maker_kernel(struct frame_maker *m, const struct kernel_symbol *k)
{
	struct frame f = { .module = m->kernel_module, .origin = FRAME_KERNEL };

	f.name = frame_table_intern0(m->frames, k->name);
	if (*k->module)
		f.module = frame_table_intern0(m->frames, k->module);
	f.start = k->start - k->base;
	f.role = k->role;
	return frame_table_add(m->frames, &f);
}
