// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each user's stacks take is counted by depth, so the depth at which they fit is known at
 * once, but for kernel frames: many that were called at different places become one under the mark.
 * So it is done again until all is within its share; the second time everything is counted.
 */
#include "profile/profile_trim.h"

#include <stdlib.h>
#include <string.h>

#include "profile/frame_place.h"
#include "profile/profile_owner.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/name_cut.h"
#include "util/strbuf.h"
#include "util/table.h"

/* With the room that tables and arrays keep free. */
#define NODE_BYTES  40
#define FRAME_BYTES 80

#define FIRST_USERS 64
#define MAX_PASSES  8
#define ALL_DEPTHS  UINT32_MAX

/* With names whole, and with names cut. */
struct cost {
	uint64_t whole, cut;
};

struct user {
	owner_id owner;
	struct cost base;      /* of base frames */
	struct cost *by_depth; /* of the others, by the number of user frames down to there */
	size_t nr_depths, cap_depths;
	uint64_t need;
	uint64_t share;
	/* What he is left with. */
	bool is_over;	/* names are cut */
	bool is_bare;	/* base frame and mark */
	bool is_gone;	/* the mark */
	uint32_t depth; /* user frames */
};

struct trim;

DEFINE_ID_TABLE(user_ids, owner_id, struct trim)

struct trim {
	const struct profile *in;
	struct frame_table *from;
	struct user *users; /* 0 is nobody */
	size_t nr, cap;
	struct user_ids ids;
	uint32_t *user;	  /* of each node */
	uint32_t *depth;  /* user frames down to each node, itself included */
	uint8_t *is_met;  /* frames that were counted */
	uint8_t *is_kept; /* frames that somebody uses who is within his share */
	/* What is made. */
	struct profile *out;
	frame_id *carried;
	frame_id cut;
	node_id *nodes;
	uint64_t nr_names;
};

static uint64_t user_ids_hash(const struct trim *t, const uint32_t *id)
{
	return hash_u64(t->users[*id].owner);
}

static bool user_ids_equals(const struct trim *t, const uint32_t *id, const owner_id *owner)
{
	return t->users[*id].owner == *owner;
}

/* ---- what there is -------------------------------------------------------------------------- */

static const struct frame *frame_of(const struct trim *t, node_id n)
{
	return frame_table_get(t->from, profile_frame(t->in, n));
}

static bool is_base(const struct trim *t, node_id n)
{
	return profile_parent(t->in, n) == NODE_ROOT && frame_of(t, n)->origin == FRAME_BASE;
}

static bool is_named(const struct frame_table *t, const struct frame *f, const char *mark)
{
	return f->origin == FRAME_BASE && !strcmp(frame_table_str(t, f->name, NULL), mark);
}

static bool is_user_frame(const struct frame *f)
{
	return f->origin != FRAME_BASE && f->origin != FRAME_KERNEL;
}

static uint32_t user_of(struct trim *t, owner_id owner)
{
	const uint32_t *id = user_ids_find(&t->ids, t, hash_u64(owner), &owner);

	if (id)
		return *id;
	array_reserve(t->users, t->cap, t->nr + 2);
	user_ids_reserve_all(&t->ids, t, 1);
	t->users[++t->nr] = (struct user){ .owner = owner, .depth = ALL_DEPTHS };
	*user_ids_put(&t->ids, hash_u64(owner)) = t->nr;
	return t->nr;
}

static struct cost *cost_of(const struct trim *t, node_id n)
{
	struct user *u = &t->users[t->user[n]];
	size_t depth = t->depth[n];

	if (is_base(t, n))
		return &u->base;
	if (depth >= u->nr_depths) {
		array_reserve(u->by_depth, u->cap_depths, depth + 1);
		memset(&u->by_depth[u->nr_depths], 0,
		       (depth + 1 - u->nr_depths) * sizeof(*u->by_depth));
		u->nr_depths = depth + 1;
	}
	return &u->by_depth[depth];
}

/* A frame is paid for by who has the first node that it is in. */
static void count_node(struct trim *t, node_id n)
{
	const struct frame *f = frame_of(t, n);
	struct cost *cost = cost_of(t, n);
	uint64_t whole = NODE_BYTES, cut = NODE_BYTES;
	size_t len;

	if (!t->is_met[profile_frame(t->in, n)]) {
		t->is_met[profile_frame(t->in, n)] = 1;
		frame_table_str(t->from, frame_shown(f), &len);
		whole += FRAME_BYTES + len;
		cut += FRAME_BYTES + (len < PROFILE_SHORT_NAME ? len : PROFILE_SHORT_NAME);
	}
	cost->whole += whole;
	cost->cut += cut;
	t->users[t->user[n]].need += whole;
}

/*
 * Who was over his share once, stays so: else a function that was met before and after would have
 * two names.  The mark says it.
 */
