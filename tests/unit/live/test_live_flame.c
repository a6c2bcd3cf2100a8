// SPDX-License-Identifier: GPL-2.0-or-later
/* Boxes of a flame graph: what they hold, where they stand, what zooming leaves. */
#include "live/live_flame.h"

#include "analysis/pipeline.h"
#include "live/live_state.h"
#include "unit/unit.h"
#include "util/mem.h"

struct bench {
	struct live_window *window;
	struct live_analysis *analysis;
	struct passes passes;
	struct live_state state;
	struct live_table table;
};

static void refresh(struct bench *b)
{
	struct live_table t = { .text = STRBUF_INIT };

	assert_int_equal(live_window_show(b->window, 0, 1, NULL), 0);
	assert_int_equal(live_table_make(b->analysis, b->window, &b->state.choice, &t, NULL), 0);
	live_state_follow(&b->state, &b->table, &t, 0);
	live_table_deinit(&b->table);
	b->table = t;
}

static void press(struct bench *b, uint32_t key)
{
	if (live_state_key(&b->state, &b->table, key, 0) & LIVE_TABLE)
		refresh(b);
}

static void add_stack(struct profile *p, const char *text, uint64_t weight)
{
	node_id n = NODE_ROOT;

	for (const char *at = text; *at; at++) {
		char name[8];
		int len = snprintf(name, sizeof(name), *at == 'K' ? "K_[k]" : "%c", *at);

		n = profile_child(p, n, frame_table_add_text(profile_frames(p), name, len));
	}
	profile_add(p, n, weight);
}

static void bench_init(struct bench *b, size_t columns)
{
	const struct live_account account = { .seconds = 1 };
	struct live_choice choice = { .view = LIVE_FLAME, .columns = columns };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct pipeline_request request;

	add_stack(p, "mab", 50);
	add_stack(p, "maKb", 20);
	add_stack(p, "mc", 29);
	add_stack(p, "z", 1);
	*b = (struct bench){ .window = live_window_new(SIZE_MAX),
			     .analysis = live_analysis_new(),
			     .table.text = STRBUF_INIT };
	passes_init(&b->passes);
	request = (struct pipeline_request){ .passes = &b->passes };
	live_window_use(b->window, &request);
	live_window_add(b->window, p, &account);
	live_state_init(&b->state, &choice, false);
	refresh(b);
}

static void bench_deinit(struct bench *b)
{
	live_table_deinit(&b->table);
	live_state_deinit(&b->state);
	live_analysis_free(b->analysis);
	live_window_free(b->window);
	passes_deinit(&b->passes);
}

/* "level at samples name" of every box, joined by " | ". */
static char *boxes(const struct bench *b)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < b->table.nr; i++) {
		const struct live_row *r = &b->table.rows[i];

		strbuf_addf(&sb, "%s%u %lu %lu ", i ? " | " : "", r->level, r->at, r->values[1]);
		live_table_name(&b->table, r, &sb);
	}
	return strbuf_detach(&sb);
}

static void expect(const struct bench *b, const char *wanted)
{
	_cleanup_free_ char *text = boxes(b);

	assert_string_equal(text, wanted);
}

static void test_boxes(void **state)
{
	struct bench b;

	bench_init(&b, 100);
	expect(&b, "0 0 100 all | 1 0 99 [.] m | 2 0 70 [.] a | 3 0 20 [k] K | 4 0 20 [.] b"
		   " | 3 20 50 [.] b | 2 70 29 [.] c | 1 99 1 [.] z");
	assert_int_equal(b.table.total, 100);
	bench_deinit(&b);
	/* Narrower than a column: its samples stay, the box goes. */
	bench_init(&b, 4);
	expect(&b, "0 0 100 all | 1 0 99 [.] m | 2 0 70 [.] a | 3 0 50 [.] b | 2 70 29 [.] c");
	bench_deinit(&b);
}

static void test_zoom(void **state)
{
	struct bench b;

	bench_init(&b, 100);
	press(&b, LIVE_KEY_DOWN);
	press(&b, LIVE_KEY_DOWN);
	press(&b, LIVE_KEY_ENTER);
	expect(&b, "0 0 70 all | 1 0 70 [.] m | 2 0 70 [.] a | 3 0 20 [k] K | 4 0 20 [.] b"
		   " | 3 20 50 [.] b");
	assert_int_equal(b.table.across, 70);
	assert_int_equal(b.table.total, 100); /* shares stay those of all */
	assert_int_equal(b.state.cursor, 2);
	press(&b, LIVE_KEY_DOWN);
	press(&b, LIVE_KEY_RIGHT);
	press(&b, LIVE_KEY_ENTER);
	expect(&b, "0 0 50 all | 1 0 50 [.] m | 2 0 50 [.] a | 3 0 50 [.] b");
	press(&b, LIVE_KEY_ESCAPE);
	assert_int_equal(b.table.across, 70);
	press(&b, LIVE_KEY_ESCAPE);
	assert_int_equal(b.table.across, 100);
	bench_deinit(&b);
}

/* What is zoomed on may have no samples in another window: nothing is shown, nothing breaks. */
static void test_zoom_is_gone(void **state)
{
	struct bench b;

	bench_init(&b, 100);
	press(&b, LIVE_KEY_DOWN);
	press(&b, LIVE_KEY_ENTER);
	assert_int_equal(b.state.choice.nr_zoom, 1);
	b.state.zoom[0] = (frame_id)frame_table_nr(b.table.frames) - 1; /* z, but deeper too */
	b.state.zoom[1] = b.state.zoom[0];
	b.state.choice.nr_zoom = 2;
	refresh(&b);
	assert_int_equal(b.table.nr, 0);
	press(&b, LIVE_KEY_ENTER);
	press(&b, LIVE_KEY_DOWN);
	press(&b, LIVE_KEY_ESCAPE);
	assert_true(b.table.nr);
	bench_deinit(&b);
}

static void test_moves(void **state)
{
	struct bench b;

	bench_init(&b, 100);
	assert_int_equal(live_flame_move(&b.table, 3, LIVE_FLAME_UP), 2);
	assert_int_equal(live_flame_move(&b.table, 3, LIVE_FLAME_RIGHT), 5);
	assert_int_equal(live_flame_move(&b.table, 5, LIVE_FLAME_LEFT), 3);
	assert_int_equal(live_flame_move(&b.table, 7, LIVE_FLAME_DOWN), 7);
	assert_int_equal(live_flame_move(&b.table, 6, LIVE_FLAME_UP), 1);
	assert_int_equal(live_flame_move(&b.table, 0, LIVE_FLAME_UP), 0);
	bench_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_zoom_is_gone),
		cmocka_unit_test(test_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
