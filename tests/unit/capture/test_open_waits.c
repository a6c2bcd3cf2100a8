// SPDX-License-Identifier: GPL-2.0-or-later
/* A map of waiters that is none. */
#include "unit/unit.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "capture/open_waits.h"

#define BEGIN 1000
#define END   5000

static struct {
	const struct eddy_waiter *waiters;
	uint32_t nr;
	uint64_t ns[EDDY_WAIT_BITS + 1];
	struct eddy_stack_key last;
} fake;

int bpf_map_get_next_key(int fd, const void *key, void *next_key)
{
	uint32_t next = key ? *(const uint32_t *)key + 1 : 0;

	if (next >= fake.nr) {
		errno = ENOENT;
		return -ENOENT;
	}
	*(uint32_t *)next_key = next;
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	memcpy(value, &fake.waiters[*(const uint32_t *)key], sizeof(*fake.waiters));
	return 0;
}

static void on_part(void *ctx, const struct eddy_stack_key *key, uint64_t ns)
{
	fake.ns[key->hash[1] & EDDY_WAIT_BITS] += ns;
	fake.last = *key;
}

static bool is_wall;

static struct open_waits take(const struct eddy_waiter *waiters, uint32_t nr, uint64_t min_wait_ns)
{
	const struct eddy_wait_window window = { .begin_ns = BEGIN, .end_ns = END };
	const struct open_waits_opts opts = { .window = &window,
					      .min_wait_ns = min_wait_ns,
					      .is_wall = is_wall };
	struct open_waits open = { 0 };

	memset(&fake, 0, sizeof(fake));
	fake.waiters = waiters;
	fake.nr = nr;
	open_waits_take(&opts, on_part, NULL, &open);
	return open;
}

/* What lies before the window is not in it, and what was woken waits for a CPU since. */
static void the_part_inside_the_window(void **state)
{
	const struct eddy_waiter waiters[] = {
		{ .state = EDDY_WAIT_SLEEP, .since_ns = 2000 },			   /* 3000 */
		{ .state = EDDY_WAIT_IO, .since_ns = 10 },			   /* 4000 */
		{ .state = EDDY_WAIT_DISK, .since_ns = 2000, .woken_ns = 4500 },   /* 2500, 500 */
		{ .state = EDDY_WAIT_STOPPED, .since_ns = 500, .woken_ns = 900 },  /* 0, 4000 */
		{ .state = EDDY_WAIT_STOPPED, .since_ns = 500, .woken_ns = 1001 }, /* 1, 3999 */
		{ .state = EDDY_WAIT_PREEMPTED, .since_ns = 4999 },		   /* 1 */
		{ .state = EDDY_WAIT_SLEEP, .since_ns = END },
		{ .state = EDDY_WAIT_SLEEP, .since_ns = END + 7 },
		{ .state = EDDY_WAIT_SLEEP, .since_ns = 4990, .woken_ns = END + 7 }, /* 10 */
		{ .state = EDDY_WAIT_NONE, .since_ns = 2000 },
	};

	take(waiters, sizeof(waiters) / sizeof(*waiters), 0);
	assert_int_equal(fake.ns[EDDY_WAIT_SLEEP], 3010);
	assert_int_equal(fake.ns[EDDY_WAIT_IO], 4000);
	assert_int_equal(fake.ns[EDDY_WAIT_DISK], 2500);
	assert_int_equal(fake.ns[EDDY_WAIT_STOPPED], 1);
	assert_int_equal(fake.ns[EDDY_WAIT_RUNQUEUE], 500 + 4000 + 3999);
	assert_int_equal(fake.ns[EDDY_WAIT_PREEMPTED], 1);
	assert_int_equal(fake.ns[EDDY_WAIT_NONE], 0);
}

static void the_state_stands_in_the_key(void **state)
{
	const struct eddy_waiter w = {
		.key = { { 0x1234, 0xabc8 } },
		.state = EDDY_WAIT_IO,
		.since_ns = 2000,
	};

	take(&w, 1, 0);
	assert_int_equal(fake.last.hash[0], 0x1234);
	assert_int_equal(fake.last.hash[1], 0xabc8 | EDDY_WAIT_IO);
}

