// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stack that is new: its frames get their names now, while its process may still live, and it its
 * node: base frames, user frames from the outermost on, kernel frames.
 */
#include <stdlib.h>

#include "collect/base_text.h"
#include "collect/collector_table.h"
#include "profile/profile_owner.h"
#include "util/mem.h"
#include "util/strbuf.h"

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
