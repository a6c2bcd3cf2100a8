// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sampler finds mappings in the kernel's tree; here they come from /proc/PID/maps
 * (late_views.h), which is read meanwhile.  What waits is bounded: beyond MAX_WAITING bytes,
 * mappings included, the oldest samples are handed over as they are.
 */
#include "capture/late_samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/host.h"
#include "capture/late_views.h"
#include "unwind/late_unwind.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_WAITING_BYTES (32u << 20)
#define MAX_WAIT_NS	  3000000000ull

struct waiting {
	struct waiting *next;
	struct late_view *view; /* NULL: it is to be asked for */
	uint64_t moment;	/* of the loader, when it came */
	size_t bytes;
	struct eddy_late_event ev; /* its stack is cut to what was sent */
};

struct late_samples {
	struct late_samples_opts opts;
	struct waiting *head, **tail;
	size_t nr, bytes;
	struct late_views *views;
	struct late_frame *frames;
	struct eddy_stack_event *out;
};

int late_samples_new(const struct late_samples_opts *opts, struct late_samples **ret_samples)
{
	struct late_samples *l = xcalloc(1, sizeof(*l));
	int r = late_views_new(opts->pool, opts->begun_ns, &l->views);

	if (r < 0) {
		free(l);
		return r;
	}
	l->opts = *opts;
	l->tail = &l->head;
	l->frames = xcalloc(opts->max_user_frames, sizeof(*l->frames));
	l->out = xcalloc(1, sizeof(*l->out) + (EDDY_MAX_KERNEL_FRAMES + opts->max_user_frames) *
						      sizeof(l->out->frames[0]));
	*ret_samples = l;
	return 0;
}

static void waiting_free(struct late_samples *l, struct waiting *w)
{
	l->nr--;
	l->bytes -= w->bytes;
	late_view_unref(l->views, w->view);
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
	late_views_free(l->views);
	free(l->frames);
	free(l->out);
	free(l);
}

size_t late_samples_nr(const struct late_samples *l)
{
	return l->nr;
}

size_t late_samples_bytes(const struct late_samples *l)
{
	return l->bytes + late_views_bytes(l->views);
}

bool late_samples_are_busy(const struct late_samples *l)
{
	return l->nr && late_views_nr_reading(l->views);
}

/* ---- walking ------------------------------------------------------------------------------ */

struct walk {
	struct late_samples *l;
	struct late_view *view;
	uint64_t moment;
	const struct process_mapping *m; /* that is looked for in find_place() */
};

static bool stat_mapping(void *ctx, dev_t *ret_dev, ino_t *ret_ino)
{
	const struct walk *walk = ctx;

	return late_view_stat(walk->l->views, walk->view, walk->m, ret_dev, ret_ino);
}

static void find_place(void *ctx, uint64_t pc, struct late_place *ret_place)
{
	struct walk *walk = ctx;
	const struct process_maps *maps = &walk->view->maps;
	const struct process_mapping *m = process_maps_find(maps, pc);
	struct late_mapping at;

	if (!m) {
		if (maps->is_cut && pc >= maps->items[maps->nr - 1].end)
			ret_place->kind = LATE_PLACE_PENDING;
		return;
	}
	if (m->is_anonymous) {
		ret_place->kind = LATE_PLACE_ANONYMOUS;
		return;
	}
	walk->m = m;
	at = (struct late_mapping){
		.key = m->key,
		.moment = walk->moment,
		.stat = stat_mapping,
		.ctx = walk,
	};
	unwind_loader_find(walk->l->opts.loader, &at, pc - m->start + m->offset, ret_place);
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
	out->flags &= ~(EDDY_SAMPLE_FP_STEPS | EDDY_SAMPLE_CODE_STEPS);
	if (stack->nr_fp_steps)
		out->flags |= EDDY_SAMPLE_FP_STEPS;
	if (stack->nr_code_steps)
		out->flags |= EDDY_SAMPLE_CODE_STEPS;
	out->nr_user = stack->nr_frames;
	for (size_t i = 0; i < stack->nr_frames; i++)
		out->frames[out->nr_kernel + i] = frame_value(&l->frames[i]);
}

/* Walks the stack; false when a table is still missing. */
static bool try_walk(struct late_samples *l, const struct waiting *w)
{
	const struct eddy_late_event *ev = &w->ev;
	struct walk walk = { .l = l, .view = w->view, .moment = w->moment };
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

static void view_ask(struct late_samples *l, struct waiting *w, bool now)
{
	const struct eddy_stack_event *ev = &w->ev.ev;

	if (!w->view)
		w->view = late_views_get(l->views, ev->pid, ev->uid, ev->time_ns, now);
}

/* Nobody will know what was mapped: the process has ended, or exec has put other files there. */
static bool is_hopeless(const struct waiting *w)
{
	const struct late_view *v = w->view;

	return v && (v->state == LATE_VIEW_GONE ||
		     (v->state == LATE_VIEW_READ && v->begun_ns > w->ev.ev.time_ns));
}

/* Hands over what can be walked, or cannot be helped; false: it goes on waiting. */
static bool try_hand_over(struct late_samples *l, struct waiting *w, bool last)
{
	bool hopeless = is_hopeless(w);
	bool walked = w->view && w->view->state == LATE_VIEW_READ && !hopeless && try_walk(l, w);

	if (!walked && !hopeless && !last)
		return false;
	hand_over(l, w, walked);
	return true;
}

void late_samples_poll(struct late_samples *l, bool last)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct waiting *w, *later = NULL, **tail = &later;

	late_views_poll(l->views);
	while ((w = waiting_take(l))) {
		view_ask(l, w, false);
		if (try_hand_over(l, w, last || now > w->ev.ev.time_ns + MAX_WAIT_NS))
			continue;
		w->next = NULL;
		*tail = w;
		tail = &w->next;
	}
	l->head = later;
	l->tail = later ? tail : &l->head;
}

void late_samples_hurry(struct late_samples *l)
{
	for (struct waiting *w = l->head; w; w = w->next)
		view_ask(l, w, true);
}

/* ---- taking in ---------------------------------------------------------------------------- */

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
	while (late_samples_bytes(l) + bytes > MAX_WAITING_BYTES && (w = waiting_take(l)))
		try_hand_over(l, w, true);
	if (late_samples_bytes(l) + bytes > MAX_WAITING_BYTES)
		late_views_forget(l->views);
	w = xmalloc(offsetof(struct waiting, ev) + bytes);
	memcpy(&w->ev, ev, bytes);
	bounds_keep(&w->ev, bytes);
	w->next = NULL;
	w->bytes = bytes;
	w->view = NULL;
	w->moment = unwind_loader_moment(l->opts.loader);
	view_ask(l, w, false);
	*l->tail = w;
	l->tail = &w->next;
	l->nr++;
	l->bytes += bytes;
}