static void count_all(struct trim *t)
{
	size_t nr = profile_nr_nodes(t->in);

	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(t->in, n);
		const struct frame *f = frame_of(t, n);

		t->user[n] = parent ? t->user[parent]
				    : user_of(t, f->origin == FRAME_BASE ? f->start : OWNER_SYSTEM);
		t->depth[n] = t->depth[parent] + is_user_frame(f);
		t->users[t->user[n]].is_over |= is_named(t->from, f, PROFILE_CUT);
		count_node(t, n);
	}
}

/* ---- who gets how much ---------------------------------------------------------------------- */

static int by_need(const void *a, const void *b)
{
	const struct user *x = *(const struct user *const *)a, *y = *(const struct user *const *)b;

	return (x->need > y->need) - (x->need < y->need);
}

/* False: all of it fits. */
static bool share_out(struct trim *t, uint64_t bytes)
{
	_cleanup_free_ struct user **users = xcalloc(t->nr, sizeof(struct user *));
	struct user *system = NULL;
	uint64_t need = 0;
	size_t nr = 0;

	for (size_t i = 1; i <= t->nr; i++) {
		need += t->users[i].need;
		if (t->users[i].owner == OWNER_SYSTEM)
			system = &t->users[i];
		else
			users[nr++] = &t->users[i];
	}
	if (need <= bytes)
		return false;
	if (system) {
		uint64_t others = need - system->need;

		system->share = others < bytes / 2 ? bytes - others : bytes - bytes / 2;
		bytes -= system->need < system->share ? system->need : system->share;
	}
	qsort(users, nr, sizeof(struct user *), by_need);
	for (size_t i = 0; i < nr; i++) {
		users[i]->share = bytes / (nr - i);
		bytes -= users[i]->need < users[i]->share ? users[i]->need : users[i]->share;
	}
	return true;
}

static void limit_user(struct user *u)
{
	uint64_t bytes = u->base.cut;
	size_t depth;

	if (u->need <= u->share)
		return;
	u->is_over = true;
	for (depth = 0; depth < u->nr_depths && bytes <= u->share; depth++)
		bytes += u->by_depth[depth].cut;
	if (bytes <= u->share)
		return;
	u->is_gone = !depth;
	u->is_bare = depth <= 1;
	u->depth = depth > 1 ? depth - 2 : 0;
}

/* Names of those who are within their share stay whole, whoever else has them. */
static void keep_names(struct trim *t)
{
	size_t nr = profile_nr_nodes(t->in);

	for (node_id n = 1; n < nr; n++)
		if (!t->users[t->user[n]].is_over)
			t->is_kept[profile_frame(t->in, n)] = 1;
}

/* ---- what becomes of it --------------------------------------------------------------------- */

static str_id carry_name(struct trim *t, const struct frame *f, bool is_whole, bool *ret_is_cut)
{
	struct frame_table *to = profile_frames(t->out);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *name;
	size_t len;

	name = frame_table_str(t->from, frame_shown(f), &len);
	*ret_is_cut = !is_whole && len > PROFILE_SHORT_NAME;
	if (!*ret_is_cut)
		return frame_table_intern(to, name, len);
	strbuf_add(&text, name, len);
	name_cut(&text, PROFILE_SHORT_NAME);
	return frame_table_intern(to, text.bytes, text.len);
}

static frame_id carry(struct trim *t, node_id n)
{
	frame_id id = profile_frame(t->in, n);
	struct frame_table *to = profile_frames(t->out);
	struct frame f = frame_without_place(t->from, id);
	size_t len, nr = frame_table_nr(to);
	const char *module, *file;
	bool is_cut;

	if (t->carried[id])
		return t->carried[id];
	module = frame_table_str(t->from, f.module, &len);
	f.name = carry_name(t, &f, t->is_kept[id], &is_cut);
	f.shown = 0;
	f.module = frame_table_intern(to, module, len);
	file = frame_table_str(t->from, f.file, &len);
	f.file = frame_table_intern(to, file, len);
	t->carried[id] = frame_table_add(to, &f);
	/* One that was cut before, and met again since, is there already. */
	t->nr_names += is_cut && frame_table_nr(to) > nr;
	return t->carried[id];
}

static bool is_cut_node(const struct trim *t, node_id n)
{
	const struct frame_table *to = profile_frames(t->out);

	return is_named(to, frame_table_get(to, profile_frame(t->out, n)), PROFILE_CUT);
}

static node_id place_cut(struct trim *t, node_id at)
{
	return is_cut_node(t, at) ? at : profile_child(t->out, at, t->cut);
}

static bool is_lost_mark(const struct trim *t, const struct frame *f)
{
	return f->origin == FRAME_BASE &&
	       !strncmp(frame_table_str(t->from, f->name, NULL), "[lost:", 6);
}

