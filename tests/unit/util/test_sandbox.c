// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way out is tried in a process that is sealed; what a parser needs still works there. */
#include "util/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/mem.h"
#include "util/worker_wire.h"

#define MIB (1u << 20)

static const struct sandbox_limits limits = {
	.data_bytes = 64 * MIB, .file_bytes = MIB, .cpu_s = 1, .nr_fds = 64
};

struct inside {
	int socket; /* to the test */
	int dir;    /* "/", opened before */
};

/* What an attempt ends with: 0 done, an errno, or 256 + the signal that killed it. */
enum {
	DONE = 0,
	KILLED = 256 + SIGSYS,
};

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int in_sandbox(int (*attempt)(const struct inside *), int socket)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		struct inside in = { .socket = socket,
				     .dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
		struct sandbox sandbox;
		struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		if (in.dir < 0 || sandbox_enter(&sandbox) < 0)
			_exit(250);
		if (sandbox_seal(&sandbox, &limits) < 0)
			_exit(251);
		_exit(attempt(&in));
	}
	return wait_for(pid);
}

/* ---- attempts ----------------------------------------------------------------------------- */

static int result(long r)
{
	return r < 0 ? errno : DONE;
}

static int open_path(const struct inside *in)
{
	return result(open("/etc/passwd", O_RDONLY));
}
static int open_there(const struct inside *in)
{
	return result(openat(in->dir, "etc/passwd", O_RDONLY));
}
static int stat_path(const struct inside *in)
{
	struct stat st;

	return result(fstatat(in->dir, "etc/passwd", &st, 0));
}
static int make_path(const struct inside *in)
{
	return result(openat(in->dir, "tmp/made", O_CREAT | O_WRONLY, 0600));
}
static int remove_path(const struct inside *in)
{
	return result(unlinkat(in->dir, "tmp/none", 0));
}
static int make_socket(const struct inside *in)
{
	return result(socket(AF_INET, SOCK_STREAM, 0));
}
static int execute(const struct inside *in)
{
	char *none[] = { NULL };

	return result(execve("/bin/true", none, none));
}
static int execute_here(const struct inside *in)
{
	return result(syscall(SYS_execveat, in->dir, "bin/true", NULL, NULL, 0));
}
static int fork_one(const struct inside *in)
{
	return result(fork());
}
static int kill_parent(const struct inside *in)
{
	return result(kill(getppid(), 0));
}
static int trace_parent(const struct inside *in)
{
	return result(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}
static int read_parent(const struct inside *in)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { &byte, 1 };

	return result(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}
static int call_bpf(const struct inside *in)
{
	return result(syscall(SYS_bpf, 0, NULL, 0));
}
static int call_io_uring(const struct inside *in)
{
	return result(syscall(425, 1, NULL)); /* io_uring_setup(2) */
}
static int map_code(const struct inside *in)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	       MAP_FAILED;
}
static int turn_to_code(const struct inside *in)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}
static int raise_limit(const struct inside *in)
{
	struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };

	return result(setrlimit(RLIMIT_DATA, &any));
}
static int set_terminal(const struct inside *in)
{
	return result(syscall(SYS_ioctl, 0, 0x5412, "x")); /* TIOCSTI types for its user */
}
static int name_file(const struct inside *in)
{
	return result(fcntl(in->dir, F_SETOWN, 1));
}
static int take_memory(const struct inside *in)
{
	return mmap(NULL, 2ul * limits.data_bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		       ? errno
		       : DONE;
}
static int fill_file(const struct inside *in)
{
	return result(ftruncate(memfd_create("much", 0), limits.file_bytes + 1));
}
static int never_end(const struct inside *in)
{
	volatile bool ends = false;

	while (!ends)
		;
	return DONE;
}

/* A descriptor comes, is looked at and mapped; a sealed file in memory goes back. */
static int parse(const struct inside *in)
{
	int fds[WIRE_MAX_FDS], answer = memfd_create("answer", MFD_ALLOW_SEALING);
	char byte, *memory = malloc(8 * MIB);
	const char *mapped;
	struct stat st;

	memset(memory, 1, 8 * MIB);
	if (wire_receive(in->socket, &byte, 1, fds, true) != 1 || fstat(fds[0], &st) < 0)
		return 1;
	mapped = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fds[0], 0);
	if (mapped == MAP_FAILED || write(answer, mapped, st.st_size) != st.st_size ||
	    fcntl(answer, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return 2;
	free(memory);
	return -wire_send(in->socket, "a", 1, NULL, 0, (int[]){ answer, -1 }, true);
}

/* Waits, to be looked at. */
static int wait_to_be_seen(const struct inside *in)
{
	int fds[WIRE_MAX_FDS];
	char byte;

	wire_send(in->socket, "i", 1, NULL, 0, NULL, true);
	wire_receive(in->socket, &byte, 1, fds, true);
	return DONE;
}

/* ---- tests -------------------------------------------------------------------------------- */

static void no_way_leads_out(void **state)
{
	static const struct {
		const char *name;
		int (*attempt)(const struct inside *);
		int want;
	} ways[] = {
		{ "open a path", open_path, EACCES },
		{ "open a path in a directory it has", open_there, EACCES },
		{ "stat a path", stat_path, EACCES },
		{ "make a file", make_path, EACCES },
		{ "remove a file", remove_path, KILLED },
		{ "make a socket", make_socket, KILLED },
		{ "execute", execute, KILLED },
		{ "execute by descriptor", execute_here, KILLED },
		{ "fork", fork_one, KILLED },
		{ "kill", kill_parent, KILLED },
		{ "ptrace", trace_parent, KILLED },
		{ "read another's memory", read_parent, KILLED },
		{ "bpf", call_bpf, KILLED },
		{ "io_uring", call_io_uring, KILLED },
		{ "map code", map_code, KILLED },
		{ "turn data into code", turn_to_code, KILLED },
		{ "raise a limit", raise_limit, KILLED },
		{ "type into a terminal", set_terminal, ENOTTY },
		{ "other uses of fcntl", name_file, KILLED },
		{ "too much memory", take_memory, ENOMEM },
		{ "too long a file", fill_file, 256 + SIGXFSZ },
		{ "never end", never_end, 256 + SIGKILL },
	};

	if (test_is_emulated())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int got = in_sandbox(ways[i].attempt, -1);

		if (got != ways[i].want)
			fail_msg("%s: %d instead of %d", ways[i].name, got, ways[i].want);
	}
}

static void what_parsing_needs_works(void **state)
{
	int pair[2], fds[WIRE_MAX_FDS], file = memfd_create("file", MFD_CLOEXEC);
	char bytes[6];

	if (test_is_emulated())
		skip();
	assert_int_equal(write(file, "hello", 5), 5);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(wire_send(pair[0], "f", 1, NULL, 0, (int[]){ file, -1 }, true), 0);
	assert_int_equal(in_sandbox(parse, pair[1]), DONE);
	assert_int_equal(wire_receive(pair[0], bytes, 1, fds, true), 1);
	assert_int_equal(pread(fds[0], bytes, sizeof(bytes), 0), 5);
	assert_memory_equal(bytes, "hello", 5);
	close(fds[0]);
	close(pair[0]);
	close(pair[1]);
	close(file);
}

static unsigned long long status_field(pid_t pid, const char *name, int base)
{
	char path[64], line[256];
	FILE *f;
	unsigned long long value = ~0ull;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, base);
	fclose(f);
	return value;
}

