// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose the samples are: the frames that stand outermost.  Where all of them have PIDs, what they
 * have in common stands above them: comm, its processes, their threads.  A comm may stand in a
 * frame of its own below its tasks, else it is what their names begin with.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/base_marks.h"
#include "live/live_rows.h"
#include "profile/base_frame.h"
#include "util/hash.h"
#include "util/mem.h"

enum { LEVELS = 3 }; /* comm, comm-PID, comm-PID/TID */

static const struct live_column process_columns[] = {
	{ "samples %", 9, LIVE_PERCENT, 0 },
	{ "samples", 8, LIVE_SAMPLES, 1 },
};

/* The lengths of "comm", "comm-PID" and "comm-PID/TID"; how many there are, 1: a comm alone. */
static size_t split(const char *name, size_t len, size_t ret_lens[LEVELS])
{
	const struct base_frame_task t = base_frame_split(name, len);

	ret_lens[0] = t.comm.len;
	ret_lens[1] = t.pid.len ? (size_t)(t.pid.at + t.pid.len - name) : len;
	ret_lens[2] = len;
	return t.tid.len ? 3 : t.pid.len ? 2 : 1;
}

static bool is_mark(const char *name, size_t len)
{
	return len && *name == '[' && name[len - 1] == ']';
}

/*
 * The comm that stands under a task, where both are base frames; NULL: there is none.  What is said
 * of a task's stacks stands under its comm.
 */
static const char *comm_below(const struct graph *g, const struct frame_table *frames,
			      uint32_t task, size_t *ret_len)
{
	size_t task_len, len;
	const char *name = frame_table_name(frames, task, &task_len);

	for (uint32_t i = g->out_start[task]; i < g->out_start[task + 1]; i++) {
		uint32_t callee = g->arcs[g->out_arc[i]].callee;
		const char *comm = frame_table_name(frames, callee, &len);
		size_t prefix = strcmp(comm, BASE_FRAME_NO_NAME) ? len : 0;

		if (!frame_is_base(frames, callee) || prefix >= task_len ||
		    memcmp(name, comm, prefix) != 0 || name[prefix] != '-')
			continue;
		*ret_len = len;
		return comm;
	}
	return NULL;
}

/* How many levels all of them have, but for marks. */
static size_t levels_of(const struct graph *g, const struct frame_table *frames)
{
	size_t levels = LEVELS, lens[LEVELS], nr_tasks = 0;

	for (uint32_t i = g->out_start[0]; i < g->out_start[1]; i++) {
		uint32_t task = g->arcs[g->out_arc[i]].callee;
		size_t len, nr;
		const char *name = frame_table_name(frames, task, &len);

		if (is_mark(name, len))
			continue;
		nr = comm_below(g, frames, task, &(size_t){ 0 }) ? LEVELS : split(name, len, lens);
		levels = nr < levels ? nr : levels;
		nr_tasks++;
	}
	return nr_tasks ? levels : 1;
}

/* ---- a tree of names ------------------------------------------------------------------------- */

struct tasks {
	struct profile *names; /* with a frame table of its own */
	uint64_t *sums;
	node_id *first, *next;
	const struct live_choice *choice;
	struct live_table *table;
};

struct task {
	const char *parts[LEVELS];
	size_t lens[LEVELS];
	bool is_alone; /* the last part alone */
};

/* comm: what was said to be it (comm_below()); NULL: what the name says. */
static void task_split(struct task *t, const char *name, const char *comm, size_t comm_len)
{
	size_t len = strlen(name);
	const char *slash = memrchr(name, '/', len);

	*t = (struct task){ .parts = { name, name, name }, .is_alone = is_mark(name, len) };
	split(name, len, t->lens);
	if (!comm)
		return;
	t->parts[0] = comm;
	t->lens[0] = comm_len;
	t->lens[1] = slash ? (size_t)(slash - name) : len;
	t->lens[2] = len;
	t->is_alone = false;
}

/* A name is a node below what it begins with. */
static void add_task(struct profile *names, const struct task *t, size_t levels, uint64_t samples)
{
	struct frame_table *frames = profile_frames(names);
	node_id n = NODE_ROOT;

	for (size_t i = t->is_alone ? levels - 1 : 0; i < levels; i++) {
		size_t part = i + 1 == levels ? LEVELS - 1 : i;
		const struct frame f = { .origin = FRAME_BASE,
					 .name = frame_table_intern(frames, t->parts[part],
								    t->lens[part]) };

		n = profile_child(names, n, frame_table_add(frames, &f));
	}
	profile_add(names, n, samples);
}

static const char *task_name(const struct tasks *t, node_id n, size_t *ret_len)
{
	return frame_table_name(profile_frames(t->names), profile_frame(t->names, n), ret_len);
}

