// SPDX-License-Identifier: GPL-2.0-or-later
/* Every table by everything it can be sorted by: the same rows, siblings in order. */
#include "live/live_table.h"

#include "unit/unit.h"
#include "util/mem.h"

static const char *const stacks[][7] = {
	{ "make-10/10", "main", "a", "b", "a", "b" },
	{ "make-10/11", "main", "a", "c" },
	{ "make-20/20", "zeta", "fact", "fact", "fact", "mul" },
	{ "sh-5/5", "main", "zeta", "d", "d", "a_[k]" },
	{ "sh-5/5", "main", "asm_sysvec_apic_timer_interrupt_[k]", "timer_[k]" },
	{ "sh-6/6", "main", "asm_common_interrupt_[k]", "net_[k]" },
	{ "sh-5/5", "x", "y", "x", "leaf" },
};

static struct live_window *window_new(const struct pipeline_request *request)
{
	const struct live_account account = { .seconds = 1 };
	struct live_window *w = live_window_new(SIZE_MAX);
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	uint32_t random = 7;

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		node_id n = NODE_ROOT;

		for (const char *const *name = stacks[i]; name < stacks[i] + 7 && *name; name++)
			n = profile_child(p, n,
					  name == stacks[i]
						  ? frame_table_add_base(profile_frames(p), *name)
						  : frame_table_add_text(profile_frames(p), *name,
									 strlen(*name)));
		random = random * 1103515245 + 12345;
		profile_add(p, n, 1 + random % 50);
	}
	live_window_use(w, request);
	live_window_add(w, p, &account);
	return w;
}

/* The key of the row that a row is below; 0: of none.  Callers stand apart from callees. */
static uint64_t parent_of(const struct live_table *t, size_t row)
{
	size_t at = row;

	if (t->view == LIVE_CALLS) {
		while (at && !t->rows[at - 1].is_head)
			at--;
		return t->rows[row].is_head ? 1 : at ? 2 : 0;
	}
	while (at && t->rows[at].level >= t->rows[row].level)
		at--;
	return t->rows[at].level < t->rows[row].level ? t->rows[at].key : 0;
}

/* Does the first stand rightly before the second?  Names are without their marks. */
static bool is_in_order(const struct live_table *t, const struct live_row *x,
			const struct live_row *y)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	uint64_t vx = t->sorted < t->nr_columns ? x->values[t->sorted] : 0;
	uint64_t vy = t->sorted < t->nr_columns ? y->values[t->sorted] : 0;
	bool is_up = t->is_inverted;

	if (t->sorted < t->nr_columns) {
		if (vx == vy || vy == LIVE_NO_VALUE || vx == LIVE_NO_VALUE)
			return vx == vy || vy == LIVE_NO_VALUE;
		is_up ^= t->columns[t->sorted].kind == LIVE_NUMBER;
		return is_up ? vx < vy : vx > vy;
	}
	if (t->sorted < t->nr_columns + t->nr_texts) {
		live_table_text(t, x, t->sorted - t->nr_columns, &a);
		live_table_text(t, y, t->sorted - t->nr_columns, &b);
	} else if (x->frame && y->frame && !x->name && !y->name) {
		strbuf_addstr(&a, frame_table_name(t->frames, x->frame, NULL));
		strbuf_addstr(&b, frame_table_name(t->frames, y->frame, NULL));
	} else {
		live_table_name(t, x, &a);
		live_table_name(t, y, &b);
	}
	if (!a.len || !b.len)
		return !b.len;
	return is_up ? strcmp(a.bytes, b.bytes) >= 0 : strcmp(a.bytes, b.bytes) <= 0;
}

static void check(const struct live_table *t, const struct live_table *natural)
{
	size_t nr_found = 0;

	assert_int_equal(t->nr, natural->nr);
	for (size_t i = 0; i < t->nr; i++) {
		size_t next = i + 1;

		for (size_t k = 0; k < natural->nr; k++)
			if (natural->rows[k].key == t->rows[i].key &&
			    parent_of(natural, k) == parent_of(t, i) &&
			    natural->rows[k].values[0] == t->rows[i].values[0])
				nr_found++;
		while (next < t->nr && t->rows[next].level > t->rows[i].level)
			next++;
		if (next < t->nr && t->rows[next].level == t->rows[i].level &&
		    parent_of(t, next) == parent_of(t, i))
			assert_true(is_in_order(t, &t->rows[i], &t->rows[next]));
	}
	assert_int_equal(nr_found, t->nr);
}

static void test_every_table(void **state)
{
	struct passes passes;
	struct pipeline_request request = { .passes = &passes };
	_cleanup_live_analysis_ struct live_analysis *a = live_analysis_new();
	_cleanup_live_window_ struct live_window *w = NULL;
	size_t moved = 0;

	passes_init(&passes);
	w = window_new(&request);
	assert_int_equal(live_window_show(w, 0, 1, NULL), 0);
	for (int view = 0; view < NR_LIVE_VIEWS; view++) {
		struct live_choice c = { .view = view, .degree = COLLAPSE_DIRECT };
		struct live_table natural = { 0 };

		assert_int_equal(live_table_make(a, w, &c, &natural, NULL), 0);
		assert_true(natural.nr > 1);
		assert_int_equal(!live_table_nr_sorts(&natural), view == LIVE_FLAME);
		for (size_t i = 0; i < 2 * live_table_nr_sorts(&natural); i++) {
			struct live_table t = { 0 };

			c.sort = i / 2;
			c.is_inverted = i % 2;
			assert_int_equal(live_table_make(a, w, &c, &t, NULL), 0);
			assert_true(live_table_sorted_by(&t)[0]);
			check(&t, &natural);
			moved += t.rows[t.nr - 1].key != natural.rows[t.nr - 1].key;
			live_table_deinit(&t);
		}
		live_table_deinit(&natural);
	}
	assert_true(moved > 30);
	passes_deinit(&passes);
}

/* What --limit leaves is the first of what is sorted. */
static void test_limit(void **state)
{
	struct passes passes;
	struct pipeline_request request = { .passes = &passes };
	_cleanup_live_analysis_ struct live_analysis *a = live_analysis_new();
	_cleanup_live_window_ struct live_window *w = NULL;
	struct live_choice c = { .view = LIVE_THREADS, .limit = 1, .sort = 2 };
	_cleanup_live_table_ struct live_table t = { 0 };
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	passes_init(&passes);
	passes.irq.mode = IRQ_MODE_KEEP;
	w = window_new(&request);
	assert_int_equal(live_window_show(w, 0, 1, NULL), 0);
	c.is_inverted = true;
	assert_int_equal(live_table_make(a, w, &c, &t, NULL), 0);
	assert_int_equal(t.nr, 1);
	live_table_name(&t, &t.rows[0], &name);
	assert_string_equal(name.bytes, "sh-6/6");
	passes_deinit(&passes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_table),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