static ino_t file_of(pid_t pid, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void others_see_it_stripped(void **state)
{
	int pair[2], fds[WIRE_MAX_FDS];
	char byte, path[64];
	pid_t pid;

	if (test_is_emulated())
		skip();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid)
		_exit(in_sandbox(wait_to_be_seen, pair[1]));
	assert_int_equal(wire_receive(pair[0], &byte, 1, fds, true), 1);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	FILE *f = fopen(path, "re");
	int child = 0;

	if (f && fscanf(f, "%d", &child) == 1) {
		assert_int_equal(status_field(child, "CapEff:", 16), 0);
		assert_int_equal(status_field(child, "CapPrm:", 16), 0);
		assert_int_equal(status_field(child, "NoNewPrivs:", 10), 1);
		assert_int_equal(status_field(child, "Seccomp:", 10), 2);
		if (geteuid() == 0) {
			assert_true(file_of(child, "ns/net") != file_of(getpid(), "ns/net"));
			assert_true(file_of(child, "ns/mnt") != file_of(getpid(), "ns/mnt"));
			assert_true(file_of(child, "root") != file_of(getpid(), "root"));
		}
	}
	if (f)
		fclose(f);
	wire_send(pair[0], "x", 1, NULL, 0, NULL, true);
	assert_int_equal(wait_for(pid), DONE);
	close(pair[0]);
	close(pair[1]);
}

