// SPDX-License-Identifier: GPL-2.0
/* Does nothing at every tick: what a timer interrupt with any BPF program at all costs. */
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

SEC("perf_event")
int minimal_sample(struct bpf_perf_event_data *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
