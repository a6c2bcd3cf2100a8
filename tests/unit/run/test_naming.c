// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread that names does what the collector would have done at once, in the same order. */
#include "unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "collect/collector.h"
#include "run/naming.h"
#include "util/far_file.h"
#include "util/strbuf.h"

struct event {
	struct eddy_stack_event ev;
	uint64_t frames[64];
};

struct fixture {
	struct frame_table *frames;
	struct symbolizer *symbolizer;
	struct collector *collector;
	struct naming *naming;
};

/* Addresses stand for names: a root without /proc. */
static void setup(struct fixture *f, const struct collector_opts *opts, size_t max_bytes)
{
	const struct symbolizer_opts symbolizer_opts = { .root = "/nonexistent" };

	f->frames = frame_table_new();
	f->symbolizer = symbolizer_new(f->frames, &symbolizer_opts);
	f->collector = collector_new(f->symbolizer, f->frames, opts);
	f->naming = naming_new(&(struct naming_opts){ .collector = f->collector,
						      .symbolizer = f->symbolizer,
						      .max_bytes = max_bytes,
						      .poll_fd = -1 });
}

static void teardown(struct fixture *f)
{
	naming_free(f->naming);
	collector_free(f->collector);
	symbolizer_free(f->symbolizer);
	frame_table_unref(f->frames);
}

static char *text_of(const struct fixture *f)
{
	const struct profile *p = collector_profile(f->collector);
	struct strbuf sb = STRBUF_INIT;

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const struct frame *frame = frame_table_get(f->frames, profile_frame(p, n));

		strbuf_addf(&sb, "%u %u %llx %llu\n", profile_parent(p, n), profile_frame(p, n),
			    (unsigned long long)frame->start,
			    (unsigned long long)profile_self(p, n));
	}
	return strbuf_detach(&sb);
}

static struct event event_of(uint32_t uid, int nr_kernel, int nr_user, uint64_t first)
{
	struct event e = { .ev = { .pid = 77,
				   .uid = uid,
				   .comm = "prog",
				   .user_end = EDDY_END_ROOT,
				   .nr_kernel = nr_kernel,
				   .nr_user = nr_user } };

	for (int i = 0; i < nr_kernel + nr_user; i++)
		e.frames[i] = first + 16 * i;
	return e;
}

/* The same numbers each time. */
static uint32_t draw(uint64_t *drawn, uint32_t below)
{
	return test_mix(++*drawn) % below;
}

/* So many random stacks, counts and what else comes, in two windows. */
static char *run_random(bool has_thread)
{
	uint64_t drawn = 0;
	struct strbuf all = STRBUF_INIT;
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 0);
	if (has_thread)
		naming_begin(f.naming);
	for (int window = 0; window < 3; window++) {
		uint32_t nr_tags = 0, tag;
		char *text;

		for (int i = 0; i < 4000; i++) {
			uint32_t kind = draw(&drawn, 16);
			struct event e = event_of(1000, draw(&drawn, 4), draw(&drawn, 20),
						  0x1000 * draw(&drawn, 50));

			if (!nr_tags || kind < 4) {
				tag = naming_stack(f.naming, &e.ev);
				assert_int_equal(tag, nr_tags);
				nr_tags++;
			} else if (kind == 4 && i % 100 == 0) {
				naming_forget(f.naming);
				nr_tags = 0;
			} else if (kind == 5) {
				naming_age(f.naming);
				naming_exec(f.naming, &(struct eddy_process_event){ .pid = 77 });
			} else {
				naming_count(f.naming, draw(&drawn, nr_tags), i, i + 1);
			}
		}
		naming_hold(f.naming, NULL, NULL);
		text = text_of(&f);
		strbuf_addf(&all, "%s--\n", text);
		free(text);
		profile_free(collector_take_profile(f.collector));
		naming_go_on(f.naming);
	}
	teardown(&f);
	return strbuf_detach(&all);
}

static void test_order(void **state)
{
	char *want = run_random(false), *got = run_random(true);

	assert_true(strlen(want) > 10000);
	assert_string_equal(got, want);
	free(want);
	free(got);
}

struct later {
	struct fixture *f;
	int nr;
};

static void put_later(void *ctx)
{
	struct later *l = ctx;
	struct event e = event_of(1000, 0, 1, 0x70000);

	assert_int_equal(naming_stack(l->f->naming, &e.ev), l->nr);
	naming_count(l->f->naming, l->nr++, 1, 1);
}

