// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks under their tasks and comms: the other views have the numbers of stacks under comms alone,
 * and the processes stand below the comm that is theirs, whatever they are called.
 */
#include "live/live_table.h"

#include "unit/unit.h"
#include "util/mem.h"

static const struct {
	const char *task, *comm;
	uint64_t weight;
} tasks[] = {
	{ "make-10/10", "make", 3 },
	{ "make-10/11", "make", 4 },
	{ "make-20/20", "make", 5 },
	{ "-30/30", "[no name]", 6 },
	{ "x-10/11", "x", 7 },
	{ "x-10/11-40/40", "x-10/11", 8 }, /* called as if it were another one */
	{ "hidden-?/?", "hidden", 9 },
	{ "\\x5bhardirq]-50/51", "\\x5bhardirq]", 10 },
	{ NULL, "[lost:map-full]", 11 },
};
static const struct base_frames had = { 2, { BASE_FRAME_THREAD, BASE_FRAME_COMM } };

static node_id below(struct profile *p, node_id n, const char *name, uint8_t origin)
{
	struct frame_table *frames = profile_frames(p);
	const struct frame f = { .origin = origin,
				 .name = frame_table_intern(frames, name, strlen(name)) };

	return profile_child(p, n, frame_table_add(frames, &f));
}

static struct profile *make_stacks(bool with_tasks)
{
	struct profile *p = profile_new(NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		node_id n = NODE_ROOT;

		if (with_tasks && tasks[i].task)
			n = below(p, n, tasks[i].task, FRAME_BASE);
		n = below(p, n, tasks[i].comm, FRAME_BASE);
		if (!tasks[i].task) {
			profile_add(p, n, tasks[i].weight);
			continue;
		}
		n = below(p, n, "main", FRAME_USER);
		profile_add(p, n, tasks[i].weight);
		n = below(p, n, i % 3 ? "do_syscall_64" : "asm_sysvec_apic_timer_interrupt",
			  FRAME_KERNEL);
		profile_add(p, n, 100 + i);
		n = below(p, n, "work", FRAME_KERNEL);
		profile_add(p, n, 200 + i);
	}
	return p;
}

struct bench {
	struct live_window *window;
	struct live_analysis *analysis;
	struct passes passes;
	struct pipeline_request request;
	bool has_tasks;
};

static void bench_init(struct bench *b, bool has_tasks)
{
	const struct live_account account = { .seconds = 1 };
	_cleanup_profile_ struct profile *p = make_stacks(has_tasks);

	*b = (struct bench){ .window = live_window_new(SIZE_MAX),
			     .analysis = live_analysis_new(),
			     .has_tasks = has_tasks };
	passes_init(&b->passes);
	live_window_add(b->window, p, &account);
}

static void bench_deinit(struct bench *b)
{
	live_analysis_free(b->analysis);
	live_window_free(b->window);
	passes_deinit(&b->passes);
}

/* "value value name\n" of each row, as the screen has them. */
static void rows_of(struct bench *b, enum live_view view, struct strbuf *to)
{
	const struct live_choice choice = { .view = view };
	_cleanup_live_table_ struct live_table t = { 0 };

	b->passes.root_given = !live_view_is_of_tasks(view);
	b->request = (struct pipeline_request){
		.passes = &b->passes,
		.flags = (b->has_tasks ? PIPELINE_FILES : 0) | live_view_pipeline_flags(view),
		.had = had,
	};
	live_window_use(b->window, &b->request);
	assert_int_equal(live_window_show(b->window, 0, 1, NULL), 0);
	assert_int_equal(live_table_make(b->analysis, b->window, &choice, &t, NULL), 0);
	for (size_t i = 0; i < t.nr; i++) {
		for (size_t c = 0; c < t.nr_columns; c++) {
			live_table_value(&t, &t.rows[i], c, to);
			strbuf_addch(to, ' ');
		}
		for (size_t c = 0; c < t.nr_texts; c++) {
			live_table_text(&t, &t.rows[i], c, to);
			strbuf_addch(to, ' ');
		}
		strbuf_addf(to, "%u ", t.rows[i].level);
		live_table_name(&t, &t.rows[i], to);
		strbuf_addch(to, '\n');
	}
}

static void test_other_views_are_the_same(void **state)
{
	for (int irq = IRQ_MODE_SPLIT; irq <= IRQ_MODE_DROP; irq++)
		for (int view = 0; view < NR_LIVE_VIEWS; view++) {
			_cleanup_strbuf_ struct strbuf with = STRBUF_INIT, without = STRBUF_INIT;
			struct bench a, b;

			if (live_view_is_of_tasks(view))
				continue;
			bench_init(&a, true);
			bench_init(&b, false);
			a.passes.irq.mode = b.passes.irq.mode = irq;
			rows_of(&a, view, &with);
			rows_of(&b, view, &without);
			assert_true(with.len || view == LIVE_CYCLES);
			assert_string_equal(with.bytes, without.bytes);
			bench_deinit(&a);
			bench_deinit(&b);
		}
}

static void test_tasks_stand_below_their_comm(void **state)
{
	/* Samples, the level, the name; a process of one thread that has its number is one row. */
	static const char expected[] = "918 0 make\n"
				       "609 1 make-10\n"
				       "306 2 make-10/11\n"
				       "303 2 make-10/10\n"
				       "309 1 make-20\n"
				       "324 0 \\x5bhardirq]\n"
				       "324 1 \\x5bhardirq]-50\n"
				       "324 2 \\x5bhardirq]-50/51\n"
				       "321 0 hidden\n"
				       "321 1 hidden-?\n"
				       "318 0 x-10/11\n"
				       "318 1 x-10/11-40\n"
				       "315 0 x\n"
				       "315 1 x-10\n"
				       "315 2 x-10/11\n"
				       "312 0 [no name]\n"
				       "312 1 -30\n"
				       "11 0 [lost:map-full]\n";
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, all = STRBUF_INIT;
	struct bench b;

	bench_init(&b, true);
	b.passes.irq.mode = IRQ_MODE_KEEP;
	rows_of(&b, LIVE_PROCESSES, &all);
	for (char *line = all.bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *samples = strchr(line, ' ') + 1;

		strbuf_add(&text, samples, end + 1 - samples);
	}
	assert_string_equal(text.bytes, expected);
	bench_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_views_are_the_same),
		cmocka_unit_test(test_tasks_stand_below_their_comm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
