// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The classifier: a small state machine that walks every path of the tree at once.  A node's state
 * is its caller's, changed by the role of its own frame; what a later frame must know about an
 * earlier one (where the interrupt began, whom it hit) stands in the boundary.
 */
#include "analysis/irq.h"

#include <string.h>

#include "profile/base_frame.h"
#include "profile/frame_role.h"
#include "util/mem.h"

static const struct {
	const char *name, *mark;
} classes[NR_IRQ_CLASSES] = {
	[IRQ_TASK] = { "task", NULL },
	[IRQ_TRAMPOLINE] = { "trampoline", NULL },
	[IRQ_EXCEPTION] = { "exception", NULL },
	[IRQ_EXIT_WORK] = { "exit-work", NULL },
	[IRQ_KSOFTIRQD] = { "ksoftirqd", NULL },
	[IRQ_SOFTIRQ_INLINE] = { "softirq-inline", "[softirq]" },
	[IRQ_HARDIRQ] = { "hardirq", "[hardirq]" },
	[IRQ_SOFTIRQ] = { "softirq", "[softirq]" },
	[IRQ_NMI] = { "nmi", "[nmi]" },
};

const char *irq_class_name(enum irq_class class)
{
	return classes[class].name;
}

const char *irq_class_mark(enum irq_class class)
{
	return classes[class].mark;
}

/* What the classifier knows of a frame; filled when its first node is met. */
struct frame_fact {
	uint8_t role;
	bool is_kernel;
	bool is_known;
};

struct classifier {
	struct irq_map *map;
	const node_id *parents;
	const frame_id *frames;
	const struct frame_table *table;
	struct frame_fact *facts; /* by frame_id */
	bool is_annotated;	  /* kernel frames say that they are */
};

/* One frame with a suffix, or from a mapped file, and the profile tells kernel from user. */
static bool is_annotated(const struct profile *p)
{
	const struct frame_table *table = profile_frames(p);
	const frame_id *frames = profile_node_frames(p);

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const struct frame *f = frame_table_get(table, frames[n]);

		if ((f->origin != FRAME_USER && f->origin != FRAME_BASE) || f->module)
			return true;
	}
	return false;
}

static struct frame_fact fact_of(struct classifier *c, frame_id id)
{
	struct frame_fact *fact = &c->facts[id];
	const struct frame *f;
	const char *name;
	size_t len;

	if (fact->is_known)
		return *fact;
	f = frame_table_get(c->table, id);
	name = frame_table_name(c->table, id, &len);
	fact->is_known = true;
	if (f->origin == FRAME_KERNEL) {
		fact->is_kernel = true;
		fact->role = f->role ? f->role : frame_role_of_name(name, len);
	} else if (!c->is_annotated && f->origin == FRAME_USER) {
		fact->role = frame_role_of_name(name, len);
		fact->is_kernel = fact->role != FRAME_ROLE_NONE;
	}
	return *fact;
}

static void enter(struct irq_map *map, struct irq_node *me, struct irq_boundary b)
{
	array_reserve(map->boundaries, map->cap_boundaries, map->nr_boundaries + 1);
	map->boundaries[map->nr_boundaries] = b;
	me->boundary = map->nr_boundaries++;
	me->class = b.class;
	me->handler = NODE_ROOT;
	me->is_prologue = true;
}

/* The chain is still in the entry code of a known interrupt: another entry frame is part of it. */
static bool in_entry_of(const struct irq_map *map, const struct irq_node *up, enum irq_class class)
{
	return up->class == class && up->is_prologue && map->boundaries[up->boundary].entry;
}

/* Under a mark and nothing else: the entry says itself what the mark could not. */
static bool is_at_mark(const struct irq_map *map, const struct irq_node *up, enum irq_class class)
{
	return up->class == class && up->is_prologue && !map->boundaries[up->boundary].entry;
}

static void enter_irq(struct irq_map *map, node_id n, node_id parent, enum irq_class class)
{
	const struct irq_node *up = &map->nodes[parent];
	struct irq_boundary b = { .class = class, .begin = n, .entry = n };

	if (is_at_mark(map, up, class)) {
		b.is_marked = true;
	} else {
		b.outer = up->boundary;
		b.victim = parent;
	}
	enter(map, &map->nodes[n], b);
}

/* A boundary inside an interrupt's chain that hit the same victim through the same entry. */
static void enter_further(struct irq_map *map, node_id n, enum irq_class class)
{
	struct irq_node *me = &map->nodes[n];
	struct irq_boundary b = map->boundaries[me->boundary];

	b.class = class;
	b.begin = n;
	enter(map, me, b);
}

