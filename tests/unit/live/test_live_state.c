// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys, the selected row and screens of any size, without a terminal. */
#include "live/live_screen.h"

#include "unit/unit.h"
#include "util/mem.h"
#include "util/text_width.h"

struct bench {
	struct live_window *window;
	struct live_analysis *analysis;
	struct passes passes;
	struct pipeline_request request;
	struct live_state state;
	struct live_table table;
};

static void add(struct bench *b, const char *const *names, const uint64_t *weights, size_t nr)
{
	const struct live_account account = { .seconds = 1, .is_counted = true };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *frames = profile_frames(p);

	for (size_t i = 0; i < nr; i++) {
		node_id n = profile_child(p, 0, frame_table_add_text(frames, "main", 4));

		n = profile_child(p, n, frame_table_add_text(frames, names[i], strlen(names[i])));
		profile_add(p, n, weights[i]);
	}
	live_window_add(b->window, p, &account);
}

/* A new table of the last interval, as the loop makes one. */
static bool refresh(struct bench *b, uint64_t now_ms)
{
	struct live_table t = { .text = STRBUF_INIT };
	size_t nr = live_window_nr(b->window);
	bool is_frozen;

	b->state.nr = nr;
	assert_int_equal(live_window_show(b->window, nr - 1, nr, NULL), 0);
	assert_int_equal(live_table_make(b->analysis, b->window, &b->state.choice, &t, NULL), 0);
	is_frozen = live_state_follow(&b->state, &b->table, &t, now_ms);
	live_table_deinit(&b->table);
	b->table = t;
	return is_frozen;
}

static void bench_init(struct bench *b)
{
	static const char *const names[] = { "alpha", "beta_[k]", "gamma", "delta" };
	static const uint64_t weights[] = { 40, 30, 20, 10 };
	const struct live_choice choice = { .degree = COLLAPSE_CONSERVATIVE };

	*b = (struct bench){ .window = live_window_new(SIZE_MAX),
			     .analysis = live_analysis_new(),
			     .table.text = STRBUF_INIT };
	passes_init(&b->passes);
	b->request = (struct pipeline_request){ .passes = &b->passes };
	live_window_use(b->window, &b->request);
	live_state_init(&b->state, &choice, true);
	b->state.nr_visible = 3;
	add(b, names, weights, 4);
	refresh(b, 0);
}

static void bench_deinit(struct bench *b)
{
	live_table_deinit(&b->table);
	live_state_deinit(&b->state);
	live_analysis_free(b->analysis);
	live_window_free(b->window);
	passes_deinit(&b->passes);
}

static unsigned int press(struct bench *b, uint32_t key, uint64_t now_ms)
{
	unsigned int effects = live_state_key(&b->state, &b->table, key, now_ms);

	if (effects & LIVE_TABLE)
		refresh(b, now_ms);
	return effects;
}

static void type(struct bench *b, const char *text)
{
	for (; *text; text++)
		press(b, (unsigned char)*text, 0);
}

static const char *selected(const struct bench *b)
{
	return b->state.name ? b->state.name : "";
}

static const char *row_name(const struct bench *b, size_t row, struct strbuf *sb)
{
	strbuf_reset(sb);
	live_table_name(&b->table, &b->table.rows[row], sb);
	return sb->bytes;
}

static void test_moving(void **state)
{
	struct bench b;

	bench_init(&b);
	assert_int_equal(b.table.nr, 5);
	assert_string_equal(selected(&b), "[.] alpha");
	assert_int_equal(press(&b, 'k', 0), 0);
	press(&b, 'j', 0);
	press(&b, LIVE_KEY_DOWN, 0);
	assert_string_equal(selected(&b), "[.] gamma");
	press(&b, 'G', 0);
	assert_string_equal(selected(&b), "[.] main");
	assert_int_equal(b.state.top, 2);
	assert_int_equal(press(&b, 'j', 0), 0);
	press(&b, LIVE_KEY_PAGE_UP, 0);
	assert_int_equal(b.state.cursor, 1);
	press(&b, 'g', 0);
	assert_int_equal(b.state.cursor, 0);
	bench_deinit(&b);
}

