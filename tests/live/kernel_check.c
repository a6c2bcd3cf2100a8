// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_check SECONDS HZ [EVENT]: samples all CPUs and compares every kernel stack that the
 * sampler walks by itself with the one that the kernel gives at the same moment.  Samples are of
 * cpu-clock, or every HZ-th EVENT.  Prints
 *
 *	tables N user N off-stack N task N walked N checked N differed N
 *
 * tables: 1 when the kernel has ORC tables and tells where; then numbers of samples: in user mode,
 * in kernel mode off and on the stack of the task; then of stacks.  The first that differs ends
 * walking, so N differed is 0 or the number of CPUs at most.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/host.h"
#include "capture/sampler.h"
#include "run/orc_tables.h"
#include "profile/frame.h"
#include "util/clock.h"

enum mode { MODE_USER, MODE_OFF_STACK, MODE_TASK, NR_MODES };

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	if (ev->flags & EDDY_SAMPLE_USER_MODE)
		return MODE_USER;
	return ev->flags & EDDY_SAMPLE_OFF_STACK ? MODE_OFF_STACK : MODE_TASK;
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight)
{
	uint64_t *nr = ctx;

	nr[tag] += samples;
}

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	close(met->fd);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
}

static int fail(const struct diag *diag)
{
	fprintf(stderr, "kernel_check: %s\n", diag->text);
	return 1;
}

static void sample(struct sampler *s, uint64_t seconds)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * 1000000000ull;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		struct pollfd fd = { .fd = sampler_poll_fd(s), .events = POLLIN };

		poll(&fd, 1, 20);
		sampler_drain_ring(s);
		sampler_relieve_counts(s);
	}
	sampler_stop(s, NULL);
}

int main(int argc, char **argv)
{
	uint64_t nr[NR_MODES] = { 0 };
	const struct sampler_consumer consumer = {
		.stack = on_stack, .count = on_count, .file = on_file, .exec = on_exec, .ctx = nr
	};
	struct sampler_opts opts = { .max_user_frames = 1,
				     .unwind = EDDY_UNWIND_FP,
				     .check_kernel = true };
	_cleanup_(frame_table_freep) struct frame_table *frames = frame_table_new();
	_cleanup_(symbolizer_freep) struct symbolizer *symbolizer = NULL;
	_cleanup_(sampler_freep) struct sampler *s = NULL;
	struct sampler_stats stats;
	struct eddy_orc orc;
	struct diag diag = { "" };
	unsigned int major, minor;
	bool has_tables;

	if (argc < 3 || argc > 4)
		return 2;
	if (argc == 4)
		opts.rate.period = strtoull(argv[2], NULL, 10);
	else
		opts.rate.freq_hz = strtoull(argv[2], NULL, 10);
	if (capture_event_parse(argc == 4 ? argv[3] : "cpu-clock", &opts.event, &diag) < 0 ||
	    sampler_open(&opts, &consumer, &s, &diag) < 0)
		return fail(&diag);
	symbolizer = symbolizer_new(frames, &(struct symbolizer_opts){ 0 });
	host_kernel_version(&major, &minor);
	has_tables = orc_tables_find(symbolizer, major, minor, &orc);
	if (has_tables)
		sampler_set_orc(s, &orc);
	if (sampler_start(s, &diag) < 0)
		return fail(&diag);
	sample(s, strtoull(argv[1], NULL, 10));
	sampler_get_stats(s, &stats);
	printf("tables %d user %" PRIu64 " off-stack %" PRIu64 " task %" PRIu64 " walked %" PRIu64
	       " checked %" PRIu64 " differed %" PRIu64 "\n",
	       has_tables, nr[MODE_USER], nr[MODE_OFF_STACK], nr[MODE_TASK], stats.kernel_walked,
	       stats.kernel_checked, stats.kernel_differed);
	return 0;
}
