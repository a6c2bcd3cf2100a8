// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a file a base frame is known by its place (first in the stack) and by what the `.json` says it
 * is; without that, by its form.  What they cannot give is refused, rather than answered with the
 * stacks as they were.
 */
#include "analysis/reroot.h"

#include <errno.h>
#include <string.h>

#include "profile/cgroup_parts.h"
#include "profile/foreign_name.h"
#include "util/strbuf.h"

/* What was there where the kinds of base frames are not known: one, of any. */
#define ANY NR_BASE_FRAMES

struct reroot {
	const struct profile *in;
	struct base_frames had, to;
};

static const char *name_of(const struct reroot *r, node_id n, size_t *ret_len)
{
	return frame_table_name(profile_frames(r->in), profile_frame(r->in, n), ret_len);
}

/* Can the node's frame be a base frame?  Marks are none. */
static bool is_base(const struct reroot *r, node_id n)
{
	const struct frame *f = frame_table_get(profile_frames(r->in), profile_frame(r->in, n));
	size_t len;
	const char *name = name_of(r, n, &len);

	if ((f->origin != FRAME_USER && f->origin != FRAME_BASE) || f->module)
		return false;
	return !(len && name[0] == '[' && name[len - 1] == ']') || base_frame_is_none(name) ||
	       !strncmp(name, "[cgroup-", 8);
}

/* The base frames above and including a node, the outermost first; 0: the node is none. */
static size_t find_chain(const struct reroot *r, node_id n, node_id chain[BASE_FRAMES_MAX + 1])
{
	size_t most = base_frames_nr(&r->had), nr = 0;

	for (node_id at = n; at != NODE_ROOT; at = profile_parent(r->in, at))
		if (++nr > most)
			return 0;
	for (size_t i = nr; i-- > 0; n = profile_parent(r->in, n)) {
		if (!is_base(r, n))
			return 0;
		chain[i] = n;
	}
	return nr;
}

/* The unit or the container of a cgroup's path; NULL: the text that stands for none. */
static const char *part_of_cgroup(enum base_frame to, const char *path, size_t *len)
{
	return to == BASE_FRAME_UNIT ? cgroup_unit(path, *len, len)
				     : cgroup_container(path, *len, len);
}

static bool ends_in(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(name + len - n, end, n);
}

/* Can a frame of which nothing else is known be, or be made, one of the kind? */
static bool has_form(const char *name, size_t len, enum base_frame to)
{
	const struct base_frame_task task = base_frame_split(name, len);
	size_t rest = len;

	switch (to) {
	case BASE_FRAME_PROCESS:
		return task.pid.len;
	case BASE_FRAME_THREAD:
		return task.tid.len;
	case BASE_FRAME_CPU:
		return task.pid.len && !task.tid.len && task.comm.len == 3 &&
		       !memcmp(name, "cpu", 3);
	case BASE_FRAME_CGROUP:
		return len && name[0] == '/';
	case BASE_FRAME_UNIT:
		return name[0] == '/' || !strcmp(name, BASE_FRAME_NO_UNIT) ||
		       ends_in(name, len, ".service") || ends_in(name, len, ".scope");
	case BASE_FRAME_CONTAINER:
		return name[0] == '/' || !strcmp(name, BASE_FRAME_NO_CONTAINER) ||
		       cgroup_container(name, len, &rest);
	case BASE_FRAME_PROGRAM:
	case BASE_FRAME_HOST:
		return false;
	case BASE_FRAME_COMM:
	case BASE_FRAME_NONE:
	case NR_BASE_FRAMES:
		break;
	}
	return true;
}

/* Can a frame of kind `had` be made one of kind `to`? */
static bool is_made_of(enum base_frame had, enum base_frame to)
{
	if (had == to)
		return true;
	switch (had) {
	case BASE_FRAME_PROCESS:
		return to == BASE_FRAME_COMM;
	case BASE_FRAME_THREAD:
		return to == BASE_FRAME_COMM || to == BASE_FRAME_PROCESS;
	case BASE_FRAME_CGROUP:
		return to == BASE_FRAME_UNIT || to == BASE_FRAME_CONTAINER;
	case ANY:
		return to != BASE_FRAME_HOST && to != BASE_FRAME_PROGRAM;
	default:
		return false;
	}
}

/* Which of the base frames there are is the one that `to` is made of; had's number: none is. */
static size_t source_of(const struct reroot *r, enum base_frame to)
{
	size_t nr = base_frames_nr(&r->had), found = nr;

	for (size_t i = nr; i-- > 0;)
		if (is_made_of(base_frames_kind(&r->had, i), to) &&
		    (found == nr || base_frames_kind(&r->had, i) == to))
			found = i;
	return found;
}

/* A frame like that of node n with the first len bytes of the text as its name. */
static frame_id frame_named(const struct reroot *r, node_id n, const char *text, size_t len)
{
	struct frame_table *frames = profile_frames(r->in);
	struct frame f = *frame_table_get(frames, profile_frame(r->in, n));

	f.shown = 0;
	f.name = foreign_name_intern(frames, text, len); /* what is left of a name is no mark */
	return frame_table_add(frames, &f);
}

/* A text of eddy's own in the place of node n's frame. */
static frame_id frame_of_text(const struct reroot *r, node_id n, const char *text)
{
	struct frame_table *frames = profile_frames(r->in);

	if (frame_table_get(frames, profile_frame(r->in, n))->origin == FRAME_BASE)
		return frame_table_add_base(frames, text);
	return frame_table_add_text(frames, text, strlen(text));
}

