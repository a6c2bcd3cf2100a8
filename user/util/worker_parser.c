// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A parser has one job at a time.  It tells with its answer when it is the last one, for what it
 * may use in all is bounded from the start: then there is enough left for each job.
 */
#include "util/worker_parser.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/priority.h"
#include "util/regular_file.h"
#include "util/sandbox.h"
#include "util/worker_process.h"
#include "util/worker_wire.h"

#define ALL_SEALS     (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)
#define MAX_FDS	      16
#define MAX_WAIT_NS   (3ull * PARSER_CPU_S * 1000000000)
#define MAX_REPEAT_NS 1000000000ull
#define NO_MAPS_NS    1000000000ull
#define ANSWER_FD     3 /* its socket; the standard ones are /dev/null */

/* Memory that a parser keeps from one file to the next, and for how long. */
#define KEPT_BYTES   (64 << 20)
#define KEPT_AT_ONCE (32 << 20) /* a larger block goes back at once */
#define KEPT_MS	     1000

struct worker_parser {
	int socket; /* -1: no process */
	pid_t pid;
	uint64_t cpu_ns;      /* of those before */
	uint64_t this_cpu_ns; /* of this one, when it was looked at last */
	bool is_urgent;
	uint64_t maps_again_ns; /* until then files are read, see worker_parse() */
};

struct parsed_head {
	int64_t status;
	uint32_t len; /* of the bytes behind it */
	uint32_t is_last;
};

struct worker_parser *worker_parser_new(void)
{
	struct worker_parser *p = xcalloc(1, sizeof(*p));

	p->socket = -1;
	return p;
}

uint64_t worker_parser_cpu_ns(const struct worker_parser *p)
{
	return p->cpu_ns + p->this_cpu_ns;
}

/* ---- the process -------------------------------------------------------------------------- */

static void parser_answer(struct worker_answer *a, bool *ret_is_last)
{
	struct parsed_head head = {
		.status = a->len <= WORKER_MAX_INLINE ? a->status : -EMSGSIZE,
		.len = a->len <= WORKER_MAX_INLINE ? a->len : 0,
	};

	*ret_is_last = clock_ns(CLOCK_PROCESS_CPUTIME_ID) > PARSER_CPU_S * 500000000ull;
	head.is_last = *ret_is_last;
	if (wire_send(ANSWER_FD, &head, sizeof(head), a->bytes, head.len,
		      (int[WIRE_MAX_FDS]){ a->fd, -1 }, true) < 0)
		_exit(1);
	worker_answer_deinit(a);
}

/*
 * The C library would give large blocks back at once.  To have them again costs as much as a fifth
 * of parsing: each page is cleared, and comes by a fault of its own.
 */
static void memory_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT_AT_ONCE);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

/* Returns when there is a question, or never will be; who waits for long holds no memory. */
static void wait_for_question(void)
{
	struct pollfd p = { .fd = ANSWER_FD, .events = POLLIN };

	if (!poll(&p, 1, KEPT_MS))
		malloc_trim(0);
}

static void __attribute__((noreturn)) parser_main(int socket)
{
	static const struct sandbox_limits limits = { .data_bytes = PARSER_DATA_BYTES,
						      .file_bytes = PARSER_FILE_BYTES,
						      .cpu_s = PARSER_CPU_S,
						      .nr_fds = MAX_FDS };
	struct {
		struct worker_request_head head;
		char bytes[WORKER_MAX_REQUEST];
	} in;
	struct sandbox sandbox;
	bool is_last = false;

	/* Before anybody knows it by its name: who stops it must not leave it behind. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(1);
	prctl(PR_SET_NAME, "eddy-parser");
	memory_keep();
	/* Once more, for another user's process begins without it. */
	if (dup2(socket, ANSWER_FD) < 0 || close_range(ANSWER_FD + 1, ~0u, 0) < 0 ||
	    sandbox_enter(&sandbox) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    sandbox_seal(&sandbox, &limits) < 0)
		_exit(1);
	while (!is_last) {
		struct worker_request request = { .bytes = in.bytes, .is_in_parser = true };
		struct worker_answer answer = { .fd = -1 };
		ssize_t n;

		wait_for_question();
		n = wire_receive(ANSWER_FD, &in, sizeof(in), request.fds, true);
		if (n < (ssize_t)sizeof(in.head) || in.head.len > n - sizeof(in.head))
			break;
		request.len = in.head.len;
		request.may_map = in.head.may_map;
		in.head.fn(&request, &answer);
		for (size_t i = 0; i < WIRE_MAX_FDS; i++)
			if (request.fds[i] >= 0)
				close(request.fds[i]);
		parser_answer(&answer, &is_last);
	}
	_exit(0);
}

