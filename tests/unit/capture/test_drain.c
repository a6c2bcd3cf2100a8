// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows over maps and a ring that are none.  The sampler is played here: its programs begin and
 * end whenever the drain asks something of the kernel, and each sample is to be found exactly once,
 * in the window in which its program began.
 */
#include "unit/capture/played_sampler.h"

/* ---- the consumer ------------------------------------------------------------------------- */

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	unsigned int stack = ev->key.hash[0] - 1;

	note(ev->samples ? 'S' : 's');
	assert_true(stack < NR_STACKS && fake.nr_tags < MAX_TAGS);
	if (!ev->samples)
		fake.told[stack]++;
	fake.stack_of[fake.nr_tags] = stack;
	return fake.nr_tags++;
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight)
{
	note('c');
	assert_true(tag < fake.nr_tags);
	fake.got[fake.stack_of[tag]] += samples;
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	note('x');
}

static struct drain *begin(uint64_t ring_bytes)
{
	static const struct sampler_consumer consumer = { .stack = on_stack,
							  .count = on_count,
							  .exec = on_exec };
	const struct drain_opts opts = {
		.counts_fd = OUTER_FD,
		.counters_fd = COUNTERS_FD,
		.ring_bytes = ring_bytes,
		.turn = &fake.turn,
		.consumer = &consumer,
	};
	struct drain *d = NULL;

	memset(&fake, 0, sizeof(fake));
	assert_int_equal(drain_new(&opts, &d, NULL), 0);
	memset(fake.log, 0, sizeof(fake.log));
	return d;
}

static uint64_t lost(const struct drain *d)
{
	struct drain_totals totals;

	drain_get_totals(d, &totals);
	return totals.lost_ring_full;
}

/*
 * The turns from `first` on, up to the one that is on (excluded), are what was handed over since
 * the last time.  Returns what was lost.
 */
static uint64_t window_holds(uint32_t first, uint32_t end)
{
	uint64_t never = 0;

	for (unsigned int s = 0; s < NR_STACKS; s++) {
		uint64_t want = 0;

		for (uint32_t turn = first; turn < end; turn++)
			want += fake.truth[turn][s];
		if (s == NEVER_SENT) {
			never = want;
			want = 0;
		}
		assert_int_equal(fake.got[s], want);
		assert_true(fake.told[s] <= 1);
	}
	memset(fake.got, 0, sizeof(fake.got));
	memset(fake.told, 0, sizeof(fake.told));
	return never;
}

/* ---- tests -------------------------------------------------------------------------------- */

/* Whatever happens meanwhile: each sample is in one window, and it is the one of its turn. */
static void each_sample_is_in_its_window(void **state)
{
	struct drain *d = begin(1 << 20);
	struct drain_totals totals;
	struct instant when;
	uint64_t nr_lost = 0, all = 0;
	uint32_t first = 0;

	fake.is_sampling = true;
	for (unsigned int i = 0; i < 6000; i++) {
		unsigned int what = test_random_below(32);

		programs_go_on();
		fake.update_fails = !test_random_below(4);
		if (what < 20)
			drain_ring(d);
		else if (what < 30)
			drain_relieve(d);
		else if (!drain_prepare_end(d) && !drain_end_window(d, &when)) {
			nr_lost += window_holds(first, fake.turn);
			assert_int_equal(lost(d), nr_lost);
			first = fake.turn;
		}
	}
	fake.is_sampling = fake.update_fails = false;
	assert_int_equal(drain_finish(d), 0);
	nr_lost += window_holds(first, fake.turn + 1);
	drain_get_totals(d, &totals);
	for (uint32_t turn = 0; turn <= fake.turn; turn++)
		for (size_t s = 0; s < NR_STACKS; s++)
			all += fake.truth[turn][s];
	assert_int_equal(totals.lost_ring_full, nr_lost);
	assert_int_equal(totals.counters.delivered, all);
	assert_int_equal(totals.kept + nr_lost, all);
	assert_true(fake.turn > 100 && totals.nr_relieved > 20 && nr_lost);
	drain_free(d);
}

