// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sampler finds mappings in the kernel's tree; here they come from /proc/PID/maps, read once
 * for all samples of a process that were taken before the reading.  What waits is bounded: beyond
 * MAX_WAITING bytes the oldest samples are handed over as they are.
 */
#include "capture/late_samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/host.h"
#include "capture/process_maps.h"
#include "unwind/late_unwind.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_WAITING_BYTES (32u << 20)
#define MAX_WAIT_NS	  3000000000ull

/* The mappings of a process at some time; shared by the samples taken before it. */
struct snapshot {
	unsigned int refs;
	uint32_t pid;
	uint64_t time_ns;
	struct process_maps maps;
};

struct waiting {
	struct waiting *next;
	struct snapshot *snapshot;
	size_t bytes;
	struct eddy_late_event ev; /* its stack is cut to what was sent */
};

struct late_samples {
	struct late_samples_opts opts;
	struct waiting *head, **tail;
	size_t nr, bytes;
	struct snapshot *latest; /* of the process met last; NULL */
	struct late_frame *frames;
	struct eddy_stack_event *out;
};

static void snapshot_unref(struct snapshot *s)
{
	if (!s || --s->refs)
		return;
	process_maps_deinit(&s->maps);
	free(s);
}

struct late_samples *late_samples_new(const struct late_samples_opts *opts)
{
	struct late_samples *l = xcalloc(1, sizeof(*l));

	l->opts = *opts;
	l->tail = &l->head;
	l->frames = xcalloc(opts->max_user_frames, sizeof(*l->frames));
	l->out = xcalloc(1, sizeof(*l->out) + (EDDY_MAX_KERNEL_FRAMES + opts->max_user_frames) *
						      sizeof(l->out->frames[0]));
	return l;
}

static void waiting_free(struct late_samples *l, struct waiting *w)
{
	l->nr--;
	l->bytes -= w->bytes;
	snapshot_unref(w->snapshot);
	free(w);
}

static struct waiting *waiting_take(struct late_samples *l)
{
	struct waiting *w = l->head;

	if (w) {
		l->head = w->next;
		if (!l->head)
			l->tail = &l->head;
	}
	return w;
}

void late_samples_free(struct late_samples *l)
{
	struct waiting *w;

	if (!l)
		return;
	while ((w = waiting_take(l)))
		waiting_free(l, w);
	snapshot_unref(l->latest);
	free(l->frames);
	free(l->out);
	free(l);
}

size_t late_samples_nr(const struct late_samples *l)
{
	return l->nr;
}

/* ---- walking ------------------------------------------------------------------------------ */

struct walk {
	struct late_samples *l;
	const struct snapshot *snapshot;
};

static void find_place(void *ctx, uint64_t pc, struct late_place *ret_place)
{
	const struct walk *walk = ctx;
	const struct process_mapping *m = process_maps_find(&walk->snapshot->maps, pc);

	if (!m)
		return;
	if (m->is_anonymous) {
		ret_place->kind = LATE_PLACE_ANONYMOUS;
		return;
	}
	unwind_loader_find(walk->l->opts.loader, &m->key, pc - m->start + m->offset, ret_place);
}

static uint64_t frame_value(const struct late_frame *f)
{
	if (!f->file || f->elf_addr > EDDY_FRAME_ADDR_MASK)
		return f->pc;
	return EDDY_FRAME_FILE | (uint64_t)f->file << EDDY_FRAME_FILE_SHIFT | f->elf_addr;
}

/* The event as the sampler would have sent it, with the user stack found now. */
static void fill_event(struct late_samples *l, const struct eddy_late_event *ev,
		       const struct late_stack *stack)
{
	struct eddy_stack_event *out = l->out;

	memcpy(out, &ev->ev, sizeof(*out) + ev->ev.nr_kernel * sizeof(out->frames[0]));
	out->user_end = stack->end;
	/* Beyond what a copy may hold there may well have been more: the table came too late. */
	if (stack->end == EDDY_END_FAULT &&
	    (ev->stack_bytes == EDDY_LATE_STACK_BYTES || ev->stack_bytes == EDDY_LATE_SHORT_BYTES))
		out->user_end = EDDY_END_PENDING;
	out->nr_fp = stack->nr_fp_steps;
	out->flags &= ~EDDY_SAMPLE_FP_STEPS;
	if (stack->nr_fp_steps)
		out->flags |= EDDY_SAMPLE_FP_STEPS;
	out->nr_user = stack->nr_frames;
	for (size_t i = 0; i < stack->nr_frames; i++)
		out->frames[out->nr_kernel + i] = frame_value(&l->frames[i]);
}

