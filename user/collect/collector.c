// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks arrive once, counts arrive often: a tag is an index into the array of stacks, which holds
 * the node of the profile and what there is to count about a stack besides its weight.
 */
#include "collect/collector.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collect/base_text.h"
#include "collect/cgroups.h"
#include "profile/profile_owner.h"
#include "profile/profile_trim.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define MIN_STACKS 1024

struct stack {
	node_id node;
	uint16_t flags;	  /* enum eddy_sample_flag */
	uint8_t user_end; /* enum eddy_unwind_end; EDDY_END_KTHREAD: nothing to walk */
	uint8_t nr_kernel, nr_kernel_named;
	uint16_t nr_user, nr_user_named;
	uint64_t samples, weight;
};

/* What is known of a node besides its weight. */
struct modes {
	uint64_t off_stack, user_mode;
};

struct collector {
	struct collector_opts opts;
	struct symbolizer *symbolizer;
	struct frame_table *frames;
	struct profile *profile;
	struct timeline *timeline; /* NULL: none is kept */
	struct cgroups *cgroups;   /* NULL unless asked for */
	char host[HOST_NAME_MAX + 1];
	struct stack *stacks;
	size_t nr, cap;
	/* Of this window, by tags that were forgotten. */
	struct collector_stats past;
	struct modes *past_modes; /* by node */
	size_t nr_past_modes;
	frame_id truncated;
	size_t trim_at;	 /* bytes */
	bool is_trimmed; /* this window */
	uint64_t nr_short_names;
	uint64_t rest_ns; /* of waits, less than a microsecond, not in any profile yet */
	uint64_t waits, wait_us[EDDY_NR_WAITS], lost_us; /* in this window */
};

static void find_host(struct collector *c, const char *host)
{
	struct utsname uts = { .nodename = "" };

	if (!host)
		uname(&uts);
	snprintf(c->host, sizeof(c->host), "%s", host ? host : uts.nodename);
}

