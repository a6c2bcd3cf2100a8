// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames are sorted by module and name, those of called functions first. */
#include "analysis/functions.h"

#include <stdlib.h>

#include "util/mem.h"

struct named {
	str_id module, name;
	uint64_t start;
	frame_id frame;
	bool is_inlined;
};

static int named_cmp(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->module != y->module)
		return (x->module > y->module) - (x->module < y->module);
	if (x->name != y->name)
		return (x->name > y->name) - (x->name < y->name);
	if (x->is_inlined != y->is_inlined)
		return x->is_inlined ? 1 : -1;
	return (x->start > y->start) - (x->start < y->start);
}

static bool has_inlined(const struct profile *p)
{
	const frame_id *frames = profile_node_frames(p);

	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (frame_table_get(profile_frames(p), frames[n])->origin == FRAME_INLINED)
			return true;
	return false;
}

/* The frames of functions that the profile has. */
static struct named *named_frames(const struct profile *p, size_t *ret_nr)
{
	const struct frame_table *frames = profile_frames(p);
	const size_t nr = frame_table_nr(frames);
	_cleanup_free_ bool *is_seen = xcalloc(nr, sizeof(*is_seen));
	struct named *named = xcalloc(nr, sizeof(*named));

	*ret_nr = 0;
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const frame_id id = profile_frame(p, n);
		const struct frame *f = frame_table_get(frames, id);

		if (is_seen[id] || (f->origin != FRAME_USER && f->origin != FRAME_INLINED))
			continue;
		is_seen[id] = true;
		named[(*ret_nr)++] = (struct named){ f->module, frame_shown(f), f->start, id,
						     f->origin == FRAME_INLINED };
	}
	qsort(named, *ret_nr, sizeof(*named), named_cmp);
	return named;
}

/* The function of that frame, at the line of the other one. */
static frame_id at_line(struct frame_table *frames, frame_id function, frame_id other)
{
	struct frame f = *frame_table_get(frames, function);
	const struct frame *at = frame_table_get(frames, other);

	f.file = at->file;
	f.line = at->line;
	return frame_table_add(frames, &f);
}

/* to[frame]: what stands in its place. */
static bool find_called(struct frame_table *frames, const struct named *named, size_t nr,
			frame_id *to)
{
	const struct named *first = named;
	bool has_any = false;

	for (size_t i = 0; i < nr; i++) {
		if (named[i].module != first->module || named[i].name != first->name)
			first = &named[i];
		to[named[i].frame] = named[i].frame;
		if (named[i].is_inlined && !first->is_inlined) {
			to[named[i].frame] = at_line(frames, first->frame, named[i].frame);
			has_any = true;
		}
	}
	return has_any;
}

static node_id place_called(void *ctx, struct profile *out, node_id at, node_id in_node,
			    frame_id frame)
{
	const frame_id *to = ctx;

	return profile_child(out, at, to[frame] ? to[frame] : frame);
}

struct profile *profile_join_inlined(const struct profile *p)
{
	_cleanup_free_ struct named *named = NULL;
	_cleanup_free_ frame_id *to = NULL;
	size_t nr;

	if (!has_inlined(p))
		return NULL;
	to = xcalloc(frame_table_nr(profile_frames(p)), sizeof(*to));
	named = named_frames(p, &nr);
	return find_called(profile_frames(p), named, nr, to)
		       ? profile_remap(p, place_called, to, NULL)
		       : NULL;
}

struct profile *profile_join_lines(const struct profile *p)
{
	struct frame_table *frames = profile_frames(p);
	const size_t nr = frame_table_nr(frames);
	_cleanup_free_ frame_id *to = NULL;
	frame_id id = 1;

	while (id < nr && !frame_has_line(frame_table_get(frames, id)))
		id++;
	if (id == nr)
		return NULL;
	to = xcalloc(nr, sizeof(*to));
	for (id = 1; id < nr; id++)
		to[id] = frame_table_without_line(frames, id);
	return profile_remap(p, place_called, to, NULL);
}
