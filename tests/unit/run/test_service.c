// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages to a service manager that listens here, signs of life, and what happens without one. */
#include "unit/unit.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "run/service.h"

/* A listener at a path or an abstract name, as a service manager has one. */
static int listen_at(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	memcpy(at.sun_path, name, strlen(name));
	if (name[0] == '@')
		at.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&at,
			      offsetof(struct sockaddr_un, sun_path) + strlen(name)),
			 0);
	return fd;
}

static void expect_message(int fd, const char *want)
{
	char got[128] = "";

	assert_int_equal(recv(fd, got, sizeof(got) - 1, 0), (ssize_t)strlen(want));
	assert_string_equal(got, want);
}

static void expect_silence(int fd)
{
	char byte;

	assert_int_equal(recv(fd, &byte, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void try_name(const char *name)
{
	struct service s;
	int fd = listen_at(name);

	setenv("NOTIFY_SOCKET", name, 1);
	unsetenv("WATCHDOG_USEC");
	service_init(&s);
	service_notify(&s, "READY=1\nSTATUS=x");
	expect_message(fd, "READY=1\nSTATUS=x");
	service_alive(&s);
	expect_silence(fd);
	service_deinit(&s);
	close(fd);
}

static void test_names(void **state)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/eddy-notify.%d", getpid());
	try_name(name);
	unlink(name);
	snprintf(name, sizeof(name), "@eddy-notify-%d", getpid());
	try_name(name);
}

static void test_watchdog(void **state)
{
	char name[64], pid[16];
	struct service s;
	int fd;

	snprintf(name, sizeof(name), "@eddy-watchdog-%d", getpid());
	snprintf(pid, sizeof(pid), "%d", getpid());
	fd = listen_at(name);
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", "3600000000", 1);
	setenv("WATCHDOG_PID", pid, 1);
	service_init(&s);
	service_alive(&s);
	expect_message(fd, "WATCHDOG=1");
	service_alive(&s); /* half an hour too early */
	expect_silence(fd);
	s.alive_at_ns = 0;
	service_alive(&s);
	expect_message(fd, "WATCHDOG=1");
	service_deinit(&s);

	setenv("WATCHDOG_PID", "1", 1);
	service_init(&s);
	service_alive(&s);
	expect_silence(fd);
	service_deinit(&s);
	close(fd);
	unsetenv("WATCHDOG_PID");
}

/* No manager, or none that can be reached: nothing happens, and nothing waits. */
static void test_nobody(void **state)
{
	static const char *const names[] = { "",     "@", "/", "relative", "/nonexistent/socket",
					     "/tmp", NULL };
	char long_name[300];
	struct service s;

	memset(long_name, 'x', sizeof(long_name));
	long_name[0] = '/';
	long_name[sizeof(long_name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", long_name, 1);
	for (size_t i = 0;; i++) {
		service_init(&s);
		assert_int_equal(s.fd, -1);
		service_notify(&s, "READY=1");
		service_alive(&s);
		service_deinit(&s);
		if (!names[i])
			break;
		setenv("NOTIFY_SOCKET", names[i], 1);
	}
	unsetenv("NOTIFY_SOCKET");
	service_init(&s);
	assert_int_equal(s.fd, -1);
	service_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests_name("service", tests, NULL, NULL);
}