/* What comes while a window waits for its names is the next one's, and its tags begin anew. */
static void test_window(void **state)
{
	struct event e = event_of(1000, 0, 60, 0x1000);
	struct collector_stats stats;
	struct fixture f;
	struct later later = { &f, 0 };
	uint64_t all = 0;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 1 << 30);
	naming_begin(f.naming);
	/* Much of it: the thread is not done when it is asked for. */
	for (int i = 0; i < 50000; i++) {
		e.frames[0] += 16;
		naming_count(f.naming, naming_stack(f.naming, &e.ev), 2, 2);
		all += 2;
	}
	naming_hold(f.naming, put_later, &later);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_total, all);
	profile_free(collector_take_profile(f.collector));
	naming_go_on(f.naming);
	put_later(&later);
	naming_hold(f.naming, NULL, NULL);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.user_total, later.nr);
	naming_go_on(f.naming);
	teardown(&f);
}

/* Who has too much waiting goes without user frames, and others do not. */
static void test_shares(void **state)
{
	struct event many = event_of(5001, 2, 60, 0x1000), few = event_of(5002, 2, 60, 0x900000);
	struct limit_counts limits = { 0 };
	struct collector_stats stats;
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 64 << 10);
	naming_begin(f.naming);
	naming_pause(f.naming); /* the thread sleeps, so all of it waits */
	for (int i = 0; i < 200; i++) {
		many.frames[2] += 16;
		naming_count(f.naming, naming_stack(f.naming, &many.ev), 1, 1);
		few.frames[2] += 16;
		if (i % 40 == 0)
			naming_count(f.naming, naming_stack(f.naming, &few.ev), 1000, 1000);
	}
	naming_go_on(f.naming);
	naming_pause(f.naming);
	collector_get_stats(f.collector, &stats);
	naming_add_limits(f.naming, &limits);
	assert_int_equal(stats.user_total, 200 + 5 * 1000);
	assert_in_range(limits.nr[LIMIT_QUEUE], 100, 199);
	assert_int_equal(stats.user_broken[EDDY_END_QUEUE], limits.nr[LIMIT_QUEUE]);
	assert_int_equal(stats.user_complete, stats.user_total - limits.nr[LIMIT_QUEUE]);
	assert_int_equal(stats.frames_kernel, 2 * stats.user_total);
	assert_int_equal(stats.frames_user, 60 * stats.user_complete);
	naming_go_on(f.naming);
	teardown(&f);
}

/* However much comes, a thread that is held, or not done with its window, is not waited for. */
static void test_full(void **state)
{
	struct event e = event_of(1000, 60, 0, 0x1000);
	struct collector_stats stats;
	struct fixture f;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 16 << 10);
	naming_begin(f.naming);
	naming_pause(f.naming);
	for (int i = 0; i < 1000; i++)
		naming_count(f.naming, naming_stack(f.naming, &e.ev), 1, 1);
	naming_go_on(f.naming);
	/* One that works is: it is never more than twice the bound behind. */
	for (int i = 0; i < 20000; i++)
		naming_count(f.naming, naming_stack(f.naming, &e.ev), 1, 1);
	naming_pause(f.naming);
	collector_get_stats(f.collector, &stats);
	assert_int_equal(stats.frames_kernel, 60 * 21000);
	naming_go_on(f.naming);
	teardown(&f);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A descriptor is closed once, also when nobody came to look at it. */
static void test_files(void **state)
{
	struct far_stat stat = { .dev = 1, .ino = 2, .is_regular = true };
	struct met_file met = { .stat = &stat, .path = "/bin/there" };
	struct fixture f;
	int dropped;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 0);
	naming_begin(f.naming);
	met.fd = open("/dev/null", O_PATH | O_CLOEXEC);
	naming_file(f.naming, 1, &met);
	naming_pause(f.naming);
	assert_true(is_open(met.fd));
	met.fd = dropped = open("/dev/null", O_PATH | O_CLOEXEC);
	naming_file(f.naming, 2, &met);
	naming_file_gone(f.naming, 1);
	naming_free(f.naming);
	assert_false(is_open(dropped));
	f.naming = NULL;
	teardown(&f);
}

static void count_polls(void *ctx)
{
	int *nr = ctx;

	(*nr)++;
}

/* It is asked about once a second, and files that are told of are told on. */
static void test_age(void **state)
{
	struct fixture f;
	int nr = 0;

	setup(&f, &(struct collector_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_COMM) }, 0);
	naming_free(f.naming);
	f.naming = naming_new(&(struct naming_opts){ .collector = f.collector,
						     .symbolizer = f.symbolizer,
						     .poll_fd = -1,
						     .age = count_polls,
						     .ctx = &nr });
	naming_age(f.naming);
	assert_int_equal(nr, 1);
	naming_begin(f.naming);
	naming_age(f.naming);
	naming_age(f.naming);
	naming_pause(f.naming);
	assert_int_equal(nr, 3);
	assert_int_equal(naming_next_lost(f.naming), 0);
	naming_go_on(f.naming);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),  cmocka_unit_test(test_window),
		cmocka_unit_test(test_shares), cmocka_unit_test(test_full),
		cmocka_unit_test(test_files),  cmocka_unit_test(test_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
