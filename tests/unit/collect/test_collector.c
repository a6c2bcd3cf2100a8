// SPDX-License-Identifier: GPL-2.0-or-later
/* Synthetic events: the collector needs neither BPF nor root. */
#include "util/mem.h"
#include "unit/unit.h"

#include <unistd.h>

#include "collect/collector.h"
#include "profile/profile_owner.h"
#include "profile/profile_trim.h"
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

/* A frame's name; the address of one that has none, which no output shows, stands in it. */
static void add_name(struct strbuf *sb, const struct frame_table *frames, frame_id id)
{
	const struct frame *f = frame_table_get(frames, id);
	size_t len;
	const char *name = frame_table_name(frames, id, &len);

	if (f->is_raw)
		strbuf_addf(sb, "%.*s+0x%llx]", (int)len - 1, name, (unsigned long long)f->start);
	else
		strbuf_add(sb, name, len);
}

/* "root;...;leaf weight" of every stack with a weight, in node order. */
static char *text_of(const struct fixture *f)
{
	const struct profile *p = collector_profile(f->collector);
	struct strbuf sb = STRBUF_INIT;

	for (node_id n = 0; n < profile_nr_nodes(p); n++) {
		frame_id ids[32];
		size_t depth = 0;

		if (!profile_self(p, n))
			continue;
		for (node_id m = n; m; m = profile_parent(p, m))
			ids[depth++] = profile_frame(p, m);
		while (depth--) {
			add_name(&sb, f->frames, ids[depth]);
			strbuf_addstr(&sb, depth ? ";" : "");
		}
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
	strcpy(e.ev.program, "leader");
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
	struct collector_stats stats;
	uint32_t tag;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) });
	tag = collector_stack(f.collector, &e.ev);
	collector_count(f.collector, tag, 2, 20);
	collector_count(f.collector, tag, 3, 30);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_total, 5); /* samples, whatever they weigh */
	/* Outermost first; a kernel return address is stepped back into the call, the leaf is not.
	 */
	check_text(&f, "prog;[unknown+0x1010];[unknown+0x1000];[kernel+0xffff00000000010f];"
		       "[kernel+0xffff000000000100] 50\n");
	teardown(&f);
}

/* What is less than a microsecond is not dropped, nor the time of stacks that are lost. */
static void test_waits(void **state)
{
	struct fixture f;
	struct event e = event_of("prog", EDDY_END_ROOT, 0, 1);
	struct event other = event_of("other", EDDY_END_UNSEEN, 0, 1);
	struct collector_stats stats;
	uint32_t tag, tag2;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) });
	tag = collector_stack(f.collector, &e.ev);
	tag2 = collector_stack(f.collector, &other.ev);
	collector_wait(f.collector, tag, EDDY_WAIT_SLEEP, 3, 10600);
	collector_wait(f.collector, tag, EDDY_WAIT_RUNQUEUE, 1, 1600);
	collector_wait(f.collector, tag, EDDY_WAIT_SLEEP, 1, 799);
	collector_lost_wait(f.collector, "map-full", 5000);
	collector_wait(f.collector, tag2, EDDY_WAIT_IO, 1, 3001);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.waits, 6);
	assert_int_equal(stats.wait_us[EDDY_WAIT_SLEEP], 10);
	assert_int_equal(stats.wait_us[EDDY_WAIT_RUNQUEUE], 2);
	assert_int_equal(stats.wait_us[EDDY_WAIT_IO], 4);
	assert_int_equal(stats.lost_us, 5);
	assert_int_equal(stats.user_total, 16); /* microseconds */
	assert_int_equal(stats.user_complete, 12);
	assert_int_equal(stats.user_broken[EDDY_END_UNSEEN], 4);
	/* On a CPU: the stack of a sample is as it is, that of none says so. */
	collector_wait(f.collector, tag, EDDY_WAIT_ON_CPU, 1, 7000);
	collector_wait(f.collector, tag, EDDY_WAIT_UNSAMPLED, 1, 8000);
	/* 36 000 ns in all. */
	check_text(&f, "prog;[unknown+0x1000] 7\n"
		       "prog;[unknown+0x1000];[sleep] 10\n"
		       "prog;[unknown+0x1000];[runqueue] 2\n"
		       "[lost:map-full] 5\n"
		       "other;[truncated];[unknown+0x1000];[io] 4\n"
		       "prog;[unknown+0x1000];[on-cpu] 8\n");
	profile_free(collector_take_profile(f.collector));
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.waits + stats.lost_us + stats.wait_us[EDDY_WAIT_IO], 0);
	teardown(&f);
	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_NONE),
					    .no_wait_marks = true });
	tag = collector_stack(f.collector, &e.ev);
	collector_wait(f.collector, tag, EDDY_WAIT_SLEEP, 1, 1000);
	collector_wait(f.collector, tag, EDDY_WAIT_IO, 1, 1000);
	check_text(&f, "[unknown+0x1000] 2\n");
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

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) });
	cut.ev.flags = EDDY_SAMPLE_KERNEL_CUT;
	collector_count(f.collector, collector_stack(f.collector, &depth.ev), 1, 1);
	collector_count(f.collector, collector_stack(f.collector, &cut.ev), 2, 2);
	collector_count(f.collector, collector_stack(f.collector, &kthread.ev), 4, 4);
	collector_count(f.collector, collector_stack(f.collector, &exiting.ev), 8, 8);
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
		enum base_frame root;
		const char *want;
	} cases[] = {
		{ BASE_FRAME_COMM, "a;b 1\n" },
		{ BASE_FRAME_PROCESS, "a;b-77 1\n" },
		{ BASE_FRAME_THREAD, "a;b-77/78 1\n" },
		{ BASE_FRAME_CPU, "cpu-3 1\n" },
		{ BASE_FRAME_NONE, " 1\n" },
		{ BASE_FRAME_PROGRAM, "leader 1\n" },
		{ BASE_FRAME_HOST, "\\x5bh] 1\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = event_of("a;b", EDDY_END_KTHREAD, 0, 0);
		struct fixture f;

		setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(cases[i].root),
						    .host = "[h]" });
		collector_count(f.collector, collector_stack(f.collector, &e.ev), 1, 1);
		check_text(&f, cases[i].want);
		teardown(&f);
	}
}

