// SPDX-License-Identifier: GPL-2.0
/* Reads the kernel's memory, once for each time that it is run (BPF_PROG_TEST_RUN). */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

__u64 address;
__u32 nr_bytes;
int status;
__u8 bytes[4096];

SEC("raw_tp/sched_switch")
int eddy_kernel_memory(void *ctx)
{
	__u32 nr = nr_bytes;

	if (nr > sizeof(bytes))
		return 0;
	status = bpf_probe_read_kernel(bytes, nr, (void *)address);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
