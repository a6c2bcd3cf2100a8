/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of call trees once more, written down as they read: one stack after another, by
 * search, with the conditions in words and not in counters.  Functions are single letters.  Also
 * what tests of call trees share: sets of stacks, and rows named by their path ("mab").
 */
#ifndef EDDY_TESTS_CALLTREE_MODEL_H
#define EDDY_TESTS_CALLTREE_MODEL_H

#include "unit/unit.h"

#include <stdbool.h>

#include "analysis/calltree.h"

#define MAX_STACKS     16
#define MAX_STACK_LEN  16
#define MAX_MODEL_ROWS 300

/* ---- sets of stacks ------------------------------------------------------------------------ */

struct stacks {
	char text[MAX_STACKS][MAX_STACK_LEN + 1];
	uint64_t weight[MAX_STACKS];
	size_t nr;
};

/* "m a b", "mab": blanks are skipped. */
static inline void stacks_add(struct stacks *s, const char *letters, uint64_t weight)
{
	char *to = s->text[s->nr];
	size_t len = 0;

	assert_true(s->nr < MAX_STACKS);
	for (; *letters; letters++)
		if (*letters != ' ') {
			assert_true(len < MAX_STACK_LEN);
			to[len++] = *letters;
		}
	to[len] = '\0';
	s->weight[s->nr++] = weight;
}

static inline void stacks_random(struct stacks *s)
{
	size_t letters = 2 + test_random_below(5);

	memset(s, 0, sizeof(*s));
	s->nr = 1 + test_random_below(MAX_STACKS);
	for (size_t i = 0; i < s->nr; i++) {
		size_t len = 1 + test_random_below(MAX_STACK_LEN), k = 0;

		/* Half of them share a beginning with the one before. */
		if (i && test_random_below(2)) {
			size_t prev = strlen(s->text[i - 1]);

			k = test_random_below(prev < len ? prev : len);
			memcpy(s->text[i], s->text[i - 1], k);
		}
		for (; k < len; k++)
			s->text[i][k] = 'a' + test_random_below(letters);
		s->weight[i] = 1 + test_random_below(9);
	}
}

static inline node_id stacks_node(struct profile *p, const char *letters, size_t len)
{
	node_id n = NODE_ROOT;

	for (size_t i = 0; i < len; i++)
		n = profile_child(p, n, frame_table_add_text(profile_frames(p), &letters[i], 1));
	return n;
}

static inline struct profile *stacks_profile(const struct stacks *s)
{
	struct profile *p = profile_new(NULL);

	for (size_t i = 0; i < s->nr; i++)
		assert_int_equal(profile_add(p, stacks_node(p, s->text[i], strlen(s->text[i])),
					     s->weight[i]),
				 0);
	return p;
}

static inline uint64_t stacks_total(const struct stacks *s)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->nr; i++)
		total += s->weight[i];
	return total;
}

/* ---- the model ----------------------------------------------------------------------------- */

struct model_row {
	char func;
	int parent, target, level;
	struct calltree_counts counts;
	int stamp;
};

struct model {
	enum collapse_degree degree;
	struct model_row rows[MAX_MODEL_ROWS];
	int nr;
	int sample;
};

static inline bool model_name_at_or_above(const struct model *m, int row, char func)
{
	for (; row; row = m->rows[row].parent)
		if (m->rows[row].func == func)
			return true;
	return false;
}

static inline int model_target(const struct model *m, int cur, char func)
{
	int anc = cur;

	if (m->degree == COLLAPSE_NONE)
		return 0;
	if (m->degree == COLLAPSE_DIRECT)
		return cur && m->rows[cur].func == func ? cur : 0;
	while (anc && m->rows[anc].func != func)
		anc = m->rows[anc].parent;
	if (m->degree == COLLAPSE_FULL)
		return anc;
	for (int below = cur; anc && below != anc; below = m->rows[below].parent)
		if (!model_name_at_or_above(m, anc, m->rows[below].func))
			return 0;
	return anc;
}

static inline int model_step(struct model *m, int cur, char func)
{
	int target;

	for (int r = 1; r < m->nr; r++)
		if (m->rows[r].parent == cur && m->rows[r].func == func)
			return r;
	target = model_target(m, cur, func);
	assert_true(m->nr < MAX_MODEL_ROWS);
	m->rows[m->nr] = (struct model_row){
		.func = func, .parent = cur, .target = target, .level = m->rows[cur].level + 1
	};
	return m->nr++;
}

/* One stack, as the definition plays it. */
static inline void model_play(struct model *m, const char *stack, uint64_t weight)
{
	int cur = 0, sample = ++m->sample;
	bool crossed = false;

	for (; *stack; stack++) {
		int step = model_step(m, cur, *stack);
		struct model_row *r = &m->rows[step];

		if (r->stamp != sample) {
			r->stamp = sample;
			*(crossed ? &r->counts.indirect : &r->counts.direct) += weight;
		}
		if (r->target) {
			r->counts.crossings += weight;
			crossed = true;
		}
		cur = r->target ? r->target : step;
	}
	m->rows[cur].counts.self += weight;
}

/* Each distinct prefix of the set counts once where its last call leads. */
static inline void model_count_prefixes(struct model *m, const struct stacks *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		int cur = 0;

		for (size_t len = 1; len <= strlen(s->text[i]); len++) {
			int step = model_step(m, cur, s->text[i][len - 1]);
			bool known = false;

			cur = m->rows[step].target ? m->rows[step].target : step;
			for (size_t k = 0; k < i && !known; k++)
				known = !strncmp(s->text[k], s->text[i], len);
			if (known)
				continue;
			m->rows[step].counts.places++;
			if (m->rows[step].target)
				m->rows[cur].counts.recursions++;
		}
	}
}

static inline void model_build(struct model *m, const struct stacks *s, enum collapse_degree degree)
{
	memset(m, 0, sizeof(*m));
	m->degree = degree;
	m->nr = 1;
	for (size_t i = 0; i < s->nr; i++)
		model_play(m, s->text[i], s->weight[i]);
	model_count_prefixes(m, s);
}

/* ---- rows by path --------------------------------------------------------------------------- */

/* The letters from the root to a row of a real tree; a buffer of the caller's. */
static inline void row_path(const struct calltree *t, row_id row, char *buf)
{
	const struct calltree_row *rows = calltree_rows(t);
	size_t at = rows[row].level;

	buf[at] = '\0';
	for (; row; row = rows[row].parent)
		buf[--at] = *frame_table_name(calltree_frames(t), rows[row].func, NULL);
}

/* The row of a path; ROW_TOP when there is none. */
static inline row_id row_find(const struct calltree *t, const char *path)
{
	for (row_id r = 1; r < calltree_nr_rows(t); r++) {
		char buf[MAX_STACK_LEN + 2];

		row_path(t, r, buf);
		if (!strcmp(buf, path))
			return r;
	}
	return ROW_TOP;
}

static inline size_t count_rows(const struct calltree *t, bool stubs)
{
	size_t nr = 0;

	for (row_id r = 1; r < calltree_nr_rows(t); r++)
		nr += !calltree_rows(t)[r].target == !stubs;
	return nr;
}

#endif
