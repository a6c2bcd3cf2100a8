// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of the CAPTURE options; what the values mean is the sampler's business. */
#include "cli/capture_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/passes.h"
#include "sampler_abi.h"
#include "util/mem.h"
#include "util/parse.h"

#define DEFAULT_FREQ_HZ	  99
#define DEFAULT_MAX_DEPTH 255

void capture_options_init(struct capture_options *o)
{
	*o = (struct capture_options){
		.event = "cpu-clock",
		.max_depth = DEFAULT_MAX_DEPTH,
	};
}

void capture_options_deinit(struct capture_options *o)
{
	free(o->pids);
	free(o->tids);
	free(o->cpus);
}

static int option_u64(const char *option, const char *arg, uint64_t min, uint64_t max,
		      uint64_t *ret_value, struct diag *ret_diag)
{
	uint64_t v;

	if (parse_u64(arg, &v) < 0 || v < min || v > max)
		return diag_set(ret_diag, EINVAL, "%s: '%s' is not a number from %llu to %llu",
				option, arg, (unsigned long long)min, (unsigned long long)max);
	*ret_value = v;
	return 0;
}

static int option_list(const char *option, const char *arg, uint32_t **list, size_t *nr,
		       struct diag *ret_diag)
{
	free(*list);
	*list = NULL;
	if (parse_u32_list(arg, list, nr) < 0)
		return diag_set(ret_diag, EINVAL, "%s: '%s' is not a list such as 1,3-5", option,
				arg);
	return 0;
}

static int option_size(const char *option, const char *arg, uint64_t *ret_bytes,
		       struct diag *ret_diag)
{
	if (parse_size_bytes(arg, ret_bytes) < 0 || !*ret_bytes || *ret_bytes > 1ull << 32)
		return diag_set(ret_diag, EINVAL,
				"%s: '%s' is not a size such as 512K or 64M (at most 4G)", option,
				arg);
	return 0;
}

static int option_duration(const char *arg, uint64_t *ret_ns, struct diag *ret_diag)
{
	if (parse_duration_ns(arg, ret_ns) < 0)
		return diag_set(ret_diag, EINVAL,
				"--duration: '%s' is not a duration such as 10, 500ms or 2m", arg);
	return 0;
}

/* "1%", "0.5" */
static int option_percent(const char *option, const char *arg, double *ret_share,
			  struct diag *ret_diag)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || (strcmp(end, "") && strcmp(end, "%")) ||
	    !(percent >= 0.001 && percent <= 100))
		return diag_set(ret_diag, EINVAL, "%s: '%s' is not a percentage such as 1%% or 0.5",
				option, arg);
	*ret_share = percent / 100;
	return 0;
}

static int option_unwind(const char *arg, enum eddy_unwind_how *ret_how, struct diag *ret_diag)
{
	static const char *const names[] = {
		[EDDY_UNWIND_AUTO] = "auto", [EDDY_UNWIND_FP] = "fp", [EDDY_UNWIND_EH] = "eh"
	};
	int r = option_choice("--unwind", names, ARRAY_SIZE(names), arg, ret_diag);

	if (r < 0)
		return r;
	*ret_how = r;
	return 0;
}

int capture_option(struct capture_options *o, int option, const char *arg, struct diag *ret_diag)
{
	uint64_t v = 0;
	int r = 0;

	switch (option) {
	case 'F':
		return option_u64("--freq", arg, 1, 1000000, &o->rate.freq_hz, ret_diag);
	case 'c':
		return option_u64("--count", arg, 1, INT64_MAX, &o->rate.period, ret_diag);
	case 'e':
		o->event = arg;
		return 0;
	case 'p':
		return option_list("--pid", arg, &o->pids, &o->nr_pids, ret_diag);
	case 't':
		return option_list("--tid", arg, &o->tids, &o->nr_tids, ret_diag);
	case 'C':
		return option_list("--cpu", arg, &o->cpus, &o->nr_cpus, ret_diag);
	case 'G':
		o->cgroup = arg;
		return 0;
	case OPTION_COMM:
		o->comm = arg;
		return 0;
	case 'U':
		o->user_only = true;
		return 0;
	case 'K':
		o->kernel_only = true;
		return 0;
	case 'I':
		o->idle = true;
		return 0;
	case 'd':
	case 'D':
		return option_duration(arg, &o->duration_ns, ret_diag);
	case 'v':
		o->verbose = true;
		return 0;
	case OPTION_UNWIND:
		return option_unwind(arg, &o->unwind, ret_diag);
	case OPTION_MAX_DEPTH:
		r = option_u64("--max-depth", arg, 1, EDDY_MAX_USER_FRAMES, &v, ret_diag);
		if (!r)
			o->max_depth = v;
		return r;
	case OPTION_MAP_MEMORY:
		return option_size("--map-memory", arg, &o->map_bytes, ret_diag);
	case OPTION_RING_MEMORY:
		return option_size("--ring-memory", arg, &o->ring_bytes, ret_diag);
	case OPTION_TABLE_MEMORY:
		return option_size("--max-table-memory", arg, &o->table_bytes, ret_diag);
	case OPTION_MAX_OVERHEAD:
		return option_percent("--max-overhead", arg, &o->max_overhead, ret_diag);
	case OPTION_NO_DEMANGLE:
		o->no_demangle = true;
		return 0;
	}
	return -ENOENT;
}

int capture_options_check(const struct capture_options *o, struct diag *ret_diag)
{
	if (o->rate.freq_hz && o->rate.period)
		return diag_set(ret_diag, EINVAL, "--freq and --count exclude each other");
	if (o->user_only && o->kernel_only)
		return diag_set(ret_diag, EINVAL,
				"--user-only and --kernel-only exclude each other");
	if (o->pids && o->tids)
		return diag_set(ret_diag, EINVAL, "--pid and --tid exclude each other");
	if (o->max_overhead && strchr(o->event, ':'))
		return diag_set(
			ret_diag, EINVAL,
			"--max-overhead cannot lower the rate of a tracepoint: use --count");
	if (o->comm && strlen(o->comm) >= EDDY_COMM_BYTES)
		return diag_set(
			ret_diag, EINVAL,
			"--comm: '%s' is longer than the 15 bytes the kernel keeps of a name",
			o->comm);
	return 0;
}

void capture_options_help(FILE *to)
{
	fprintf(to,
		"what is sampled:\n"
		"  -F, --freq HZ         samples a second on each CPU (%d)\n"
		"  -e, --event NAME      cpu-clock (default), auto, cycles, any software event,\n"
		"                        subsystem:tracepoint\n"
		"  -c, --count N         every N events (nanoseconds for clocks) instead of -F\n"
		"  -p, --pid LIST        these processes       -t, --tid LIST   these threads\n"
		"  -C, --cpu LIST        these CPUs (0-3,7)    -G, --cgroup DIR under this cgroup "
		"(v2)\n"
		"      --comm NAME       tasks of this name\n"
		"  -U, --user-only       user stacks only      -K, --kernel-only  kernel stacks "
		"only\n"
		"  -I, --idle            keep the idle task's halted samples\n"
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
		"      --max-table-memory SIZE  kernel memory for unwind tables (128M)\n"
		"      --max-overhead PERCENT   lowers the rate while eddy itself costs more of "
		"the "
		"CPUs\n"
		"                        than that (default: no limit)\n"
		"  -v, --verbose         say more about what was counted\n",
		DEFAULT_FREQ_HZ, DEFAULT_MAX_DEPTH, EDDY_MAX_USER_FRAMES);
}
