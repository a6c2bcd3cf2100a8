// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsers that answer, die, lie, use too much, and what their workers make of it. */
#include "util/worker_parser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/worker_pool.h"
#include "util/worker_wire.h"

#define MINUTE_NS 60000000000ull
#define BURNT_NS  60000000ull

/* ---- what is parsed: the first byte of a file says what is to happen ------------------------ */

static int sealed_file(const char *text, unsigned seals)
{
	int fd = memfd_create("answer", MFD_ALLOW_SEALING);

	if (write(fd, text, strlen(text)) < 0 || fcntl(fd, F_ADD_SEALS, seals) < 0)
		return -1;
	return fd;
}

static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	char what = 0;
	if (read(request->fds[0], &what, 1) != 1)
		return;
	answer->status = getpid();
	answer->bytes = xmemdup0(request->bytes, request->len);
	answer->len = request->len;
	switch (what) {
	case 'c': /* computes, and dies */
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < BURNT_NS)
			;
		raise(SIGKILL);
		break;
	case 'd':
		raise(SIGKILL);
		break;
	case 'o':
		answer->status = open("/etc/passwd", O_RDONLY) < 0 ? -errno : 0;
		break;
	case 'f':
		answer->fd = sealed_file("parsed", F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
		break;
	case 'u': /* can still be changed */
		answer->fd = sealed_file("parsed", F_SEAL_SHRINK | F_SEAL_GROW);
		break;
	case 'b': /* the file itself: no file in memory, in the test a pipe */
		answer->fd = dup(request->fds[0]);
		break;
	case 'l': /* nonsense, before the answer */
		for (int fd = 0; fd < 8; fd++)
			wire_send(fd, "nonsense", 8, NULL, 0, NULL, false);
		break;
	case 'm':
		memset(xmalloc(2 * PARSER_DATA_BYTES), 1, 2 * PARSER_DATA_BYTES);
	}
}

/*
 * Whoever waits for an answer; its bytes must be those of the request.  A second parser does the
 * same, but for 'k', of which only the first one dies.
 */
static int64_t ask(struct worker_pool *pool, char what, int *ret_fd)
{
	const char twice[2] = { what == 'k' ? 'd' : what, what == 'k' ? '-' : what };
	struct worker_answer a;
	int64_t status;
	int pipe_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	assert_int_equal(write(pipe_fds[1], twice, 2), 2);
	const struct worker_request request = { .bytes = "bytes",
						.len = 5,
						.fds = { pipe_fds[0], -1 } };

	assert_int_equal(worker_pool_parse(pool, parse, &request, MINUTE_NS, &a), 0);
	status = a.status;
	if (status >= 0 || status == -EACCES)
		assert_true(a.len == 5 && !memcmp(a.bytes, "bytes", 5));
	if (ret_fd)
		*ret_fd = take_fd(&a.fd);
	worker_answer_deinit(&a);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return status;
}

static struct worker_pool *begin(void)
{
	struct worker_pool *p = NULL;

	assert_int_equal(worker_pool_new(&p), 0);
	return p;
}

/* ---- tests -------------------------------------------------------------------------------- */

static void parsing_is_done_elsewhere(void **state)
{
	struct worker_pool *p = begin();
	int64_t pid = ask(p, '-', NULL);
	char bytes[8];
	int fd;

	assert_true(pid > 0 && pid != getpid());
	assert_int_equal(ask(p, '-', NULL), pid); /* the same again */
	assert_int_equal(ask(p, 'o', NULL), -EACCES);
	assert_int_equal(ask(p, 'f', &fd), pid);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 6);
	assert_memory_equal(bytes, "parsed", 6);
	close(fd);
	assert_int_equal(ask(NULL, '-', NULL), getpid());
	worker_pool_free(p);
}

/* A parser that dies takes nothing with it; one that lies is not believed; the next one works. */
static void a_parser_is_replaced(void **state)
{
	static const char bad[] = "dlubm";
	struct worker_pool *p = begin();
	struct worker_pool_stats stats;

	for (size_t i = 0; bad[i]; i++) {
		int64_t pid = ask(p, '-', NULL);

		if (ask(p, bad[i], NULL) != -EPIPE)
			fail_msg("%c", bad[i]);
		assert_true(ask(p, '-', NULL) > 0);
		assert_true(ask(p, '-', NULL) != pid);
	}
	worker_pool_get_stats(p, &stats);
	assert_int_equal(stats.nr_died, 0); /* workers */
	assert_int_equal(stats.nr_workers, 1);
	worker_pool_free(p);
}