/* Only what a kernel thread is blocked is idle; for a CPU it waits like any other. */
static void idle_and_short_waits_are_counted(void **state)
{
	const struct eddy_waiter waiters[] = {
		{ .state = EDDY_WAIT_SLEEP, .since_ns = 2000, .woken_ns = 4000, .is_idle = 1 },
		{ .state = EDDY_WAIT_SLEEP, .since_ns = 4001, .woken_ns = 4500 },
		{ .state = EDDY_WAIT_SLEEP, .since_ns = 4000 },
	};
	struct open_waits open = take(waiters, 3, 1000);

	assert_int_equal(open.idle, 1);
	assert_int_equal(open.idle_ns, 2000);
	assert_int_equal(open.filtered, 1);
	assert_int_equal(open.short_ns, 999);
	assert_int_equal(fake.ns[EDDY_WAIT_SLEEP], 1000);
	assert_int_equal(fake.ns[EDDY_WAIT_RUNQUEUE], 1000);
}

/* What no sample was charged with goes to the last one, or stands as such where none was taken. */
static void time_on_cpus(void **state)
{
	const struct eddy_waiter waiters[] = {
		{ .on_ns = 4000,
		  .carry_ns = 5,
		  .has_sample = 1,
		  .sample = { { 9, 16 } } },	       /* 1005 */
		{ .on_ns = 10, .key = { { 7, 32 } } }, /* 4000 */
		{ .on_ns = 10, .carry_ns = 3, .state = EDDY_WAIT_SLEEP, .since_ns = 4999 }, /* 3 */
		{ .on_ns = END + 1 },
	};

	is_wall = true;
	take(waiters, 2, 0);
	assert_int_equal(fake.ns[EDDY_WAIT_ON_CPU], 1005);
	assert_int_equal(fake.ns[EDDY_WAIT_UNSAMPLED], 4000);
	assert_int_equal(fake.last.hash[0], 7);
	assert_int_equal(fake.last.hash[1], 32 | EDDY_WAIT_UNSAMPLED);
	take(waiters, 1, 0);
	assert_int_equal(fake.last.hash[0], 9);
	take(waiters + 2, 2, 0);
	assert_int_equal(fake.ns[EDDY_WAIT_SLEEP], 1);
	assert_int_equal(fake.ns[EDDY_WAIT_UNSAMPLED], 3);
	is_wall = false;
	take(waiters, 4, 0);
	assert_int_equal(fake.ns[EDDY_WAIT_ON_CPU] + fake.ns[EDDY_WAIT_UNSAMPLED], 0);
}

/* When a switch was that the kernel did not tell: by the time that the thread has run. */
static void unseen_switches(void **state)
{
	const struct eddy_waiter runs = { .since_ns = 1000, .on_ns = 1200, .ran_ns = 70 };
	const struct eddy_waiter waits = {
		.state = EDDY_WAIT_SLEEP, .since_ns = 1000, .woken_ns = 1500, .ran_ns = 70
	};

	assert_int_equal(eddy_unseen_out(&runs, 3000, 570), 1500);
	/* The two clocks are not one: never before its last sample, and never later than now. */
	assert_int_equal(eddy_unseen_out(&runs, 3000, 170), 1200);
	assert_int_equal(eddy_unseen_out(&runs, 3000, 60), 1200);
	assert_int_equal(eddy_unseen_out(&runs, 3000, 5000), 3000);

	assert_int_equal(eddy_unseen_in(&waits, 3000, 570), 2500);
	/* Not before it was woken. */
	assert_int_equal(eddy_unseen_in(&waits, 3000, 2070), 1500);
	assert_int_equal(eddy_unseen_in(&waits, 3000, 9000), 1500);
	assert_int_equal(eddy_unseen_in(&waits, 3000, 60), 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_part_inside_the_window),
		cmocka_unit_test(the_state_stands_in_the_key),
		cmocka_unit_test(idle_and_short_waits_are_counted),
		cmocka_unit_test(time_on_cpus),
		cmocka_unit_test(unseen_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