/* ---- walls besides the filter -------------------------------------------------------------- */

/* What others' filters do to a process: namespaces are refused, or Landlock's calls as well. */
static bool refuse(uint32_t namespaces, uint32_t landlock)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool done = filter && !seccomp_rule_add(filter, namespaces, SCMP_SYS(unshare), 0) &&
		    (landlock == SCMP_ACT_ALLOW ||
		     !seccomp_rule_add(filter, landlock, SCMP_SYS(landlock_create_ruleset), 0)) &&
		    !seccomp_load(filter);

	seccomp_release(filter);
	return done;
}

static int connect_somewhere(void)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(9),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? errno : result(connect(fd, (const struct sockaddr *)&to, sizeof(to)));
}

/* Bits of what goes wrong after entering, and before the filter is there. */
enum { NO_REFUSAL = 1, NO_ENTRY = 2, OPENS = 4, CONNECTS = 8, OTHER_WALLS = 16, UNSEALED = 32 };

static int enter_where(uint32_t landlock, enum sandbox_wall files)
{
	struct sandbox s;
	pid_t pid = fork();
	int bad = 0;

	assert_true(pid >= 0);
	if (pid)
		return wait_for(pid);
	if (!refuse(SCMP_ACT_ERRNO(EPERM), landlock))
		_exit(NO_REFUSAL);
	if (sandbox_enter(&s) < 0)
		_exit(NO_ENTRY);
	if (s.files != files || s.network == SANDBOX_NAMESPACE)
		bad |= OTHER_WALLS;
	if (files == SANDBOX_LANDLOCK && open("/etc/passwd", O_RDONLY) >= 0)
		bad |= OPENS;
	if (s.network == SANDBOX_LANDLOCK && connect_somewhere() != EACCES)
		bad |= CONNECTS;
	if ((s.network == SANDBOX_LANDLOCK) != (s.landlock_abi >= 4))
		bad |= OTHER_WALLS;
	if (sandbox_seal(&s, &limits) < 0 || open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES)
		bad |= UNSEALED;
	_exit(bad);
}

static void landlock_where_there_are_no_namespaces(void **state)
{
	if (test_is_emulated() || syscall(444, NULL, 0, 1) < 1)
		skip();
	assert_int_equal(enter_where(SCMP_ACT_ALLOW, SANDBOX_LANDLOCK), 0);
}

/* Refused, or killed for asking: the filter is what is left, and it is said. */
static void the_filter_where_there_is_no_landlock(void **state)
{
	if (test_is_emulated())
		skip();
	assert_int_equal(enter_where(SCMP_ACT_ERRNO(ENOSYS), SANDBOX_FILTER_ALONE), 0);
	assert_int_equal(enter_where(SCMP_ACT_KILL_PROCESS, SANDBOX_FILTER_ALONE), 0);
}

static void it_is_said_what_there_is(void **state)
{
	static const struct {
		int result;
		struct sandbox sandbox;
		const char *want;
	} cases[] = {
		{ -EPERM, { 0 }, "parse nothing" },
		{ 0, { .files = SANDBOX_NAMESPACE, .network = SANDBOX_NAMESPACE }, "empty root" },
		{ 0,
		  { .files = SANDBOX_LANDLOCK, .landlock_abi = 3 },
		  "Landlock (ABI 3); network: no "
		  "socket by that filter alone" },
		{ 0,
		  { .files = SANDBOX_LANDLOCK, .network = SANDBOX_LANDLOCK, .landlock_abi = 7 },
		  "no TCP by Landlock" },
		{ 0, { 0 }, "files: none by that filter alone" },
	};
	struct sandbox s;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		sandbox_text(cases[i].result, &cases[i].sandbox, &text);
		assert_non_null(strstr(text.bytes, cases[i].want));
	}
	if (test_is_emulated())
		skip();
	assert_int_equal(sandbox_probe(&s), 0);
	if (geteuid() == 0)
		assert_int_equal(s.files, SANDBOX_NAMESPACE);
	assert_true(s.data_bytes > 0);
	assert_true(open("/etc/passwd", O_RDONLY) >= 0); /* only that child */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_way_leads_out),
		cmocka_unit_test(what_parsing_needs_works),
		cmocka_unit_test(others_see_it_stripped),
		cmocka_unit_test(landlock_where_there_are_no_namespaces),
		cmocka_unit_test(the_filter_where_there_is_no_landlock),
		cmocka_unit_test(it_is_said_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
