// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workers that answer, that do not, that come back, that die and that lie; files by way of them.
 * No test looks at how long something took but for a bound far beyond it.
 */
#include "util/worker_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/clock.h"
#include "util/far_file.h"
#include "util/mem.h"
#include "util/sched_time.h"
#include "util/worker_process.h"
#include "util/worker_wire.h"

#define SECOND_NS 1000000000ull

/* ---- jobs --------------------------------------------------------------------------------- */

static void echo(const struct worker_request *request, struct worker_answer *answer)
{
	answer->status = getpid();
	answer->bytes = xmemdup0(request->bytes, request->len);
	answer->len = request->len;
	if (request->fds[0] >= 0)
		answer->fd = dup(request->fds[0]);
}

/* As many bytes as the request says. */
static void much(const struct worker_request *request, struct worker_answer *answer)
{
	size_t len;

	memcpy(&len, request->bytes, sizeof(len));
	answer->bytes = xmalloc(len);
	memset(answer->bytes, 'm', len);
	answer->len = len;
}

/* Until the other end of the pipe is closed, whatever signal comes but SIGKILL. */
static void stall(const struct worker_request *request, struct worker_answer *answer)
{
	char byte;

	while (read(request->fds[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static void die(const struct worker_request *request, struct worker_answer *answer)
{
	raise(SIGKILL);
}

static void burn(const struct worker_request *request, struct worker_answer *answer)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 20000000)
		;
}

/* Of CPU 0, which others want too: so many milliseconds, as the request says. */
static void burn_beside(const struct worker_request *request, struct worker_answer *answer)
{
	uint64_t from = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	cpu_set_t one;
	uint32_t ms;

	memcpy(&ms, request->bytes, sizeof(ms));
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from < ms * 1000000ull)
		;
}

/* Sends what the test wants, by the worker's socket, which is the only one it has. */
static void lie(const struct worker_request *request, struct worker_answer *answer)
{
	struct stat st;

	for (int fd = 3; fd < 64; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			send(fd, request->bytes, request->len, MSG_NOSIGNAL);
	pause();
}

static int run(struct worker_pool *p, worker_fn fn, uint64_t group, uint64_t member, int fd)
{
	struct worker_answer a = { .fd = -1 };
	const struct worker_job job = { .fn = fn,
					.key = { .group = group, .member = member },
					.bytes = "x",
					.len = 1,
					.fds = (int[2]){ fd, -1 },
					.patience_ns = fn == stall ? 20000000 : 0 };
	int r = worker_pool_run(p, &job, &a);

	if (!r)
		worker_answer_deinit(&a);
	return r;
}

static struct worker_pool_stats stats(struct worker_pool *p)
{
	struct worker_pool_stats s;

	worker_pool_get_stats(p, &s);
	return s;
}

static struct worker_pool *begin(void)
{
	struct worker_pool *p = NULL;

	assert_int_equal(worker_pool_new(&p), 0);
	worker_pool_set_patience(p, 60 * SECOND_NS);
	return p;
}

/* ---- tests -------------------------------------------------------------------------------- */

static void a_job_is_done_elsewhere(void **state)
{
	struct worker_pool *pools[] = { begin(), NULL };
	int mem = memfd_create("mem", MFD_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
		struct worker_answer a;
		const struct worker_job job = {
			.fn = echo, .bytes = "hello", .len = 5, .fds = (int[2]){ mem, -1 }
		};
		struct stat st[2];

		assert_int_equal(worker_pool_run(pools[i], &job, &a), 0);
		assert_true((a.status != getpid()) == (i == 0));
		assert_int_equal(a.len, 5);
		assert_memory_equal(a.bytes, "hello", 5);
		assert_true(!fstat(mem, &st[0]) && !fstat(a.fd, &st[1]));
		assert_int_equal(st[0].st_ino, st[1].st_ino);
		worker_answer_deinit(&a);
		assert_int_equal(a.fd, -1);
	}
	assert_int_equal(run(pools[0], echo, 1, 1, -1), 0);
	assert_int_equal(stats(pools[0]).nr_workers, 1);
	worker_pool_free(pools[0]);
	worker_pool_free(NULL);
	close(mem);
}

static void answers_of_any_length(void **state)
{
	static const size_t lens[] = { 0,	1,	 WORKER_MAX_INLINE, WORKER_MAX_INLINE + 1,
				       1 << 20, 16 << 20 };
	struct worker_pool *p = begin();

	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		struct worker_answer a;
		const struct worker_job job = { .fn = much,
						.bytes = &lens[i],
						.len = sizeof(lens[i]) };

		assert_int_equal(worker_pool_run(p, &job, &a), 0);
		assert_int_equal(a.len, lens[i]);
		for (size_t k = 0; k < a.len; k += 4096)
			assert_int_equal(a.bytes[k], 'm');
		worker_answer_deinit(&a);
	}
	worker_pool_free(p);
}

#define NR_SPINNERS 5

static bool spinning; /* atomic */

static void *spin(void *nothing)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	while (__atomic_load_n(&spinning, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

static int run_job(struct worker_pool *p, struct worker_job job, uint32_t ms)
{
	struct worker_answer a = { .fd = -1 };
	int r;

	job.fn = burn_beside;
	job.bytes = &ms;
	job.len = sizeof(ms);
	r = worker_pool_run(p, &job, &a);

	if (!r)
		worker_answer_deinit(&a);
	return r;
}

static int run_beside(struct worker_pool *p, uint32_t ms)
{
	return run_job(p, (struct worker_job){ 0 }, ms);
}

/* A job that nothing can delay waits for a CPU only when it is asked to. */
static int compute_beside(struct worker_pool *p, uint32_t ms, bool waits_for_cpu)
{
	return run_job(p,
		       (struct worker_job){ .patience_ns = 200000000,
					    .is_computing = true,
					    .waits_for_cpu = waits_for_cpu },
		       ms);
}

/* Others compute on it already, more than the bound of ten times the patience has room for. */
static bool is_overloaded(void)
{
	double load;

	return getloadavg(&load, 1) == 1 && load > 3.0 * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* What waits for a CPU is not stuck; what uses one for too long counts as stuck. */
static void a_busy_machine_is_not_a_stall(void **state)
{
	pthread_t spinners[NR_SPINNERS];
	struct worker_pool *p = begin();
	struct sched_time time;

	if (!sched_time_read(getpid(), &time) || is_overloaded())
		skip(); /* the kernel does not tell who waits */
	assert_int_equal(run(p, echo, 0, 0, -1), 0);
	worker_pool_set_patience(p, 200000000);
	__atomic_store_n(&spinning, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < NR_SPINNERS; i++)
		assert_int_equal(pthread_create(&spinners[i], NULL, spin, NULL), 0);
	assert_int_equal(run_beside(p, 100), 0);
	assert_int_equal(stats(p).nr_stalled, 0);
	assert_int_equal(compute_beside(p, 100, true), 0);
	assert_int_equal(stats(p).nr_stalled, 0);
	assert_int_equal(compute_beside(p, 100, false), -ETIMEDOUT);
	assert_int_equal(run_beside(p, 100000), -ETIMEDOUT);
	__atomic_store_n(&spinning, false, __ATOMIC_RELEASE);
	for (size_t i = 0; i < NR_SPINNERS; i++)
		pthread_join(spinners[i], NULL);
	assert_int_equal(run_beside(p, 100000), -ETIMEDOUT);
	assert_int_equal(stats(p).nr_stalled, 2);
	worker_pool_free(p);
}

static void a_stuck_worker_is_replaced(void **state)
{
	struct worker_pool *p = begin();
	int gate[2];

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	assert_int_equal(run(p, stall, 7, 1, gate[0]), -ETIMEDOUT);
	assert_int_equal(run(p, echo, 7, 1, -1), -EBUSY); /* the same key */
	assert_int_equal(run(p, echo, 7, 2, -1), 0);	  /* another file of the device */
	assert_int_equal(run(p, echo, 8, 1, -1), 0);
	assert_int_equal(run(p, echo, 0, 0, -1), 0);
	assert_int_equal(stats(p).nr_stalled, 1);
	assert_int_equal(stats(p).nr_refused, 1);
	assert_int_equal(stats(p).nr_stuck, 1);
	assert_int_equal(stats(p).nr_workers, 2);
	close(gate[1]); /* now it answers: too late, but its key is served again */
	for (int i = 0; stats(p).nr_stuck && i < 10000; i++)
		usleep(1000);
	assert_int_equal(stats(p).nr_stuck, 0);
	assert_int_equal(run(p, echo, 7, 1, -1), 0);
	assert_int_equal(stats(p).nr_workers, 2);
	assert_int_equal(stats(p).nr_died, 0);
	close(gate[0]);
	worker_pool_free(p);
}

static void a_device_is_refused_after_some_files(void **state)
{
	struct worker_pool *p = begin();
	unsigned int nr = 0;
	int gate[2];

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	while (nr < 32 && run(p, stall, 7, nr, gate[0]) == -ETIMEDOUT)
		nr++;
	assert_true(nr >= 2 && nr <= 8);
	assert_int_equal(run(p, echo, 7, 1000, -1), -EBUSY);
	assert_int_equal(run(p, echo, 8, 1000, -1), 0);
	close(gate[0]);
	close(gate[1]);
	worker_pool_free(p);
}

static int run_of(struct worker_pool *p, worker_fn fn, uint64_t group, owner_id owner, int fd)
{
	struct worker_answer a = { .fd = -1 };
	const struct worker_job job = { .fn = fn,
					.key = { .group = group, .owner = owner },
					.bytes = "x",
					.len = 1,
					.fds = (int[2]){ fd, -1 },
					.patience_ns = fn == stall ? 10000000 : 0 };
	int r = worker_pool_run(p, &job, &a);

	if (!r)
		worker_answer_deinit(&a);
	return r;
}

/* Whoever has many file systems that stall does not take all workers. */
static void a_user_is_refused_and_others_are_not(void **state)
{
	struct worker_pool *p = begin();
	unsigned int nr = 0;
	int gate[2];

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	while (nr < 100 && run_of(p, stall, 1 + nr, 4242, gate[0]) == -ETIMEDOUT)
		nr++;
	assert_true(nr > 4 && nr < 20);
	assert_int_equal(run_of(p, echo, 5000, 4242, -1), -EBUSY);
	assert_int_equal(run_of(p, echo, 5001, 4243, -1), 0);
	assert_int_equal(run_of(p, echo, 5002, OWNER_SYSTEM, -1), 0);
	assert_int_equal(owner_of_process(getpid()), owner_of_uid(getuid()));
	assert_int_equal(owner_of_process(0x7ffffff0), OWNER_UNKNOWN);
	close(gate[0]);
	close(gate[1]);
	worker_pool_free(p);
}

static void rest(const struct worker_request *request, struct worker_answer *answer)
{
	usleep(100000);
}

/* Who asks with less patience than the pool has does not take it from others. */
static void short_patience_is_the_askers_own(void **state)
{
	struct worker_pool *p = begin();
	struct worker_answer a = { .fd = -1 };
	int gate[2];

	worker_pool_set_patience(p, SECOND_NS);
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	for (unsigned int i = 0; i < 6; i++) {
		const struct worker_job job = { .fn = stall,
						.key = { .group = 1 + i, .patience_ns = 10000000 },
						.bytes = "x",
						.len = 1,
						.fds = (int[2]){ gate[0], -1 } };

		assert_int_equal(worker_pool_run(p, &job, &a), -ETIMEDOUT);
	}
	assert_int_equal(stats(p).nr_stalled, 6);
	assert_int_equal(run(p, rest, 100, 1, -1), 0);
	close(gate[0]);
	close(gate[1]);
	worker_pool_free(p);
}

/* However many are stuck, there is an end of them, and the end of the pool waits for none. */
static void many_are_stuck(void **state)
{
	struct worker_pool *p = begin();
	unsigned int nr = 0;
	int gate[2];

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	while (nr < 1000 && run(p, stall, 1 + nr, 0, gate[0]) == -ETIMEDOUT)
		nr++;
	assert_true(nr > 8 && nr < 100);
	assert_int_equal(run(p, echo, 5000, 0, -1), -EBUSY);
	assert_true(stats(p).nr_workers < 100);
	worker_pool_free(p); /* or this never ends: the gate is shut */
	/* They are gone: nobody else has the pipe's end that they held. */
	close(gate[0]);
	for (int i = 0; i < 10000 && write(gate[1], "x", 1) >= 0; i++)
		usleep(1000);
	assert_true(write(gate[1], "x", 1) < 0 && errno == EPIPE);
	close(gate[1]);
}

static void a_worker_dies(void **state)
{
	struct worker_pool *p = begin();

	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(p, die, 7, 1, -1), -EPIPE);
		assert_int_equal(run(p, echo, 7, 1, -1), 0);
	}
	assert_int_equal(stats(p).nr_died, 3);
	assert_int_equal(stats(p).nr_stuck, 0);
	worker_pool_free(p);
}

static void a_worker_lies(void **state)
{
	const struct worker_answer_head heads[] = {
		{ .len = 1, .is_inline = 1 }, /* there is none */
		{ .len = UINT64_MAX, .is_inline = 1 },
		{ .len = 4096, .is_inline = 0 }, /* no file */
		{ .len = UINT64_MAX, .is_inline = 0 },
	};
	struct worker_pool *p = begin();
	size_t nr = ARRAY_SIZE(heads);

	for (size_t i = 0; i < 2 * nr; i++) {
		struct worker_answer a;
		/* Whole, and cut off. */
		const struct worker_job job = { .fn = lie,
						.bytes = &heads[i % nr],
						.len = i < nr ? sizeof(heads[0]) : 1 + i };

		assert_int_equal(worker_pool_run(p, &job, &a), -EPIPE);
		assert_int_equal(run(p, echo, 7, 1, -1), 0);
	}
	assert_int_equal(stats(p).nr_died, 2 * nr);
	worker_pool_free(p);
}

static void what_a_status_says(void **state)
{
	static const struct {
		int64_t status;
		int error;
	} cases[] = {
		{ 0, 0 },	  { 7, 0 },	     { INT64_MAX, 0 },	   { -EACCES, -EACCES },
		{ -4095, -4095 }, { -4096, -EPIPE }, { INT64_MIN, -EPIPE }
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
			worker_answer_error(&(struct worker_answer){ .status = cases[i].status }),
			cases[i].error);
}

static void cpu_time_is_told(void **state)
{
	struct worker_pool *p = begin();
	uint64_t before;

	assert_int_equal(run(p, echo, 7, 1, -1), 0);
	before = stats(p).cpu_ns;
	/* All that it took, in time or not. */
	run(p, burn, 7, 1, -1);
	for (int i = 0; stats(p).nr_stuck && i < 10000; i++)
		usleep(1000);
	assert_true(stats(p).cpu_ns >= before && stats(p).cpu_ns >= 20000000);
	worker_pool_free(p);
}

static void *run_many(void *arg)
{
	for (int i = 0; i < 200; i++)
		assert_int_equal(run(arg, echo, 7, 1, -1), 0);
	return NULL;
}

static void several_threads(void **state)
{
	struct worker_pool *p = begin();
	pthread_t threads[4];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_many, p), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(stats(p).nr_workers <= ARRAY_SIZE(threads));
	worker_pool_free(p);
}

/* Who waits for the end of a pipe of ours does not wait for workers. */
static void workers_hold_nothing(void **state)
{
	int ours[2], gate[2];
	struct worker_pool *p;
	char byte;

	assert_int_equal(pipe2(ours, 0), 0);
	p = begin();
	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	assert_int_equal(run(p, stall, 7, 1, gate[0]), -ETIMEDOUT);
	close(ours[1]);
	assert_int_equal(read(ours[0], &byte, 1), 0);
	close(ours[0]);
	close(gate[0]);
	close(gate[1]);
	worker_pool_free(p);
}

static void files(void **state)
{
	struct worker_pool *pools[] = { begin(), NULL };
	char name[] = "/tmp/eddy-far-XXXXXX", buf[32], maps[32];
	int file = mkstemp(name);
	struct far_maps read = { 0 };

	assert_int_equal(write(file, "0123456789", 10), 10);
	snprintf(maps, sizeof(maps), "/proc/%d/maps", getpid());
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
		const struct worker_key key = far_inode(1, 1, OWNER_SYSTEM);
		const struct worker_key own = far_process(getpid());
		struct far_stat st, other;
		int fd = far_open(pools[i], &key, name, &st);

		assert_true(fd >= 0 && fcntl(fd, F_GETFL) & O_PATH);
		assert_true(st.is_regular && st.bytes == 10 && st.uid == getuid());
		assert_int_equal(far_stat(pools[i], &key, fd, &other), 0);
		assert_memory_equal(&st, &other, sizeof(st));
		assert_int_equal(far_stat_path(pools[i], &key, name, &other), 0);
		assert_memory_equal(&st, &other, sizeof(st));
		assert_int_equal(far_read(pools[i], &key, fd, buf, 4, 3), 4);
		assert_memory_equal(buf, "3456", 4);
		assert_int_equal(far_read(pools[i], &key, fd, buf, sizeof(buf), 8), 2);
		assert_int_equal(far_read(pools[i], &key, fd, buf, sizeof(buf), 100), 0);
		close(fd);
		assert_int_equal(far_open(pools[i], &key, "/dev/null", &st), -EINVAL);
		assert_int_equal(far_open(pools[i], &key, "/nonexistent", &st), -ENOENT);
		assert_int_equal(far_stat_path(pools[i], &key, "/nonexistent", &st), -ENOENT);
		assert_true(far_maps(pools[i], &own, maps, &read) > 5);
		assert_true(read.len && read.text[read.len - 1] == '\n');
		assert_non_null(memmem(read.text, read.len, "r-xp", 4));
		assert_null(memmem(read.text, read.len, "rw-p", 4));
		free(read.text);
		assert_int_equal(far_maps(pools[i], &own, "/proc/self/none", &read), -ENOENT);
	}
	worker_pool_free(pools[0]);
	close(file);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_done_elsewhere),
		cmocka_unit_test(answers_of_any_length),
		cmocka_unit_test(a_busy_machine_is_not_a_stall),
		cmocka_unit_test(a_stuck_worker_is_replaced),
		cmocka_unit_test(a_device_is_refused_after_some_files),
		cmocka_unit_test(a_user_is_refused_and_others_are_not),
		cmocka_unit_test(short_patience_is_the_askers_own),
		cmocka_unit_test(many_are_stuck),
		cmocka_unit_test(a_worker_dies),
		cmocka_unit_test(a_worker_lies),
		cmocka_unit_test(what_a_status_says),
		cmocka_unit_test(cpu_time_is_told),
		cmocka_unit_test(several_threads),
		cmocka_unit_test(workers_hold_nothing),
		cmocka_unit_test(files),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("worker_pool", tests, NULL, NULL);
}
