// SPDX-License-Identifier: GPL-2.0-or-later
/* The CAPTURE options; what the values mean is the sampler's business. */
#include "cli/capture_options.h"

#include <errno.h>
#include <string.h>

#include "sampler_abi.h"
#include "util/clock_event.h"
#include "util/mem.h"

#define MAX_MAP_BYTES (UINT64_C(4) << 30)

static const char map_size[] = "a size such as 512K or 64M (at most 4G)";
static const char *const unwind_names[] = {
	[EDDY_UNWIND_AUTO] = "auto", [EDDY_UNWIND_FP] = "fp", [EDDY_UNWIND_EH] = "eh"
};

/* All of a thread's time: what it waits, and the rest. */
static int take_wall(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	struct capture_options *o = into;

	(void)row, (void)arg, (void)ret_diag;
	o->off_cpu = o->wall = true;
	return 0;
}

/* clang-format off */
const struct option_row capture_option_rows[] = {
	{ OPTION_COUNT("freq", "F", struct capture_options, rate.freq_hz, 1, 1000000) },
	{ OPTION_TEXT("event", "e", struct capture_options, event) },
	{ OPTION_COUNT("count", "c", struct capture_options, rate.period, 1, INT64_MAX) },
	{ OPTION_LIST("pid", "p", struct capture_options, pids, nr_pids) },
	{ OPTION_LIST("tid", "t", struct capture_options, tids, nr_tids) },
	{ OPTION_LIST("cpu", "C", struct capture_options, cpus, nr_cpus) },
	{ OPTION_TEXT("cgroup", "G", struct capture_options, cgroup) },
	{ OPTION_TEXT("comm", NULL, struct capture_options, comm) },
	{ OPTION_FLAG("user-only", "U", struct capture_options, user_only) },
	{ OPTION_FLAG("kernel-only", "K", struct capture_options, kernel_only) },
	{ OPTION_FLAG("idle", "I", struct capture_options, idle) },
	{ OPTION_FLAG("off-cpu", NULL, struct capture_options, off_cpu) },
	{ OPTION_OWN("wall", NULL, take_wall), .is_flag = true },
	{ OPTION_DURATION("min-wait", NULL, struct capture_options, min_wait_ns, 1, UINT64_MAX) },
	{ OPTION_FLAG("no-wait-marks", NULL, struct capture_options, no_wait_marks) },
	{ OPTION_DURATION("duration", "dD", struct capture_options, duration_ns, 1, UINT64_MAX) },
	{ OPTION_CHOICE("unwind", NULL, struct capture_options, unwind, unwind_names) },
	{ OPTION_COUNT("max-depth", NULL, struct capture_options, max_depth, 1,
		       EDDY_MAX_USER_FRAMES) },
	{ OPTION_SIZE("map-memory", NULL, struct capture_options, map_bytes, 1, MAX_MAP_BYTES),
	  .what = map_size },
	{ OPTION_SIZE("ring-memory", NULL, struct capture_options, ring_bytes, 1, MAX_MAP_BYTES),
	  .what = map_size },
	{ OPTION_SIZE("max-table-memory", NULL, struct capture_options, table_bytes, 1,
		      MAX_MAP_BYTES), .what = map_size },
	{ OPTION_FLAG("no-demangle", NULL, struct capture_options, no_demangle) },
	{ OPTION_FLAG("inline", NULL, struct capture_options, inlines) },
	{ OPTION_SHARE("max-overhead", NULL, struct capture_options, max_overhead, 0.001) },
	{ OPTION_FLAG("verbose", "v", struct capture_options, verbose) },
	{ 0 },
};
/* clang-format on */

/* Waiting has no rate and no CPU. */
static int check_waits(const struct capture_options *o, struct diag *ret_diag)
{
	const struct {
		bool is_given;
		const char *name;
	} none[] = {
		{ o->rate.freq_hz && !o->wall, "freq" },
		{ o->rate.period, "count" },
		{ strcmp(o->event, CAPTURE_DEFAULT_EVENT) != 0, "event" },
		{ o->cpus, "cpu" },
		{ o->max_overhead > 0, "max-overhead" },
	};

	for (size_t i = 0; o->off_cpu && i < ARRAY_SIZE(none); i++)
		if (none[i].is_given)
			return diag_set(ret_diag, EINVAL,
					"--%s is of samples: not with --%s, which takes every "
					"wait",
					none[i].name, o->wall ? "wall" : "off-cpu");
	if (!o->off_cpu && (o->min_wait_ns || o->no_wait_marks))
		return diag_set(ret_diag, EINVAL, "--%s is of waits: use --off-cpu",
				o->min_wait_ns ? "min-wait" : "no-wait-marks");
	return 0;
}

