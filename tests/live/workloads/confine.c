// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * confine [-d CAPS] [-u UID -k CAPS] [-r bpf|perf_event_open] [-m BYTES] COMMAND [ARG]...: runs a
 * command where something is not allowed.  No workload, but what stands around one:
 *	-d	root without these capabilities
 *	-u -k	another user with these capabilities only
 *	-r	the system call fails with ENOSYS, as in a kernel that is built without it
 *	-m	RLIMIT_MEMLOCK
 * It is static and needs no library, so that it runs in a root that holds nothing else.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
	exit(126);
}

static uint64_t caps_parse(char *list)
{
	static const struct {
		const char *name;
		int cap;
	} known[] = { { "dac_read_search", 2 },	    { "sys_ptrace", 19 }, { "sys_admin", 21 },
		      { "sys_resource", 24 },	    { "syslog", 34 },	  { "perfmon", 38 },
		      { "checkpoint_restore", 40 }, { "bpf", 39 } };
	uint64_t set = 0;

	for (char *at = strtok(list, ","); at; at = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < sizeof(known) / sizeof(*known) && strcmp(known[i].name, at))
			i++;
		if (i == sizeof(known) / sizeof(*known)) {
			errno = EINVAL;
			fail(at);
		}
		set |= 1ull << known[i].cap;
	}
	return set;
}

static void caps_set(uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ permitted, permitted, inheritable },
		{ permitted >> 32, permitted >> 32, inheritable >> 32 },
	};

	if (syscall(SYS_capset, &header, data))
		fail("capset");
}

static uint64_t caps_get(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		fail("capget");
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* What exec gives root is bounded by the bounding set, and by nothing else. */
static void caps_drop(uint64_t drop)
{
	for (int cap = 0; cap < 64; cap++)
		if (drop >> cap & 1)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	caps_set(caps_get() & ~drop, 0);
}

/* Capabilities survive the change of user when asked to, and exec in the ambient set. */
static void become(uid_t uid, uint64_t keep)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		fail("setresuid");
	caps_set(keep, keep);
	for (int cap = 0; cap < 64; cap++)
		if (keep >> cap & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0))
			fail("PR_CAP_AMBIENT");
}

static void refuse(const char *name)
{
	long nr = !strcmp(name, "bpf") ? SYS_bpf : SYS_perf_event_open;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		fail("PR_SET_SECCOMP");
}

int main(int argc, char **argv)
{
	uint64_t keep = 0;
	long uid = -1;
	int option;

	while ((option = getopt(argc, argv, "+d:u:k:r:m:")) >= 0)
		switch (option) {
		case 'd':
			caps_drop(caps_parse(optarg));
			break;
		case 'u':
			uid = atol(optarg);
			break;
		case 'k':
			keep = caps_parse(optarg);
			break;
		case 'r':
			refuse(optarg);
			break;
		case 'm': {
			struct rlimit limit = { atoll(optarg), atoll(optarg) };

			if (setrlimit(RLIMIT_MEMLOCK, &limit))
				fail("RLIMIT_MEMLOCK");
			break;
		}
		default:
			return 126;
		}
	if (uid >= 0)
		become(uid, keep);
	if (optind == argc)
		return 126;
	execvp(argv[optind], argv + optind);
	fail(argv[optind]);
}
