// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The collapsing automaton, played over the trie of all stacks at once.
 *
 * The profile is walked depth first, so each distinct prefix is one step, however many stacks
 * share it: what a stack that passes here adds is the weight of the subtree below.  "Once per
 * sample" becomes "once per path": a row is counted where the path meets it first.
 *
 * The nearest ancestor of a function, which decides where a stub leads, takes no search.  Two
 * arrays follow the walk: chain[level], the node of the tree at that level, and last[func], the
 * node of that function that the path entered last.  Crossing a stub shortens the chain by doing
 * nothing: entries above the current level are stale, and a node is on the chain exactly if
 * its level is not above the current one and chain[its level] is the node.  When last[func]
 * is stale, the next candidate is its `same` link.  That is one step at most: `direct` cuts
 * nothing, a `full` chain holds a name once, and what `conservative` cuts off holds no name that is
 * novel there, while between two nodes of one function there always stands one (else the second
 * would have been a stub).  Leaving a prefix undoes its two writes.
 */
#include "analysis/calltree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_STEPS 192

struct step {
	row_id parent;
	frame_id func;
};

/* Children of rows with ROW_HASHED. */
DEFINE_ID_TABLE(steps, struct step, struct calltree)

enum row_flags {
	ROW_ON_PATH = 1, /* only during a walk: the path has met this row */
	ROW_HASHED = 2,	 /* its children are in the hash table */
};

struct calltree {
	struct frame_table *frames;
	enum collapse_degree degree;
	uint64_t total;

	struct calltree_row *rows;
	struct calltree_counts *counts;
	uint8_t *flags; /* enum row_flags */
	size_t nr, cap;

	struct steps steps;

	row_id *step; /* by node of the profile: the row it is a step to; 0: not played yet */
	size_t nr_steps, cap_steps;
};

/* A prefix on the current path and what entering it changed. */
struct visit {
	node_id prefix;
	row_id row;	  /* its step */
	row_id cur;	  /* where the path was before it */
	row_id old_chain; /* chain[level] and last[func] before it, when row is a node */
	row_id old_last;
	bool crossed; /* a stub was crossed before it */
	bool met;     /* it was the first on the path to meet row */
};

struct walk {
	struct calltree *tree;
	const struct profile *profile;
	uint64_t *sums; /* weight at and under each prefix */
	node_id *child; /* first child and next sibling of each prefix, 0: none */
	node_id *sibling;
	row_id *chain;	    /* by level */
	row_id *last;	    /* by frame */
	struct visit *path; /* from the root to here */
	size_t depth, cap_path;
	row_id cur;
	row_id first_new; /* rows from here on were made in this walk */
	bool crossed;
};

static uint64_t step_hash(row_id parent, frame_id func)
{
	return hash_u64((uint64_t)parent << 32 | func);
}

static void tree_grow(struct calltree *t)
{
	size_t cap = array_capacity(t->cap, t->nr + 1);

	t->rows = xreallocarray(t->rows, cap, sizeof(*t->rows));
	t->counts = xreallocarray(t->counts, cap, sizeof(*t->counts));
	t->flags = xreallocarray(t->flags, cap, sizeof(*t->flags));
	t->cap = cap;
}

static uint64_t steps_hash(const struct calltree *t, const row_id *row)
{
	return step_hash(t->rows[*row].parent, t->rows[*row].func);
}

static bool steps_equals(const struct calltree *t, const row_id *row, const struct step *key)
{
	return t->rows[*row].parent == key->parent && t->rows[*row].func == key->func;
}

static void step_put(struct calltree *t, row_id row)
{
	*steps_add(&t->steps, t, steps_hash(t, &row)) = row;
}

static row_id step_find(const struct calltree *t, row_id parent, frame_id func)
{
	const struct step key = { parent, func };
	const row_id *row = steps_find(&t->steps, t, step_hash(parent, func), &key);

	return row ? *row : 0;
}

static row_id tree_add(struct calltree *t, const struct calltree_row *row)
{
	row_id r = t->nr;
	struct calltree_row *parent;

	if (t->nr == t->cap)
		tree_grow(t);
	t->rows[r] = *row;
	t->counts[r] = (struct calltree_counts){ 0 };
	t->flags[r] = 0;
	t->nr++;
	parent = &t->rows[row->parent];
	if (t->flags[row->parent] & ROW_HASHED) {
		step_put(t, r);
	} else {
		t->rows[r].sibling = parent->child;
		parent->child = r;
	}
	return r;
}

