// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random stacks in random intervals, looked at in random ranges: at every step what a profile of
 * the same samples gives that was made in one piece and passed through the passes as a whole, which
 * is what `report` shows.
 */
#include "live/live_window.h"

#include "analysis/callgraph.h"
#include "output/graph_view.h"
#include "unit/unit.h"
#include "util/mem.h"

enum { MAX_INTERVALS = 24 };

static const char *const functions[] = {
	"main",
	"a",
	"b",
	"c",
	"fact",
	"asm_sysvec_apic_timer_interrupt_[k]",
	"__irq_exit_rcu_[k]",
	"handle_softirqs_[k]",
	"net_rx_action_[k]",
	"vfs_read_[k]",
	"entry_SYSCALL_64_[k]",
	"asm_exc_nmi_[k]",
};

/* Each has an annotated frame of its own: whether a file is annotated is asked of all of it. */
static struct profile *random_stacks(void)
{
	struct profile *p = profile_new(NULL);
	struct frame_table *frames = profile_frames(p);
	size_t nr = test_random_below(12);

	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add_text(frames, "x_[k]", 5)), 1);
	for (size_t i = 0; i < nr; i++) {
		node_id n = NODE_ROOT;

		for (size_t k = 1 + test_random_below(9); k; k--) {
			const char *name = functions[test_random_below(ARRAY_SIZE(functions))];

			n = profile_child(p, n, frame_table_add_text(frames, name, strlen(name)));
		}
		profile_add(p, n, 1 + test_random_below(5));
	}
	return p;
}

/* "inclusive self frames depth cycle? name" of every function, sorted as report sorts them. */
static char *flat_text(const struct callgraph *cg, const struct profile *p)
{
	_cleanup_graph_view_ struct graph_view v = { 0 };
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(graph_view_init(&v, p, false, NULL), 0);
	for (uint32_t i = 0; i < v.nr_functions; i++) {
		uint32_t f = v.functions[i];
		const struct graph_function *g = &callgraph_graph(cg)->functions[f];

		strbuf_addf(&sb, "%lu %lu %lu %u %u %u %s\n", g->inclusive, g->self, g->frames,
			    g->depth, cycles_of(callgraph_cycles(cg), f)->nr,
			    (unsigned int)cycles_of(callgraph_cycles(cg), f)->reentered,
			    v.names[f]);
	}
	return strbuf_detach(&sb);
}

/* The sum of those intervals, made in one piece. */
static void check(struct live_window *w, struct callgraph **cg, uint64_t *generation,
		  struct profile *const *all, const struct pipeline_request *request)
{
	size_t nr = live_window_nr(w), from = test_random_below(nr + 1);
	size_t to = from + test_random_below(nr - from + 1);
	_cleanup_profile_ struct profile *whole = profile_new(NULL);
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	_cleanup_callgraph_ struct callgraph *anew = callgraph_new();
	_cleanup_free_ char *got = NULL, *want = NULL;

	for (size_t i = from; i < to; i++)
		profile_merge(whole, all[i]);
	assert_int_equal(pipeline_run(request, whole, &result, NULL), 0);
	/* Whatever was looked at before. */
	if (!test_random_below(4))
		live_window_show_decayed(w, test_random_below(live_window_nr(w) + 1),
					 0.5 + test_random_below(8), NULL);
	assert_int_equal(live_window_show(w, from, to, NULL), 0);
	assert_int_equal(profile_total(live_window_raw(w)), profile_total(whole));
	assert_int_equal(profile_total(live_window_shown(w)), profile_total(result.profile));
	assert_int_equal(live_window_left_out(w),
			 result.stats.irq_dropped + result.stats.focus_dropped);
	if (*generation != live_window_generation(w)) {
		callgraph_free(*cg);
		*cg = callgraph_new();
		*generation = live_window_generation(w);
	}
	assert_int_equal(callgraph_update(*cg, live_window_shown(w), NULL), 0);
	assert_int_equal(callgraph_update(anew, result.profile, NULL), 0);
	got = flat_text(*cg, live_window_shown(w));
	want = flat_text(anew, result.profile);
	assert_string_equal(got, want);
}

