// SPDX-License-Identifier: GPL-2.0-or-later
/* Names by way of parsers: as without, whoever's they are; lies; parsers that die of a name. */
#include "symbol/demangle_queue.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/demangle_batch.h"
#include "symbol/frame_maker.h"
#include "unit/unit.h"
#include "util/clock.h"
#include "util/mem.h"

#define MINUTE_NS 60000000000ull

static struct worker_pool *begin(void)
{
	struct worker_pool *pool;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, MINUTE_NS);
	return pool;
}

/* ---- frames -------------------------------------------------------------------------------- */

static frame_id add(struct frame_maker *m, const char *name, uint64_t start, owner_id owner)
{
	_cleanup_strbuf_ struct strbuf raw = STRBUF_INIT;
	struct frame f = { .start = start, .origin = FRAME_USER };

	strbuf_addstr(&raw, name);
	return frame_maker_named(m, &f, &raw, owner);
}

static void names_as_without(void **state)
{
	static const char *const names[] = {
		"_ZN3foo3barEi",
		"main",
		"_Z",
		"_RNvNtCs1234_7mycrate3foo3bar",
		"_ZN3fooE(",
		"",
		"_ZNSt6vectorIiSaIiEE9push_backEOi",
		"_start",
		"_Z1xv",
		"_GLOBAL__I_foo",
	};
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	_cleanup_frame_table_ struct frame_table *frames = frame_table_new();
	_cleanup_frame_table_ struct frame_table *alone = frame_table_new();
	struct limit_counts limits = { 0 };
	struct frame_maker by_parser, here;
	frame_id ids[1000];

	frame_maker_init(&by_parser, frames, false);
	frame_maker_use_pool(&by_parser, pool);
	frame_maker_init(&here, alone, false);
	for (int i = 0; i < 1000; i++) {
		char name[128];

		if (i % 2)
			snprintf(name, sizeof(name), "%s", names[i / 2 % ARRAY_SIZE(names)]);
		else
			snprintf(name, sizeof(name), "_ZN5space12function%dEv", 1000 + i);
		ids[i] = add(&by_parser, name, i, i % 3);
		assert_int_equal(add(&here, name, i, 0), ids[i]);
	}
	frame_maker_settle(&by_parser);
	for (int i = 0; i < 1000; i++)
		assert_string_equal(frame_table_name(frames, ids[i], NULL),
				    frame_table_name(alone, ids[i], NULL));
	/* Known by its mangled name it is found again, and has the other one at once. */
	assert_int_equal(add(&by_parser, "_ZN5space12function1500Ev", 500, 0), ids[500]);
	assert_string_equal(frame_table_name(frames, ids[500], NULL), "space::function1500()");
	frame_maker_add_limits(&by_parser, &limits);
	for (int i = 0; i < NR_LIMITS; i++)
		assert_int_equal(limits.nr[i], 0);
	frame_maker_deinit(&by_parser);
	frame_maker_deinit(&here);
}

/* Into another table: those of the old one are settled there. */
static void another_table(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	_cleanup_frame_table_ struct frame_table *one = frame_table_new(), *two = frame_table_new();
	struct frame_maker m;
	frame_id a, b;

	frame_maker_init(&m, one, false);
	frame_maker_use_pool(&m, pool);
	a = add(&m, "_Z1xv", 1, 0);
	assert_string_equal(frame_table_name(one, a, NULL), "_Z1xv");
	frame_maker_use_frames(&m, two);
	assert_string_equal(frame_table_name(one, a, NULL), "x()");
	b = add(&m, "_Z1yv", 1, 0);
	frame_maker_settle(&m);
	assert_string_equal(frame_table_name(two, b, NULL), "y()");
	frame_maker_deinit(&m);
}

/* ---- parsers that do not survive ----------------------------------------------------------- */

/* For as long as a name never takes, and not for ever, so that nobody else ends it. */
static void burn_on(void)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 3000000000ull)
		;
}

/* What names do to a parser: _Zburn, _Zdie, _Zlie; all others are read. */
static void hostile_parse(const struct worker_request *request, struct worker_answer *answer)
{
	const char *at = request->bytes, *end = at + request->len;

	for (uint32_t i = 0; at < end; at += strlen(at) + 1, i++) {
		if (pwrite(request->fds[0], &i, sizeof(i), 0) != sizeof(i))
			return;
		if (!strcmp(at, "_Zdie"))
			raise(SIGKILL);
		parser_bound_cpu(request, DEMANGLE_NAME_MS);
		if (!strcmp(at, "_Zburn"))
			burn_on();
		if (strcmp(at, "_Zlie"))
			continue;
		answer->bytes = xmemdup0("\xff\xff", 2);
		answer->len = 2;
		return;
	}
	demangle_batch_parse(request, answer);
}

struct outcome {
	int nr, nr_mangled;
	bool is_called[64], is_mangled[64];
};

static void note(void *ctx, frame_id frame, const char *name, size_t len)
{
	struct outcome *o = ctx;

	assert_false(o->is_called[frame]);
	o->is_called[frame] = true;
	o->is_mangled[frame] = !name;
	o->nr++;
	o->nr_mangled += !name;
	if (name)
		assert_true(len == 3 && !memcmp(name, "x()", 3));
}