/*
 * The row of a known step from cur, 0 when the step is new.  A node that was made in this walk and
 * has one visitor has children of that prefix only, and siblings of the profile differ in function.
 */
static row_id find_step(const struct walk *w, frame_id func)
{
	struct calltree *t = w->tree;
	const struct calltree_counts *c = &t->counts[w->cur];

	if (!(t->flags[w->cur] & ROW_HASHED)) {
		if (w->cur >= w->first_new && c->places + c->recursions == 1)
			return 0;
		for (row_id r = t->rows[w->cur].child; r; r = t->rows[r].sibling)
			step_put(t, r);
		t->flags[w->cur] |= ROW_HASHED;
	}
	return step_find(t, w->cur, func);
}

/* The nearest node of func on the chain that ends at cur; 0: there is none. */
static row_id find_ancestor(const struct walk *w, frame_id func)
{
	const struct calltree_row *rows = w->tree->rows;
	row_id r = w->last[func];

	while (r && (rows[r].level > rows[w->cur].level || w->chain[rows[r].level] != r))
		r = rows[r].same;
	return r;
}

/* Where a call of a function at cur goes on, given the nearest node of it; 0: a new node. */
static row_id step_target(const struct walk *w, row_id ancestor)
{
	const struct calltree_row *rows = w->tree->rows;

	switch (w->tree->degree) {
	case COLLAPSE_DIRECT:
		return ancestor == w->cur ? ancestor : 0;
	case COLLAPSE_CONSERVATIVE:
		/* Nothing that would be cut off is the first of its name. */
		return rows[w->cur].novel == rows[ancestor].novel ? ancestor : 0;
	case COLLAPSE_FULL:
		return ancestor;
	case COLLAPSE_NONE:
	case NR_COLLAPSE_DEGREES:
		break;
	}
	return 0;
}

/* The row that a call of func at cur leads to, made if it is not there. */
static row_id walk_step(struct walk *w, frame_id func)
{
	struct calltree *t = w->tree;
	row_id found = find_step(w, func), ancestor = 0;
	struct calltree_row row;

	if (found)
		return found;
	if (t->degree != COLLAPSE_NONE)
		ancestor = find_ancestor(w, func);
	row = (struct calltree_row){
		.func = func,
		.parent = w->cur,
		.target = ancestor ? step_target(w, ancestor) : 0,
		.level = t->rows[w->cur].level + 1,
		.first = NODE_DROP,
		.novel = t->rows[w->cur].novel + !ancestor,
		.same = ancestor,
	};
	return tree_add(t, &row);
}

static void add_saturated(uint64_t *to, uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to))
		*to = UINT64_MAX;
}

static void enter_node(struct walk *w, struct visit *v)
{
	const struct calltree_row *row = &w->tree->rows[v->row];

	v->old_chain = w->chain[row->level];
	v->old_last = w->last[row->func];
	w->chain[row->level] = v->row;
	w->last[row->func] = v->row;
	w->tree->counts[v->row].self += profile_self(w->profile, v->prefix);
	w->cur = v->row;
}

static void cross_stub(struct walk *w, const struct visit *v)
{
	row_id target = w->tree->rows[v->row].target;
	struct calltree_counts *at = &w->tree->counts[target];

	add_saturated(&w->tree->counts[v->row].crossings, w->sums[v->prefix]);
	at->recursions++;
	at->self += profile_self(w->profile, v->prefix);
	w->crossed = true;
	w->cur = target;
}

static void walk_enter(struct walk *w, node_id prefix)
{
	struct calltree *t = w->tree;
	struct visit v = { .prefix = prefix, .cur = w->cur, .crossed = w->crossed };
	struct calltree_counts *c;

	if (!t->step[prefix])
		t->step[prefix] = walk_step(w, profile_frame(w->profile, prefix));
	v.row = t->step[prefix];
	c = &t->counts[v.row];
	c->places++;
	if (prefix < t->rows[v.row].first)
		t->rows[v.row].first = prefix;
	if (!(t->flags[v.row] & ROW_ON_PATH)) {
		t->flags[v.row] |= ROW_ON_PATH;
		v.met = true;
		*(w->crossed ? &c->indirect : &c->direct) += w->sums[prefix];
	}
	if (t->rows[v.row].target)
		cross_stub(w, &v);
	else
		enter_node(w, &v);
	array_reserve(w->path, w->cap_path, w->depth + 1);
	w->path[w->depth++] = v;
}