/* One under the other, and what stands for none; the whole stack is under the innermost. */
static void test_several_roots(void **state)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "/s.slice/a.service", "a.service;[no container];leader;a 1\n" },
		{ "/s.slice/[x]_[k].scope", "[x]_[k].scope;[no container];leader;a 1\n" },
		{ "/lxc/[nmi]/x", "[no unit];\\x5bnmi];leader;a 1\n" },
		{ "/", "[no unit];[no container];leader;a 1\n" },
	};
	struct base_frames root;

	assert_true(base_frames_parse("unit,container,program,comm", &root));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = event_of("a", EDDY_END_KTHREAD, 0, 0);
		struct eddy_cgroup_event made = { .id = 77 + i };
		struct fixture f;

		strcpy(made.path, cases[i].path);
		e.ev.cgroup = made.id;
		/* Any root with the number of the whole tree's. */
		setup(&f, &(struct collector_opts){ .root = root, .cgroup_dir = "/proc" });
		collector_new_cgroup(f.collector, &made);
		collector_count(f.collector, collector_stack(f.collector, &e.ev), 1, 1);
		check_text(&f, cases[i].want);
		teardown(&f);
	}
}

/* A thread that is called like a form of eddy's own is one, whatever stands behind its name. */
static void test_forged_comms(void **state)
{
	static const struct {
		enum base_frame root;
		const char *comm, *want;
	} cases[] = {
		{ BASE_FRAME_COMM, "[hardirq]", "\\x5bhardirq] 1\n" },
		{ BASE_FRAME_PROCESS, "[hardirq]", "\\x5bhardirq]-77 1\n" },
		{ BASE_FRAME_THREAD, "x_[k]", "x_\\x5bk]-77/78 1\n" },
		{ BASE_FRAME_COMM, "[no name]", "\\x5bno name] 1\n" },
		{ BASE_FRAME_COMM, "", "[no name] 1\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e = event_of(cases[i].comm, EDDY_END_KTHREAD, 0, 0);
		struct fixture f;

		setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(cases[i].root) });
		collector_count(f.collector, collector_stack(f.collector, &e.ev), 1, 1);
		check_text(&f, cases[i].want);
		teardown(&f);
	}
}