/* SIGPROF ends a process that does not ask for anything else. */
void parser_bound_cpu(const struct worker_request *request, unsigned int ms)
{
	const struct itimerval timer = { .it_value = { .tv_sec = ms / 1000,
						       .tv_usec = (long)(ms % 1000) * 1000 } };

	if (request->is_in_parser && setitimer(ITIMER_PROF, &timer, NULL) < 0)
		_exit(1);
}

static bool part_write(int fd, const struct parsed_part *part)
{
	for (size_t done = 0; done < part->len;) {
		ssize_t n = write(fd, (const char *)part->bytes + done, part->len - done);

		if (n <= 0)
			return false;
		done += n;
	}
	return true;
}

void parsed_give_parts(const struct parsed_part *parts, size_t nr, struct worker_answer *answer)
{
	_cleanup_close_ int fd = memfd_create("eddy-parsed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool is_whole = fd >= 0;

	for (size_t i = 0; is_whole && i < nr; i++)
		is_whole = part_write(fd, &parts[i]);
	if (!is_whole || fcntl(fd, F_ADD_SEALS, ALL_SEALS) < 0) {
		answer->status = -ENOMEM;
		return;
	}
	answer->fd = take_fd(&fd);
}

void parsed_give(const void *bytes, size_t len, struct worker_answer *answer)
{
	parsed_give_parts(&(struct parsed_part){ bytes, len }, 1, answer);
}

const char *parsed_map(const struct worker_answer *answer, size_t *ret_len)
{
	struct stat st;
	void *bytes;

	if (answer->fd < 0 || fstat(answer->fd, &st) < 0 || !st.st_size)
		return NULL;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, answer->fd, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	*ret_len = st.st_size;
	return bytes;
}

/* ---- its worker --------------------------------------------------------------------------- */

/* The kernel's word for it: one that dies tells nothing any more, and nobody's lies are told. */
static void cpu_time_look(struct worker_parser *p)
{
	clockid_t clock;

	if (!clock_getcpuclockid(p->pid, &clock))
		p->this_cpu_ns = clock_ns(clock);
}

/* It is not waited for: its namespaces take a moment to end.  Until then its clock is there. */
static void parser_end(struct worker_parser *p)
{
	cpu_time_look(p);
	close(take_fd(&p->socket));
	kill(p->pid, SIGKILL);
	p->cpu_ns += p->this_cpu_ns;
	p->this_cpu_ns = 0;
}

void worker_parser_hurry(struct worker_parser *p, bool is_urgent)
{
	if (is_urgent != p->is_urgent && p->socket >= 0)
		priority_measure_out(p->pid, is_urgent);
	p->is_urgent = is_urgent;
}

static int parser_start(struct worker_parser *p)
{
	int pair[2];

	while (waitpid(-1, NULL, WNOHANG) > 0) /* a worker has no other children */
		;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -EAGAIN;
	p->pid = fork();
	if (!p->pid) {
		signal(SIGXCPU, SIG_DFL);
		if (p->is_urgent) /* it has what its worker has */
			priority_measure_out(0, true);
		parser_main(pair[1]);
	}
	close(pair[1]);
	if (p->pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	p->socket = pair[0];
	return 0;
}

/* A file in memory that nobody can change: nothing that is done with it can be held up. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & ALL_SEALS) == ALL_SEALS;
}

/* Something is to be received, or never will be. */
static bool wait_for_answer(int socket)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + MAX_WAIT_NS, now;
	int r;

	do {
		now = clock_ns(CLOCK_MONOTONIC);
		r = poll(&p, 1, now < until ? (int)((until - now) / 1000000) : 0);
	} while (r < 0 && errno == EINTR);
	return r > 0;
}

/* Takes the answer that comes next, or -EPIPE; -ECHILD: the parser is gone. */
static int answer_receive(struct worker_parser *p, bool *ret_is_last, struct worker_answer *ret)
{
	struct {
		struct parsed_head head;
		char bytes[WORKER_MAX_INLINE];
	} *in = xmalloc(sizeof(*in));
	int fds[WIRE_MAX_FDS];
	ssize_t n = wire_receive(p->socket, in, sizeof(*in), fds, true);
	bool is_fine = n >= (ssize_t)sizeof(in->head) &&
		       n == (ssize_t)sizeof(in->head) + in->head.len && fds[1] < 0 &&
		       (fds[0] < 0 || is_sealed(fds[0]));

	if (is_fine) {
		*ret = (struct worker_answer){ .status = in->head.status, .fd = take_fd(&fds[0]) };
		ret->len = in->head.len;
		ret->bytes = ret->len ? xmemdup0(in->bytes, ret->len) : NULL;
		*ret_is_last = in->head.is_last;
	}
	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(in);
	if (!n || n == -ECONNRESET)
		return -ECHILD;
	return is_fine ? 0 : -EPIPE;
}

/* One that has ended meanwhile, without a job, is replaced. */
static int request_send(struct worker_parser *p, const struct worker_request_head *head,
			const struct worker_request *request)
{
	int r = -EPIPE;

	for (int i = 0; i < 2 && r < 0; i++) {
		r = p->socket < 0 ? parser_start(p) : 0;
		if (r < 0)
			return r;
		r = wire_send(p->socket, head, sizeof(*head), request->bytes, request->len,
			      request->fds, true);
		if (r < 0)
			parser_end(p);
	}
	return r < 0 ? -EPIPE : 0;
}

/* As worker_parse(); -ECHILD: the parser has ended without an answer. */
static int parse_once(struct worker_parser *p, worker_fn parse,
		      const struct worker_request *request, struct worker_answer *ret_answer)
{
	const bool may_map = clock_ns(CLOCK_MONOTONIC) >= p->maps_again_ns;
	const struct worker_request_head head = { .fn = parse,
						  .len = request->len,
						  .may_map = may_map };
	bool is_last = false;
	int r = request_send(p, &head, request);

	if (r < 0)
		return r;
	r = wait_for_answer(p->socket) ? answer_receive(p, &is_last, ret_answer) : -EPIPE;
	if (r < 0 || is_last)
		parser_end(p);
	else
		cpu_time_look(p);
	return r;
}

/*
 * One that dies soon may have been killed for what others did, by the kernel without memory or by
 * an administrator: the bytes get a second one.  What takes long before it dies does not.  A file
 * that is truncated while it is mapped, or whose file system has no answer, is one that a parser
 * dies of, too: the second one reads it.  Owners could have that happen all the time, so there are
 * no mappings for a second.
 */
int worker_parse(struct worker_parser *p, worker_fn parse, const struct worker_request *request,
		 struct worker_answer *ret_answer)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	int r;

	*ret_answer = (struct worker_answer){ .fd = -1 };
	if (!p) {
		parse(request, ret_answer);
		return 0;
	}
	r = parse_once(p, parse, request, ret_answer);
	if (r == -ECHILD)
		p->maps_again_ns = clock_ns(CLOCK_MONOTONIC) + NO_MAPS_NS;
	if (r == -ECHILD && clock_ns(CLOCK_MONOTONIC) - start_ns < MAX_REPEAT_NS)
		r = parse_once(p, parse, request, ret_answer);
	return r == -ECHILD ? -EPIPE : r;
}