static void random_passes(struct passes *passes, struct pipeline_request *ret_request)
{
	static const char *const globs[] = { "a*", "vfs_read" };

	passes_deinit(passes);
	passes_init(passes);
	passes->irq.mode = test_random_below(4);
	passes->irq.split_inline = test_random_below(2);
	passes->collapse = test_random_below(NR_COLLAPSE_DEGREES);
	passes->collapse_given = true;
	if (!test_random_below(3)) {
		passes->focus.globs = xcalloc(1, sizeof(*passes->focus.globs));
		passes->focus.globs[0] = globs[test_random_below(2)];
		passes->focus.nr = 1;
	}
	*ret_request = (struct pipeline_request){ .passes = passes, .flags = PIPELINE_FILES };
}

static void test_as_in_one_piece(void **state)
{
	for (int round = 0; round < 150; round++) {
		/* Now and then with hardly any memory: intervals are dropped, tries made anew. */
		size_t max_bytes = test_random_below(3) ? SIZE_MAX : 60000;
		_cleanup_live_window_ struct live_window *w = live_window_new(max_bytes);
		_cleanup_callgraph_ struct callgraph *cg = callgraph_new();
		_cleanup_passes_ struct passes passes = { 0 };
		struct profile *all[MAX_INTERVALS];
		struct pipeline_request request;
		uint64_t generation = live_window_generation(w);
		size_t nr = 0;

		random_passes(&passes, &request);
		live_window_use(w, &request);
		while (nr < MAX_INTERVALS) {
			const struct live_account account = { .seconds = 1, .is_counted = true };

			all[nr] = random_stacks();
			live_window_add(w, all[nr++], &account);
			assert_int_equal(live_window_nr(w) + live_window_nr_dropped(w), nr);
			if (!test_random_below(8)) {
				random_passes(&passes, &request);
				live_window_use(w, &request);
			}
			for (int i = 0; i < 3; i++)
				check(w, &cg, &generation, all + live_window_nr_dropped(w),
				      &request);
		}
		while (nr)
			profile_free(all[--nr]);
	}
}

/* Of very many intervals the old ones are added up: fewer, and no sample less. */
static void test_old_intervals_are_added_up(void **state)
{
	enum { NR = LIVE_MAX_INTERVALS * 3 };
	_cleanup_live_window_ struct live_window *w = live_window_new(SIZE_MAX);
	_cleanup_passes_ struct passes passes = { 0 };
	const struct pipeline_request request = { .passes = &passes };
	const struct live_account account = {
		.seconds = 1, .cpu_seconds = 2, .due = 3, .kept = 1, .is_counted = true
	};
	struct live_account sum;
	uint64_t want = 0;

	passes_init(&passes);
	live_window_use(w, &request);
	for (int i = 0; i < NR; i++) {
		_cleanup_profile_ struct profile *p = random_stacks();

		live_window_add(w, p, &account);
		want += profile_total(p);
	}
	assert_true(live_window_nr(w) <= LIVE_MAX_INTERVALS);
	assert_int_equal(live_window_show(w, 0, live_window_nr(w), NULL), 0);
	assert_int_equal(profile_total(live_window_shown(w)), want);
	sum = live_window_sum(w);
	assert_int_equal(sum.nr, NR);
	assert_int_equal(sum.due, 3 * NR);
	assert_true(sum.seconds == NR && sum.cpu_seconds == 2 * NR && sum.is_counted);
	/* The last ones are as they came. */
	assert_int_equal(live_window_nr(w) - live_window_from(w, live_window_nr(w), 10), 10);
	assert_int_equal(live_window_from(w, live_window_nr(w), 0), 0);
	live_window_clear(w);
	assert_int_equal(live_window_nr(w), 0);
	assert_int_equal(profile_total(live_window_shown(w)), 0);
}