/* The list does not move under the cursor; numbers go on. */
static void test_freeze(void **state)
{
	static const char *const names[] = { "new", "delta", "alpha", "gamma", "beta_[k]" };
	static const uint64_t weights[] = { 100, 90, 5, 6, 7 };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct bench b;

	bench_init(&b);
	press(&b, 'j', 1000);
	assert_string_equal(selected(&b), "[k] beta");
	add(&b, names, weights, 5);
	assert_true(refresh(&b, 1000 + LIVE_FREEZE_MS - 1));
	assert_string_equal(row_name(&b, 0, &sb), "[.] alpha");
	assert_string_equal(row_name(&b, 1, &sb), "[k] beta");
	assert_string_equal(row_name(&b, 5, &sb), "[.] new");
	assert_int_equal(b.table.rows[1].values[0], 7);
	assert_int_equal(b.state.cursor, 1);
	/* In order again, and the cursor with its function. */
	assert_false(refresh(&b, 1000 + LIVE_FREEZE_MS));
	assert_string_equal(row_name(&b, 0, &sb), "[.] new");
	assert_string_equal(selected(&b), "[k] beta");
	assert_int_equal(b.state.cursor, 2);
	/* `S` sorts at once; on the first row nothing is frozen. */
	press(&b, 'j', 10000);
	assert_false(press(&b, 'S', 10000) & LIVE_QUIT);
	press(&b, 'g', 10000);
	assert_false(refresh(&b, 10001));
	bench_deinit(&b);
}

/* So it is in every table: rows stay below what they are below, callers above the function. */
static void test_freeze_everywhere(void **state)
{
	static const char *const names[] = { "new", "delta", "alpha", "gamma", "beta_[k]" };
	static const uint64_t weights[] = { 100, 90, 5, 6, 500 };
	static const struct {
		const char *keys;
		const char *before[6], *after[6];
	} cases[] = {
		{ "2jj",
		  { "[.] main", "[.] alpha", "[k] beta", "[.] gamma", "[.] delta" },
		  { "[.] main", "[.] alpha", "[k] beta", "[.] gamma", "[.] delta", "[.] new" } },
		{ "G\nj", /* main: nobody calls it but for the base */
		  { "(nobody: stacks begin here)", "[.] main", "[.] alpha", "[k] beta", "[.] gamma",
		    "[.] delta" },
		  { "(nobody: stacks begin here)", "[.] main", "[.] alpha", "[k] beta", "[.] gamma",
		    "[.] delta" } },
		{ "8j",
		  { "[program: not known which]", "[kernel]" },
		  { "[program: not known which]", "[kernel]" } },
	};
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b;

		bench_init(&b);
		type(&b, cases[i].keys);
		assert_true(b.state.cursor);
		for (size_t k = 0; k < 6 && cases[i].before[k]; k++)
			assert_string_equal(row_name(&b, k, &sb), cases[i].before[k]);
		add(&b, names, weights, 5);
		assert_true(refresh(&b, 1));
		for (size_t k = 0; k < 6 && cases[i].after[k]; k++)
			assert_string_equal(row_name(&b, k, &sb), cases[i].after[k]);
		assert_false(refresh(&b, LIVE_FREEZE_MS));
		bench_deinit(&b);
	}
}

/* After a new generation keys are others: the name is what is followed. */
static void test_generation(void **state)
{
	struct bench b;

	bench_init(&b);
	press(&b, 'j', 0);
	press(&b, 'j', 0);
	live_window_use(b.window, &b.request);
	refresh(&b, 1);
	assert_string_equal(selected(&b), "[.] gamma");
	assert_int_equal(b.state.cursor, 2);
	bench_deinit(&b);
}

/* Frames have other numbers in another table: callers stay those of the same function. */
static void test_function_is_carried(void **state)
{
	static const char *const names[] = { "x", "gamma", "y" };
	static const uint64_t weights[] = { 9, 5, 7 };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct bench b;

	bench_init(&b);
	type(&b, "jj\n");
	assert_string_equal(row_name(&b, 1, &sb), "[.] gamma");
	live_window_clear(b.window);
	add(&b, names, weights, 3);
	live_state_carry(&b.state, b.table.frames, profile_frames(live_window_raw(b.window)));
	refresh(&b, 0);
	assert_int_equal(b.table.view, LIVE_CALLS);
	assert_string_equal(row_name(&b, 1, &sb), "[.] gamma");
	assert_int_equal(b.table.rows[1].values[1], 5);
	/* Where it is not, there is nothing to show about it. */
	live_window_clear(b.window);
	add(&b, names, weights, 1);
	live_state_carry(&b.state, b.table.frames, profile_frames(live_window_raw(b.window)));
	refresh(&b, 0);
	assert_int_equal(b.table.view, LIVE_FUNCTIONS);
	bench_deinit(&b);
}