void worker_parse_files(const struct worker_request *request, worker_fn parse,
			struct worker_answer *answer)
{
	_cleanup_close_ int fd = regular_file_reopen(request->fds[0]);
	_cleanup_close_ int second =
		request->fds[1] < 0 ? -1 : regular_file_reopen(request->fds[1]);
	struct worker_request inner = *request;
	int r = fd;

	inner.fds[0] = fd;
	inner.fds[1] = second < 0 ? -1 : second;
	if (fd >= 0)
		r = worker_parse(request->parser, parse, &inner, answer);
	if (r < 0)
		answer->status = r;
}

/* ---- the program -------------------------------------------------------------------------- */

struct parse_head {
	worker_fn parse; /* of the bytes behind it */
};

static void parse_job(const struct worker_request *request, struct worker_answer *answer)
{
	struct worker_request inner = *request;
	struct parse_head head;
	int r;

	memcpy(&head, request->bytes, sizeof(head));
	inner.bytes += sizeof(head);
	inner.len -= sizeof(head);
	r = worker_parse(request->parser, head.parse, &inner, answer);
	if (r < 0)
		answer->status = r;
}

int worker_pool_parse(struct worker_pool *p, worker_fn parse, const struct worker_request *request,
		      uint64_t patience_ns, struct worker_answer *ret_answer)
{
	const struct worker_account system = { .owner = OWNER_SYSTEM,
					       .patience_ns = patience_ns,
					       .waits_for_cpu = true };

	return worker_pool_parse_for(p, &system, parse, request, ret_answer);
}

int worker_pool_parse_for(struct worker_pool *p, const struct worker_account *account,
			  worker_fn parse, const struct worker_request *request,
			  struct worker_answer *ret_answer)
{
	const struct parse_head head = { .parse = parse };
	_cleanup_free_ char *bytes = xmalloc(sizeof(head) + request->len);
	const struct worker_job job = { .fn = parse_job,
					.key.owner = account->owner,
					.bytes = bytes,
					.len = sizeof(head) + request->len,
					.fds = request->fds,
					.patience_ns = account->patience_ns,
					.waits_for_cpu = account->waits_for_cpu,
					.is_computing = true };

	memcpy(bytes, &head, sizeof(head));
	if (request->len)
		memcpy(bytes + sizeof(head), request->bytes, request->len);
	return worker_pool_run(p, &job, ret_answer);
}
