/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this kernel and these privileges offer: facts for `eddy doctor`, found without side effects.
 */
#ifndef EDDY_CAPTURE_HOST_H
#define EDDY_CAPTURE_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Capabilities that matter here, by their number (capabilities(7)). */
enum host_capability {
	HOST_CAP_DAC_READ_SEARCH = 2,
	HOST_CAP_SYS_PTRACE = 19,
	HOST_CAP_SYS_ADMIN = 21,
	HOST_CAP_SYS_RESOURCE = 24,
	HOST_CAP_SYSLOG = 34,
	HOST_CAP_PERFMON = 38,
	HOST_CAP_BPF = 39,
	HOST_CAP_CHECKPOINT_RESTORE = 40,
};

/* Is the capability in the effective set of this process? */
bool host_has_capability(enum host_capability cap);

/* Is there a system call bpf, whoever may use it?  Not when a seccomp filter says ENOSYS. */
bool host_has_bpf(void);

/*
 * The text of a small file of /proc or /sys, cut to fit; its length or -errno, and then nothing is
 * changed.
 */
ssize_t host_read_text(const char *path, char *text, size_t bytes);

/*
 * Was the running kernel built with the option ("CONFIG_X")?  1 y or m, 0 no, -ENOENT when its
 * configuration (/boot/config-RELEASE, /proc/config.gz) is not there to be read.
 */
int host_kernel_config(const char *option);

/* A sysctl ("kernel/perf_event_paranoid") as a number; -errno when it is not there. */
#define HOST_PARANOID  "kernel/perf_event_paranoid"
#define HOST_MAX_STACK "kernel/perf_event_max_stack"
int host_sysctl(const char *name, int64_t *ret_value);

/* The lockdown mode in force ("none", "integrity", "confidentiality"); "" when not known. */
void host_lockdown(char mode[32]);

/* "6.18.44" of uname to 6 and 18. */
void host_kernel_version(unsigned int *ret_major, unsigned int *ret_minor);

/*
 * Bytes that BPF maps may take: RLIMIT_MEMLOCK where it counts (before 5.11) and where libbpf
 * cannot raise it; else UINT64_MAX.
 */
uint64_t host_bpf_memory_limit(void);

/*
 * The bits that an address of user space can have, from where the kernel put our stack: its upper
 * end.  39 to 48 of them on arm64; what stands above is a signature (pointer authentication).
 */
uint64_t host_user_address_mask(void);

#endif
