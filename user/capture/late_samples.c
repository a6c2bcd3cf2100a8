// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sampler finds mappings in the kernel's tree; here they come from /proc/PID/maps, read once
 * for all samples of a process that were taken before the reading.  A process whose reading takes
 * long is not read again for longer: its samples wait for that too.  What waits is bounded: beyond
 * MAX_WAITING bytes, mappings included, the oldest samples are handed over as they are.
 */
#include "capture/late_samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/host.h"
#include "capture/process_maps.h"
#include "unwind/late_unwind.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_WAITING_BYTES (32u << 20)
#define MAX_WAIT_NS	  3000000000ull
#define NR_LATEST	  32 /* processes that have late samples by turns */
#define REST_TIMES	  19 /* so many times what reading took: 5 % of the time at most */
#define MAX_REST_NS	  500000000ull

/* The mappings of a process at some time; shared by the samples taken before it. */
struct mapped_view {
	unsigned int refs;
	uint32_t pid;
	uint64_t time_ns;
	uint64_t begun_ns;	/* its program is not older; 0: not known */
	uint64_t rest_until_ns; /* the process is not read again before */
	size_t bytes;
	struct process_maps maps;
};

struct waiting {
	struct waiting *next;
	struct mapped_view *mapped; /* NULL: its program is gone, or is_unread */
	bool is_unread;		    /* its process rests from being read */
	uint64_t moment;	    /* of the loader, when it came */
	size_t bytes;
	struct eddy_late_event ev; /* its stack is cut to what was sent */
};

struct late_samples {
	struct late_samples_opts opts;
	struct waiting *head, **tail;
	size_t nr, bytes;
	struct mapped_view *latest[NR_LATEST]; /* of the process met last, by PID; NULL */
	struct late_frame *frames;
	struct eddy_stack_event *out;
};

static void mapped_view_unref(struct late_samples *l, struct mapped_view *v)
{
	if (!v || --v->refs)
		return;
	l->bytes -= v->bytes;
	process_maps_deinit(&v->maps);
	free(v);
}

static void latest_forget(struct late_samples *l)
{
	for (size_t i = 0; i < NR_LATEST; i++)
		mapped_view_unref(l, take_ptr(l->latest[i]));
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
	mapped_view_unref(l, w->mapped);
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
	latest_forget(l);
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
	return l->bytes;
}

/* ---- mappings ----------------------------------------------------------------------------- */

static uint64_t begun_ns(const struct late_samples *l, uint32_t pid)
{
	const __u64 *all = l->opts.begun_ns;

	return all ? __atomic_load_n(&all[pid % EDDY_NR_BEGUN], __ATOMIC_ACQUIRE) : 0;
}

/* Reads the mappings of a process; NULL when it is gone. */
static struct mapped_view *mapped_view_new(struct late_samples *l, uint32_t pid)
{
	uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), rest_ns;
	struct mapped_view *v = xcalloc(1, sizeof(*v));

	v->refs = 1;
	v->pid = pid;
	v->time_ns = clock_ns(CLOCK_MONOTONIC);
	if (process_maps_read(l->opts.pool, pid, false, &v->maps) < 0) {
		free(v);
		return NULL;
	}
	v->begun_ns = begun_ns(l, pid);
	rest_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns + v->maps.cpu_ns;
	rest_ns *= REST_TIMES;
	v->rest_until_ns = v->time_ns + (rest_ns < MAX_REST_NS ? rest_ns : MAX_REST_NS);
	v->bytes = sizeof(*v) + process_maps_bytes(&v->maps);
	l->bytes += v->bytes;
	return v;
}

/* Looks at the process of a sample, if that was not done since and is not too early (force: now).
 */
static void mapped_view_use(struct late_samples *l, struct waiting *w, bool force)
{
	const struct eddy_stack_event *ev = &w->ev.ev;
	struct mapped_view **latest = &l->latest[ev->pid % NR_LATEST], *v = *latest;
	bool is_its_own = v && v->pid == ev->pid;

	w->is_unread = false;
	if (!is_its_own || v->time_ns < ev->time_ns) {
		w->is_unread = is_its_own && !force && clock_ns(CLOCK_MONOTONIC) < v->rest_until_ns;
		if (w->is_unread)
			return;
		v = mapped_view_new(l, ev->pid);
		if (!v)
			return;
		mapped_view_unref(l, *latest);
		*latest = v;
	}
	if (v->begun_ns > ev->time_ns)
		return; /* exec came first: other files are mapped at its addresses now */
	v->refs++;
	w->mapped = v;
}

/* ---- walking ------------------------------------------------------------------------------ */

struct walk {
	struct late_samples *l;
	const struct mapped_view *mapped;
	uint64_t moment;
};

static void find_place(void *ctx, uint64_t pc, struct late_place *ret_place)
{
	const struct walk *walk = ctx;
	const struct process_maps *maps = &walk->mapped->maps;
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
	at = (struct late_mapping){
		.key = m->key,
		.pid = walk->mapped->pid,
		.start = m->start,
		.end = m->end,
		.moment = walk->moment,
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
	struct walk walk = { .l = l, .mapped = w->mapped, .moment = w->moment };
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
		bool walked, is_gone;

		if (w->is_unread)
			mapped_view_use(l, w, last);
		is_gone = !w->mapped && !w->is_unread;
		walked = w->mapped && try_walk(l, w);
		if (walked || is_gone || last || now > w->ev.ev.time_ns + MAX_WAIT_NS) {
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
		hand_over(l, w, w->mapped && try_walk(l, w));
	if (l->bytes + bytes > MAX_WAITING_BYTES)
		latest_forget(l);
	w = xmalloc(offsetof(struct waiting, ev) + bytes);
	memcpy(&w->ev, ev, bytes);
	bounds_keep(&w->ev, bytes);
	w->next = NULL;
	w->bytes = bytes;
	w->mapped = NULL;
	w->moment = unwind_loader_moment(l->opts.loader);
	mapped_view_use(l, w, false);
	*l->tail = w;
	l->tail = &w->next;
	l->nr++;
	l->bytes += bytes;
}