static void test_lost(void **state)
{
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) });
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

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) });
	for (int i = 0; i < 500; i++) {
		struct event e =
			event_of("x", EDDY_END_ROOT, test_random_below(4), test_random_below(5));
		uint64_t n = test_random_below(100);

		e.frames[0] += 64 * test_random_below(6);
		e.ev.flags = test_random_below(2)   ? EDDY_SAMPLE_USER_MODE
			     : test_random_below(2) ? EDDY_SAMPLE_OFF_STACK
						    : 0;
		collector_count(f.collector, collector_stack(f.collector, &e.ev), n, n);
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

/* Tags are forgotten now and then, and frames are lost: the window's sums are as ever. */
static void test_forgotten_tags(void **state)
{
	struct fixture f;
	struct collector_stats stats;
	uint64_t want_fp = 0, want_off = 0, total = 0, off = 0, *off_stack, *user_mode;
	size_t nr;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM),
					    .max_bytes = 300 << 10 });
	for (int i = 0; i < 3000; i++) {
		struct event e = event_of("x", EDDY_END_ROOT, test_random_below(4),
					  1 + test_random_below(8));
		uint64_t n = test_random_below(100);

		for (int k = 0; k < 8; k++)
			e.frames[k] += 64 * test_random_below(40);
		e.ev.flags = test_random_below(2) ? EDDY_SAMPLE_FP_STEPS : EDDY_SAMPLE_OFF_STACK;
		collector_count(f.collector, collector_stack(f.collector, &e.ev), n, n);
		want_fp += e.ev.flags & EDDY_SAMPLE_FP_STEPS ? n : 0;
		want_off += e.ev.flags & EDDY_SAMPLE_OFF_STACK ? n : 0;
		total += n;
		if (!test_random_below(100))
			collector_forget_tags(f.collector);
	}
	collector_settle(f.collector);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_fp, want_fp);
	assert_int_equal(stats.user_total, total);
	nr = profile_nr_nodes(collector_profile(f.collector));
	off_stack = calloc(nr, sizeof(*off_stack));
	user_mode = calloc(nr, sizeof(*user_mode));
	collector_get_modes(f.collector, off_stack, user_mode);
	for (size_t i = 0; i < nr; i++) {
		assert_true(off_stack[i] <= profile_self(collector_profile(f.collector), i));
		off += off_stack[i];
	}
	assert_int_equal(off, want_off);
	assert_int_equal(profile_total(collector_profile(f.collector)), total);
	assert_true(profile_cut_weight(collector_profile(f.collector)));
	free(off_stack);
	free(user_mode);
	profile_free(collector_take_profile(f.collector));
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_total, 0);
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
	const struct collector_opts opts = { .root = BASE_FRAMES_OF(BASE_FRAME_COMM) };
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
		collector_count(f.collector, collector_stack(f.collector, &e->ev), 10 + window,
				10 + window);
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
	collector_count(f.collector, collector_stack(f.collector, &a.ev), 1, 1);
	check_text(&f, "a;[unknown+0x1010];[unknown+0x1000];[kernel+0xffff000000000100] 1\n");
	teardown(&f);
}

/* The stack of the other user has all its frames and counts; the greedy one's are all there. */
static void check_bounded(const struct fixture *f, uint64_t greedy, uint64_t other)
{
	const struct profile *p = collector_profile(f->collector);
	uint64_t sums[2] = { 0 };

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		_cleanup_free_ node_id *chain = NULL;
		size_t depth = profile_chain(p, n, &chain);
		const struct frame *base =
			frame_table_get(profile_frames(p), profile_frame(p, chain[0]));
		bool is_other = base->start == 1001;

		if (is_other && profile_self(p, n))
			assert_int_equal(depth, 13);
		sums[is_other] += profile_self(p, n);
	}
	assert_int_equal(sums[0], greedy);
	assert_int_equal(sums[1], other);
}

