// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where each node goes.  Two things do not follow from the caller's new place alone and are kept
 * by input node: what exit work returns to (the victim), and that the softirq core's callees stand
 * beside it, not under it, so that [softirq] is followed by the vector.
 */
#include "analysis/irq_pass.h"

#include <string.h>

#include "profile/frame_role.h"
#include "util/mem.h"

struct separation {
	const struct irq_map *map;
	const struct irq_opts *opts;
	const node_id *parents;
	node_id *placed;   /* by input node */
	bool *is_homeless; /* by boundary: charge finds nobody to charge */
	frame_id marks[NR_IRQ_CLASSES];
};

/* Is a node of that class an interrupt's by these options? */
static bool is_cut(const struct separation *s, enum irq_class class)
{
	return irq_class_is_interrupt(class) ||
	       (class == IRQ_SOFTIRQ_INLINE && s->opts->split_inline);
}

/* Is the outermost frame a host, and not an interrupt that hit nobody or a mark? */
static bool is_host(const struct separation *s, node_id outermost)
{
	return !s->map->nodes[outermost].is_kernel && !s->map->nodes[outermost].boundary;
}

/* The mark over the work of input node n, under the host that it was done on where that is told. */
static node_id mark_of(const struct separation *s, struct profile *out, enum irq_class class,
		       node_id n)
{
	node_id at = NODE_ROOT;

	if (s->opts->has_host) {
		while (s->parents[n] != NODE_ROOT)
			n = s->parents[n];
		if (is_host(s, n))
			at = profile_child(out, NODE_ROOT, profile_frame(s->map->profile, n));
	}
	return profile_child(out, at, s->marks[class]);
}

/* Where the callees of an input node begin. */
static node_id callees_of(const struct separation *s, struct profile *out, node_id n)
{
	enum irq_class class = s->map->nodes[n].class;

	if (is_cut(s, class) && irq_node_is_core(s->map, n))
		return mark_of(s, out, class, n);
	return s->placed[n];
}

/* The first node of a boundary, or 0. */
static bool is_begin(const struct separation *s, node_id n)
{
	return s->map->boundaries[s->map->nodes[n].boundary].begin == n;
}

/* The boundary that an exit node leaves: that of its caller. */
static const struct irq_boundary *left_by(const struct separation *s, node_id n)
{
	return &s->map->boundaries[s->map->nodes[s->parents[n]].boundary];
}

static node_id split_place(struct separation *s, struct profile *out, node_id n, frame_id frame)
{
	const struct irq_node *me = &s->map->nodes[n];
	const struct irq_boundary *b = &s->map->boundaries[me->boundary];
	node_id at;

	if (b->is_marked && b->begin == n && b->entry == NODE_ROOT) /* the mark itself */
		return mark_of(s, out, me->class, n);
	if (is_begin(s, n) && is_cut(s, me->class))
		at = mark_of(s, out, me->class, n);
	else if (irq_node_is_exit(s->map, n))
		at = callees_of(s, out, left_by(s, n)->victim);
	else
		at = callees_of(s, out, s->parents[n]);
	return profile_child(out, at, frame);
}

static node_id place_split(void *ctx, struct profile *out, node_id at, node_id n, frame_id frame)
{
	struct separation *s = ctx;

	return s->placed[n] = split_place(s, out, n, frame);
}

/* Boundaries are made parents first, so the outer one's answer is there already. */
static void find_homeless(struct separation *s)
{
	for (uint32_t i = 1; i < s->map->nr_boundaries; i++) {
		const struct irq_boundary *b = &s->map->boundaries[i];

		if (b->outer && is_cut(s, s->map->boundaries[b->outer].class))
			s->is_homeless[i] = s->is_homeless[b->outer];
		else
			s->is_homeless[i] = b->is_marked || b->victim == NODE_ROOT;
	}
}

static node_id charge_place(struct separation *s, struct profile *out, node_id n, frame_id frame)
{
	const struct irq_node *me = &s->map->nodes[n];
	bool is_exit = irq_node_is_exit(s->map, n);
	node_id victim;

	if (is_cut(s, me->class)) {
		if (s->is_homeless[me->boundary])
			return split_place(s, out, n, frame);
		/* All of an interrupt stands where its victim does. */
		victim = s->map->boundaries[me->boundary].victim;
		return is_begin(s, n) ? s->placed[victim] : s->placed[s->parents[n]];
	}
	victim = is_exit ? left_by(s, n)->victim : s->parents[n];
	return profile_child(out, s->placed[victim], frame);
}

static node_id place_charge(void *ctx, struct profile *out, node_id at, node_id n, frame_id frame)
{
	struct separation *s = ctx;

	return s->placed[n] = charge_place(s, out, n, frame);
}

static node_id place_same(void *ctx, struct profile *out, node_id at, node_id n, frame_id frame)
{
	return profile_child(out, at, frame);
}

/* The second half of drop: what a split has put under marks. */
static node_id place_unmarked(void *ctx, struct profile *out, node_id at, node_id n, frame_id frame)
{
	const struct separation *s = ctx;

	if (at == NODE_ROOT || (s->opts->has_host && profile_parent(out, at) == NODE_ROOT))
		for (size_t i = 0; i < NR_IRQ_CLASSES; i++)
			if (s->marks[i] == frame)
				return NODE_DROP;
	return profile_child(out, at, frame);
}

struct profile *irq_separate_mapped(const struct profile *in, const struct irq_map *map,
				    const struct irq_opts *opts, uint64_t *ret_dropped)
{
	_cleanup_free_ node_id *placed = xcalloc(map->nr_nodes, sizeof(*placed));
	_cleanup_free_ bool *is_homeless = xcalloc(map->nr_boundaries, sizeof(*is_homeless));
	_cleanup_profile_ struct profile *split = NULL;
	struct separation s = {
		.map = map,
		.opts = opts,
		.parents = profile_parents(in),
		.placed = placed,
		.is_homeless = is_homeless,
	};

	if (opts->mode == IRQ_MODE_KEEP)
		return profile_remap(in, place_same, NULL, NULL);
	for (int k = 0; k < NR_IRQ_CLASSES; k++)
		if (irq_class_mark(k))
			s.marks[k] = frame_table_add_base(profile_frames(in), irq_class_mark(k));
	if (opts->mode == IRQ_MODE_CHARGE) {
		find_homeless(&s);
		return profile_remap(in, place_charge, &s, NULL);
	}
	split = profile_remap(in, place_split, &s, NULL);
	if (opts->mode == IRQ_MODE_SPLIT)
		return take_ptr(split);
	return profile_remap(split, place_unmarked, &s, ret_dropped);
}

struct profile *irq_separate(const struct profile *in, const struct irq_opts *opts,
			     uint64_t *ret_dropped)
{
	_cleanup_irq_map_ struct irq_map *map = NULL;

	if (opts->mode == IRQ_MODE_KEEP)
		return profile_remap(in, place_same, NULL, NULL);
	map = irq_map_new(in);
	return irq_separate_mapped(in, map, opts, ret_dropped);
}

bool irq_may_separate(const struct profile *in)
{
	const struct frame_table *frames = profile_frames(in);

	for (frame_id id = 1; id < frame_table_nr(frames); id++) {
		size_t len;
		const char *name = frame_table_name(frames, id, &len);

		if (frame_table_get(frames, id)->role || frame_role_of_name(name, len))
			return true;
		for (size_t k = 0; len && *name == '[' && k < NR_IRQ_CLASSES; k++)
			if (irq_class_mark(k) && !strcmp(name, irq_class_mark(k)))
				return true;
	}
	return false;
}