static void send_last_of_turn(void)
{
	send_stack(3, 0, 0);
	fake.is_in_map[0][3] = true;
	fake.count[0][3] = 1;
	fake.on_wait = NULL;
}

/* First no program runs any more, then the ring, then the map: what is in it has its stack. */
static void the_ring_is_read_before_the_map(void **state)
{
	struct drain *d = begin(1 << 20);
	struct instant when = { 0 };

	assert_int_equal(drain_prepare_end(d), 0);
	memset(fake.log, 0, sizeof(fake.log));
	fake.on_wait = send_last_of_turn;
	assert_int_equal(drain_end_window(d, &when), 0);
	assert_true(when.mono_ns);
	assert_int_equal(fake.got[3], 1);
	assert_string_equal(fake.log, "wrsmc");
	drain_free(d);
}

static void send_early(void)
{
	const struct eddy_process_event exec = { .type = EDDY_EVENT_EXEC };
	const struct eddy_file_event file = { .type = EDDY_EVENT_FILE };

	send_stack(5, 0, 0); /* of the turn that ends */
	ring_put(&exec, sizeof(exec));
	send_stack(6, 1, 0); /* of the next one */
	send_spill(6, 1);
	ring_put(&exec, sizeof(exec)); /* behind samples of its process */
	send_stack(7, 0, 0);
	ring_put(&file, sizeof(file));
	fake.on_wait = NULL;
}

static void early_records_wait(void **state)
{
	struct drain *d = begin(1 << 20);
	struct instant when;

	assert_int_equal(drain_use_loader(d, (struct unwind_loader *)&fake, 127, false), 0);
	assert_int_equal(drain_prepare_end(d), 0);
	memset(fake.log, 0, sizeof(fake.log));
	fake.on_wait = send_early;
	assert_int_equal(drain_end_window(d, &when), 0);
	/* A request for a table has no time to lose. */
	assert_string_equal(fake.log, "wrsxsfm|");
	assert_true(drain_bytes(d) > 0);
	memset(fake.log, 0, sizeof(fake.log));
	drain_ring(d);
	assert_string_equal(fake.log, "scxr");
	assert_int_equal(fake.got[6], 1);
	memset(fake.log, 0, sizeof(fake.log));
	drain_ring(d); /* once */
	assert_string_equal(fake.log, "r");
	drain_free(d);
}

/* The window goes on as it was: nothing is taken twice, nothing is forgotten. */
static void a_turn_that_fails(void **state)
{
	struct drain *d = begin(1 << 20);
	struct instant when = { 0 };

	send_stack(5, 0, 0);
	fake.is_in_map[0][5] = true;
	fake.count[0][5] = 40;
	assert_int_equal(drain_prepare_end(d), 0);
	fake.update_fails = true;
	for (int i = 0; i < 3; i++) {
		fake.is_in_map[1][5] = true; /* counted while the turn was raised */
		fake.count[1][5] = 2;
		assert_int_equal(drain_end_window(d, &when), -ENOMEM);
		assert_int_equal(fake.turn, 0);
		assert_int_equal(fake.got[5], 2 * (i + 1));
		assert_true(!when.mono_ns);
	}
	fake.update_fails = false;
	send_stack(5, 0, 0); /* two CPUs met it at once */
	assert_int_equal(drain_end_window(d, &when), 0);
	assert_int_equal(fake.got[5], 46);
	assert_int_equal(fake.told[5], 1);
	drain_free(d);
}

/* A window in which the map was changed knows its stacks. */
static void relieving_is_no_end_of_a_window(void **state)
{
	struct drain *d = begin(1 << 20);
	struct drain_totals totals;
	struct instant when;

	assert_int_equal(drain_relieve(d), 0);
	assert_int_equal(fake.turn, 0);
	for (unsigned int s = 0; s < 50; s++)
		send_stack(s, 0, 0);
	drain_ring(d);
	assert_int_equal(drain_relieve(d), 0);
	assert_int_equal(fake.turn, 1);
	assert_int_equal(drain_relieve(d), 0);
	assert_int_equal(fake.turn, 1);
	send_stack(7, 1, 0);
	fake.is_in_map[1][7] = true;
	fake.count[1][7] = 9;
	assert_int_equal(drain_end_window(d, &when), 0);
	assert_int_equal(fake.told[7], 1);
	assert_int_equal(fake.got[7], 9);
	/* In the next window it is told again. */
	send_stack(7, 2, 0);
	drain_ring(d);
	assert_int_equal(fake.told[7], 2);
	drain_get_totals(d, &totals);
	assert_int_equal(totals.nr_relieved, 1);
	assert_int_equal(totals.nr_stacks, 51);
	drain_free(d);
}

