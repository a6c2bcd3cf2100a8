// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records are made one by one.  A task is told of, and what it maps, when a stack of its is the
 * first to need that.
 */
#include "output/perf_data.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "output/perf_event.h"
#include "output/perf_record.h"
#include "output/perf_task.h"
#include "output/pprof_mappings.h"
#include "profile/frame_place.h"
#include "profile/frame_text.h"
#include "profile/kernel_place.h"
#include "profile/timeline.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"
#include "util/text_escape.h"

#define RECORD_BUILD_ID	  67
#define BUILD_ID_HAS_SIZE (1 << 15)
#define MAX_BUILD_ID	  20
#define HOST_KERNEL	  UINT32_MAX /* the PID that the kernel's mappings have */
#define FIRST_PID	  4194305    /* of those that are made up: no task has them */
#define FIRST_ADDRESS	  UINT64_C(0x100000000)
#define PAGE		  UINT64_C(4096)
#define BESIDE_BYTES	  (UINT64_C(1) << 24) /* of a module's function, or a BPF program */
#define NS_PER_MS	  UINT64_C(1000000)
#define MAX_CHAIN	  8000 /* a record has 64 KiB */
#define FIRST_TOLD	  192

/* "A task has been told to map that": task << 32 | mapping, plus 1. */
DEFINE_TABLE(told, uint64_t, uint64_t, void)

static bool told_is_used(const uint64_t *slot)
{
	return *slot;
}

static uint64_t told_hash(const void *nobody, const uint64_t *slot)
{
	return hash_u64(*slot);
}

static bool told_equals(const void *nobody, const uint64_t *slot, const uint64_t *key)
{
	return *slot == *key;
}

struct perf_data {
	FILE *to;
	const struct writer_opts *opts;
	const struct profile *p;
	struct frame_table *frames;
	struct pprof_mappings mappings;
	uint64_t *mapped_at;   /* by mapping: its start in tasks */
	uint64_t *unplaced_at; /* by frame that is in no file; 0: not met yet */
	uint64_t next;	       /* address that is not mapped yet */
	uint64_t next_kernel;  /* the same of those that perf takes for the kernel's */
	struct told told;
	uint32_t *pid_of; /* by base frame: 0: not met yet */
	uint32_t nr_pids;
	struct strbuf record, text;
	uint64_t *chain;
	size_t nr_chain, cap_chain;
};

static void perf_data_deinit(struct perf_data *w)
{
	pprof_mappings_deinit(&w->mappings);
	told_deinit(&w->told);
	free(w->mapped_at);
	free(w->unplaced_at);
	free(w->pid_of);
	free(w->chain);
	strbuf_deinit(&w->record);
	strbuf_deinit(&w->text);
}

/* ---- files and the kernel ------------------------------------------------------------------ */

static void put_build_id(struct perf_data *w, size_t i)
{
	const struct pprof_mapping *m = &w->mappings.mappings[i];
	char id[24] = { 0 };
	const char *bytes;
	size_t len;

	bytes = frame_table_str(w->frames, m->build_id, &len);
	if (!len || len > MAX_BUILD_ID)
		return;
	memcpy(id, bytes, len);
	id[MAX_BUILD_ID] = (char)len;
	perf_record_begin(&w->record, RECORD_BUILD_ID,
			  BUILD_ID_HAS_SIZE |
				  (m->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER));
	perf_record_add32(&w->record, HOST_KERNEL); /* of this machine, and of no guest */
	strbuf_add(&w->record, id, sizeof(id));
	pprof_mappings_name(&w->mappings, i, w->frames, &w->text);
	if (m->is_kernel)
		perf_record_add_text(&w->record, "[kernel.kallsyms]", strlen("[kernel.kallsyms]"));
	else
		perf_record_add_text(&w->record, w->text.bytes, w->text.len);
	perf_record_end(&w->record, w->to);
}