static node_id place(struct trim *t, node_id n)
{
	const struct frame *f = frame_of(t, n);
	const struct user *u = &t->users[t->user[n]];
	node_id at = t->nodes[profile_parent(t->in, n)];

	if (is_base(t, n)) {
		if (!u->is_gone || is_lost_mark(t, f))
			return profile_child(t->out, at, carry(t, n));
		return profile_child(
			t->out, at,
			profile_owned_base(profile_frames(t->out), PROFILE_CUT, u->owner));
	}
	if (u->is_gone)
		return at;
	if (u->is_bare || is_named(t->from, f, PROFILE_CUT) ||
	    (is_user_frame(f) && t->depth[n] > u->depth))
		return place_cut(t, at);
	return profile_child(t->out, at, carry(t, n));
}

static void make(struct trim *t)
{
	size_t nr = profile_nr_nodes(t->in);

	t->out = profile_new(NULL);
	t->cut = frame_table_add_base(profile_frames(t->out), PROFILE_CUT);
	for (node_id n = 0; n < nr; n++) {
		if (n)
			t->nodes[n] = place(t, n);
		if (n && is_base(t, n) && t->users[t->user[n]].is_over)
			place_cut(t, t->nodes[n]); /* without weight: see count_all() */
		profile_add(t->out, t->nodes[n], profile_self(t->in, n)); /* no more than in `in` */
	}
}

/* ---- passes --------------------------------------------------------------------------------- */

static void trim_init(struct trim *t, const struct profile *in)
{
	size_t nr = profile_nr_nodes(in), nr_frames;

	*t = (struct trim){ .in = in, .from = profile_frames(in) };
	nr_frames = frame_table_nr(t->from);
	user_ids_init(&t->ids, FIRST_USERS);
	t->cap = FIRST_USERS;
	t->users = xcalloc(t->cap, sizeof(*t->users));
	t->user = xcalloc(nr, sizeof(*t->user));
	t->depth = xcalloc(nr, sizeof(*t->depth));
	t->nodes = xcalloc(nr, sizeof(*t->nodes));
	t->is_met = xcalloc(nr_frames, 1);
	t->is_kept = xcalloc(nr_frames, 1);
	t->carried = xcalloc(nr_frames, sizeof(*t->carried));
}

static void trim_deinit(struct trim *t)
{
	for (size_t i = 1; i <= t->nr; i++)
		free(t->users[i].by_depth);
	free(t->users);
	user_ids_deinit(&t->ids);
	free(t->user);
	free(t->depth);
	free(t->nodes);
	free(t->is_met);
	free(t->is_kept);
	free(t->carried);
}

struct pass {
	struct profile *out;
	node_id *nodes; /* of `in`, where they are in `out` */
	uint64_t nr_names;
	bool is_over; /* not everything fitted */
};

static struct pass trim_once(const struct profile *in, size_t max_bytes)
{
	_cleanup_(trim_deinit) struct trim t;
	struct pass pass;

	trim_init(&t, in);
	count_all(&t);
	pass.is_over = share_out(&t, max_bytes);
	for (size_t i = 1; i <= t.nr && pass.is_over; i++)
		limit_user(&t.users[i]);
	keep_names(&t);
	make(&t);
	pass.nodes = take_ptr(t.nodes);
	pass.nr_names = t.nr_names;
	pass.out = t.out;
	return pass;
}

struct profile *profile_trim(const struct profile *p, size_t max_bytes, node_id **ret_nodes,
			     uint64_t *ret_nr_names)
{
	size_t nr = profile_nr_nodes(p);
	node_id *nodes = xcalloc(nr, sizeof(*nodes));
	const struct profile *in = p;
	struct profile *out = NULL;
	bool is_over = true;

	for (size_t i = 0; i < nr; i++)
		nodes[i] = i;
	for (int i = 0; i < MAX_PASSES && is_over; i++) {
		_cleanup_profile_ struct profile *before = out;
		struct pass pass = trim_once(in, max_bytes);

		for (size_t n = 0; n < nr; n++)
			nodes[n] = pass.nodes[nodes[n]];
		free(pass.nodes);
		*ret_nr_names += pass.nr_names;
		is_over = pass.is_over;
		in = out = pass.out;
	}
	if (ret_nodes)
		*ret_nodes = nodes;
	else
		free(nodes);
	return out;
}

uint64_t profile_cut_weight(const struct profile *p)
{
	size_t nr = profile_nr_nodes(p);
	_cleanup_free_ bool *is_cut = xcalloc(nr, sizeof(*is_cut));
	const struct frame_table *t = profile_frames(p);
	uint64_t sum = 0;

	for (node_id n = 1; n < nr; n++) {
		is_cut[n] = is_cut[profile_parent(p, n)] ||
			    is_named(t, frame_table_get(t, profile_frame(p, n)), PROFILE_CUT);
		sum += is_cut[n] ? profile_self(p, n) : 0;
	}
	return sum;
}
