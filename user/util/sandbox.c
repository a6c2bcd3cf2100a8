// SPDX-License-Identifier: GPL-2.0-or-later
/* Namespaces and capabilities first, for they take rights; limits and the filter last. */
#include "util/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"

/* ---- a parent enters ---------------------------------------------------------------------- */

/* In a namespace of mounts: the root is left for an empty one, and nothing leads back. */
static int leave_root(void)
{
	/* Any directory would do; this one is there wherever processes can be sampled. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  "size=4k,nr_inodes=1,mode=555") < 0 ||
	    chdir("/proc") < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

static void leave_namespaces(struct sandbox *s)
{
	const int flags = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS;

	/* Who may not make namespaces may do so in a namespace of users. */
	if (unshare(flags) < 0 && unshare(flags | CLONE_NEWUSER) < 0)
		return;
	s->network = SANDBOX_NAMESPACE;
	if (!leave_root())
		s->files = SANDBOX_NAMESPACE;
}

/*
 * Landlock's calls and rights, by number: they are the same on all machines, and headers may be
 * older than the kernel.  What is handled and has no rule is denied.
 */
#define LANDLOCK_CREATE	      444
#define LANDLOCK_RESTRICT     446
#define LANDLOCK_ASK_VERSION  1u
#define LANDLOCK_FS_FIRST     ((UINT64_C(1) << 13) - 1)
#define LANDLOCK_FS_REFER     (UINT64_C(1) << 13) /* from ABI 2 on */
#define LANDLOCK_FS_TRUNCATE  (UINT64_C(1) << 14) /* 3 */
#define LANDLOCK_NET_TCP      UINT64_C(3)	  /* 4: bind, connect */
#define LANDLOCK_FS_IOCTL_DEV (UINT64_C(1) << 15) /* 5 */
#define LANDLOCK_SCOPES	      UINT64_C(3)	  /* 6: abstract sockets, signals */

/*
 * In a process of its own: a filter that does not know the call may kill who asks (systemd before
 * 249).
 */
static unsigned int landlock_abi(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		long abi = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_ASK_VERSION);

		_exit(abi < 0 ? 0 : abi > 255 ? 255 : (int)abi);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* Without new privileges.  Descriptors that are open stay as they are. */
static void lock_land(struct sandbox *s)
{
	const unsigned int abi = landlock_abi();
	const struct {
		uint64_t fs, net, scopes;
	} handled = {
		.fs = LANDLOCK_FS_FIRST | (abi >= 2 ? LANDLOCK_FS_REFER : 0) |
		      (abi >= 3 ? LANDLOCK_FS_TRUNCATE : 0) |
		      (abi >= 5 ? LANDLOCK_FS_IOCTL_DEV : 0),
		.net = abi >= 4 ? LANDLOCK_NET_TCP : 0,
		.scopes = abi >= 6 ? LANDLOCK_SCOPES : 0,
	};
	const size_t bytes = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	_cleanup_close_ int fd = -1;

	if (!abi)
		return;
	fd = syscall(LANDLOCK_CREATE, &handled, bytes, 0);
	if (fd < 0 || syscall(LANDLOCK_RESTRICT, fd, 0) < 0)
		return;
	s->landlock_abi = abi;
	if (s->files == SANDBOX_FILTER_ALONE)
		s->files = SANDBOX_LANDLOCK;
	if (s->network == SANDBOX_FILTER_ALONE && abi >= 4)
		s->network = SANDBOX_LANDLOCK;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &head, none) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

/* Its private memory that can be written to, as RLIMIT_DATA counts it. */
static int data_bytes_now(uint64_t *ret_bytes)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	unsigned long long kib;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmData: %llu kB", &kib) == 1) {
			*ret_bytes = kib * 1024;
			return 0;
		}
	return -EIO;
}

int sandbox_enter(struct sandbox *ret_sandbox)
{
	struct sandbox s = { .files = SANDBOX_FILTER_ALONE };
	int r = data_bytes_now(&s.data_bytes);

	if (r < 0)
		return r;
	leave_namespaces(&s);
	r = drop_capabilities();
	if (r < 0)
		return r;
	if (s.files == SANDBOX_FILTER_ALONE)
		lock_land(&s);
	*ret_sandbox = s;
	return 0;
}

/* ---- a process seals itself --------------------------------------------------------------- */

static const int allowed[] = {
	/* descriptors that are open */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(_llseek),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(fstat64),
	SCMP_SYS(dup),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	/* files in memory */
	SCMP_SYS(memfd_create),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
	/* memory, see may_not_execute() for the rest of it */
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	/* what the C library and the sanitizers do by themselves */
	SCMP_SYS(futex),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(sched_yield),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(sysinfo), /* qsort(3) asks how much memory there is */
	/* time, numbers, the end */
	SCMP_SYS(setitimer),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(getrandom),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};