/* w->text: its name; text: where the symbol is that the kernel's ends in, by which perf moves. */
static void put_kernel_mapping(struct perf_data *w, uint64_t start, uint64_t bytes, uint64_t text)
{
	perf_record_begin(&w->record, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_record_add32(&w->record, HOST_KERNEL);
	perf_record_add32(&w->record, 0);
	perf_record_add64(&w->record, start);
	perf_record_add64(&w->record, bytes);
	perf_record_add64(&w->record, text);
	perf_record_add_text(&w->record, w->text.bytes, w->text.len);
	perf_record_end(&w->record, w->to);
}

/*
 * Is it in a file, or in the kernel itself?  What stands beside that perf would name by where it is
 * in memory.
 */
static bool is_placed(const struct perf_data *w, frame_id frame)
{
	const struct frame_place *place = frame_table_place(w->frames, frame);

	return place && (place->path || (place->base != KERNEL_PLACE_MODULE &&
					 place->base != KERNEL_PLACE_PASSING));
}

/* Files that instructions are in, one behind the other. */
static void find_mappings(struct perf_data *w)
{
	for (node_id n = 1; n < profile_nr_nodes(w->p); n++)
		if (is_placed(w, profile_frame(w->p, n)))
			pprof_mappings_use(&w->mappings, w->frames, profile_frame(w->p, n));
	w->mapped_at = xcalloc(w->mappings.nr, sizeof(*w->mapped_at));
	for (size_t i = 0; i < w->mappings.nr; i++) {
		const struct pprof_mapping *m = &w->mappings.mappings[i];

		put_build_id(w, i);
		w->mapped_at[i] = m->is_kernel ? m->start : w->next;
		if (!m->is_kernel) {
			w->next += m->limit - m->start + PAGE;
			continue;
		}
		pprof_mappings_name(&w->mappings, i, w->frames, &w->text);
		put_kernel_mapping(w, m->start, m->limit - m->start, m->base);
	}
}

/* ---- tasks -------------------------------------------------------------------------------- */

/* The task of a base frame, told of when it is new; FRAME_NONE: nobody knows whose. */
static void find_task(struct perf_data *w, frame_id base, struct perf_task *ret)
{
	const char *text = "?";
	size_t len = 1;

	if (base)
		text = frame_table_name(w->frames, base, &len);
	strbuf_reset(&w->text);
	text_escape(&w->text, text, len);
	perf_task_parse(w->text.bytes, w->text.len, base_frames_kind(&w->opts->root, 0), ret);
	if (!w->pid_of[base]) {
		w->pid_of[base] = ret->pid ? ret->pid : FIRST_PID + w->nr_pids++;
		perf_record_begin(&w->record, PERF_RECORD_COMM, 0);
		perf_record_add32(&w->record, w->pid_of[base]);
		perf_record_add32(&w->record, ret->tid ? ret->tid : w->pid_of[base]);
		strbuf_add(&w->record, ret->comm, sizeof(ret->comm));
		perf_record_end(&w->record, w->to);
	}
	ret->pid = w->pid_of[base];
	if (!ret->tid)
		ret->tid = ret->pid;
}

struct task_mapping {
	uint64_t key; /* a number that no other one has */
	uint64_t start, bytes, offset;
};

/* w->text: the file's name. */
static void tell_mapping(struct perf_data *w, uint32_t pid, const struct task_mapping *m)
{
	const uint64_t key = ((uint64_t)pid << 32 | m->key) + 1;
	bool is_new;
	uint64_t *slot = told_get(&w->told, NULL, hash_u64(key), &key, &is_new);

	if (!is_new)
		return;
	*slot = key;
	perf_record_begin(&w->record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	perf_record_add32(&w->record, pid);
	perf_record_add32(&w->record, pid);
	perf_record_add64(&w->record, m->start);
	perf_record_add64(&w->record, m->bytes);
	perf_record_add64(&w->record, m->offset);
	perf_record_add64(&w->record, 0); /* device, inode and its generation: not known */
	perf_record_add64(&w->record, 0);
	perf_record_add64(&w->record, 0);
	perf_record_add32(&w->record, 5); /* PROT_READ | PROT_EXEC */
	perf_record_add32(&w->record, 2); /* MAP_PRIVATE */
	perf_record_add_text(&w->record, w->text.bytes, w->text.len);
	perf_record_end(&w->record, w->to);
}

/* ---- stacks ------------------------------------------------------------------------------- */

static void push(struct perf_data *w, uint64_t address)
{
	array_reserve(w->chain, w->cap_chain, w->nr_chain + 1);
	w->chain[w->nr_chain++] = address;
}

static uint64_t placed_address(struct perf_data *w, uint32_t pid, frame_id frame)
{
	const struct pprof_place place = pprof_mappings_place(&w->mappings, w->frames, frame);
	const size_t i = place.mapping - 1;
	const struct pprof_mapping *m = &w->mappings.mappings[i];

	if (m->is_kernel)
		return place.address;
	pprof_mappings_name(&w->mappings, i, w->frames, &w->text);
	tell_mapping(w, pid,
		     &(struct task_mapping){ .key = 2 * i,
					     .start = w->mapped_at[i],
					     .bytes = m->limit - m->start,
					     .offset = m->start - m->base });
	return w->mapped_at[i] + (place.address - m->start);
}

/* Of what stands beside the kernel: memory of its own that is called like the function. */
static uint64_t beside_kernel(struct perf_data *w, frame_id frame)
{
	const struct frame_place *place = frame_table_place(w->frames, frame);
	const frame_id function = place ? place->function : frame;
	uint64_t offset = place ? place->address - place->base : 0;
	const uint64_t start = frame_table_get(w->frames, function)->start;

	if (start <= offset)
		offset -= start;

	if (!w->unplaced_at[function]) {
		w->unplaced_at[function] = w->next_kernel;
		w->next_kernel += BESIDE_BYTES + PAGE;
		strbuf_reset(&w->text);
		strbuf_addch(&w->text, '[');
		frame_text_add(&w->text, w->frames, function, true);
		if (w->text.bytes[1] == '[')
			memmove(w->text.bytes, w->text.bytes + 1, w->text.len--);
		else
			strbuf_addch(&w->text, ']');
		put_kernel_mapping(w, w->unplaced_at[function], BESIDE_BYTES, 0);
	}
	if (offset >= BESIDE_BYTES)
		offset = BESIDE_BYTES - 1;
	return w->unplaced_at[function] + offset;
}

/* What is in no file: a page of its own that is called like it. */
static uint64_t unplaced_address(struct perf_data *w, uint32_t pid, frame_id frame)
{
	if (!w->unplaced_at[frame]) {
		w->unplaced_at[frame] = w->next;
		w->next += PAGE;
	}
	strbuf_reset(&w->text);
	strbuf_addch(&w->text, '[');
	frame_text_add(&w->text, w->frames, frame, w->opts->no_annotate);
	if (w->text.bytes[1] == '[')
		memmove(w->text.bytes, w->text.bytes + 1, w->text.len--);
	else
		strbuf_addch(&w->text, ']');
	tell_mapping(w, pid,
		     &(struct task_mapping){ .key = 2 * (uint64_t)frame + 1,
					     .start = w->unplaced_at[frame],
					     .bytes = PAGE });
	return w->unplaced_at[frame];
}

static bool is_kernel_frame(const struct perf_data *w, frame_id frame)
{
	const struct frame_place *place = frame_table_place(w->frames, frame);
	const struct frame *f = frame_table_get(w->frames, frame);

	return place ? !place->path : f->origin == FRAME_KERNEL && f->unnamed;
}

static uint64_t address_of(struct perf_data *w, uint32_t pid, frame_id frame)
{
	if (is_placed(w, frame))
		return placed_address(w, pid, frame);
	return is_kernel_frame(w, frame) ? beside_kernel(w, frame)
					 : unplaced_address(w, pid, frame);
}

static bool is_base(const struct perf_data *w, node_id n)
{
	const struct frame *f = frame_table_get(w->frames, profile_frame(w->p, n));

	return profile_parent(w->p, n) == NODE_ROOT &&
	       (f->origin == FRAME_BASE || (w->opts->nr_bases && f->origin == FRAME_USER));
}

/* Marks are no code, and inlined functions have the address that they are in. */
static bool has_address(const struct perf_data *w, node_id n)
{
	const struct frame *f = frame_table_get(w->frames, profile_frame(w->p, n));

	if (is_base(w, n) || f->origin == FRAME_BASE)
		return false;
	return f->origin != FRAME_INLINED || !frame_table_has_places(w->frames);
}

/* Innermost first, the kernel's and the program's each under a mark; the mode of the innermost. */
static uint16_t find_chain(struct perf_data *w, uint32_t pid, node_id node)
{
	uint16_t mode = 0;

	w->nr_chain = 0;
	for (node_id n = node; n != NODE_ROOT && w->nr_chain < MAX_CHAIN;
	     n = profile_parent(w->p, n)) {
		const frame_id frame = profile_frame(w->p, n);
		const bool is_kernel = is_kernel_frame(w, frame);
		const uint16_t now = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

		if (!has_address(w, n))
			continue;
		if (!w->nr_chain || is_kernel != (w->chain[w->nr_chain - 1] >> 63 != 0))
			push(w, is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		mode = mode ? mode : now;
		push(w, address_of(w, pid, frame));
	}
	return mode;
}

static frame_id base_of(const struct perf_data *w, node_id node)
{
	while (node != NODE_ROOT && profile_parent(w->p, node) != NODE_ROOT)
		node = profile_parent(w->p, node);
	return node != NODE_ROOT && is_base(w, node) ? profile_frame(w->p, node) : FRAME_NONE;
}

/* As many as there are of the event: nanoseconds of a clock. */
static uint64_t period_of(const struct perf_data *w, uint64_t weight)
{
	const struct writer_facts *facts = &w->opts->facts;
	const uint64_t each = facts->period_ns ?: facts->period ?: 1;
	uint64_t all;

	if (__builtin_mul_overflow(profile_total(w->p), each, &all))
		return weight;
	return weight * each;
}

static void put_sample(struct perf_data *w, node_id node, uint64_t weight, uint64_t time_ns)
{
	struct perf_task task;
	uint16_t mode;

	find_task(w, base_of(w, node), &task);
	mode = find_chain(w, task.pid, node);
	perf_record_begin(&w->record, PERF_RECORD_SAMPLE, mode ? mode : PERF_RECORD_MISC_USER);
	perf_record_add64(&w->record, w->nr_chain ? w->chain[1] : 0);
	perf_record_add32(&w->record, task.pid);
	perf_record_add32(&w->record, task.tid);
	perf_record_add64(&w->record, time_ns);
	perf_record_add32(&w->record, task.cpu);
	perf_record_add32(&w->record, 0);
	perf_record_add64(&w->record, period_of(w, weight));
	perf_record_add64(&w->record, w->nr_chain);
	strbuf_add(&w->record, w->chain, w->nr_chain * sizeof(*w->chain));
	perf_record_end(&w->record, w->to);
}

/*
 * In the order of time, one for each stack of a slot, at the slot's beginning; `left`: what of each
 * node has no time.  A time of 0 is none to perf.
 */
static void put_timed(struct perf_data *w, uint64_t *left)
{
	_cleanup_timeline_ struct timeline *t = timeline_copy(w->opts->timeline);
	const uint64_t start_ns = t->start_ns ? t->start_ns : t->start_ms * NS_PER_MS;

	timeline_move(t, profile_followed(w->p));
	timeline_sort(t);
	for (size_t i = 0; i < t->nr; i++) {
		const struct timeline_cell *c = &t->cells[i];
		const uint64_t weight = c->weight < left[c->node] ? c->weight : left[c->node];

		if (!weight)
			continue;
		put_sample(w, c->node, weight, start_ns + c->slot * t->slot_ns + 1);
		left[c->node] -= weight;
	}
}

static void put_samples(struct perf_data *w)
{
	const size_t nr = profile_nr_nodes(w->p);
	_cleanup_free_ uint64_t *left = xcalloc(nr, sizeof(*left));

	for (node_id n = 0; n < nr; n++)
		left[n] = profile_self(w->p, n);
	if (w->opts->timeline)
		put_timed(w, left);
	for (node_id n = 0; n < nr; n++)
		if (left[n])
			put_sample(w, n, left[n], 0);
}

static int perf_data_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
			   struct diag *ret_diag)
{
	static const struct {
		char magic[8];
		uint64_t bytes;
	} header = { "PERFILE2", 16 };
	struct frame_table *frames = profile_frames(p);
	__attribute__((cleanup(perf_data_deinit))) struct perf_data w = {
		.to = to,
		.opts = opts,
		.p = p,
		.frames = frames,
		.unplaced_at = xcalloc(frame_table_nr(frames), sizeof(*w.unplaced_at)),
		.pid_of = xcalloc(frame_table_nr(frames), sizeof(*w.pid_of)),
		.next = FIRST_ADDRESS,
		.next_kernel = KERNEL_PLACE_MODULE,
		.record = STRBUF_INIT,
		.text = STRBUF_INIT,
	};

	told_init(&w.told, FIRST_TOLD);
	fwrite_unlocked(&header, 1, sizeof(header), to);
	perf_event_write(to, opts->facts.event, &w.record);
	find_mappings(&w);
	put_samples(&w);
	return 0;
}

const struct writer perf_data_writer = { "perf", ".perf .data", perf_data_write };
