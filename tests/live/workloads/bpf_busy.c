// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf_busy SECONDS NAME...: loads a BPF program of each name in turn, has the kernel run it for so
 * long, and takes it out again.  They are of one size, so that one stands where another stood.
 * Prints "program NAME ADDRESS", the address where the kernel tells it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#include "work.h"

#define NR_INSNS 2000

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load(const char *name)
{
	static struct bpf_insn insns[NR_INSNS];
	union bpf_attr attr = { 0 };

	insns[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	for (int i = 1; i < NR_INSNS - 1; i++)
		insns[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1 };
	insns[NR_INSNS - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = NR_INSNS;
	attr.license = (uintptr_t) "GPL";
	strncpy(attr.prog_name, name, sizeof(attr.prog_name) - 1);
	return bpf(BPF_PROG_LOAD, &attr);
}

static unsigned long long address(int fd)
{
	uint64_t start = 0;
	struct bpf_prog_info info = { .nr_jited_ksyms = 1, .jited_ksyms = (uintptr_t)&start };
	union bpf_attr attr = {
		.info = { .bpf_fd = fd, .info_len = sizeof(info), .info = (uintptr_t)&info }
	};

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	return start;
}

static int run(int fd, uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	char packet[64] = { 0 };

	while (thread_cpu_ns() < end) {
		union bpf_attr attr = { .test = { .prog_fd = fd,
						  .data_size_in = sizeof(packet),
						  .data_in = (uintptr_t)packet,
						  .repeat = 1000 } };

		if (bpf(BPF_PROG_TEST_RUN, &attr) < 0 && errno != EINTR)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		int fd = load(argv[i]);

		if (fd < 0) {
			perror("bpf_busy: BPF_PROG_LOAD");
			return 1;
		}
		printf("program %s %#llx\n", argv[i], address(fd));
		fflush(stdout);
		if (run(fd, work_ns(argc, argv, 1)) < 0) {
			perror("bpf_busy: BPF_PROG_TEST_RUN");
			return 1;
		}
		close(fd);
	}
	return 0;
}