/* Back to where the path was before its last prefix; returns that prefix. */
static node_id walk_leave(struct walk *w)
{
	struct calltree *t = w->tree;
	const struct visit *v = &w->path[--w->depth];
	const struct calltree_row *row = &t->rows[v->row];

	if (!row->target) {
		w->chain[row->level] = v->old_chain;
		w->last[row->func] = v->old_last;
	}
	if (v->met)
		t->flags[v->row] &= ~ROW_ON_PATH;
	w->cur = v->cur;
	w->crossed = v->crossed;
	return v->prefix;
}

/* Children of one prefix stand in rising order. */
static void walk_link(struct walk *w)
{
	size_t nr = profile_nr_nodes(w->profile);
	const node_id *parent = profile_parents(w->profile);

	w->child = xcalloc(nr, sizeof(*w->child));
	w->sibling = xcalloc(nr, sizeof(*w->sibling));
	for (node_id n = nr - 1; n > 0; n--) {
		w->sibling[n] = w->child[parent[n]];
		w->child[parent[n]] = n;
	}
}

static void walk_all(struct walk *w)
{
	node_id n = w->child[NODE_ROOT];

	while (n || w->depth) {
		if (!n) {
			n = w->sibling[walk_leave(w)];
		} else if (!w->sums[n]) {
			n = w->sibling[n]; /* no sample ends here or below */
		} else {
			walk_enter(w, n);
			n = w->child[n];
		}
	}
}

static void walk_deinit(struct walk *w)
{
	free(w->sums);
	free(w->child);
	free(w->sibling);
	free(w->chain);
	free(w->last);
	free(w->path);
}

struct calltree *calltree_new(const struct profile *profile, enum collapse_degree degree)
{
	struct calltree *t = xcalloc(1, sizeof(*t));

	t->frames = frame_table_ref(profile_frames(profile));
	t->degree = degree;
	steps_init(&t->steps, FIRST_STEPS);
	tree_grow(t);
	t->rows[ROW_TOP] = (struct calltree_row){ 0 };
	t->flags[ROW_TOP] = ROW_HASHED;
	t->nr = 1;
	calltree_refresh(t, profile);
	return t;
}

void calltree_free(struct calltree *t)
{
	if (!t)
		return;
	frame_table_unref(t->frames);
	free(t->rows);
	free(t->counts);
	free(t->flags);
	steps_deinit(&t->steps);
	free(t->step);
	free(t);
}

void calltree_refresh(struct calltree *t, const struct profile *profile)
{
	size_t nr = profile_nr_nodes(profile);
	__attribute__((cleanup(walk_deinit))) struct walk w = { .tree = t,
								.profile = profile,
								.first_new = t->nr };

	array_reserve(t->step, t->cap_steps, nr);
	memset(t->step + t->nr_steps, 0, (nr - t->nr_steps) * sizeof(*t->step));
	t->nr_steps = nr;
	memset(t->counts, 0, t->nr * sizeof(*t->counts));
	w.sums = xcalloc(nr, sizeof(*w.sums));
	profile_sum(profile, w.sums);
	t->total = w.sums[NODE_ROOT] - profile_self(profile, NODE_ROOT);
	w.chain = xcalloc(profile_depth(profile) + 2, sizeof(*w.chain));
	w.last = xcalloc(frame_table_nr(t->frames), sizeof(*w.last));
	walk_link(&w);
	walk_all(&w);
}

size_t calltree_nr_rows(const struct calltree *t)
{
	return t->nr;
}

const struct calltree_row *calltree_rows(const struct calltree *t)
{
	return t->rows;
}

const struct calltree_counts *calltree_counts(const struct calltree *t)
{
	return t->counts;
}

uint64_t calltree_total(const struct calltree *t)
{
	return t->total;
}

struct frame_table *calltree_frames(const struct calltree *t)
{
	return t->frames;
}

row_id calltree_end(const struct calltree *t, node_id prefix)
{
	row_id row = t->step[prefix];

	return t->rows[row].target ? t->rows[row].target : row;
}

size_t calltree_bytes(const struct calltree *t)
{
	return t->cap * (sizeof(*t->rows) + sizeof(*t->counts) + sizeof(*t->flags)) +
	       steps_bytes(&t->steps) + t->cap_steps * sizeof(*t->step);
}