static int heavier_first(const void *a, const void *b, void *ctx)
{
	const struct tasks *t = ctx;
	node_id x = *(const node_id *)a, y = *(const node_id *)b;
	int c;

	if (t->sums[x] != t->sums[y])
		return t->sums[x] > t->sums[y] ? -1 : 1;
	c = strcmp(task_name(t, x, NULL), task_name(t, y, NULL));
	return c ? c : (x > y) - (x < y);
}

/* Is all that is below a process its first thread, "x-7/7" below "x-7"?  It says nothing more. */
static bool is_one_thread(const struct tasks *t, node_id process)
{
	node_id thread = t->first[process];
	size_t len, thread_len, tid_len;
	const char *name = task_name(t, process, &len), *below;

	if (!thread || t->next[thread])
		return false;
	below = task_name(t, thread, &thread_len);
	if (thread_len <= len || memcmp(below, name, len) != 0 || below[len] != '/')
		return false;
	tid_len = thread_len - len - 1;
	return tid_len < len && name[len - tid_len - 1] == '-' &&
	       !memcmp(below + len + 1, name + len - tid_len, tid_len);
}

/* Calls itself for what is below: LEVELS deep. */
static void task_rows(struct tasks *t, node_id parent, uint32_t level)
{
	_cleanup_free_ node_id *nodes = NULL;
	size_t nr = 0, cap = 0;

	for (node_id n = t->first[parent]; n; n = t->next[n]) {
		array_reserve(nodes, cap, nr + 1);
		nodes[nr++] = n;
	}
	if (nr)
		qsort_r(nodes, nr, sizeof(*nodes), heavier_first, t);
	for (size_t i = 0; i < nr; i++) {
		size_t len, at;
		const char *name = task_name(t, nodes[i], &len);
		uint64_t key = hash_mix(hash_bytes(name, len), level);
		struct live_row *row = live_row_add(t->table, key);
		bool has_below = t->first[nodes[i]] && !is_one_thread(t, nodes[i]);

		row->level = level;
		row->values[0] = row->values[1] = t->sums[nodes[i]];
		row->is_folded =
			has_below && t->choice->tasks && live_folds_has(t->choice->tasks, key);
		at = live_text_add(t->table, name, len);
		row->name = at;
		if (has_below && !row->is_folded)
			task_rows(t, nodes[i], level + 1);
	}
}

static void link_tasks(struct tasks *t)
{
	size_t nr = profile_nr_nodes(t->names);

	t->sums = xcalloc(nr, sizeof(*t->sums));
	t->first = xcalloc(nr, sizeof(*t->first));
	t->next = xcalloc(nr, sizeof(*t->next));
	profile_sum(t->names, t->sums);
	for (node_id n = 1; n < nr; n++) {
		node_id parent = profile_parent(t->names, n);

		t->next[n] = t->first[parent];
		t->first[parent] = n;
	}
}

static bool is_wanted(const struct live_choice *c, const char *name)
{
	return !c->hide_user && (!c->filter || strstr(name, c->filter));
}

void live_processes_rows(const struct live_analysis *a, const struct frame_table *frames,
			 const struct live_choice *c, struct live_table *t)
{
	const struct graph *g = callgraph_graph(a->callgraph);
	struct tasks tasks = { .names = profile_new(NULL), .choice = c, .table = t };
	size_t levels = levels_of(g, frames);
	bool threads_only = c->view == LIVE_THREADS;

	t->columns = process_columns;
	t->nr_columns = ARRAY_SIZE(process_columns);
	t->name_title = threads_only ? "thread" : "outermost frame";
	if (threads_only && levels < LEVELS)
		t->title = xstrdup("not told apart in these stacks: --root thread");
	for (uint32_t i = g->out_start[0]; i < g->out_start[1] && !t->title; i++) {
		const struct graph_arc *arc = &g->arcs[g->out_arc[i]];
		const char *name = frame_table_name(frames, arc->callee, NULL);
		size_t comm_len = 0;
		const char *comm = comm_below(g, frames, arc->callee, &comm_len);
		struct task task;

		if (comm && !threads_only)
			t->name_title = "comm, its processes, their threads";
		t->nr_all++;
		task_split(&task, name, comm, comm_len);
		task.is_alone |= threads_only;
		if (is_wanted(c, name))
			add_task(tasks.names, &task, levels, arc->inclusive);
	}
	link_tasks(&tasks);
	task_rows(&tasks, NODE_ROOT, 0);
	if (levels == 1 || threads_only)
		live_rows_mark_noise(t);
	t->nr_all = t->nr > t->nr_all || levels > 1 ? t->nr : t->nr_all;
	profile_free(tasks.names);
	free(tasks.sums);
	free(tasks.first);
	free(tasks.next);
}