int capture_options_check(const struct capture_options *o, struct diag *ret_diag)
{
	/*
	 * What is asked of the machine when the capture is opened; "auto" may become a clock
	 * then.
	 */
	const struct capture_event event = {
		.is_clock = clock_event_is_name(o->event),
		.is_tracepoint = capture_event_is_tracepoint_name(o->event),
	};

	if (o->rate.freq_hz && o->rate.period)
		return diag_set(ret_diag, EINVAL, "--freq and --count exclude each other");
	if (o->user_only && o->kernel_only)
		return diag_set(ret_diag, EINVAL,
				"--user-only and --kernel-only exclude each other");
	if (o->pids && o->tids)
		return diag_set(ret_diag, EINVAL, "--pid and --tid exclude each other");
	if (o->max_overhead && event.is_tracepoint)
		return diag_set(
			ret_diag, EINVAL,
			"--max-overhead cannot lower the rate of a tracepoint: use --count");
	if (o->comm && strlen(o->comm) >= EDDY_COMM_BYTES)
		return diag_set(
			ret_diag, EINVAL,
			"--comm: '%s' is longer than the 15 bytes the kernel keeps of a name",
			o->comm);
	return o->off_cpu || o->min_wait_ns || o->no_wait_marks
		       ? check_waits(o, ret_diag)
		       : capture_rate_check(&event, &o->rate, ret_diag);
}

void capture_options_help(FILE *to)
{
	fprintf(to,
		"what is sampled:\n"
		"  -F, --freq HZ         samples a second on each CPU (%d)\n"
		"  -e, --event NAME      cpu-clock (default), auto, any software event,\n"
		"                        subsystem:tracepoint, or of hardware as perf names it:\n"
		"                        cycles, LLC-load-misses, r01c2, cpu/event=0x3c/\n"
		"  -c, --count N         every N events (nanoseconds for clocks) instead of -F: a "
		"count\n"
		"                        is a sample; with -F and no clock it is an event\n"
		"  -p, --pid LIST        these processes       -t, --tid LIST   these threads\n"
		"  -C, --cpu LIST        these CPUs (0-3,7)    -G, --cgroup DIR  this cgroup\n"
		"      --comm NAME       tasks of this name\n"
		"  -U, --user-only       user stacks only      -K, --kernel-only  kernel stacks\n"
		"  -I, --idle            keep the idle task's halted samples\n"
		"      --off-cpu         waiting instead: for what threads sleep, block and wait "
		"for\n"
		"                        a CPU, and for how long, in microseconds\n"
		"      --wall            waiting and time on CPUs: all the time of every thread\n"
		"      --min-wait TIME   leave shorter waits out (--off-cpu)\n"
		"      --no-wait-marks   without [sleep], [io], [runqueue], ... at the end of a "
		"stack\n"
		"  -d, --duration TIME   10, 500ms, 2m; else until SIGINT or SIGTERM\n"
		"      --unwind HOW      how user stacks are walked: eh by tables, fp by frame "
		"pointer,\n"
		"                        auto (default) by tables, and by frame pointer without "
		"one\n"
		"      --max-depth N     user frames of a stack (%d, at most %d)\n"
		"      --map-memory SIZE, --ring-memory SIZE\n"
		"                        kernel memory for counts (16M) and for new stacks (by "
		"CPUs)\n"
		"      --no-demangle     names of C++ and Rust as they stand in the file\n"
		"      --inline          functions that were inlined, as frames of their own "
		"(_[i]), "
		"by\n"
		"                        the debug information of programs\n"
		"      --max-table-memory SIZE  kernel memory for unwind tables (128M)\n"
		"      --max-overhead PERCENT   lowers the rate while eddy itself costs more of "
		"the "
		"CPUs\n"
		"                        than that (default: no limit)\n"
		"  -v, --verbose         say more about what was counted\n",
		CAPTURE_DEFAULT_HZ, CAPTURE_DEFAULT_DEPTH, EDDY_MAX_USER_FRAMES);
}
