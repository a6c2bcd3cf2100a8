// SPDX-License-Identifier: GPL-2.0
/*
 * A minimal profiler, for comparison: two bpf_get_stackid() and one count.  No loss accounting, no
 * idle handling beyond the task test, stacks lost to hash collisions: not one that anybody would
 * use, and not the least that counting stacks can cost either.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>

struct key {
	__u32 pid;
	__s32 kernel_stack;
	__s32 user_stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 127 * sizeof(__u64));
	__uint(max_entries, 16384);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, struct key);
	__type(value, __u64);
	__uint(max_entries, 65536);
} counts SEC(".maps");

SEC("perf_event")
int minimal_sample(struct bpf_perf_event_data *ctx)
{
	struct key key = { .pid = bpf_get_current_pid_tgid() >> 32 };
	__u64 one = 1, *count;

	if (!key.pid)
		return 0;
	key.kernel_stack = bpf_get_stackid(ctx, &stacks, 0);
	key.user_stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_NOEXIST);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