static void enter_inline(struct classifier *c, node_id n, node_id parent)
{
	struct irq_node *nodes = c->map->nodes;
	node_id path = nodes[parent].path ? nodes[parent].path : n;
	node_id caller = c->parents[path];
	bool has_caller = caller && nodes[caller].is_kernel;

	enter(c->map, &nodes[n],
	      (struct irq_boundary){ .class = IRQ_SOFTIRQ_INLINE,
				     .outer = nodes[caller].boundary,
				     .begin = n,
				     .entry = has_caller ? caller : path,
				     .victim = caller });
}

static void at_irq_entry(struct classifier *c, node_id n, node_id parent)
{
	if (in_entry_of(c->map, &c->map->nodes[parent], IRQ_HARDIRQ))
		c->map->nodes[n].is_prologue = true;
	else
		enter_irq(c->map, n, parent, IRQ_HARDIRQ);
}

static void at_nmi_entry(struct classifier *c, node_id n, node_id parent)
{
	const struct irq_node *up = &c->map->nodes[parent];

	if (up->class == IRQ_NMI && !is_at_mark(c->map, up, IRQ_NMI))
		c->map->nodes[n].is_prologue = up->is_prologue;
	else if (in_entry_of(c->map, up, IRQ_HARDIRQ))
		enter_further(c->map, n, IRQ_NMI); /* arm64: an interrupt used as NMI */
	else
		enter_irq(c->map, n, parent, IRQ_NMI);
}

/* Seen without an entry (an entry we do not know, or a cut stack): the interrupt begins here. */
static void at_irq_exit(struct classifier *c, node_id n, node_id parent)
{
	enum irq_class class = c->map->nodes[parent].class;

	if (class == IRQ_HARDIRQ || class == IRQ_NMI)
		return;
	enter_irq(c->map, n, parent, IRQ_HARDIRQ);
	c->map->nodes[n].is_prologue = false;
}

static void at_softirq_core(struct classifier *c, node_id n, node_id parent)
{
	const struct irq_node *up = &c->map->nodes[parent];

	switch (up->class) {
	case IRQ_HARDIRQ:
		enter_further(c->map, n, IRQ_SOFTIRQ);
		break;
	case IRQ_SOFTIRQ: /* __do_softirq;handle_softirqs: one core of two frames */
	case IRQ_SOFTIRQ_INLINE:
		c->map->nodes[n].is_prologue = up->is_prologue;
		break;
	case IRQ_NMI:
	case IRQ_KSOFTIRQD:
		break;
	default:
		enter_inline(c, n, parent);
	}
}

/* From a hard IRQ back to whom it hit; what follows is his. */
static void at_exit_work(struct classifier *c, node_id n, node_id parent)
{
	struct irq_node *me = &c->map->nodes[n];
	const struct irq_boundary *b = &c->map->boundaries[me->boundary];

	if (me->class != IRQ_HARDIRQ || b->is_marked)
		return;
	me->boundary = b->outer;
	me->class = b->outer ? c->map->boundaries[b->outer].class : IRQ_EXIT_WORK;
	me->handler = c->map->nodes[b->victim].handler;
}

static bool is_task_like(enum irq_class class)
{
	return class < IRQ_KSOFTIRQD;
}

static void at_plain(struct irq_node *me, const struct irq_node *up, node_id n)
{
	if (me->role == FRAME_ROLE_EXCEPTION && up->class <= IRQ_TRAMPOLINE)
		me->class = IRQ_EXCEPTION;
	else if (me->role == FRAME_ROLE_TRAMPOLINE && up->class == IRQ_TASK && !up->is_kernel)
		me->class = IRQ_TRAMPOLINE;
	else if (me->role != FRAME_ROLE_TRAMPOLINE && up->class == IRQ_TRAMPOLINE)
		me->class = IRQ_TASK;
	if (me->boundary && !me->handler)
		me->handler = n;
}

/*
 * A base frame under another one; marks are none.  Text does not tell: there the first one stays.
 */
static bool is_further_base(const struct classifier *c, node_id n, node_id parent)
{
	const char *name = frame_table_name(c->table, c->frames[n], NULL);

	return c->map->nodes[parent].base == parent && (*name != '[' || base_frame_is_none(name)) &&
	       frame_table_get(c->table, c->frames[n])->origin == FRAME_BASE &&
	       frame_table_get(c->table, c->frames[parent])->origin == FRAME_BASE;
}

