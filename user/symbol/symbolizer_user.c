// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses of processes.  Frames of those that could not be placed carry RETRY in the cache: they
 * are looked up again once the process may be read again.
 */
#include <errno.h>
#include <string.h>

#include "symbol/symbolizer_table.h"

#define SPACE_LAST (UINT32_MAX - 1024)
#define RETRY	   (1u << 31)

/* After 4 thousand million spaces: all caches empty, numbers from the start. */
static void renumber(struct symbolizer *s)
{
	frame_cache_clear(s->cache);
	s->next_space = SYMBOLIZER_SPACE_FIRST;
	file_table_renumber(s->files);
	if (s->sites)
		call_sites_forget(s->sites);
	process_table_renumber(s->processes);
	kernel_names_renumber(s->kernel);
}

static struct process *get_process(struct symbolizer *s, pid_t pid, uint64_t ran_ns)
{
	struct process *p = process_table_find(s->processes, pid);

	if (p)
		return p;
	if (s->next_space > SPACE_LAST)
		renumber(s);
	file_table_age(s->files, symbolizer_now_ms(s));
	return process_table_add(s->processes, pid, ran_ns, s->now_ms);
}

void symbolizer_process_seen(struct symbolizer *s, pid_t pid)
{
	get_process(s, pid, 0);
}

void symbolizer_process_gone(struct symbolizer *s, pid_t pid)
{
	process_table_remove(s->processes, pid);
}

static bool is_same_program(const struct process *p, const struct symbolizer_program *program)
{
	return p->exec_id == program->exec_id &&
	       (!p->started || !program->started || p->started == program->started);
}

bool symbolizer_program_runs(struct symbolizer *s, const struct symbolizer_program *program)
{
	struct process *p = process_table_find(s->processes, program->pid);

	if (!p || !is_same_program(p, program)) {
		if (process_is_past(s->processes, program->pid, program->ran_ns))
			return false;
		process_table_remove(s->processes, program->pid);
		p = get_process(s, program->pid, program->ran_ns);
	}
	p->exec_id = program->exec_id;
	p->ran_ns = program->ran_ns;
	if (program->started)
		p->started = program->started;
	return true;
}

void symbolizer_use_begun(struct symbolizer *s, uint64_t (*begun)(void *ctx, pid_t pid), void *ctx)
{
	process_table_use_begun(s->processes, begun, ctx);
}

frame_id symbolizer_unknown(struct symbolizer *s, uint64_t addr)
{
	return frame_maker_unnamed(&s->maker, 0, addr, FRAME_USER, SYMBOL_MISS_NO_PROCESS);
}

/*
 * Code written by the program itself.  Compilers move and repeat their functions, so such a frame
 * is known by its name alone: start 0.  *ret_is_passing: other code came to the address later.
 */
static frame_id jit_frame(struct symbolizer *s, struct process *p, uint64_t addr,
			  bool *ret_is_passing)
{
	struct frame frame = { .module = s->maker.jit_module, .origin = FRAME_JIT };

	for (int i = 0; i < NR_JIT_FILES; i++) {
		int r = -ENOENT;

		strbuf_reset(&s->name);
		if (p->jit[i])
			r = perf_map_name(p->jit[i], addr, p->ran_ns, &s->name);
		if (r < 0)
			continue;
		*ret_is_passing = r > 0;
		return frame_maker_named(&s->maker, &frame, &s->name,
					 owner_of_uid(perf_map_uid(p->jit[i])));
	}
	return FRAME_NONE;
}

/* Neither memory without a file nor a file that is not ELF has symbols of its own. */
static bool is_jit(struct symbolizer *s, const struct mapping *m, uint64_t now)
{
	return !m->file || (!mapped_file_symbols(s->files, m->file, now) &&
			    m->file->miss == SYMBOL_MISS_BAD_ELF);
}

/*
 * One attempt with what is known; FRAME_NONE: reading the process again might help.
 * *ret_is_passing: it is so at the time of this sample only.
 */
static frame_id place(struct symbolizer *s, struct process *p, uint64_t addr, uint64_t now,
		      bool *ret_is_passing)
{
	struct mapping *m = address_space_find(&p->as, addr);

	if (!m)
		return FRAME_NONE;
	process_open_file(s->processes, p, m, now);
	if (!is_jit(s, m, now))
		return symbolizer_offset_frame(s, m->file, addr - m->start + m->offset, now);
	process_read_jit(s->processes, p, now);
	return jit_frame(s, p, addr, ret_is_passing);
}

/* Is it memory that programs share, or write to and execute, by way of a file without a name? */
static bool is_memory(const struct mapped_file *f)
{
	static const char deleted[] = " (deleted)";
	const size_t len = sizeof(deleted) - 1;

	return f->miss == SYMBOL_MISS_BAD_ELF && f->path_len > len &&
	       !memcmp(f->path + f->path_len - len, deleted, len);
}

/* Only the name that memfd_create(2) was given says what it is for; others are made up. */
static str_id memory_module(struct symbolizer *s, const struct mapped_file *f)
{
	static const char memfd[] = "/memfd:";

	return f->path_len > sizeof(memfd) && !memcmp(f->path, memfd, sizeof(memfd) - 1)
		       ? f->module
		       : frame_table_intern0(s->maker.frames, "[anon]");
}

static frame_id unplaced_frame(struct symbolizer *s, struct process *p, uint64_t addr)
{
	const struct mapping *m = address_space_find(&p->as, addr);

	if (!m)
		return frame_maker_unnamed(&s->maker, 0, addr, FRAME_USER,
					   p->known ? SYMBOL_MISS_NO_MAPPING
						    : SYMBOL_MISS_NO_PROCESS);
	if (m->file && is_memory(m->file))
		return frame_maker_unnamed(&s->maker, memory_module(s, m->file), addr, FRAME_USER,
					   SYMBOL_MISS_ANONYMOUS);
	if (m->file)
		return frame_maker_unnamed(&s->maker, m->file->module, addr - m->start + m->offset,
					   FRAME_USER, m->file->miss);
	return frame_maker_unnamed(&s->maker, m->name, addr, FRAME_USER, SYMBOL_MISS_ANONYMOUS);
}

frame_id symbolizer_user(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	struct process *p = get_process(s, pid, 0);
	bool is_passing = false;
	uint32_t hit;
	uint64_t now;
	frame_id id;

	p->used_ms = s->now_ms;
	if (p->wants_jit)
		process_follow_jit(s->processes, p, s->now_ms);
	hit = frame_cache_get(s->cache, p->space, addr);
	if (hit && !(hit & RETRY))
		return hit;
	now = symbolizer_now_ms(s);
	if (hit && now < p->refresh_ms)
		return hit & ~RETRY;
	id = place(s, p, addr, now, &is_passing);
	if (!id && now >= p->refresh_ms) {
		process_refresh(s->processes, p, now);
		id = place(s, p, addr, now, &is_passing);
	}
	if (id && !is_passing)
		frame_cache_put(s->cache, p->space, addr, id);
	if (id)
		return id;
	id = unplaced_frame(s, p, addr);
	frame_cache_put(s->cache, p->space, addr, id | RETRY);
	return id;
}
