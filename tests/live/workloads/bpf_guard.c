// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf_guard HOW SECONDS [CPU]: keeps the kernel from running BPF programs on perf events, on one
 * CPU, in one of three ways:
 *
 *	tracepoint  a program at raw_syscalls:sys_enter, and system calls
 *	map         bpf() calls that look through a large empty map
 *	raw         the program on a raw tracepoint: its kind holds nobody off
 *
 * It prints "truth held NS", the time for which it did (0: raw), and "truth worked NS", all of its
 * processor time since the program was there.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "work.h"

#define TURNS	      4000
#define NR_CALLS      200000
#define NR_BUCKETS    (1 << 20)
#define BATCH	      16
#define TRACEFS	      "/mnt"
#define TRACEPOINT_ID TRACEFS "/events/raw_syscalls/sys_enter/id"

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void cannot(const char *what)
{
	printf("cannot %s\n", what);
	exit(0);
}

#define INSN(c, d, s, o, i)                                                         \
	(struct bpf_insn)                                                           \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}

/* Counts to TURNS in this process, and does nothing in others. */
static int load_program(enum bpf_prog_type type)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 3, getpid()),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, 1),
		INSN(BPF_JMP | BPF_JLT | BPF_K, 1, 0, -2, TURNS),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(insns[0]),
		.license = (uintptr_t) "GPL",
		.prog_name = "bpf_guard_busy",
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		cannot("load a program");
	return fd;
}

/* In a mount namespace of its own: tracefs may not be mounted, and nobody else is to see it. */
static int tracepoint_id(void)
{
	FILE *f;
	int id = -1;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		cannot("mount tracefs");
	f = fopen(TRACEPOINT_ID, "r");
	if (!f || fscanf(f, "%d", &id) != 1)
		cannot("find raw_syscalls:sys_enter");
	fclose(f);
	return id;
}

static void attach_tracepoint(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tracepoint_id(),
		.sample_period = 1,
	};
	int prog = load_program(BPF_PROG_TYPE_TRACEPOINT);
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		cannot("attach to raw_syscalls:sys_enter");
}

static void attach_raw(void)
{
	union bpf_attr attr = { 0 };

	attr.raw_tracepoint.name = (uintptr_t) "sys_enter";
	attr.raw_tracepoint.prog_fd = load_program(BPF_PROG_TYPE_RAW_TRACEPOINT);
	if (bpf(BPF_RAW_TRACEPOINT_OPEN, &attr) < 0)
		cannot("attach to the raw tracepoint sys_enter");
}

static double ns_per_call(void)
{
	uint64_t start = thread_cpu_ns();

	for (int i = 0; i < NR_CALLS; i++)
		call_kernel(SYS_getppid, 0, 0, 0);
	return (double)(thread_cpu_ns() - start) / NR_CALLS;
}

static void run_program(void (*attach)(void), uint64_t ns)
{
	double before = ns_per_call(), share;
	uint64_t calls = 0, start, end;

	attach();
	start = thread_cpu_ns();
	do {
		for (int i = 0; i < 1000; i++)
			call_kernel(SYS_getppid, 0, 0, 0);
		calls += 1000;
		end = thread_cpu_ns();
	} while (end - start < ns);
	share = 1 - before * calls / (end - start);
	truth("held", attach == attach_raw ? 0 : share * (end - start));
	truth("worked", end - start);
}

static void run_map(uint64_t ns)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_HASH,
		.key_size = 4,
		.value_size = 4,
		.max_entries = NR_BUCKETS,
		.map_flags = BPF_F_NO_PREALLOC,
	};
	uint32_t keys[BATCH], values[BATCH], next;
	int fd = bpf(BPF_MAP_CREATE, &attr);
	uint64_t start = thread_cpu_ns();

	if (fd < 0)
		cannot("make a map");
	do {
		memset(&attr, 0, sizeof(attr));
		attr.batch.map_fd = fd;
		attr.batch.keys = (uintptr_t)keys;
		attr.batch.values = (uintptr_t)values;
		attr.batch.out_batch = (uintptr_t)&next;
		attr.batch.count = BATCH;
		bpf(BPF_MAP_LOOKUP_BATCH, &attr);
	} while (thread_cpu_ns() - start < ns);
	truth("held", thread_cpu_ns() - start);
	truth("worked", thread_cpu_ns() - start);
}

int main(int argc, char **argv)
{
	uint64_t ns = argc > 2 ? atof(argv[2]) * 1e9 : 1e9;
	const char *how = argc > 1 ? argv[1] : "";
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 3 ? atoi(argv[3]) : 0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (!strcmp(how, "tracepoint"))
		run_program(attach_tracepoint, ns);
	else if (!strcmp(how, "raw"))
		run_program(attach_raw, ns);
	else if (!strcmp(how, "map"))
		run_map(ns);
	else
		return 2;
	return 0;
}
