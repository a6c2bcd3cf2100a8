// SPDX-License-Identifier: GPL-2.0-or-later
/* Which events a machine has whose CPUs 0 and 1 are off: the calls that tell are made here. */
#include "capture/event.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "unit/unit.h"

static bool has_cycles;

int open(const char *path, int flags, ...)
{
	static const char online[] = "2-3\n";
	int fd;

	if (strcmp(path, "/sys/devices/system/cpu/online") != 0)
		return openat(AT_FDCWD, path, flags);
	fd = memfd_create("online", MFD_CLOEXEC);
	assert_int_equal(pwrite(fd, online, sizeof(online) - 1, 0), sizeof(online) - 1);
	return fd;
}

long syscall(long nr, ...)
{
	const struct perf_event_attr *attr;
	unsigned int cpu;
	va_list ap;

	assert_int_equal(nr, SYS_perf_event_open);
	va_start(ap, nr);
	attr = va_arg(ap, const struct perf_event_attr *);
	va_arg(ap, int);
	cpu = va_arg(ap, unsigned int);
	va_end(ap);
	errno = cpu < 2 ? ENODEV : ENOENT;
	if (cpu < 2 || (attr->type == PERF_TYPE_HARDWARE && !has_cycles))
		return -1;
	return openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
}

static void test_first_cpu_is_off(void **state)
{
	struct capture_event event;
	struct diag diag = { "" };

	assert_int_equal(cpus_any_online(), 2);
	has_cycles = true;
	assert_int_equal(capture_event_parse("cycles", &event, &diag), 0);
	assert_string_equal(event.name, "cycles");
	assert_int_equal(capture_event_parse("auto", &event, &diag), 0);
	assert_string_equal(event.name, "cycles");
	assert_int_equal(capture_event_parse("cpu-clock", &event, &diag), 0);
	assert_true(event.is_clock);
}

static void test_no_counter(void **state)
{
	struct capture_event event;
	struct diag diag = { "" };

	has_cycles = false;
	assert_int_equal(capture_event_parse("cycles", &event, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "no counter"));
	assert_int_equal(capture_event_parse("auto", &event, &diag), 0);
	assert_string_equal(event.name, "cpu-clock");
	assert_int_equal(capture_event_parse("bicycles", &event, &diag), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_cpu_is_off),
		cmocka_unit_test(test_no_counter),
	};

	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
