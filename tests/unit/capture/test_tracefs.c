// SPDX-License-Identifier: GPL-2.0-or-later
/* Ids of tracepoints where tracefs is not mounted: a directory stands for the mount of our own. */
#include "capture/tracefs.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"

static char dir[] = "/tmp/eddy-test-XXXXXX";
static bool mount_fails;

int open(const char *path, int flags, ...)
{
	if (strncmp(path, "/sys/kernel/", 12) != 0)
		return openat(AT_FDCWD, path, flags);
	errno = ENOENT;
	return -1;
}

int fsopen(const char *name, unsigned int flags)
{
	assert_string_equal(name, "tracefs");
	return memfd_create("context", MFD_CLOEXEC);
}

int fsconfig(int fd, unsigned int command, const char *key, const void *value, int aux)
{
	return 0;
}

int fsmount(int fd, unsigned int flags, unsigned int attributes)
{
	if (!mount_fails)
		return openat(AT_FDCWD, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	errno = EPERM;
	return -1;
}

static int setup(void **state)
{
	static const char *const dirs[] = { "events", "events/sched", "events/sched/sched_switch" };
	char path[128];
	FILE *to;

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	strcat(path, "/id");
	to = fopen(path, "w");
	assert_non_null(to);
	fputs("314\n", to);
	fclose(to);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static int nr_open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_not_mounted(void **state)
{
	int fds = nr_open_fds();
	struct diag diag;
	uint64_t id = 0;

	assert_int_equal(tracefs_event_id("sched:sched_switch", &id, &diag), 0);
	assert_int_equal(id, 314);
	assert_int_equal(tracefs_event_id("sched:none", &id, &diag), -ENOENT);
	assert_int_equal(tracefs_event_id("sched", &id, &diag), -EINVAL);
	assert_int_equal(tracefs_event_id("../sched:sched_switch", &id, &diag), -EINVAL);
	mount_fails = true;
	assert_int_equal(tracefs_event_id("sched:sched_switch", &id, &diag), -EPERM);
	assert_int_equal(id, 314);
	assert_int_equal(nr_open_fds(), fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_mounted),
	};

	return cmocka_run_group_tests_name("tracefs", tests, setup, teardown);
}
