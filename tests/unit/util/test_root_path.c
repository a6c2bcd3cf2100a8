// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Below a root that is made up, "root" in a directory that has more: what is outside is not
 * reached, and nothing is opened.  Then the same where a filter refuses openat2(2).
 */
#include "util/root_path.h"

#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/cleanup.h"

static char dir[] = "/tmp/eddy-root-XXXXXX";
static char root[64];

/* The mode of what is opened, or negative errno. */
static int64_t opens(const char *path)
{
	_cleanup_close_ int fd = root_path_open(root, path);
	struct stat st;

	if (fd < 0)
		return fd;
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_mode;
}

static const int64_t inside = S_IFREG | 0640, outside = S_IFREG | 0604;

static void plain(void **state)
{
	assert_int_equal(opens("/a/b/file"), inside);
	assert_int_equal(opens("//a///b/file"), inside);
	assert_int_equal(opens("/a/b"), S_IFDIR | 0755);
	assert_int_equal(opens("/a/b/"), S_IFDIR | 0755);
	assert_int_equal(opens("/a/b/none"), -ENOENT);
	assert_int_equal(opens("/a/none/file"), -ENOENT);
	assert_int_equal(opens("/outside"), -ENOENT);
	assert_true(root_path_open("/none", "/a") == -ENOENT);
}

/* A pipe that nobody writes to holds up whoever opens it, and a link is not followed at its end. */
static void the_last_part_is_not_opened(void **state)
{
	assert_int_equal(opens("/a/fifo") & S_IFMT, S_IFIFO);
	assert_int_equal(opens("/a/to_file") & S_IFMT, S_IFLNK);
	assert_int_equal(opens("/to_outside") & S_IFMT, S_IFLNK);
}

/* Of what is opened with the last link followed, the same. */
static int64_t leads_to(const char *path)
{
	_cleanup_close_ int fd = root_path_follow(root, path);
	struct stat st;

	if (fd < 0)
		return fd;
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_mode;
}

static void the_last_link_stays_inside(void **state)
{
	assert_int_equal(leads_to("/a/b/file"), inside);
	assert_int_equal(leads_to("/a/to_file"), inside);
	assert_int_equal(leads_to("/absolute/to_file"), inside);
	assert_int_equal(leads_to("/to_outside"), -ENOENT);
	assert_int_equal(leads_to("/loop"), -ELOOP);
	assert_true(root_path_follow("/none", "/a") == -ENOENT);
	assert_true(root_path_follow("", "/proc/self/exe") == -ELOOP);
}

static void links_stay_inside(void **state)
{
	char path[128];

	assert_int_equal(opens("/absolute/b/file"), inside);
	assert_int_equal(opens("/a/up/b/file"), inside);
	/* What leads to DIR/outside elsewhere leads to ROOT/DIR/outside or ROOT/outside here. */
	assert_int_equal(opens("/to_dir/outside"), -ENOENT);
	assert_int_equal(opens("/../outside"), -ENOENT);
	assert_int_equal(opens("/a/../../../outside"), -ENOENT);
	assert_int_equal(opens("/a/../a/b/file"), inside);
	assert_int_equal(opens("/loop/file"), -ELOOP);
	/* In our own root the same names exist. */
	snprintf(path, sizeof(path), "%s/to_dir/outside", root);
	{
		_cleanup_close_ int fd = root_path_open("", path);
		struct stat st;

		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode, outside);
	}
}

/* /proc/PID/cwd leads anywhere, whatever root it stands in. */
static void links_of_proc_lead_nowhere(void **state)
{
	assert_int_equal(root_path_open("", "/proc/self/root/tmp"), -ELOOP);
	assert_int_equal(root_path_open("/proc", "/self/cwd/."), -ELOOP);
}

static void no_link_is_followed(void **state)
{
	plain(state);
	the_last_part_is_not_opened(state);
	assert_int_equal(opens("/absolute/b/file"), -ELOOP);
	assert_int_equal(opens("/a/up/b/file"), -ELOOP);
	assert_int_equal(opens("/to_dir/outside"), -ELOOP);
	assert_int_equal(opens("/../outside"), -ELOOP);
	assert_int_equal(opens("/loop/file"), -ELOOP);
	assert_int_equal(leads_to("/a/b/file"), inside);
	assert_int_equal(leads_to("/a/to_file"), -ELOOP);
	links_of_proc_lead_nowhere(state);
}

/* In a process of its own: what is refused stays so. */
static void without_openat2(int err)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

		if (!filter ||
		    seccomp_rule_add(filter, SCMP_ACT_ERRNO(err), SCMP_SYS(openat2), 0) ||
		    seccomp_load(filter))
			_exit(2);
		seccomp_release(filter);
		if (syscall(SYS_openat2, -1, "", NULL, 0) != -1 || errno != err)
			_exit(3);
		no_link_is_followed(NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void where_it_is_refused(void **state)
{
	without_openat2(ENOSYS);
	without_openat2(EPERM);
}

static void make_file(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int setup(void **state)
{
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	snprintf(root, sizeof(root), "%s/root", dir);
	assert_int_equal(mkdir("root", 0755), 0);
	assert_int_equal(mkdir("root/a", 0755), 0);
	assert_int_equal(mkdir("root/a/b", 0755), 0);
	make_file("outside", outside & 0777);
	make_file("root/a/b/file", inside & 0777);
	assert_int_equal(mkfifo("root/a/fifo", 0666), 0);
	assert_int_equal(symlink("b/file", "root/a/to_file"), 0);
	assert_int_equal(symlink("../outside", "root/to_outside"), 0);
	assert_int_equal(symlink("/a", "root/absolute"), 0);
	assert_int_equal(symlink("../a", "root/a/up"), 0);
	assert_int_equal(symlink(dir, "root/to_dir"), 0);
	assert_int_equal(symlink("loop", "root/loop"), 0);
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(the_last_part_is_not_opened),
		cmocka_unit_test(the_last_link_stays_inside),
		cmocka_unit_test(links_stay_inside),
		cmocka_unit_test(links_of_proc_lead_nowhere),
		cmocka_unit_test(where_it_is_refused),
	};

	if (test_is_emulated()) {
		puts("1..1\nok 1 - paths in another root # SKIP the emulator has its own openat2");
		return 0;
	}
	umask(022);
	return cmocka_run_group_tests_name("root_path", tests, setup, teardown);
}