/* Who is killed for what others did is asked for once more: by the kernel without memory. */
static void a_killed_parser_is_made_good(void **state)
{
	struct worker_pool *p = begin();
	int64_t pid = ask(p, '-', NULL), next = ask(p, 'k', NULL);

	assert_true(next > 0 && next != pid);
	assert_int_equal(ask(p, '-', NULL), next);
	worker_pool_free(p);
}

/* Its processes end with it: nobody holds the pipe that they were given. */
static void parsers_end_with_the_pool(void **state)
{
	struct worker_pool *p = begin();
	int64_t pid = ask(p, '-', NULL);

	worker_pool_free(p);
	for (int i = 0; i < 1000 && !kill((pid_t)pid, 0); i++)
		usleep(10000);
	assert_int_equal(kill((pid_t)pid, 0), -1);
}

static void their_time_is_counted(void **state)
{
	struct worker_pool *p = begin();
	struct worker_pool_stats before, after;

	ask(p, '-', NULL);
	worker_pool_get_stats(p, &before);
	assert_int_equal(ask(p, 'm', NULL), -EPIPE);
	ask(p, '-', NULL);
	worker_pool_get_stats(p, &after);
	assert_true(after.cpu_ns > before.cpu_ns);
	worker_pool_free(p);
}

/* Of those that never answer, too: with the job that they were asked for, and nobody else's. */
static void time_of_the_dead_is_counted(void **state)
{
	struct worker_pool *p = begin();
	struct worker_pool_stats before, after, last;

	ask(p, '-', NULL);
	worker_pool_get_stats(p, &before);
	assert_int_equal(ask(p, 'c', NULL), -EPIPE);
	worker_pool_get_stats(p, &after);
	ask(p, '-', NULL);
	worker_pool_get_stats(p, &last);
	assert_true(after.cpu_ns - before.cpu_ns >= 2 * BURNT_NS); /* two have died of it */
	assert_true(after.cpu_ns - before.cpu_ns < 4 * BURNT_NS);
	assert_true(last.cpu_ns - after.cpu_ns < BURNT_NS);
	worker_pool_free(p);
}

static void files_parse(const struct worker_request *request, struct worker_answer *answer)
{
	char bytes[2] = "..";

	for (size_t i = 0; i < 2; i++)
		if (request->fds[i] >= 0 && pread(request->fds[i], &bytes[i], 1, 0) != 1)
			bytes[i] = '!';
	answer->status = request->fds[1] >= 0;
	answer->bytes = xmemdup0(bytes, answer->len = 2);
}

static void files_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, files_parse, answer);
}

/* What comes as places is opened for the parser, if it is a regular file. */
static void files_are_opened(void **state)
{
	struct worker_pool *p = begin();
	FILE *file[2] = { tmpfile(), tmpfile() };
	char path[2][32];
	int place[2], dir = open("/", O_PATH | O_CLOEXEC);

	for (int i = 0; i < 2; i++) {
		fputc('a' + i, file[i]);
		fflush(file[i]);
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", fileno(file[i]));
		place[i] = open(path[i], O_PATH | O_CLOEXEC);
		assert_true(place[i] >= 0);
	}
	const struct {
		int fds[2];
		int64_t status;
		const char *bytes;
	} cases[] = {
		{ { place[0], -1 }, 0, "a." },	     { { place[0], place[1] }, 1, "ab" },
		{ { place[1], place[1] }, 1, "bb" }, { { place[0], dir }, 0, "a." },
		{ { dir, place[1] }, -EINVAL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct worker_job job = { .fn = files_job, .fds = cases[i].fds };
		_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };

		assert_int_equal(worker_pool_run(p, &job, &a), 0);
		assert_int_equal(a.status, cases[i].status);
		assert_int_equal(a.len, strlen(cases[i].bytes));
		if (a.len)
			assert_memory_equal(a.bytes, cases[i].bytes, a.len);
	}
	for (int i = 0; i < 2; i++) {
		close(place[i]);
		fclose(file[i]);
	}
	close(dir);
	worker_pool_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_is_done_elsewhere),
		cmocka_unit_test(a_parser_is_replaced),
		cmocka_unit_test(a_killed_parser_is_made_good),
		cmocka_unit_test(parsers_end_with_the_pool),
		cmocka_unit_test(their_time_is_counted),
		cmocka_unit_test(time_of_the_dead_is_counted),
		cmocka_unit_test(files_are_opened),
	};

	if (test_is_emulated())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
