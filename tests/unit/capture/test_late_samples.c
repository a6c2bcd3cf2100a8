// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes in for samples that wait, and what is handed over of those that cannot be helped. */
#include "capture/late_samples.h"

#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "capture/process_maps.h"
#include "unit/unit.h"
#include "util/clock.h"
#include "util/mem.h"

#define HEAD_BYTES offsetof(struct eddy_late_event, stack)
#define FRAME	   0x1000
#define STACK_BYTE 0xee

/* The last sample that was handed over. */
static struct {
	unsigned int nr;
	uint16_t nr_kernel, nr_user;
	uint64_t frames[EDDY_LATE_FRAMES];
} got;

static void on_sample(void *ctx, const struct eddy_stack_event *ev)
{
	got.nr++;
	got.nr_kernel = ev->nr_kernel;
	got.nr_user = ev->nr_user;
	for (size_t i = 0; i < (size_t)ev->nr_kernel + ev->nr_user; i++) {
		uint64_t frame = ev->frames[i]; /* the sanitizer sees it when it is not there */

		if (i < ARRAY_SIZE(got.frames))
			got.frames[i] = frame;
	}
}

/* A record as the ring has it: of that many bytes and no more.  No process has the PID 0. */
static struct eddy_late_event *record_new(unsigned int nr_kernel, unsigned int nr_user,
					  uint32_t stack_bytes)
{
	struct eddy_late_event *ev = xcalloc(1, HEAD_BYTES + stack_bytes);

	ev->type = EDDY_EVENT_LATE;
	ev->stack_bytes = stack_bytes;
	ev->ev.samples = 1;
	ev->ev.nr_kernel = nr_kernel;
	ev->ev.nr_user = nr_user;
	ev->ev.user_end = EDDY_END_PENDING;
	for (size_t i = 0; i < EDDY_LATE_FRAMES; i++)
		ev->frames[i] = FRAME + i;
	memset(ev->stack, STACK_BYTE, stack_bytes);
	return ev;
}

static struct late_samples *samples_new(void)
{
	const struct late_samples_opts opts = { .max_user_frames = 1023, .on_sample = on_sample };
	struct late_samples *l = NULL;

	assert_int_equal(late_samples_new(&opts, &l), 0);
	return l;
}

/* What can be handed over is, when everything that was asked for has been read. */
static void poll_read(struct late_samples *l)
{
	while (late_samples_are_busy(l)) {
		usleep(1000);
		late_samples_poll(l, false);
	}
	late_samples_poll(l, false);
}

/* Adds a record and has it handed over as it is. */
static void pass(unsigned int nr_kernel, unsigned int nr_user, uint32_t stack_bytes)
{
	struct late_samples *l = samples_new();
	struct eddy_late_event *ev = record_new(nr_kernel, nr_user, stack_bytes);

	got.nr = 0;
	late_samples_add(l, ev, HEAD_BYTES + stack_bytes);
	assert_int_equal(late_samples_nr(l), 1);
	late_samples_poll(l, true);
	assert_int_equal(late_samples_nr(l), 0);
	assert_int_equal(got.nr, 1);
	free(ev);
	late_samples_free(l);
}