struct collector *collector_new(struct symbolizer *s, struct frame_table *frames,
				const struct collector_opts *opts)
{
	struct collector *c = xcalloc(1, sizeof(*c));

	c->opts = *opts;
	c->trim_at = opts->max_bytes;
	c->symbolizer = s;
	c->frames = frame_table_ref(frames);
	c->profile = profile_new(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
	find_host(c, opts->host);
	if (base_frames_have(&opts->root, BASE_FRAME_CGROUP) ||
	    base_frames_have(&opts->root, BASE_FRAME_UNIT) ||
	    base_frames_have(&opts->root, BASE_FRAME_CONTAINER))
		c->cgroups = cgroups_new(opts->cgroup_dir);
	return c;
}

void collector_look_at_cgroups(struct collector *c)
{
	if (c->cgroups)
		cgroups_look(c->cgroups);
}

void collector_new_cgroup(struct collector *c, const struct eddy_cgroup_event *ev)
{
	if (c->cgroups)
		cgroups_add_new(c->cgroups, ev->id, ev->path);
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	profile_free(c->profile);
	timeline_free(c->timeline);
	frame_table_unref(c->frames);
	cgroups_free(c->cgroups);
	free(c->stacks);
	free(c->past_modes);
	free(c);
}

/* Only the outermost says whose the stack is: profile/profile_owner.h looks there. */
static node_id place_base(struct collector *c, const struct eddy_stack_event *ev)
{
	const struct base_frames *root = &c->opts.root;
	const struct base_text_source source = { c->cgroups, c->host };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t nr = base_frames_nr(root);
	node_id at = NODE_ROOT;

	if (!nr && c->opts.max_bytes)
		return profile_child(c->profile, at,
				     profile_owned_base(c->frames, "", owner_of_uid(ev->uid)));
	for (size_t i = 0; i < nr; i++) {
		frame_id frame;

		strbuf_reset(&text);
		base_text_add(&text, base_frames_kind(root, i), ev, &source);
		frame = c->opts.max_bytes && !i
				? profile_owned_base(c->frames, text.bytes, owner_of_uid(ev->uid))
				: frame_table_add_base(c->frames, text.bytes);
		at = profile_child(c->profile, at, frame);
	}
	return at;
}

/* pid: 0 when its addresses cannot be named any more. */
static frame_id user_frame(struct collector *c, uint32_t pid, uint64_t frame)
{
	if (frame & EDDY_FRAME_FILE)
		return symbolizer_file(c->symbolizer,
				       frame >> EDDY_FRAME_FILE_SHIFT & EDDY_FRAME_FILE_MASK,
				       frame & EDDY_FRAME_ADDR_MASK);
	return pid ? symbolizer_user(c->symbolizer, pid, frame)
		   : symbolizer_unknown(c->symbolizer, frame);
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

/* The PID by which addresses of the stack are to be named; 0: its program is gone. */
static uint32_t naming_pid(struct collector *c, const struct eddy_stack_event *ev)
{
	const struct symbolizer_program program = {
		.pid = ev->pid,
		.started = ev->started_ms,
		.exec_id = ev->exec_id,
		.ran_ns = ev->time_ns,
	};

	return symbolizer_program_runs(c->symbolizer, &program) ? ev->pid : 0;
}

/* Was there a user stack to walk at all? */
static bool has_user_stack(const struct collector *c, const struct eddy_stack_event *ev)
{
	return !c->opts.kernel_only && ev->user_end != EDDY_END_KTHREAD &&
	       ev->user_end != EDDY_END_EXIT && ev->user_end != EDDY_END_WORKER;
}

static node_id place_user(struct collector *c, const struct eddy_stack_event *ev, node_id at,
			  struct stack *stack)
{
	const uint64_t *frames = (const uint64_t *)ev->frames + ev->nr_kernel;
	_cleanup_free_ frame_id *ids = NULL;
	uint32_t pid = 0;

	if (ev->nr_user)
		ids = xcalloc(ev->nr_user, sizeof(*ids));
	if (needs_process(frames, ev->nr_user))
		pid = naming_pid(c, ev);
	for (size_t i = 0; i < ev->nr_user; i++) {
		ids[i] = user_frame(c, pid, frames[i]);
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
	const struct symbolizer_moment when = { ev->time_ns, ev->module_seq };

	stack->nr_kernel = ev->nr_kernel;
	for (size_t i = ev->nr_kernel; i-- > 0;) {
		/* All but the leaf are return addresses: step back into the call. */
		frame_id f = symbolizer_kernel_at(c->symbolizer, ev->frames[i] - (i > 0), &when);

		stack->nr_kernel_named += !frame_table_get(c->frames, f)->unnamed;
		at = profile_child(c->profile, at, f);
	}
	return at;
}

/* ---- frames that stand for addresses ------------------------------------------------------ */

struct expansion {
	struct collector *c;
	node_id *nodes; /* of the new profile, by those of the old one */
};

static node_id place_expanded(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	frame_id frames[SYMBOLIZER_MAX_FRAMES];
	const struct expansion *e = ctx;
	const size_t nr = symbolizer_expand(e->c->symbolizer, frame, frames);

	for (size_t i = 0; i < nr; i++)
		at = profile_child(out, at, frames[i]);
	return e->nodes[in_node] = at;
}

/* Frames have their names, and addresses are the functions and lines that they are in. */
static void past_modes_move(struct collector *c, const node_id *nodes)
{
	size_t nr = profile_nr_nodes(c->profile);
	struct modes *moved;

	if (!c->nr_past_modes)
		return;
	moved = xcalloc(nr, sizeof(*moved));
	for (size_t i = 0; i < c->nr_past_modes; i++) {
		moved[nodes[i]].off_stack += c->past_modes[i].off_stack;
		moved[nodes[i]].user_mode += c->past_modes[i].user_mode;
	}
	free(c->past_modes);
	c->past_modes = moved;
	c->nr_past_modes = nr;
}

/* The profile is another one, with its nodes at other places. */
static void nodes_moved(struct collector *c, const node_id *nodes)
{
	for (size_t i = 0; i < c->nr; i++)
		c->stacks[i].node = nodes[c->stacks[i].node];
	if (c->timeline)
		timeline_move(c->timeline, nodes);
	past_modes_move(c, nodes);
}

static void frames_settle(struct collector *c)
{
	_cleanup_profile_ struct profile *before = NULL;
	_cleanup_free_ node_id *nodes = NULL;
	struct expansion e = { .c = c };

	symbolizer_settle(c->symbolizer);
	if (!symbolizer_has_sites(c->symbolizer))
		return;
	before = c->profile;
	e.nodes = nodes = xcalloc(profile_nr_nodes(before), sizeof(*nodes));
	c->profile = profile_remap(before, place_expanded, &e, NULL);
	nodes_moved(c, nodes);
}

/* ---- memory ------------------------------------------------------------------------------- */

static size_t bytes_held(const struct collector *c)
{
	return profile_bytes(c->profile) + frame_table_bytes(c->frames) +
	       c->cap * sizeof(*c->stacks) + c->nr_past_modes * sizeof(*c->past_modes);
}

static void set_frames(struct collector *c, struct frame_table *frames)
{
	symbolizer_use_frames(c->symbolizer, frames);
	frame_table_unref(c->frames);
	c->frames = frame_table_ref(frames);
	c->truncated = frame_table_add_base(frames, "[truncated]");
}

static void trim(struct collector *c, size_t max_bytes)
{
	_cleanup_profile_ struct profile *before = NULL;
	_cleanup_free_ node_id *nodes = NULL;

	frames_settle(c);
	before = c->profile;
	c->profile = profile_trim(before, max_bytes, &nodes, &c->nr_short_names);
	nodes_moved(c, nodes);
	set_frames(c, profile_frames(c->profile));
	c->is_trimmed = true;
}

/*
 * Trimmed to half, so that it is not soon done again; and never before a quarter more has come,
 * however much there is that cannot be trimmed.
 */
static void collector_fit(struct collector *c)
{
	size_t max = c->opts.max_bytes, bytes;

	if (!max || bytes_held(c) <= c->trim_at)
		return;
	trim(c, max / 2);
	bytes = bytes_held(c) + max / 4;
	c->trim_at = bytes > max ? bytes : max;
}

void collector_settle(struct collector *c)
{
	frames_settle(c);
	if (c->is_trimmed)
		trim(c, c->opts.max_bytes);
}

void collector_set_max_bytes(struct collector *c, size_t max_bytes)
{
	c->opts.max_bytes = max_bytes;
	c->trim_at = max_bytes;
}

/* ---- stacks ------------------------------------------------------------------------------- */

uint32_t collector_stack(struct collector *c, const struct eddy_stack_event *ev)
{
	struct stack stack = { .flags = ev->flags };
	node_id at;

	collector_fit(c);
	at = place_base(c, ev);
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

void collector_count(struct collector *c, uint32_t tag, uint64_t samples, uint64_t weight)
{
	c->stacks[tag].samples += samples;
	c->stacks[tag].weight += weight;
	profile_add(c->profile, c->stacks[tag].node, weight); /* 2^63 events do not happen */
}

void collector_begin_times(struct collector *c, uint64_t start_ns)
{
	timeline_free(c->timeline);
	c->timeline =
		c->opts.slot_ns ? timeline_new(c->opts.slot_ns, start_ns, c->opts.max_cells) : NULL;
}

void collector_time(struct collector *c, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	if (c->timeline)
		timeline_add(c->timeline, time_ns, c->stacks[tag].node, weight);
}

struct timeline *collector_take_timeline(struct collector *c, uint64_t end_ns)
{
	if (c->timeline)
		timeline_end(c->timeline, end_ns);
	return take_ptr(c->timeline);
}

const char *collector_wait_mark(enum eddy_wait state)
{
	static const char *const marks[] = {
		[EDDY_WAIT_NONE] = "[waits]",
		[EDDY_WAIT_SLEEP] = "[sleep]",
		[EDDY_WAIT_IO] = "[io]",
		[EDDY_WAIT_DISK] = "[disk-sleep]",
		[EDDY_WAIT_STOPPED] = "[stopped]",
		[EDDY_WAIT_RUNQUEUE] = "[runqueue]",
		[EDDY_WAIT_PREEMPTED] = "[preempted]",
		[EDDY_WAIT_ON_CPU] = NULL,
		[EDDY_WAIT_UNSAMPLED] = "[on-cpu]",
	};

	_Static_assert(ARRAY_SIZE(marks) == EDDY_NR_WAITS, "every state has a mark");
	return marks[state < EDDY_NR_WAITS ? state : EDDY_WAIT_NONE];
}

static uint64_t whole_us(struct collector *c, uint64_t ns)
{
	uint64_t all = ns + c->rest_ns;

	c->rest_ns = all % 1000;
	return all / 1000;
}

void collector_wait(struct collector *c, uint32_t tag, enum eddy_wait state, uint64_t waits,
		    uint64_t ns)
{
	const char *mark = collector_wait_mark(state);
	uint64_t us = whole_us(c, ns);
	struct stack *stack = &c->stacks[tag];
	node_id at = stack->node;

	if (state >= EDDY_NR_WAITS)
		state = EDDY_WAIT_NONE;
	c->waits += waits;
	c->wait_us[state] += us;
	stack->samples += us;
	stack->weight += us;
	if (!us)
		return;
	if (mark && !c->opts.no_wait_marks)
		at = profile_child(c->profile, at,
				   frame_table_add_text(c->frames, mark, strlen(mark)));
	profile_add(c->profile, at, us);
}

void collector_lost_wait(struct collector *c, const char *reason, uint64_t ns)
{
	uint64_t us = ns ? whole_us(c, ns) : 0;

	c->lost_us += us;
	collector_lost(c, reason, us);
}

void collector_lost(struct collector *c, const char *reason, uint64_t weight)
{
	char text[64];

	if (!weight)
		return;
	snprintf(text, sizeof(text), "[lost:%s]", reason);
	profile_add(c->profile,
		    profile_child(c->profile, NODE_ROOT, frame_table_add_base(c->frames, text)),
		    weight);
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
	c->past = (struct collector_stats){ 0 };
	free(take_ptr(c->past_modes));
	c->nr_past_modes = 0;
	c->waits = c->lost_us = 0;
	memset(c->wait_us, 0, sizeof(c->wait_us));
	c->trim_at = c->opts.max_bytes;
	c->is_trimmed = false;
	if (c->cgroups)
		cgroups_age(c->cgroups);
	return taken;
}

void collector_use_frames(struct collector *c, struct frame_table *frames)
{
	set_frames(c, frames);
	profile_free(c->profile);
	c->profile = profile_new(frames);
	c->nr = 0;
}

void collector_get_stats(const struct collector *c, struct collector_stats *ret_stats)
{
	struct collector_stats t = c->past;

	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		t.frames_user += s->nr_user * s->samples;
		t.frames_user_named += s->nr_user_named * s->samples;
		t.frames_kernel += s->nr_kernel * s->samples;
		t.frames_kernel_named += s->nr_kernel_named * s->samples;
		if (s->flags & (EDDY_SAMPLE_KERNEL_BROKEN | EDDY_SAMPLE_KERNEL_CUT))
			t.kernel_broken += s->samples;
		if (s->user_end == EDDY_END_KTHREAD)
			continue;
		t.user_total += s->samples;
		if (s->flags & EDDY_SAMPLE_FP_STEPS)
			t.user_fp += s->samples;
		if (s->flags & EDDY_SAMPLE_CODE_STEPS)
			t.user_code += s->samples;
		if (s->user_end == EDDY_END_ROOT)
			t.user_complete += s->samples;
		else
			t.user_broken[s->user_end] += s->samples;
	}
	t.waits = c->waits;
	t.lost_us = c->lost_us;
	memcpy(t.wait_us, c->wait_us, sizeof(t.wait_us));
	*ret_stats = t;
}

void collector_add_limits(const struct collector *c, struct limit_counts *to)
{
	struct cgroups_stats cgroups;

	to->nr[LIMIT_SHORT_NAMES] += c->nr_short_names;
	if (!c->cgroups)
		return;
	cgroups_get_stats(c->cgroups, &cgroups);
	to->nr[LIMIT_NAMES] += cgroups.nr_cut;
}

void collector_get_modes(const struct collector *c, uint64_t *off_stack, uint64_t *user_mode)
{
	size_t nr = profile_nr_nodes(c->profile);

	memset(off_stack, 0, nr * sizeof(*off_stack));
	memset(user_mode, 0, nr * sizeof(*user_mode));
	for (size_t i = 0; i < c->nr_past_modes; i++) {
		off_stack[i] = c->past_modes[i].off_stack;
		user_mode[i] = c->past_modes[i].user_mode;
	}
	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		if (s->flags & EDDY_SAMPLE_OFF_STACK)
			off_stack[s->node] += s->weight;
		if (s->flags & EDDY_SAMPLE_USER_MODE)
			user_mode[s->node] += s->weight;
	}
}

void collector_forget_tags(struct collector *c)
{
	size_t nr = profile_nr_nodes(c->profile);

	collector_get_stats(c, &c->past);
	c->past_modes = xreallocarray(c->past_modes, nr, sizeof(*c->past_modes));
	memset(c->past_modes + c->nr_past_modes, 0,
	       (nr - c->nr_past_modes) * sizeof(*c->past_modes));
	c->nr_past_modes = nr;
	for (size_t i = 0; i < c->nr; i++) {
		const struct stack *s = &c->stacks[i];

		if (s->flags & EDDY_SAMPLE_OFF_STACK)
			c->past_modes[s->node].off_stack += s->weight;
		if (s->flags & EDDY_SAMPLE_USER_MODE)
			c->past_modes[s->node].user_mode += s->weight;
	}
	c->nr = 0;
}
