// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify: loads the sampler as the deepest capture would and prints what the verifier had to do:
 *	PROGRAM INSTRUCTIONS STATES
 * instructions as it counts them, of at most a million.  bpf_prog_info tells them since 5.16 only;
 * the log's statistics are there on every kernel.
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "sampler_abi.h"

#include "sampler.skel.h"

#define LOG_STATS 4 /* BPF_LOG_STATS of the kernel */
#define LOG_BYTES 65536
#define MAX_PROGS 8

static char logs[MAX_PROGS][LOG_BYTES];

static void print_program(const char *name, const char *log)
{
	const char *at = strstr(log, "processed "), *states = strstr(log, "total_states ");
	unsigned int instructions, nr_states;

	if (at && states && sscanf(at, "processed %u", &instructions) == 1 &&
	    sscanf(states, "total_states %u", &nr_states) == 1)
		printf("%s %u %u\n", name, instructions, nr_states);
}

int main(void)
{
	struct sampler_bpf *skel = sampler_bpf__open();
	struct bpf_program *prog;
	int n = 0, r;

	if (!skel)
		return 1;
	skel->rodata->config.page_bytes = 4096;
	skel->rodata->config.period = 1;
	skel->rodata->config.max_user_frames = EDDY_MAX_USER_FRAMES;
	skel->rodata->config.unwind = EDDY_UNWIND_AUTO;
	skel->rodata->config.copy = EDDY_COPY_PENDING;
	skel->rodata->config.has_backing_files = 1;
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (n == MAX_PROGS)
			break;
		bpf_program__set_log_level(prog, LOG_STATS);
		bpf_program__set_log_buf(prog, logs[n++], LOG_BYTES);
	}
	r = sampler_bpf__load(skel);
	n = 0;
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (n == MAX_PROGS)
			break;
		if (r < 0)
			printf("%s: %s\n", bpf_program__name(prog), logs[n]);
		else
			print_program(bpf_program__name(prog), logs[n]);
		n++;
	}
	sampler_bpf__destroy(skel);
	return r < 0;
}
