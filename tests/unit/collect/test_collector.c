// SPDX-License-Identifier: GPL-2.0-or-later
/* Synthetic events: the collector needs neither BPF nor root. */
#include "unit/unit.h"

#include <unistd.h>

#include "collect/collector.h"
#include "util/strbuf.h"

struct event {
	struct eddy_stack_event ev;
	uint64_t frames[16];
};

struct fixture {
	struct frame_table *frames;
	struct symbolizer *symbolizer;
	struct collector *collector;
};

static void setup(struct fixture *f, const struct collector_opts *opts)
{
	/* A root without /proc: nothing has a name, so every frame shows its address. */
	const struct symbolizer_opts symbolizer_opts = { .root = "/nonexistent" };

	f->frames = frame_table_new();
	f->symbolizer = symbolizer_new(f->frames, &symbolizer_opts);
	f->collector = collector_new(f->symbolizer, f->frames, opts);
}

static void teardown(struct fixture *f)
{
	collector_free(f->collector);
	symbolizer_free(f->symbolizer);
	frame_table_unref(f->frames);
}

/* "root;...;leaf weight" of every stack with a weight, in node order. */
static char *text_of(const struct fixture *f)
{
	const struct profile *p = collector_profile(f->collector);
	struct strbuf sb = STRBUF_INIT;

	for (node_id n = 0; n < profile_nr_nodes(p); n++) {
		const char *names[32];
		size_t depth = 0;

		if (!profile_self(p, n))
			continue;
		for (node_id m = n; m; m = profile_parent(p, m))
			names[depth++] = frame_table_name(f->frames, profile_frame(p, m), NULL);
		while (depth--)
			strbuf_addf(&sb, "%s%s", names[depth], depth ? ";" : "");
		strbuf_addf(&sb, " %llu\n", (unsigned long long)profile_self(p, n));
	}
	return strbuf_detach(&sb);
}

static void check_text(const struct fixture *f, const char *want)
{
	char *got = text_of(f);

	assert_string_equal(got, want);
	free(got);
}

static struct event event_of(const char *comm, uint8_t user_end, uint16_t nr_kernel,
			     uint16_t nr_user)
{
	struct event e = { .ev = { .pid = 77,
				   .tid = 78,
				   .cpu = 3,
				   .user_end = user_end,
				   .nr_kernel = nr_kernel,
				   .nr_user = nr_user } };

	strncpy(e.ev.comm, comm, sizeof(e.ev.comm) - 1);
	for (int i = 0; i < nr_kernel; i++)
		e.frames[i] = 0xffff000000000100 + 16 * i;
	for (int i = 0; i < nr_user; i++)
		e.frames[nr_kernel + i] = 0x1000 + 16 * i;
	return e;
}

static void test_order(void **state)
{
	struct fixture f;
	struct event e = event_of("prog", EDDY_END_ROOT, 2, 2);
	uint32_t tag;

	setup(&f, &(struct collector_opts){ .root = COLLECT_ROOT_COMM });
	tag = collector_stack(f.collector, &e.ev);
	collector_count(f.collector, tag, 2);
	collector_count(f.collector, tag, 3);
	/* Outermost first; a kernel return address is stepped back into the call, the leaf is not.
	 */
	check_text(&f, "prog;[unknown+0x1010];[unknown+0x1000];[kernel+0xffff00000000010f];"
		       "[kernel+0xffff000000000100] 5\n");
	teardown(&f);
}

static void test_truncated(void **state)
{
	struct fixture f;
	struct event depth = event_of("deep", EDDY_END_DEPTH, 0, 1);
	struct event cut = event_of("cut", EDDY_END_ROOT, 1, 1);
	struct event kthread = event_of("kthread", EDDY_END_KTHREAD, 1, 0);
	struct event exiting = event_of("exiting", EDDY_END_EXIT, 1, 0);
	struct collector_stats stats;

	setup(&f, &(struct collector_opts){ .root = COLLECT_ROOT_COMM });
	cut.ev.flags = EDDY_SAMPLE_KERNEL_CUT;
	collector_count(f.collector, collector_stack(f.collector, &depth.ev), 1);
	collector_count(f.collector, collector_stack(f.collector, &cut.ev), 2);
	collector_count(f.collector, collector_stack(f.collector, &kthread.ev), 4);
	collector_count(f.collector, collector_stack(f.collector, &exiting.ev), 8);
	/* What called a cut kernel stack is not known: its user frames claim nothing. */
	check_text(&f, "deep;[truncated];[unknown+0x1000] 1\n"
		       "cut;[truncated];[kernel+0xffff000000000100] 2\n"
		       "kthread;[kernel+0xffff000000000100] 4\n"
		       "exiting;[kernel+0xffff000000000100] 8\n");
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_total, 3);
	assert_int_equal(stats.user_complete, 0);
	assert_int_equal(stats.user_broken[EDDY_END_DEPTH], 3);
	assert_int_equal(stats.kernel_broken, 2);
	assert_int_equal(stats.frames_kernel, 14);
	assert_int_equal(stats.frames_kernel_named, 0);
	teardown(&f);
}