/* Whatever is added up or dropped, an interval is found again by its serial. */
static void test_interval_is_found(void **state)
{
	enum { NR = LIVE_MAX_INTERVALS * 2, MARKED = 700 };
	_cleanup_live_window_ struct live_window *w = live_window_new(96 << 10);
	_cleanup_live_window_ struct live_window *large = live_window_new(SIZE_MAX);
	struct live_window *const both[] = { w, large };
	_cleanup_passes_ struct passes passes = { 0 };
	const struct pipeline_request request = { .passes = &passes };
	uint64_t serials[2] = { 0 };
	bool is_gone[2] = { false };

	passes_init(&passes);
	for (size_t k = 0; k < 2; k++)
		live_window_use(both[k], &request);
	for (uint64_t i = 1; i <= NR; i++) {
		const struct live_account account = { .start_ms = i, .end_ms = i, .seconds = 1 };
		_cleanup_profile_ struct profile *p = random_stacks();

		for (size_t k = 0; k < 2; k++) {
			const struct live_account *a;

			live_window_add(both[k], p, &account);
			if (i == MARKED)
				serials[k] =
					live_window_serial(both[k], live_window_nr(both[k]) - 1);
			if (i < MARKED)
				continue;
			a = live_window_account(both[k],
						live_window_find(both[k], serials[k], &is_gone[k]));
			if (is_gone[k])
				assert_true(a == live_window_account(both[k], 0) &&
					    a->start_ms > MARKED);
			else
				assert_true(a->start_ms <= MARKED && a->end_ms >= MARKED);
		}
	}
	assert_true(is_gone[0] && !is_gone[1]);
}

/* Too many samples for a sum: an error, and what fits can still be looked at. */
static void test_overflow(void **state)
{
	_cleanup_live_window_ struct live_window *w = live_window_new(SIZE_MAX);
	_cleanup_passes_ struct passes passes = { 0 };
	const struct pipeline_request request = { .passes = &passes };
	const struct live_account account = { .seconds = 1 };
	struct diag diag = { "" };

	passes_init(&passes);
	live_window_use(w, &request);
	for (int i = 0; i < 2; i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);

		profile_add(p, profile_child(p, 0, frame_table_add_base(profile_frames(p), "a")),
			    INT64_MAX - i);
		live_window_add(w, p, &account);
	}
	assert_int_equal(live_window_show(w, 0, 2, &diag), -EOVERFLOW);
	assert_non_null(strstr(diag.text, "63 bits"));
	assert_int_equal(live_window_show(w, 1, 2, &diag), 0);
	assert_int_equal(profile_total(live_window_shown(w)), INT64_MAX - 1);
}

/* Intervals of a second and a half-life of two: 1, 0.71, 0.5, ... of their samples. */
static void test_decay(void **state)
{
	_cleanup_live_window_ struct live_window *w = live_window_new(SIZE_MAX);
	_cleanup_passes_ struct passes passes = { 0 };
	const struct pipeline_request request = { .passes = &passes };
	const struct live_account account = { .seconds = 1 };
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	profile_add(p, profile_child(p, 0, frame_table_add_base(profile_frames(p), "a")), 10);
	passes_init(&passes);
	live_window_use(w, &request);
	for (int i = 0; i < 40; i++)
		live_window_add(w, p, &account);
	assert_int_equal(live_window_show_decayed(w, 1, 2, NULL), 0);
	assert_int_equal(live_window_parts(w), LIVE_DECAY_PARTS);
	assert_int_equal(profile_total(live_window_shown(w)), 10 * LIVE_DECAY_PARTS);
	assert_int_equal(live_window_show_decayed(w, 3, 2, NULL), 0);
	assert_int_equal(profile_total(live_window_shown(w)), 10 * (1024 + 724 + 512));
	assert_int_equal(profile_total(live_window_raw(w)), 10 * (1024 + 724 + 512));
	assert_int_equal(live_window_show_decayed(w, 2, 2, NULL), 0);
	assert_int_equal(profile_total(live_window_shown(w)), 10 * (1024 + 724));
	/* What would be less than half of a part is not looked at: 2^-11 is, after 22 s. */
	assert_int_equal(live_window_show_decayed(w, 40, 2, NULL), 0);
	assert_int_equal(live_window_sum(w).nr, 23);
	assert_int_equal(live_window_show(w, 39, 40, NULL), 0);
	assert_int_equal(profile_total(live_window_shown(w)), 10);
	assert_int_equal(live_window_parts(w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_in_one_piece),
		cmocka_unit_test(test_old_intervals_are_added_up),
		cmocka_unit_test(test_interval_is_found),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_decay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