static void frames_are_those_of_the_record(void **state)
{
	static const struct {
		unsigned int nr_kernel, nr_user, want_kernel, want_user;
	} cases[] = {
		{ 0, 1, 0, 1 },	    { 127, 257, 127, 257 },  { 0, 384, 0, 384 },
		{ 0, 600, 0, 384 }, { 127, 1023, 127, 257 }, { 60000, 60000, 127, 257 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (uint32_t bytes = 0; bytes <= 8192; bytes += 8192) {
			pass(cases[i].nr_kernel, cases[i].nr_user, bytes);
			assert_int_equal(got.nr_kernel, cases[i].want_kernel);
			assert_int_equal(got.nr_user, cases[i].want_user);
			for (size_t k = 0; k < (size_t)got.nr_kernel + got.nr_user; k++)
				assert_int_equal(got.frames[k], FRAME + k);
		}
}

static void a_short_record_is_left_out(void **state)
{
	struct late_samples *l = samples_new();
	struct eddy_late_event *ev = record_new(0, 1, 0);

	got.nr = 0;
	late_samples_add(l, ev, HEAD_BYTES - 1);
	assert_int_equal(late_samples_nr(l), 0);
	late_samples_poll(l, true);
	assert_int_equal(got.nr, 0);
	free(ev);
	late_samples_free(l);
}

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Many samples of a process with many mappings: they are read now and then, and not each time. */
static void mappings_are_not_read_for_each_sample(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE), nr_pages = 16000, nr_samples = 200;
	struct late_samples *l = samples_new();
	struct eddy_late_event *ev = record_new(0, 1, 0);
	struct process_maps maps = { 0 };
	uint64_t once_ns, all_ns;
	char *p = mmap(NULL, nr_pages * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (test_is_emulated()) /* nothing is known of its time */
		skip();
	assert_true(p != MAP_FAILED);
	for (size_t i = 0; i < nr_pages; i += 2)
		assert_int_equal(mprotect(p + i * page, page, PROT_READ | PROT_EXEC), 0);
	once_ns = cpu_ns();
	assert_int_equal(
		process_maps_read(NULL, &(struct process_maps_query){ .pid = getpid() }, &maps), 0);
	once_ns = cpu_ns() - once_ns;
	assert_true(maps.nr >= nr_pages / 2);

	got.nr = 0;
	all_ns = cpu_ns();
	ev->ev.pid = getpid();
	for (size_t i = 0; i < nr_samples; i++) {
		ev->ev.time_ns = clock_ns(CLOCK_MONOTONIC);
		late_samples_add(l, ev, HEAD_BYTES);
	}
	poll_read(l);
	all_ns = cpu_ns() - all_ns;
	assert_true(all_ns < once_ns * nr_samples / 4);
	assert_int_equal(got.nr + late_samples_nr(l), nr_samples);
	assert_true(late_samples_bytes(l) >=
		    late_samples_nr(l) * HEAD_BYTES + process_maps_bytes(&maps));
	late_samples_poll(l, true);
	assert_int_equal(got.nr, nr_samples);

	process_maps_deinit(&maps);
	munmap(p, nr_pages * page);
	free(ev);
	late_samples_free(l);
}

/* exec came after the sample: the mappings that can be read now are another program's. */
static void mappings_of_the_next_program_are_not_used(void **state)
{
	__u64 *begun = xcalloc(EDDY_NR_BEGUN, sizeof(*begun));
	const struct late_samples_opts opts = { .max_user_frames = 1023,
						.on_sample = on_sample,
						.begun_ns = begun };
	struct eddy_late_event *ev = record_new(0, 2, 0);
	struct late_samples *l = NULL;

	assert_int_equal(late_samples_new(&opts, &l), 0);
	got.nr = 0;
	ev->ev.pid = getpid();
	ev->ev.time_ns = clock_ns(CLOCK_MONOTONIC);
	late_samples_add(l, ev, HEAD_BYTES);
	poll_read(l);
	assert_int_equal(got.nr, 0); /* it waits for a table */
	/* The same reading serves both, and only the first is of that program. */
	begun[getpid() % EDDY_NR_BEGUN] = clock_ns(CLOCK_MONOTONIC);
	late_samples_add(l, ev, HEAD_BYTES);
	poll_read(l);
	assert_int_equal(got.nr, 0); /* read before: still that program's */
	ev->ev.time_ns = begun[getpid() % EDDY_NR_BEGUN] + 1;
	late_samples_add(l, ev, HEAD_BYTES);
	poll_read(l);
	assert_int_equal(got.nr, 0);
	ev->ev.time_ns = 1;
	late_samples_add(l, ev, HEAD_BYTES);
	poll_read(l);
	assert_int_equal(got.nr, 1);
	assert_int_equal(got.nr_user, 2);
	free(ev);
	late_samples_free(l);
	free(begun);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_record),
		cmocka_unit_test(a_short_record_is_left_out),
		cmocka_unit_test(mappings_are_not_read_for_each_sample),
		cmocka_unit_test(mappings_of_the_next_program_are_not_used),
	};

	return cmocka_run_group_tests_name("late_samples", tests, NULL, NULL);
}
