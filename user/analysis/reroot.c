// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a file a base frame is known by its place (first in the stack) and by its form only.  What a
 * form cannot give is refused, rather than answered with the stacks as they were.
 */
#include "analysis/reroot.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/mem.h"

static bool is_base(const struct profile *p, frame_id id)
{
	const struct frame *f = frame_table_get(profile_frames(p), id);
	size_t len;
	const char *name = frame_table_name(profile_frames(p), id, &len);

	if (f->origin != FRAME_USER && f->origin != FRAME_BASE)
		return false;
	return !(len && name[0] == '[' && name[len - 1] == ']');
}

/* Where the digits begin that a name's first len bytes end in; len when there are none. */
static size_t digits_at(const char *name, size_t len)
{
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	return len;
}

/* The lengths of a base frame's parts: "comm" and "comm-PID"; false when it has no PID. */
static bool split_base(const char *name, size_t len, size_t *ret_comm, size_t *ret_process,
		       bool *ret_has_thread)
{
	size_t at = digits_at(name, len), end = len;

	*ret_has_thread = false;
	if (at < len && at > 1 && name[at - 1] == '/' && digits_at(name, at - 1) < at - 1) {
		end = at - 1;
		at = digits_at(name, end);
		*ret_has_thread = true;
	}
	if (at == end || at < 2 || name[at - 1] != '-')
		return false;
	*ret_comm = at - 1;
	*ret_process = end;
	return true;
}

static bool has_form(const struct profile *p, frame_id id, enum reroot to)
{
	size_t len, comm, process;
	const char *name = frame_table_name(profile_frames(p), id, &len);
	bool has_thread;

	switch (to) {
	case REROOT_PROCESS:
		return split_base(name, len, &comm, &process, &has_thread);
	case REROOT_THREAD:
		return split_base(name, len, &comm, &process, &has_thread) && has_thread;
	case REROOT_CPU:
		return len > 4 && !memcmp(name, "cpu-", 4) && digits_at(name, len) == 4;
	case REROOT_CGROUP:
		return len && name[0] == '/';
	case REROOT_COMM:
	case REROOT_NONE:
		break;
	}
	return true;
}

struct reroot_ctx {
	const struct profile *in;
	enum reroot to;
};

static node_id place_rerooted(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	const struct reroot_ctx *c = ctx;
	struct frame_table *frames = profile_frames(out);
	size_t len, comm, process;
	bool has_thread;
	const char *name;

	if (profile_parent(c->in, in_node) != NODE_ROOT || !is_base(c->in, frame))
		return profile_child(out, at, frame);
	if (c->to == REROOT_NONE)
		return at;
	name = frame_table_name(frames, frame, &len);
	if (split_base(name, len, &comm, &process, &has_thread)) {
		struct frame f = *frame_table_get(frames, frame);

		f.name = frame_table_intern(frames, name, c->to == REROOT_COMM ? comm : process);
		frame = frame_table_add(frames, &f);
	}
	return profile_child(out, at, frame);
}

int profile_reroot(const struct profile *in, enum reroot to, struct profile **ret_profile,
		   struct diag *ret_diag)
{
	static const char *const wanted[] = {
		"comm", "process", "thread", "cpu", "cgroup", "none"
	};
	struct reroot_ctx ctx = { in, to };
	size_t bases = 0, fitting = 0;

	for (node_id n = 1; n < profile_nr_nodes(in); n++) {
		frame_id f = profile_frame(in, n);

		if (profile_parent(in, n) != NODE_ROOT || !is_base(in, f))
			continue;
		bases++;
		fitting += has_form(in, f, to);
	}
	if (bases && !fitting)
		return diag_set(ret_diag, ENODATA,
				"--root %s: the stacks do not have it (record with --root %s)",
				wanted[to], wanted[to]);
	*ret_profile = to == REROOT_COMM || to == REROOT_PROCESS || to == REROOT_NONE
			       ? profile_remap(in, place_rerooted, &ctx, NULL)
			       : NULL;
	return 0;
}
