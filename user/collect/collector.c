// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks arrive once, counts arrive often: a tag is an index into the array of stacks, which holds
 * the node of the profile and what there is to count about a stack besides its weight.
 */
#include "collect/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cgroups.h"
#include "util/mem.h"

#define MIN_STACKS 1024

struct stack {
	node_id node;
	uint8_t flags;	  /* enum eddy_sample_flag */
	uint8_t user_end; /* enum eddy_unwind_end; EDDY_END_KTHREAD when there was nothing to walk
			   */
	uint8_t nr_kernel, nr_kernel_named;
	uint16_t nr_user, nr_user_named;
	uint64_t weight;
};

struct collector {
	struct collector_opts opts;
	struct symbolizer *symbolizer;
	struct frame_table *frames;
	struct profile *profile;
	struct cgroups *cgroups; /* NULL unless asked for */
	struct stack *stacks;
	size_t nr, cap;
	frame_id truncated;
};

struct collector *collector_new(struct symbolizer *s, struct frame_table *frames,
				const struct collector_opts *opts)
{
	struct collector *c = xcalloc(1, sizeof(*c));

	c->opts = *opts;
	c->symbolizer = s;
	c->frames = frame_table_ref(frames);
	c->profile = profile_new(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
	if (opts->root == COLLECT_ROOT_CGROUP)
		c->cgroups = cgroups_new(opts->cgroup_dir);
	return c;
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	profile_free(c->profile);
	frame_table_unref(c->frames);
	cgroups_free(c->cgroups);
	free(c->stacks);
	free(c);
}

bool collector_is_root_name(const char *name)
{
	static const char *const names[] = {
		"_start",
		"__libc_start_call_main",
		"__libc_start_main",
		"start_thread",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"thread_start",
		"_dl_start_user",
		"_rt0_amd64_linux",
		"runtime.goexit",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	/* glibc's versioned and local variants. */
	return !strncmp(name, "__libc_start_main", strlen("__libc_start_main")) ||
	       !strncmp(name, "runtime.goexit", strlen("runtime.goexit"));
}

static node_id place_base(struct collector *c, const struct eddy_stack_event *ev)
{
	char text[EDDY_COMM_BYTES + 32];
	const char *base = text;
	int comm_len = strnlen(ev->comm, sizeof(ev->comm));

	switch (c->opts.root) {
	case COLLECT_ROOT_NONE:
		return NODE_ROOT;
	case COLLECT_ROOT_COMM:
		snprintf(text, sizeof(text), "%.*s", comm_len, ev->comm);
		break;
	case COLLECT_ROOT_PROCESS:
		snprintf(text, sizeof(text), "%.*s-%u", comm_len, ev->comm, ev->pid);
		break;
	case COLLECT_ROOT_THREAD:
		snprintf(text, sizeof(text), "%.*s-%u/%u", comm_len, ev->comm, ev->pid, ev->tid);
		break;
	case COLLECT_ROOT_CPU:
		snprintf(text, sizeof(text), "cpu-%u", ev->cpu);
		break;
	case COLLECT_ROOT_CGROUP:
		base = cgroups_path(c->cgroups, ev->cgroup);
		break;
	}
	if (!*base) /* prctl(PR_SET_NAME, "") */
		base = "[no name]";
	return profile_child(c->profile, NODE_ROOT, frame_table_add_base(c->frames, base));
}

static frame_id user_frame(struct collector *c, uint32_t pid, uint64_t frame)
{
	if (frame & EDDY_FRAME_FILE)
		return symbolizer_file(c->symbolizer,
				       frame >> EDDY_FRAME_FILE_SHIFT & EDDY_FRAME_FILE_MASK,
				       frame & EDDY_FRAME_ADDR_MASK);
	return symbolizer_user(c->symbolizer, pid, frame);
}

/*
 * A walk that could not go on from a function that nobody calls is complete: _start of libraries
 * that wrote no CFI for it, and main's caller in a walk by frame pointers.
 */
static bool is_user_complete(const struct collector *c, uint8_t end, frame_id outermost)
{
	switch (end) {
	case EDDY_END_ROOT:
		return true;
	case EDDY_END_FPFAIL:
	case EDDY_END_ZERORA:
	case EDDY_END_NOINFO:
	case EDDY_END_NOTABLE:
	case EDDY_END_NOMAP:
	case EDDY_END_BADSP:
		return outermost &&
		       collector_is_root_name(frame_table_name(c->frames, outermost, NULL));
	default:
		return false;
	}
}

/* Is there a frame that only its process can name? */
static bool needs_process(const uint64_t *frames, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!(frames[i] & EDDY_FRAME_FILE))
			return true;
	return false;
}

/* Was there a user stack to walk at all? */
static bool has_user_stack(const struct collector *c, const struct eddy_stack_event *ev)
{
	return !c->opts.kernel_only && ev->user_end != EDDY_END_KTHREAD &&
	       ev->user_end != EDDY_END_EXIT;
}

static node_id place_user(struct collector *c, const struct eddy_stack_event *ev, node_id at,
			  struct stack *stack)
{
	const uint64_t *frames = (const uint64_t *)ev->frames + ev->nr_kernel;
	_cleanup_free_ frame_id *ids = NULL;

	if (ev->nr_user)
		ids = xcalloc(ev->nr_user, sizeof(*ids));
	if (needs_process(frames, ev->nr_user))
		symbolizer_process_started(c->symbolizer, ev->pid, ev->started_ms);
	for (size_t i = 0; i < ev->nr_user; i++) {
		ids[i] = user_frame(c, ev->pid, frames[i]);
		stack->nr_user_named += !frame_table_get(c->frames, ids[i])->unnamed;
	}
	stack->nr_user = ev->nr_user;
	stack->user_end = ev->user_end;
	if (has_user_stack(c, ev)) {
		if (is_user_complete(c, ev->user_end, ev->nr_user ? ids[ev->nr_user - 1] : 0))
			stack->user_end = EDDY_END_ROOT;
		else
			at = profile_child(c->profile, at, c->truncated);
	}
	for (size_t i = ev->nr_user; i-- > 0;)
		at = profile_child(c->profile, at, ids[i]);
	return at;
}

static node_id place_kernel(struct collector *c, const struct eddy_stack_event *ev, node_id at,
			    struct stack *stack)
{
	stack->nr_kernel = ev->nr_kernel;
	for (size_t i = ev->nr_kernel; i-- > 0;) {
		/* All but the leaf are return addresses: step back into the call. */
		frame_id f = symbolizer_kernel(c->symbolizer, ev->frames[i] - (i > 0));

		stack->nr_kernel_named += !frame_table_get(c->frames, f)->unnamed;
		at = profile_child(c->profile, at, f);
	}
	return at;
}

uint32_t collector_stack(struct collector *c, const struct eddy_stack_event *ev)
{
	struct stack stack = { .flags = ev->flags };
	node_id at = place_base(c, ev);

	if (ev->flags & (EDDY_SAMPLE_KERNEL_CUT | EDDY_SAMPLE_KERNEL_BROKEN)) {
		/* What called the outermost kernel frame is not known: no user frame may claim it.
		 */
		stack.user_end =
			ev->flags & EDDY_SAMPLE_KERNEL_CUT ? EDDY_END_DEPTH : EDDY_END_FAULT;
		at = profile_child(c->profile, at, c->truncated);
	} else {
		at = place_user(c, ev, at, &stack);
	}
	stack.node = place_kernel(c, ev, at, &stack);
	if (!has_user_stack(c, ev))
		stack.user_end = EDDY_END_KTHREAD;
	array_reserve(c->stacks, c->cap, c->nr + 1);
	c->stacks[c->nr] = stack;
	return c->nr++;
}

void collector_count(struct collector *c, uint32_t tag, uint64_t samples)
{
	c->stacks[tag].weight += samples;
	profile_add(c->profile, c->stacks[tag].node, samples); /* 2^63 samples do not happen */
}

void collector_lost(struct collector *c, const char *reason, uint64_t samples)
{
	char text[64];

	if (!samples)
		return;
	snprintf(text, sizeof(text), "[lost:%s]", reason);
	profile_add(c->profile,
		    profile_child(c->profile, NODE_ROOT, frame_table_add_base(c->frames, text)),
		    samples);
}

const struct profile *collector_profile(const struct collector *c)
{
	return c->profile;
}

struct profile *collector_take_profile(struct collector *c)
{
	struct profile *taken = c->profile;

	c->profile = profile_new(c->frames);
	/* Twice what was needed this time is kept for the next. */
	if (c->cap > 2 * c->nr + MIN_STACKS) {
		free(take_ptr(c->stacks));
		c->cap = 0;
	}
	c->nr = 0;
	if (c->cgroups)
		cgroups_age(c->cgroups);
	return taken;
}

void collector_use_frames(struct collector *c, struct frame_table *frames)
{
	symbolizer_use_frames(c->symbolizer, frames);
	frame_table_unref(c->frames);
	c->frames = frame_table_ref(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
	profile_free(c->profile);
	c->profile = profile_new(frames);
	c->nr = 0;
}

void collector_get_stats(const struct collector *c, struct collector_stats *ret_stats)
{
	struct collector_stats t = { 0 };

	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		t.frames_user += s->nr_user * s->weight;
		t.frames_user_named += s->nr_user_named * s->weight;
		t.frames_kernel += s->nr_kernel * s->weight;
		t.frames_kernel_named += s->nr_kernel_named * s->weight;
		if (s->flags & (EDDY_SAMPLE_KERNEL_BROKEN | EDDY_SAMPLE_KERNEL_CUT))
			t.kernel_broken += s->weight;
		if (s->user_end == EDDY_END_KTHREAD)
			continue;
		t.user_total += s->weight;
		if (s->flags & EDDY_SAMPLE_FP_STEPS)
			t.user_fp += s->weight;
		if (s->user_end == EDDY_END_ROOT)
			t.user_complete += s->weight;
		else
			t.user_broken[s->user_end] += s->weight;
	}
	*ret_stats = t;
}

void collector_get_modes(const struct collector *c, uint64_t *off_stack, uint64_t *user_mode)
{
	size_t nr = profile_nr_nodes(c->profile);

	memset(off_stack, 0, nr * sizeof(*off_stack));
	memset(user_mode, 0, nr * sizeof(*user_mode));
	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		if (s->flags & EDDY_SAMPLE_OFF_STACK)
			off_stack[s->node] += s->weight;
		if (s->flags & EDDY_SAMPLE_USER_MODE)
			user_mode[s->node] += s->weight;
	}
}