static void test_typing(void **state)
{
	struct bench b;

	bench_init(&b);
	type(&b, "/GAM");
	assert_string_equal(selected(&b), "[.] gamma");
	press(&b, LIVE_KEY_ERASE, 0);
	assert_string_equal(b.state.typed, "GA");
	press(&b, LIVE_KEY_ENTER, 0);
	assert_int_equal(b.state.prompt, LIVE_NO_PROMPT);
	type(&b, "fta");
	assert_int_equal(b.table.nr, 2); /* beta, delta */
	press(&b, 0x6f22, 0);
	assert_string_equal(b.state.filter, "ta\xe6\xbc\xa2");
	press(&b, LIVE_KEY_ERASE, 0);
	press(&b, LIVE_KEY_ENTER, 0);
	assert_int_equal(b.table.nr, 2);
	press(&b, LIVE_KEY_ESCAPE, 0);
	assert_int_equal(b.table.nr, 5);
	type(&b, "K");
	assert_int_equal(b.table.nr, 4);
	type(&b, "U");
	assert_int_equal(b.table.nr, 0);
	type(&b, "UK");
	/* However much is typed, it has an end. */
	type(&b, "f");
	for (int i = 0; i < 200; i++)
		press(&b, 0x1f600, 0);
	assert_true(strlen(b.state.filter) < LIVE_TYPED_BYTES);
	bench_deinit(&b);
}

static void test_views(void **state)
{
	struct bench b;

	bench_init(&b);
	press(&b, 'j', 0);
	press(&b, LIVE_KEY_ENTER, 0);
	assert_int_equal(b.table.view, LIVE_CALLS);
	assert_int_equal(b.table.nr, 2); /* main calls it, and itself */
	press(&b, LIVE_KEY_ESCAPE, 0);
	assert_int_equal(b.table.view, LIVE_FUNCTIONS);
	for (int i = 0; i < NR_LIVE_VIEWS; i++) {
		press(&b, '1' + i, 0);
		assert_int_equal(b.table.view, i);
	}
	press(&b, LIVE_KEY_TAB, 0);
	assert_int_equal(b.table.view, LIVE_FUNCTIONS);
	assert_true(press(&b, 'i', 0) & LIVE_PASSES);
	assert_true(press(&b, 'z', 0) & LIVE_ZERO);
	assert_int_equal(press(&b, 'q', 0), LIVE_QUIT);
	/* Windows: longer up to all of them, and shorter again. */
	b.state.window_s = 600;
	press(&b, '>', 0);
	assert_true(b.state.window_s == 0);
	press(&b, '<', 0);
	press(&b, '<', 0);
	assert_true(b.state.window_s == 300);
	bench_deinit(&b);
}

static void test_fold(void **state)
{
	static const char *const names[] = { "x", "y" };
	static const uint64_t weights[] = { 9, 5 };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct bench b;

	bench_init(&b);
	type(&b, "2");
	assert_int_equal(b.table.nr, 5); /* main and its four callees */
	press(&b, LIVE_KEY_LEFT, 0);
	assert_int_equal(b.table.nr, 1);
	assert_string_equal(row_name(&b, 0, &sb), "+ [.] main");
	assert_int_equal(press(&b, '-', 0), 0); /* nothing is above it */
	/* It stays so when samples come, whatever the generation. */
	add(&b, names, weights, 2);
	live_window_use(b.window, &b.request);
	refresh(&b, 0);
	assert_int_equal(b.table.nr, 1);
	press(&b, '+', 0);
	assert_int_equal(b.table.nr, 3);
	/* A row with nothing below leads to the one above. */
	type(&b, "jj");
	assert_string_equal(selected(&b), "[.] y");
	press(&b, '-', 0);
	assert_string_equal(selected(&b), "[.] main");
	type(&b, "C");
	assert_int_equal(b.table.nr, 1);
	type(&b, "E");
	assert_int_equal(b.table.nr, 3);
	bench_deinit(&b);
}