/* Only the names that do it stay mangled; a lie costs those that came with it. */
static void names_that_kill(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	struct demangle_queue *q = demangle_queue_new(pool);
	struct limit_counts limits = { 0 };
	struct outcome o = { 0 };

	demangle_queue_set_parser(q, hostile_parse);
	for (frame_id i = 0; i < 40; i++)
		demangle_queue_add(q, 1000,
				   i == 7    ? "_Zdie"
				   : i == 0  ? "_Zburn"
				   : i == 39 ? "_Zburn"
					     : "_Z1xv",
				   i);
	demangle_queue_add(q, 1001, "_Zlie", 40);
	demangle_queue_add(q, 1001, "_Z1xv", 41);
	demangle_queue_add(q, 1002, "_Z1xv", 42);
	demangle_queue_run(q, note, &o);
	assert_int_equal(o.nr, 43);
	assert_true(o.is_mangled[0] && o.is_mangled[7] && o.is_mangled[39]);
	assert_true(o.is_mangled[40] && o.is_mangled[41]);
	assert_int_equal(o.nr_mangled, 5);
	demangle_queue_add_limits(q, &limits);
	assert_int_equal(limits.nr[LIMIT_MANGLED], 5);
	assert_int_equal(limits.nr[LIMIT_PARSERS], 4);
	demangle_queue_free(q);
}

/* Whoever has many such names waits for a while, then goes without; others do not. */
static void a_share_of_the_time(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	struct demangle_queue *q = demangle_queue_new(pool);
	struct limit_counts limits = { 0 };
	struct outcome o;

	demangle_queue_set_parser(q, hostile_parse);
	for (int round = 0; round < 4; round++) {
		memset(&o, 0, sizeof(o));
		for (frame_id i = 0; i < 50; i++)
			demangle_queue_add(q, 1000, "_Zburn", i);
		demangle_queue_add(q, 1001, "_Z1xv", 50);
		demangle_queue_run(q, note, &o);
		assert_int_equal(o.nr, 51);
		assert_false(o.is_mangled[50]);
	}
	demangle_queue_add_limits(q, &limits);
	assert_int_equal(limits.nr[LIMIT_MANGLED], 200);
	/* A second at most, 20 ms at least for each. */
	assert_in_range(limits.nr[LIMIT_PARSERS], 1, 60);
	demangle_queue_free(q);
}

/* What a parser does with a name that it takes too long for, and how far it says that it came. */
static void burn(const struct worker_request *request, struct worker_answer *answer)
{
	const uint32_t at = 2;

	if (pwrite(request->fds[0], &at, sizeof(at), 0) != sizeof(at))
		return;
	parser_bound_cpu(request, DEMANGLE_NAME_MS);
	burn_on();
}

static void a_parser_that_burns_is_killed(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	int fd = memfd_create("progress", MFD_CLOEXEC);
	const struct worker_request request = { .bytes = "x", .len = 2, .fds = { fd, -1 } };
	uint32_t at = 0;

	assert_int_equal(worker_pool_parse(pool, burn, &request, MINUTE_NS, &a), 0);
	assert_int_equal(a.status, -EPIPE);
	assert_int_equal(pread(fd, &at, sizeof(at), 0), sizeof(at));
	assert_int_equal(at, 2);
	worker_answer_deinit(&a);
	/* The next one is there, and its time is its own. */
	assert_int_equal(worker_pool_parse(pool, demangle_batch_parse, &request, MINUTE_NS, &a), 0);
	assert_int_equal(a.status, 0);
	close(fd);
}

/* All of them, when no process can be had: a pool whose parent is gone. */
static void nobody_reads_them(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = begin();
	struct demangle_queue *q = demangle_queue_new(pool);
	struct limit_counts limits = { 0 };
	struct outcome o = { 0 };

	worker_pool_set_patience(pool, 1);
	for (frame_id i = 0; i < 10; i++)
		demangle_queue_add(q, 1000 + i % 2, "_Z1xv", i);
	demangle_queue_run(q, note, &o);
	assert_int_equal(o.nr, 10);
	demangle_queue_add_limits(q, &limits);
	assert_int_equal(limits.nr[LIMIT_MANGLED], o.nr_mangled);
	/* Once: nothing is left. */
	demangle_queue_run(q, note, &o);
	assert_int_equal(o.nr, 10);
	demangle_queue_free(q);
}

/* ---- answers ------------------------------------------------------------------------------- */

static void lies(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int want;
	} cases[] = {
		{ "\1\0x\2\0yz", 7, 2 },
		{ "\0\0\0\0", 4, 2 },
		{ "\1\0x", 3, 1 },
		{ "", 0, -EPIPE },
		{ "\1", 1, -EPIPE },
		{ "\2\0x", 3, -EPIPE },
		{ "\1\0\0", 3, -EPIPE },
		{ "\xff\xff", 2, -EPIPE },
		{ "\0\0\0\0\0\0\0", 7, -EPIPE },
		{ "\1\0x\1\0y\1\0z", 9, -EPIPE }, /* more than were asked for */
	};
	_cleanup_free_ char *large = xcalloc(1, 2 + DEMANGLE_MAX_BYTES + 1);
	const uint16_t too_long = DEMANGLE_MAX_BYTES + 1;
	struct worker_answer a = { .fd = -1 };
	struct demangled names[2];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		a.bytes = (char *)cases[i].bytes;
		a.len = cases[i].len;
		assert_int_equal(demangle_batch_of(&a, names, 2), cases[i].want);
	}
	memset(large, 'x', 2 + too_long);
	memcpy(large, &too_long, sizeof(too_long));
	a.bytes = large;
	a.len = 2 + too_long;
	assert_int_equal(demangle_batch_of(&a, names, 2), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_without),
		cmocka_unit_test(another_table),
		cmocka_unit_test(a_parser_that_burns_is_killed),
		cmocka_unit_test(names_that_kill),
		cmocka_unit_test(a_share_of_the_time),
		cmocka_unit_test(nobody_reads_them),
		cmocka_unit_test(lies),
	};

	return cmocka_run_group_tests_name("demangle_queue", tests, NULL, NULL);
}