static uint32_t first_tag; /* that was not forgotten */

static void on_forget(void *ctx)
{
	note('f');
	first_tag = fake.nr_tags;
}

static void on_known_count(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight)
{
	assert_true(tag >= first_tag);
	on_count(ctx, tag, samples, weight);
}

static uint64_t first_turn;

static void on_time(void *ctx, uint32_t tag, uint64_t time_ns, uint64_t weight)
{
	assert_true(tag < fake.nr_tags);
	/* Of this window, and of no other. */
	assert_true(time_ns >= first_turn && time_ns < fake.turn + 1);
	fake.timed[fake.stack_of[tag]]++;
}

/* Every sample that is kept has its time, in its window, whatever way it came. */
static void each_sample_has_its_time(void **state)
{
	static const struct sampler_consumer consumer = {
		.stack = on_stack, .count = on_count, .time = on_time, .exec = on_exec
	};
	const struct drain_opts opts = {
		.counts_fd = OUTER_FD,
		.counters_fd = COUNTERS_FD,
		.marks_fd = MARKS_FD,
		.has_times = true,
		.ring_bytes = 1 << 20,
		.turn = &fake.turn,
		.consumer = &consumer,
	};
	struct drain *d = NULL;
	struct instant when;

	memset(&fake, 0, sizeof(fake));
	first_turn = 0;
	assert_int_equal(drain_new(&opts, &d, NULL), 0);
	fake.has_times = fake.is_sampling = true;
	for (int window = 0; window < 20; window++) {
		for (int i = 0; i < 80; i++) {
			programs_go_on();
			if (!test_random_below(4))
				drain_ring(d);
			if (!test_random_below(8))
				assert_int_equal(drain_relieve(d), 0);
		}
		assert_int_equal(drain_end_window(d, &when), 0);
		for (unsigned int s = 0; s < NR_STACKS; s++)
			assert_int_equal(fake.timed[s], fake.got[s]);
		first_turn = fake.turn;
	}
	fake.is_sampling = false;
	assert_int_equal(drain_finish(d), 0);
	for (unsigned int s = 0; s < NR_STACKS; s++)
		assert_int_equal(fake.timed[s], fake.got[s]);
	drain_free(d);
}

/* Too many stacks are known: nothing of them is counted any more, and no sample is lost by it. */
static void stacks_are_forgotten_between_turns(void **state)
{
	static const struct sampler_consumer consumer = {
		.stack = on_stack, .count = on_known_count, .forget = on_forget, .exec = on_exec
	};
	const struct drain_opts opts = {
		.counts_fd = OUTER_FD,
		.counters_fd = COUNTERS_FD,
		.ring_bytes = 1 << 20,
		.turn = &fake.turn,
		.consumer = &consumer,
		.max_stacks = 20,
	};
	struct drain_totals totals;
	struct instant when;
	struct drain *d = NULL;
	uint64_t want = 0;

	memset(&fake, 0, sizeof(fake));
	first_tag = 0;
	assert_int_equal(drain_new(&opts, &d, NULL), 0);
	memset(fake.log, 0, sizeof(fake.log));
	fake.is_sampling = true;
	for (int i = 0; i < 600; i++) {
		programs_go_on();
		drain_ring(d);
		assert_int_equal(drain_relieve(d), 0);
	}
	fake.is_sampling = false;
	assert_int_equal(drain_end_window(d, &when), 0);
	assert_int_equal(drain_finish(d), 0);
	for (unsigned int s = 0; s < NR_STACKS; s++)
		for (uint32_t turn = 0; s != NEVER_SENT && turn <= fake.turn; turn++)
			want += fake.truth[turn][s];
	drain_get_totals(d, &totals);
	assert_int_equal(totals.kept, want);
	assert_true(first_tag > 100 && totals.nr_relieved > 5);
	drain_free(d);
}