/* The modules of what is known, Enter shows the functions of one, Esc leads back. */
static void test_modules(void **state)
{
	static const char *const names[] = { "[libx.so+0x10]", "[libx.so+0x20]", "k_[k]", "y" };
	static const uint64_t weights[] = { 40, 30, 20, 10 };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct bench b;

	bench_init(&b);
	add(&b, names, weights, 4);
	refresh(&b, 0);
	type(&b, "d");
	assert_int_equal(b.table.nr, 3);
	assert_string_equal(row_name(&b, 0, &sb), "libx.so");
	assert_int_equal(b.table.rows[0].values[0], 70);
	assert_string_equal(row_name(&b, 2, &sb), "[program: not known which]");
	assert_int_equal(b.table.rows[2].values[0], 10);
	assert_int_equal(b.table.rows[2].values[1], 100);
	press(&b, LIVE_KEY_ENTER, 0);
	assert_int_equal(b.table.view, LIVE_FUNCTIONS);
	assert_int_equal(b.table.nr, 2);
	press(&b, LIVE_KEY_ESCAPE, 0);
	assert_int_equal(b.table.view, LIVE_MODULES);
	/* The other way round, and followed. */
	type(&b, "1FI");
	assert_string_equal(row_name(&b, b.table.nr - 1, &sb), "[.] [libx.so+0x10]");
	assert_string_equal(selected(&b), "[.] [libx.so+0x10]");
	bench_deinit(&b);
}

static void test_effects(void **state)
{
	struct bench b;

	bench_init(&b);
	assert_int_equal(press(&b, 'w', 0), LIVE_WRITE);
	strcpy(b.state.message, "done");
	assert_int_equal(press(&b, 'k', 0), LIVE_DRAW); /* it goes */
	type(&b, "J10:0");
	assert_int_equal(b.state.prompt, LIVE_TIME);
	assert_int_equal(press(&b, '0', 0), LIVE_DRAW);
	assert_true(press(&b, LIVE_KEY_ENTER, 0) & LIVE_JUMP);
	assert_string_equal(b.state.typed, "10:00");
	type(&b, "J");
	assert_false(press(&b, LIVE_KEY_ENTER, 0) & LIVE_JUMP);
	type(&b, "J1");
	assert_false(press(&b, LIVE_KEY_ESCAPE, 0) & LIVE_JUMP);
	assert_int_equal(b.state.prompt, LIVE_NO_PROMPT);
	bench_deinit(&b);
}

/* A page of lines in place of the table, until it is left. */
static void test_page(void **state)
{
	static const char *const lines[] = { "l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7" };
	const struct live_status status = { .source = "x" };
	_cleanup_live_screen_ struct live_screen screen = { NULL, 40, 4 }, after = { NULL, 40, 12 };
	struct bench b;

	bench_init(&b);
	assert_true(press(&b, 'a', 0) & LIVE_ANNOTATE);
	assert_true(b.state.is_page);
	b.state.page = lines;
	b.state.nr_page = ARRAY_SIZE(lines);
	type(&b, "jj");
	live_screen_draw(&b.state, &b.table, &status, &screen);
	assert_string_equal(screen.lines[0].spans[0].text.bytes, "l2");
	assert_int_equal(live_state_click(&b.state, &b.table, 1, 0), 0);
	press(&b, 'G', 0);
	live_screen_deinit(&screen);
	screen = (struct live_screen){ NULL, 40, 4 };
	live_screen_draw(&b.state, &b.table, &status, &screen);
	assert_string_equal(screen.lines[2].spans[0].text.bytes, "l7");
	press(&b, LIVE_KEY_PAGE_UP, 0);
	assert_int_equal(b.state.page_top, 2);
	assert_true(press(&b, LIVE_KEY_ESCAPE, 0) & LIVE_ANNOTATE);
	assert_false(b.state.is_page);
	live_screen_draw(&b.state, &b.table, &status, &after);
	assert_string_equal(selected(&b), "[.] alpha");
	/* Callers and callees: Enter on the function itself; what is no function has no code. */
	type(&b, "\n");
	while (!b.table.rows[b.state.cursor].is_head)
		press(&b, 'j', 0);
	assert_true(press(&b, LIVE_KEY_ENTER, 0) & LIVE_ANNOTATE);
	press(&b, 'a', 0);
	type(&b, "p");
	assert_int_equal(press(&b, 'a', 0), 0);
	bench_deinit(&b);
}