/* Walks the stack; false when a table is still missing. */
static bool try_walk(struct late_samples *l, const struct waiting *w)
{
	const struct eddy_late_event *ev = &w->ev;
	struct walk walk = { .l = l, .snapshot = w->snapshot };
	const struct late_places places = { .find = find_place, .ctx = &walk };
	struct late_stack stack = { .frames = l->frames, .max_frames = l->opts.max_user_frames };
	struct late_sample sample = {
		.arch = unwind_loader_arch(),
		.pc = ev->pc,
		.sp = ev->sp,
		.fp = ev->fp,
		.lr = ev->lr,
		.ra_mask = host_user_address_mask(),
		.stack_addr = ev->stack_addr,
		.stack = ev->stack,
		.stack_len = ev->stack_bytes,
		.no_fp = l->opts.no_fp,
	};

	memcpy(sample.gpr, ev->gpr, sizeof(sample.gpr));
	late_unwind(&sample, &places, &stack);
	/* Fewer frames than were walked in place: the copy is too short, or not of this program. */
	if (stack.end == EDDY_END_PENDING || stack.nr_frames < ev->ev.nr_user)
		return false;
	fill_event(l, ev, &stack);
	return true;
}

static void hand_over(struct late_samples *l, struct waiting *w, bool is_walked)
{
	l->opts.on_sample(l->opts.ctx, is_walked ? l->out : &w->ev.ev);
	waiting_free(l, w);
}

void late_samples_poll(struct late_samples *l, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct waiting *w, *later = NULL, **tail = &later;

	while ((w = waiting_take(l))) {
		bool walked = w->snapshot && try_walk(l, w);

		if (walked || !w->snapshot || last || now > w->ev.ev.time_ns + MAX_WAIT_NS) {
			hand_over(l, w, walked);
			continue;
		}
		w->next = NULL;
		*tail = w;
		tail = &w->next;
	}
	l->head = later;
	l->tail = later ? tail : &l->head;
}

/* ---- taking in ---------------------------------------------------------------------------- */

static struct snapshot *snapshot_get(struct late_samples *l, uint32_t pid, uint64_t time_ns)
{
	struct snapshot *s = l->latest;

	if (!s || s->pid != pid || s->time_ns < time_ns) {
		s = xcalloc(1, sizeof(*s));
		s->refs = 1;
		s->pid = pid;
		s->time_ns = clock_ns(CLOCK_MONOTONIC);
		if (process_maps_read(pid, &s->maps) < 0) {
			free(s);
			return NULL;
		}
		snapshot_unref(l->latest);
		l->latest = s;
	}
	s->refs++;
	return s;
}

/* The sampler keeps these bounds; what is copied by them does not rely on it. */
static void bounds_keep(struct eddy_late_event *ev, size_t bytes)
{
	size_t stack_bytes = bytes - offsetof(struct eddy_late_event, stack);

	if (ev->ev.nr_kernel > EDDY_MAX_KERNEL_FRAMES)
		ev->ev.nr_kernel = EDDY_MAX_KERNEL_FRAMES;
	if (ev->ev.nr_user > EDDY_LATE_FRAMES - ev->ev.nr_kernel)
		ev->ev.nr_user = EDDY_LATE_FRAMES - ev->ev.nr_kernel;
	if (ev->stack_bytes > stack_bytes)
		ev->stack_bytes = stack_bytes;
}

void late_samples_add(struct late_samples *l, const struct eddy_late_event *ev, size_t bytes)
{
	struct waiting *w;

	if (bytes < offsetof(struct eddy_late_event, stack))
		return;
	while (l->bytes + bytes > MAX_WAITING_BYTES && (w = waiting_take(l)))
		hand_over(l, w, w->snapshot && try_walk(l, w));
	w = xmalloc(offsetof(struct waiting, ev) + bytes);
	memcpy(&w->ev, ev, bytes);
	bounds_keep(&w->ev, bytes);
	w->next = NULL;
	w->bytes = bytes;
	w->snapshot = snapshot_get(l, ev->ev.pid, ev->ev.time_ns);
	*l->tail = w;
	l->tail = &w->next;
	l->nr++;
	l->bytes += bytes;
}