/* Of 35 records of a ring that holds so many, each call takes ten. */
static void takes_ten(int (*drain)(struct drain *d), size_t ring_records)
{
	const size_t bytes = sizeof(struct eddy_stack_event) + 8;
	struct drain *d = begin(ring_records * bytes);

	for (unsigned int i = 0; i < 35; i++)
		send_stack(i, 0, 0);
	for (size_t left = 35; left; left -= left < 10 ? left : 10) {
		assert_int_equal(fake.ring_tail - fake.ring_head, left);
		assert_true(drain(d) > 0);
	}
	assert_int_equal(drain(d), 0);
	drain_free(d);
}

/* Samples may come faster than they are handled: one ring full, and it returns. */
static void draining_ends(void **state)
{
	takes_ten(drain_ring, 10);
}

/* And so that whoever calls may look around, a part of that. */
static void a_part_is_drained(void **state)
{
	takes_ten(drain_ring_part, 160);
}

/* ---- samples that wait for a table -------------------------------------------------------- */

static void send_late(unsigned int stack, uint32_t turn)
{
	struct eddy_late_event *ev = xcalloc(1, sizeof(*ev));

	ev->type = EDDY_EVENT_LATE;
	ev->pc = ev->gpr[EDDY_GPR_IP] = (uintptr_t)send_late;
	ev->ev.samples = 1;
	ev->ev.key = key_of(stack);
	ev->ev.turn = turn;
	ev->ev.time_ns = clock_ns(CLOCK_MONOTONIC);
	ev->ev.pid = getpid();
	ring_put(ev, offsetof(struct eddy_late_event, stack));
	free(ev);
}

static void send_late_of_next(void)
{
	send_late(5, 0);
	send_late(6, 1);
	fake.on_wait = NULL;
}

/* Those of the window are given up at its end when their table did not come, the others wait. */
static void late_samples_end_with_their_window(void **state)
{
	struct drain *d = begin(1 << 20);
	struct instant when;

	if (test_is_emulated())
		skip(); /* the mappings are the emulator's */
	assert_int_equal(drain_use_loader(d, (struct unwind_loader *)&fake, 127, false), 0);
	fake.place = LATE_PLACE_PENDING;
	send_late(4, 0);
	assert_int_equal(drain_prepare_end(d), 0);
	assert_int_equal(fake.got[4], 0);
	memset(fake.log, 0, sizeof(fake.log));
	fake.on_wait = send_late_of_next;
	fake.busy = 2; /* a table is being made: it gets a moment */
	assert_int_equal(drain_end_window(d, &when), 0);
	assert_string_equal(fake.log, "wrrrScScm|");
	assert_int_equal(fake.got[4] + fake.got[5], 2);
	assert_int_equal(fake.got[6], 0);
	drain_ring(d);
	assert_int_equal(fake.got[6], 0);
	fake.place = LATE_PLACE_NOTABLE; /* it came */
	drain_ring(d);
	assert_int_equal(fake.got[6], 1);
	send_late(7, 1);
	fake.place = LATE_PLACE_PENDING;
	assert_int_equal(drain_finish(d), 0);
	assert_int_equal(fake.got[7], 1);
	drain_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_is_in_its_window),
		cmocka_unit_test(the_ring_is_read_before_the_map),
		cmocka_unit_test(early_records_wait),
		cmocka_unit_test(a_turn_that_fails),
		cmocka_unit_test(relieving_is_no_end_of_a_window),
		cmocka_unit_test(stacks_are_forgotten_between_turns),
		cmocka_unit_test(each_sample_has_its_time),
		cmocka_unit_test(draining_ends),
		cmocka_unit_test(a_part_is_drained),
		cmocka_unit_test(late_samples_end_with_their_window),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