/* The base frame of kind `to` that is made of node n's, the source-th of its stack. */
static frame_id frame_made(const struct reroot *r, node_id n, size_t source, enum base_frame to)
{
	size_t len;
	const char *name = name_of(r, n, &len), *part;
	const struct base_frame_task task = base_frame_split(name, len);

	if (base_frames_kind(&r->had, source) == to)
		return profile_frame(r->in, n);
	if (to == BASE_FRAME_COMM && task.pid.len)
		return frame_named(r, n, name, task.comm.len);
	if (to == BASE_FRAME_PROCESS && task.pid.len)
		return frame_named(r, n, name, task.pid.at + task.pid.len - name);
	if ((to != BASE_FRAME_UNIT && to != BASE_FRAME_CONTAINER) || name[0] != '/')
		return profile_frame(r->in, n);
	part = part_of_cgroup(to, name, &len);
	if (part)
		return frame_named(r, n, part, len);
	return frame_of_text(r, n,
			     to == BASE_FRAME_UNIT ? BASE_FRAME_NO_UNIT : BASE_FRAME_NO_CONTAINER);
}

/*
 * The base frames that are asked for, made of those there are: up to one that is missing, or all.
 */
static node_id place_chain(const struct reroot *r, struct profile *out, const node_id *chain,
			   size_t nr, bool is_all)
{
	node_id at = NODE_ROOT;

	for (size_t i = 0; i < base_frames_nr(&r->to); i++) {
		enum base_frame to = base_frames_kind(&r->to, i);
		size_t source = source_of(r, to);

		if (source < nr)
			at = profile_child(out, at, frame_made(r, chain[source], source, to));
		else if (!is_all)
			break;
	}
	return at;
}

static node_id place_rerooted(void *ctx, struct profile *out, node_id at, node_id in_node,
			      frame_id frame)
{
	const struct reroot *r = ctx;
	node_id chain[BASE_FRAMES_MAX + 1] = { 0 };
	size_t nr = find_chain(r, in_node, chain);

	if (nr)
		return place_chain(r, out, chain, nr, false);
	nr = find_chain(r, profile_parent(r->in, in_node), chain);
	if (nr && nr < base_frames_nr(&r->had)) /* a mark under the host alone */
		at = place_chain(r, out, chain, nr, true);
	return profile_child(out, at, frame);
}

/* Does a stack with all of its base frames have what is asked for? */
static bool chain_fits(const struct reroot *r, const node_id *chain)
{
	for (size_t i = 0; i < base_frames_nr(&r->to); i++) {
		enum base_frame to = base_frames_kind(&r->to, i);
		size_t source = source_of(r, to), len;
		const char *name;

		if (source == base_frames_nr(&r->had))
			return false;
		name = name_of(r, chain[source], &len);
		if (base_frames_kind(&r->had, source) == ANY && !has_form(name, len, to))
			return false;
	}
	return true;
}

/* Several, and which there are is not known: those that are asked for, if they have the forms. */
static bool chain_has_forms(const struct reroot *r, const node_id *chain)
{
	for (size_t i = 0; i < base_frames_nr(&r->to); i++) {
		size_t len;
		const char *name = name_of(r, chain[i], &len);

		if (base_frames_kind(&r->to, i) != BASE_FRAME_HOST &&
		    !has_form(name, len, base_frames_kind(&r->to, i)))
			return false;
	}
	return true;
}

static int refuse(const struct reroot *r, struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	base_frames_print(&text, &r->to);
	return diag_set(ret_diag, ENODATA,
			"--root %s: the stacks do not have it (record with --root %s)", text.bytes,
			text.bytes);
}

/* Does nothing have to be made? */
static bool is_there(const struct reroot *r)
{
	enum base_frame to = base_frames_kind(&r->to, 0);

	if (base_frames_are_equal(&r->had, &r->to))
		return true;
	return base_frames_nr(&r->had) == 1 && base_frames_nr(&r->to) == 1 &&
	       base_frames_kind(&r->had, 0) == ANY &&
	       (to == BASE_FRAME_CPU || to == BASE_FRAME_CGROUP || to == BASE_FRAME_THREAD);
}

int profile_reroot(const struct profile *in, const struct base_frames *had,
		   const struct base_frames *to, struct profile **ret_profile,
		   struct diag *ret_diag)
{
	struct reroot r = { .in = in, .had = *had, .to = *to };
	size_t bases = 0, fitting = 0, nr = base_frames_nr(had);
	bool is_guessed = nr && base_frames_kind(had, nr - 1) == ANY && base_frames_nr(to) > nr;
	node_id chain[BASE_FRAMES_MAX + 1] = { 0 };

	if (is_guessed)
		r.had = *to;
	for (node_id n = 1; n < profile_nr_nodes(in); n++) {
		if (find_chain(&r, n, chain) != base_frames_nr(&r.had))
			continue;
		bases++;
		fitting += is_guessed ? chain_has_forms(&r, chain) : chain_fits(&r, chain);
	}
	if (is_guessed ? !fitting : bases && !fitting)
		return refuse(&r, ret_diag);
	*ret_profile = is_there(&r) ? NULL : profile_remap(in, place_rerooted, &r, NULL);
	return 0;
}