static void classify(struct classifier *c, node_id n)
{
	node_id parent = c->parents[n];
	struct irq_node *me = &c->map->nodes[n];
	const struct irq_node *up = &c->map->nodes[parent];
	struct frame_fact fact = fact_of(c, c->frames[n]);

	*me = *up;
	me->role = fact.role;
	me->is_kernel |= fact.is_kernel;
	me->is_prologue = false;
	me->path = NODE_ROOT;
	me->base = parent && !is_further_base(c, n, parent) ? up->base : n;
	switch (fact.role) {
	case FRAME_ROLE_IRQ_ENTRY:
		at_irq_entry(c, n, parent);
		break;
	case FRAME_ROLE_NMI_ENTRY:
		at_nmi_entry(c, n, parent);
		break;
	case FRAME_ROLE_IRQ_EXIT:
		at_irq_exit(c, n, parent);
		break;
	case FRAME_ROLE_SOFTIRQ_CORE:
		at_softirq_core(c, n, parent);
		break;
	case FRAME_ROLE_EXIT_WORK:
		at_exit_work(c, n, parent);
		break;
	case FRAME_ROLE_KSOFTIRQD:
		if (is_task_like(up->class))
			me->class = IRQ_KSOFTIRQD;
		break;
	case FRAME_ROLE_IRQ_PATH:
		me->is_prologue = up->is_prologue;
		me->path = up->path;
		break;
	case FRAME_ROLE_SOFTIRQ_PATH:
		me->path = up->path ? up->path : n;
		break;
	default:
		at_plain(me, up, n);
	}
	if (me->class == IRQ_TRAMPOLINE && fact.role != FRAME_ROLE_TRAMPOLINE)
		me->class = IRQ_TASK;
}

/* Is there nothing above but base frames (a host)? */
static bool is_at_base(const struct classifier *c, node_id n)
{
	while ((n = c->parents[n]) != NODE_ROOT)
		if (frame_table_get(c->table, c->frames[n])->origin != FRAME_BASE)
			return false;
	return true;
}

/* "[hardirq]" and its like where a stack begins: this stack was separated before. */
static bool classify_mark(struct classifier *c, node_id n)
{
	const struct frame *f = frame_table_get(c->table, c->frames[n]);
	const char *name;

	if (f->origin == FRAME_KERNEL)
		return false;
	name = frame_table_name(c->table, c->frames[n], NULL);
	if (name[0] != '[' || !is_at_base(c, n))
		return false;
	for (int k = IRQ_HARDIRQ; k < NR_IRQ_CLASSES; k++) {
		if (strcmp(name, classes[k].mark))
			continue;
		enter(c->map, &c->map->nodes[n],
		      (struct irq_boundary){ .class = k, .is_marked = true, .begin = n });
		c->map->nodes[n].base = n;
		return true;
	}
	return false;
}

struct irq_map *irq_map_new(const struct profile *p)
{
	struct irq_map *map = xcalloc(1, sizeof(*map));
	_cleanup_free_ struct frame_fact *facts =
		xcalloc(frame_table_nr(profile_frames(p)), sizeof(*facts));
	struct classifier c = {
		.map = map,
		.parents = profile_parents(p),
		.frames = profile_node_frames(p),
		.table = profile_frames(p),
		.facts = facts,
		.is_annotated = is_annotated(p),
	};

	map->profile = p;
	map->nr_nodes = profile_nr_nodes(p);
	map->nodes = xcalloc(map->nr_nodes, sizeof(*map->nodes));
	array_reserve(map->boundaries, map->cap_boundaries, 1);
	map->boundaries[map->nr_boundaries++] = (struct irq_boundary){ 0 };
	for (node_id n = 1; n < map->nr_nodes; n++)
		if (!classify_mark(&c, n))
			classify(&c, n);
	return map;
}

void irq_map_free(struct irq_map *map)
{
	if (!map)
		return;
	free(map->nodes);
	free(map->boundaries);
	free(map);
}

enum irq_class irq_class_of_node(const struct irq_map *map, node_id node)
{
	return map->nodes[node].class;
}

bool irq_node_is_core(const struct irq_map *map, node_id node)
{
	const struct irq_node *me = &map->nodes[node];

	return me->role == FRAME_ROLE_SOFTIRQ_CORE && me->is_prologue;
}

bool irq_node_is_exit(const struct irq_map *map, node_id node)
{
	const struct irq_node *me = &map->nodes[node];
	node_id parent;

	if (me->role != FRAME_ROLE_EXIT_WORK)
		return false;
	parent = profile_parent(map->profile, node);
	return map->nodes[parent].class == IRQ_HARDIRQ &&
	       me->boundary != map->nodes[parent].boundary;
}

void irq_count(const struct irq_map *map, struct irq_counts *ret_counts)
{
	const uint64_t *selves = profile_selves(map->profile);
	struct irq_counts counts = { .total = profile_total(map->profile) };

	for (node_id n = 0; n < map->nr_nodes; n++)
		counts.samples[map->nodes[n].class] += selves[n];
	*ret_counts = counts;
}