/* Endless stacks of one user: memory is bounded, nothing is lost, another one keeps his frames. */
static void test_bounded(void **state)
{
	const size_t max = 512 << 10;
	struct event e = event_of("prog", EDDY_END_ROOT, 0, 12);
	struct limit_counts limits = { 0 };
	uint64_t greedy = 0, other = 0;
	struct profile *taken;
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM),
					    .max_bytes = max });
	for (int window = 0; window < 3; window++) {
		for (int i = 0; i < 20000; i++) {
			bool is_other = i % 100 == 0;
			uint32_t tag;

			e.ev.uid = is_other ? 1001 : 1000;
			for (int k = 0; k < 12; k++)
				e.frames[k] = 0x1000 + test_random_below(is_other ? 2 : 300) * 16;
			tag = collector_stack(f.collector, &e.ev);
			collector_count(f.collector, tag, 1, 1);
			greedy += !is_other;
			other += is_other;
			taken = (struct profile *)collector_profile(f.collector);
			assert_true(profile_bytes(taken) +
					    frame_table_bytes(profile_frames(taken)) <
				    max + max / 2);
		}
		collector_settle(f.collector);
		check_bounded(&f, greedy, other);
		assert_true(profile_cut_weight(collector_profile(f.collector)) > greedy / 2);
		profile_free(collector_take_profile(f.collector));
		greedy = other = 0;
	}
	collector_add_limits(f.collector, &limits);
	assert_int_equal(limits.nr[LIMIT_SHORT_NAMES], 0); /* they are short anyway */
	teardown(&f);
}

/* When samples were taken is known of each stack, also of those that lost their frames. */
static void test_times(void **state)
{
	struct event e = event_of("prog", EDDY_END_ROOT, 0, 12);
	struct timeline *t;
	_cleanup_free_ uint64_t *sums = NULL;
	const struct profile *p;
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM),
					    .max_bytes = 512 << 10,
					    .slot_ns = TIMELINE_DEFAULT_NS,
					    .max_cells = 1000 });
	collector_begin_times(f.collector, 5000);
	for (uint64_t i = 0; i < 20000; i++) {
		uint32_t tag;

		for (int k = 0; k < 12; k++)
			e.frames[k] = 0x1000 + test_random_below(300) * 16;
		tag = collector_stack(f.collector, &e.ev);
		collector_time(f.collector, tag, 5000 + i * 1000000, 1);
		collector_count(f.collector, tag, 1, 1);
		if (i % 1000 == 999)
			collector_forget_tags(f.collector);
	}
	collector_settle(f.collector);
	p = collector_profile(f.collector);
	assert_true(profile_cut_weight(p));
	t = collector_take_timeline(f.collector, 5000 + 20000 * UINT64_C(1000000));
	assert_int_equal(t->weight, 20000);
	assert_int_equal(t->nr_samples, 20000);
	assert_true(t->slot_ns > TIMELINE_DEFAULT_NS);
	assert_true(t->nr_slots * t->slot_ns >= 20 * TIMELINE_SECOND_NS);
	sums = xcalloc(profile_nr_nodes(p), sizeof(*sums));
	for (size_t i = 0; i < t->nr; i++)
		sums[t->cells[i].node] += t->cells[i].weight;
	for (node_id n = 0; n < profile_nr_nodes(p); n++)
		assert_int_equal(sums[n], profile_self(p, n));
	timeline_free(t);
	assert_null(collector_take_timeline(f.collector, 0));
	teardown(&f);
}

/* Without base frames too it is known whose a stack is, until it is written. */
static void test_bounded_without_base(void **state)
{
	struct event e = event_of("prog", EDDY_END_ROOT, 0, 2);
	struct profile *plain;
	struct fixture f;
	uint32_t tag;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_NONE),
					    .max_bytes = 1 << 20 });
	tag = collector_stack(f.collector, &e.ev);
	e.ev.uid = 1000;
	collector_count(f.collector, tag, 1, 1);
	tag = collector_stack(f.collector, &e.ev);
	collector_count(f.collector, tag, 1, 1);
	assert_int_equal(profile_nr_stacks(collector_profile(f.collector)), 2);
	plain = profile_disown(collector_profile(f.collector));
	assert_int_equal(profile_nr_stacks(plain), 1);
	assert_int_equal(profile_depth(plain), 2);
	profile_free(plain);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_several_roots),
		cmocka_unit_test(test_forged_comms),
		cmocka_unit_test(test_random_counts),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_bounded_without_base),
		cmocka_unit_test(test_forgotten_tags),
		cmocka_unit_test(test_root_names),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests_name("collector", tests, NULL, NULL);
}