static const int refused[] = { SCMP_SYS(open),	    SCMP_SYS(openat),	 SCMP_SYS(openat2),
			       SCMP_SYS(access),    SCMP_SYS(faccessat), SCMP_SYS(stat),
			       SCMP_SYS(lstat),	    SCMP_SYS(statx),	 SCMP_SYS(readlink),
			       SCMP_SYS(readlinkat) };
static const int fcntl_allowed[] = { F_ADD_SEALS, F_GET_SEALS, F_GETFL, F_GETFD, F_SETFD };

static int may_not_execute(scmp_filter_ctx filter, int call)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

/* fstat(3) of newer C libraries: the path is empty, the descriptor open. */
static int may_stat_descriptors(scmp_filter_ctx filter)
{
	int r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
				 SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH));

	return r ? r
		 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(newfstatat), 1,
				    SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0));
}

static int filter_fill(scmp_filter_ctx filter)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(allowed); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; !r && i < ARRAY_SIZE(refused); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), refused[i], 0);
	for (size_t i = 0; !r && i < ARRAY_SIZE(fcntl_allowed); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				     SCMP_A1(SCMP_CMP_EQ, fcntl_allowed[i], 0));
	/* Whether standard output is a terminal, and nothing else of terminals. */
	r = r ?: seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 0);
	r = r ?: may_not_execute(filter, SCMP_SYS(mmap));
	r = r ?: may_not_execute(filter, SCMP_SYS(mprotect));
	return r ?: may_stat_descriptors(filter);
}

static int filter_load(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int r;

	if (!filter)
		return -ENOMEM;
	r = filter_fill(filter);
	r = r ?: seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

static int limit(__rlimit_resource_t resource, uint64_t most)
{
	const struct rlimit both = { most, most };

	return setrlimit(resource, &both) < 0 ? -errno : 0;
}

int sandbox_seal(const struct sandbox *sandbox, const struct sandbox_limits *limits)
{
	int r = limit(RLIMIT_DATA, sandbox->data_bytes + limits->data_bytes);

	r = r ?: limit(RLIMIT_FSIZE, limits->file_bytes);
	r = r ?: limit(RLIMIT_CPU, limits->cpu_s);
	r = r ?: limit(RLIMIT_NOFILE, limits->nr_fds);
	r = r ?: limit(RLIMIT_NPROC, 0);
	r = r ?: limit(RLIMIT_CORE, 0);
	return r ?: filter_load();
}

/* ---- what there is ------------------------------------------------------------------------- */

int sandbox_probe(struct sandbox *ret_sandbox)
{
	static const struct sandbox_limits limits = {
		.data_bytes = 256 << 20, .file_bytes = 1 << 20, .cpu_s = 1, .nr_fds = 16
	};
	_cleanup_close_ int from = -1, to = -1;
	struct sandbox s;
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	from = ends[0];
	to = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(sandbox_enter(&s) < 0 || sandbox_seal(&s, &limits) < 0 ||
		      write(to, &s, sizeof(s)) != sizeof(s));
	close(take_fd(&to));
	do
		n = read(from, &s, sizeof(s));
	while (n < 0 && errno == EINTR);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof(s))
		return -EPERM;
	*ret_sandbox = s;
	return 0;
}

void sandbox_text(int result, const struct sandbox *sandbox, struct strbuf *to)
{
	if (result < 0) {
		strbuf_addstr(to, "parsers of foreign files cannot be shut in, and parse nothing");
		return;
	}
	strbuf_addstr(to, "parsers of foreign files have no capabilities, and system calls for "
			  "computing alone (seccomp); ");
	if (sandbox->files == SANDBOX_NAMESPACE)
		strbuf_addstr(to, "files: an empty root (namespace)");
	else if (sandbox->files == SANDBOX_LANDLOCK)
		strbuf_addf(to, "files: none by Landlock (ABI %u)", sandbox->landlock_abi);
	else
		strbuf_addstr(to, "files: none by that filter alone");
	if (sandbox->network == SANDBOX_NAMESPACE)
		strbuf_addstr(to, "; network: an empty one (namespace)");
	else if (sandbox->network == SANDBOX_LANDLOCK)
		strbuf_addstr(to, "; network: no TCP by Landlock, no socket by that filter");
	else
		strbuf_addstr(to, "; network: no socket by that filter alone");
}

int sandbox_say(struct strbuf *to)
{
	struct sandbox sandbox;
	const int r = sandbox_probe(&sandbox);

	sandbox_text(r, &sandbox, to);
	return r < 0 ? r : sandbox.files != SANDBOX_FILTER_ALONE;
}