static void test_roots(void **state)
{
	static const struct {
		enum collect_root root;
		const char *want;
	} cases[] = {
		{ COLLECT_ROOT_COMM, "a;b 1\n" },
		{ COLLECT_ROOT_PROCESS, "a;b-77 1\n" },
		{ COLLECT_ROOT_THREAD, "a;b-77/78 1\n" },
		{ COLLECT_ROOT_CPU, "cpu-3 1\n" },
		{ COLLECT_ROOT_NONE, " 1\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = event_of("a;b", EDDY_END_KTHREAD, 0, 0);
		struct fixture f;

		setup(&f, &(struct collector_opts){ .root = cases[i].root });
		collector_count(f.collector, collector_stack(f.collector, &e.ev), 1);
		check_text(&f, cases[i].want);
		teardown(&f);
	}
}

static void test_lost(void **state)
{
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = COLLECT_ROOT_COMM });
	collector_lost(f.collector, "map-full", 0);
	collector_lost(f.collector, "ring-full", 7);
	check_text(&f, "[lost:ring-full] 7\n");
	teardown(&f);
}

/* Random stacks with random counts: totals agree, and the second opinion lands on its nodes. */
static void test_random_counts(void **state)
{
	struct fixture f;
	uint64_t total = 0, off = 0, user = 0, sum_off = 0, sum_user = 0;
	uint64_t *off_stack, *user_mode;
	size_t nr;

	setup(&f, &(struct collector_opts){ .root = COLLECT_ROOT_COMM });
	for (int i = 0; i < 500; i++) {
		struct event e =
			event_of("x", EDDY_END_ROOT, test_random_below(4), test_random_below(5));
		uint64_t n = test_random_below(100);

		e.frames[0] += 64 * test_random_below(6);
		e.ev.flags = test_random_below(2)   ? EDDY_SAMPLE_USER_MODE
			     : test_random_below(2) ? EDDY_SAMPLE_OFF_STACK
						    : 0;
		collector_count(f.collector, collector_stack(f.collector, &e.ev), n);
		total += n;
		off += e.ev.flags == EDDY_SAMPLE_OFF_STACK ? n : 0;
		user += e.ev.flags == EDDY_SAMPLE_USER_MODE ? n : 0;
	}
	nr = profile_nr_nodes(collector_profile(f.collector));
	off_stack = calloc(nr, sizeof(*off_stack));
	user_mode = calloc(nr, sizeof(*user_mode));
	collector_get_modes(f.collector, off_stack, user_mode);
	for (size_t i = 0; i < nr; i++) {
		sum_off += off_stack[i];
		sum_user += user_mode[i];
		assert_true(off_stack[i] + user_mode[i] <=
			    profile_self(collector_profile(f.collector), i));
	}
	assert_int_equal(profile_total(collector_profile(f.collector)), total);
	assert_int_equal(sum_off, off);
	assert_int_equal(sum_user, user);
	free(off_stack);
	free(user_mode);
	teardown(&f);
}

static void test_root_names(void **state)
{
	assert_true(collector_is_root_name("_start"));
	assert_true(collector_is_root_name("clone3"));
	assert_true(collector_is_root_name("__libc_start_main_impl"));
	assert_false(collector_is_root_name("main"));
	assert_false(collector_is_root_name("start_threads"));
}

/* Window after window, also into other frame tables: nothing of one is in the next. */
static void test_windows(void **state)
{
	const struct collector_opts opts = { .root = COLLECT_ROOT_COMM };
	struct event a = event_of("a", EDDY_END_ROOT, 1, 2), b = event_of("b", EDDY_END_ROOT, 0, 3);
	struct fixture f;

	setup(&f, &opts);
	for (int window = 0; window < 6; window++) {
		struct event *e = window % 2 ? &a : &b;
		struct collector_stats stats;
		struct frame_table *old = f.frames;
		struct profile *taken;

		for (int i = 0; i < 2000 * (window == 2); i++) /* a large one in between */
			collector_stack(f.collector, &e->ev);
		collector_count(f.collector, collector_stack(f.collector, &e->ev), 10 + window);
		collector_lost(f.collector, "ring-full", window);
		collector_get_stats(f.collector, &stats);
		assert_int_equal(stats.user_complete, 10 + window);
		taken = collector_take_profile(f.collector);
		assert_int_equal(profile_total(taken), 10 + 2 * window);
		assert_int_equal(profile_nr_stacks(taken), window ? 2 : 1);
		assert_int_equal(profile_total(collector_profile(f.collector)), 0);
		assert_int_equal(profile_nr_nodes(collector_profile(f.collector)), 1);
		if (window >= 3) {
			f.frames = frame_table_new();
			collector_use_frames(f.collector, f.frames);
			frame_table_unref(old);
		}
		profile_free(taken);
	}
	collector_count(f.collector, collector_stack(f.collector, &a.ev), 1);
	check_text(&f, "a;[unknown+0x1010];[unknown+0x1000];[kernel+0xffff000000000100] 1\n");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	      cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_roots),	      cmocka_unit_test(test_lost),
		cmocka_unit_test(test_random_counts), cmocka_unit_test(test_root_names),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests_name("collector", tests, NULL, NULL);
}