/* Callers to the left, callees to the right, the function above both. */
static void test_side_by_side(void **state)
{
	const struct live_status status = { .source = "x" };
	_cleanup_live_screen_ struct live_screen screen = { NULL, 120, 12 };
	_cleanup_live_screen_ struct live_screen narrow = { NULL, 80, 12 };
	size_t row;
	struct bench b;

	bench_init(&b);
	type(&b, "/main\n\n");
	assert_int_equal(b.table.view, LIVE_CALLS);
	assert_int_equal(b.table.nr, 6); /* nobody, main, four callees */
	live_screen_draw(&b.state, &b.table, &status, &screen);
	assert_true(b.state.is_pair);
	assert_int_equal(b.state.cursor, 0);
	press(&b, LIVE_KEY_RIGHT, 0);
	assert_int_equal(b.state.cursor, 2);
	press(&b, LIVE_KEY_DOWN, 0);
	assert_string_equal(selected(&b), "[k] beta");
	press(&b, LIVE_KEY_LEFT, 0);
	assert_int_equal(b.state.cursor, 0);
	press(&b, LIVE_KEY_UP, 0);
	assert_string_equal(selected(&b), "[.] main");
	assert_int_equal(press(&b, LIVE_KEY_UP, 0), 0);
	press(&b, LIVE_KEY_DOWN, 0);
	assert_int_equal(b.state.cursor, 0);
	assert_int_equal(press(&b, LIVE_KEY_DOWN, 0), 0);
	/* The mouse: the first callee stands to the right of the only caller. */
	row = live_screen_row_at(&screen, 70, 7);
	assert_int_equal(row, 2);
	assert_int_equal(live_screen_row_at(&screen, 3, 7), 0);
	assert_int_equal(live_screen_row_at(&screen, 3, 8), LIVE_NO_ROW);
	assert_int_equal(live_screen_row_at(&screen, 3, 800), LIVE_NO_ROW);
	assert_int_equal(live_state_click(&b.state, &b.table, row, 0), LIVE_DRAW);
	assert_string_equal(selected(&b), "[.] alpha");
	assert_int_equal(live_state_click(&b.state, &b.table, LIVE_NO_ROW, 0), 0);
	live_screen_draw(&b.state, &b.table, &status, &narrow);
	assert_false(b.state.is_pair);
	bench_deinit(&b);
}

/* Whatever the size and the keys: lines are no wider, and the cursor is on the screen. */
static void test_any_screen(void **state)
{
	static const char keys[] = "jkgGsSKUirp<>[] h?12345678/fdFI+-=ECwJWe\n\t\033zn";
	const struct live_status status = { .source = "a\033[2Jb" };
	struct bench b;

	bench_init(&b);
	for (int round = 0; round < 3000; round++) {
		size_t width = 1 + test_random_below(150), height = 1 + test_random_below(30);
		_cleanup_live_screen_ struct live_screen screen = { NULL, width, height };

		press(&b, keys[test_random_below(sizeof(keys) - 1)], round);
		live_screen_draw(&b.state, &b.table, &status, &screen);
		for (size_t i = 0; i < height; i++) {
			const struct live_line *line = &screen.lines[i];
			size_t at = 0;

			for (size_t k = 0; k < line->nr; k++) {
				const struct live_span *span = &line->spans[k];

				assert_null(strchr(span->text.bytes, '\033'));
				assert_true(span->at >= at);
				at = span->at + span->width;
				assert_true(at <= width);
				assert_true(text_width(span->text.bytes, span->text.len) <=
					    span->width);
			}
		}
		assert_true(b.state.top <= b.state.cursor);
		assert_true(b.state.is_help || b.state.cursor < b.state.top + b.state.nr_visible);
	}
	bench_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moving),	     cmocka_unit_test(test_freeze),
		cmocka_unit_test(test_generation),   cmocka_unit_test(test_function_is_carried),
		cmocka_unit_test(test_typing),	     cmocka_unit_test(test_views),
		cmocka_unit_test(test_any_screen),   cmocka_unit_test(test_page),
		cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_fold),
		cmocka_unit_test(test_modules),	     cmocka_unit_test(test_freeze_everywhere),
		cmocka_unit_test(test_effects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
