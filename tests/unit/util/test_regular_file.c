// SPDX-License-Identifier: GPL-2.0-or-later
/* A regular file is opened; a FIFO and a terminal are not, which both can tell. */
#include "util/regular_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/cleanup.h"

static char dir[] = "/tmp/eddy-regular-XXXXXX";

static void expect_read(const char *path)
{
	_cleanup_close_ int fd = regular_file_open(path);
	char text[8];

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_memory_equal(text, "hello", 5);
}

static void files(void **state)
{
	expect_read("file");
	expect_read("link");
	assert_int_equal(regular_file_open("none"), -ENOENT);
	assert_int_equal(regular_file_open("dangling"), -ENOENT);
	assert_int_equal(regular_file_open("."), -EINVAL);
	assert_int_equal(regular_file_open("/dev/null"), -EINVAL);
}

/* Whoever opened it to write would wait no longer, and gets ENXIO while nobody has it open. */
static void a_fifo_is_not_opened(void **state)
{
	_cleanup_close_ int fd = open("fifo", O_PATH | O_CLOEXEC);

	assert_int_equal(regular_file_open("fifo"), -EINVAL);
	assert_int_equal(regular_file_reopen(fd), -EINVAL);
	assert_int_equal(open("fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
	assert_int_equal(errno, ENXIO);
}

/* The master hangs up once its terminal was opened and closed. */
static void a_terminal_is_not_opened(void **state)
{
	_cleanup_close_ int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct pollfd p = { .fd = fd };

	if (fd < 0)
		skip();
	assert_int_equal(grantpt(fd), 0);
	assert_int_equal(unlockpt(fd), 0);
	assert_int_equal(symlink(ptsname(fd), "terminal"), 0);
	assert_int_equal(regular_file_open("terminal"), -EINVAL);
	assert_int_equal(poll(&p, 1, 0), 0);
	close(open("terminal", O_RDWR | O_NOCTTY | O_CLOEXEC));
	assert_int_equal(poll(&p, 1, 0), 1);
	assert_true(p.revents & POLLHUP);
}

static int read_without_proc(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    umount2("/proc", MNT_DETACH) || !access("/proc/self", F_OK))
		return 77;
	expect_read("file");
	assert_int_equal(regular_file_open("fifo"), -EINVAL);
	return 0;
}

static void without_proc(void **state)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(read_without_proc());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int setup(void **state)
{
	_cleanup_close_ int fd = -1;

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	fd = open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "hello", 5) != 5)
		return -1;
	return symlink("file", "link") || symlink("none", "dangling") || mkfifo("fifo", 0600);
}

static int teardown(void **state)
{
	static const char *const names[] = { "file", "link", "dangling", "fifo", "terminal" };

	for (size_t i = 0; i < 5; i++)
		unlink(names[i]);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(a_fifo_is_not_opened),
		cmocka_unit_test(a_terminal_is_not_opened),
		cmocka_unit_test(without_proc),
	};

	return cmocka_run_group_tests_name("regular_file", tests, setup, teardown);
}
