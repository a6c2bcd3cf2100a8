// SPDX-License-Identifier: GPL-2.0-or-later
/* From options and what is known of the machine to the constants of the program. */
#include "capture/sampler_config.h"

#include <bpf/libbpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/random.h>
#include <unistd.h>

#include "capture/host.h"
#include "capture/wait_programs.h"

#define MIN_RING_BYTES	    (1ull << 20)
#define MIN_LATE_RING_BYTES (4ull << 20) /* room for copies of stacks of 64 KiB */
#define RING_CPU_BYTES	    (128ull << 10)
#define MAX_RING_BYTES	    (64ull << 20)
#define KERNEL_CHECK_EVERY  128
#define THREAD_BYTES	    16384 /* until a task's stack area tells */

void sampler_host_read(struct sampler_host *ret_host, uint32_t pid_space)
{
	*ret_host = (struct sampler_host){
		.page_bytes = sysconf(_SC_PAGESIZE),
		.user_address_mask = host_user_address_mask(),
		.nr_cpus = libbpf_num_possible_cpus(),
		.pid_space = pid_space,
		.max_stack = -1,
	};
	if (getrandom(&ret_host->seed, sizeof(ret_host->seed), 0) != sizeof(ret_host->seed))
		ret_host->seed = (uintptr_t)ret_host;
	host_sysctl(HOST_MAX_STACK, &ret_host->max_stack);
	host_kernel_version(&ret_host->major, &ret_host->minor);
}

bool sampler_has_tables(const struct sampler_opts *opts)
{
	return opts->unwind != EDDY_UNWIND_FP && !opts->kernel_only;
}

uint64_t sampler_ring_bytes(const struct sampler_opts *opts, uint32_t nr_cpus)
{
	uint64_t min = sampler_has_tables(opts) ? MIN_LATE_RING_BYTES : MIN_RING_BYTES;
	uint64_t want = opts->ring_bytes, bytes = 4096;

	if (!want) {
		want = RING_CPU_BYTES * nr_cpus;
		if (want < min)
			want = min;
	}
	while (bytes < want && bytes < MAX_RING_BYTES)
		bytes *= 2;
	return bytes;
}

/* Frames that bpf_get_stack() gives at most; nobody can change that while the program is loaded. */
static uint32_t max_kernel_frames(const struct sampler_host *host)
{
	if (host->max_stack < 0 || host->max_stack > EDDY_MAX_KERNEL_FRAMES)
		return EDDY_MAX_KERNEL_FRAMES;
	return host->max_stack;
}

/* struct backing_file with a path behind the file ("fs: store real path instead of fake path"). */
static bool has_backing_files(const struct sampler_host *host)
{
	return host->major > 6 || (host->major == 6 && host->minor >= 7);
}

static uint32_t filter_of(const struct sampler_opts *opts)
{
	uint32_t filter = 0;

	if (opts->tasks)
		filter |= opts->by_thread ? EDDY_FILTER_TID : EDDY_FILTER_PID;
	if (opts->comm)
		filter |= EDDY_FILTER_COMM;
	if (opts->cgroup_path)
		filter |= EDDY_FILTER_CGROUP;
	if (opts->user_only)
		filter |= EDDY_FILTER_USER;
	if (opts->kernel_only)
		filter |= EDDY_FILTER_KERNEL;
	if (opts->event.is_tracepoint && opts->cpus)
		filter |= EDDY_FILTER_CPU;
	return filter;
}

/* What bpf_get_current_cgroup_id() gives: the inode's number; 0 when there is none. */
static uint64_t cgroup_id(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

static uint32_t copy_of(const struct sampler_opts *opts)
{
	if (opts->copy_all)
		return EDDY_COPY_ALL;
	return opts->unwind != EDDY_UNWIND_FP ? EDDY_COPY_PENDING : EDDY_COPY_NONE;
}

void sampler_config_fill(const struct sampler_opts *opts, const struct sampler_host *host,
			 struct eddy_config *ret_config)
{
	*ret_config = (struct eddy_config){
		.seed = host->seed,
		.wake_bytes = sampler_ring_bytes(opts, host->nr_cpus) / 4,
		.page_bytes = host->page_bytes,
		.thread_bytes = THREAD_BYTES,
		.ra_mask = host->user_address_mask,
		.period = opts->rate.period ? opts->rate.period : 1,
		.pid_space = host->pid_space,
		.filter = filter_of(opts),
		.identity = opts->identity,
		.keep_idle = opts->keep_idle,
		.max_user_frames = opts->max_user_frames,
		.max_kernel_frames = max_kernel_frames(host),
		.copy = copy_of(opts),
		.unwind = opts->unwind,
		.kernel_check_every = opts->check_kernel ? 1 : KERNEL_CHECK_EVERY,
		.is_weighed = opts->waits || capture_is_weighed(&opts->event, &opts->rate),
		.waits = opts->waits,
		.wall = opts->wall,
		.has_times = opts->times,
		.min_wait_ns = opts->min_wait_ns,
		.has_prev_state = opts->waits && wait_programs_have_state(),
		.cgroup = opts->waits && opts->cgroup_path ? cgroup_id(opts->cgroup_path) : 0,
		.has_backing_files = has_backing_files(host),
		.has_caller_regs = capture_event_has_caller_regs(&opts->event),
	};
	if (opts->comm)
		strncpy(ret_config->comm, opts->comm, sizeof(ret_config->comm) - 1);
}
