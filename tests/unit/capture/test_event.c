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
static unsigned int max_precise;      /* that the counters have */
static char max_precise_text[8];      /* what sysfs says of it; "": there is no such file */
static struct perf_event_attr opened; /* the last one */

static int file_of(const char *text)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	return fd;
}

int open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/sys/devices/system/cpu/online"))
		return file_of("2-3\n");
	if (!strcmp(path, PMU_ROOT "/cpu/caps/max_precise") && *max_precise_text)
		return file_of(max_precise_text);
	return openat(AT_FDCWD, path, flags);
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
	opened = *attr;
	errno = cpu < 2 ? ENODEV : ENOENT;
	if (cpu < 2 || (attr->type != PERF_TYPE_SOFTWARE && !has_cycles))
		return -1;
	errno = EOPNOTSUPP;
	if (attr->precise_ip > max_precise)
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

/* Stepping down from what sysfs says there may be to what the kernel takes. */
static void test_precision(void **state)
{
	struct capture_event event;
	struct diag diag = { "" };

#ifndef __x86_64__
	skip();
#endif
	has_cycles = true;
	strcpy(max_precise_text, "3\n");
	max_precise = 2;
	assert_int_equal(capture_event_parse("cycles", &event, &diag), 0);
	assert_int_equal(event.precise, 2);
	assert_int_equal(opened.precise_ip, 2);
	assert_int_equal(opened.sample_type, PERF_SAMPLE_CALLCHAIN);
	/* Others when it is asked for; exactly when it is said how much. */
	assert_int_equal(capture_event_parse("instructions", &event, &diag), 0);
	assert_int_equal(event.precise, 0);
	assert_int_equal(opened.sample_type, 0);
	assert_int_equal(capture_event_parse("instructions:P", &event, &diag), 0);
	assert_int_equal(event.precise, 2);
	assert_int_equal(capture_event_parse("cycles:p", &event, &diag), 0);
	assert_int_equal(event.precise, 1);
	assert_int_equal(capture_event_parse("cycles:ppp", &event, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "precise_ip 3"));
	has_cycles = false;
	assert_int_equal(capture_event_parse("cycles:ppp", &event, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "no counter"));
	has_cycles = true;
	*max_precise_text = '\0';
	assert_int_equal(capture_event_parse("cycles", &event, &diag), 0);
	assert_int_equal(event.precise, 0);
}

static void test_what_is_opened(void **state)
{
	struct capture_event event;
	struct diag diag = { "" };

	has_cycles = true;
	assert_int_equal(capture_event_parse("r01c2:u", &event, &diag), 0);
	assert_string_equal(event.name, "r01c2:u");
	assert_int_equal(opened.type, PERF_TYPE_RAW);
	assert_int_equal(opened.config, 0x1c2);
	assert_true(opened.exclude_kernel && opened.exclude_hv && !opened.exclude_user);
	assert_int_equal(capture_event_parse("LLC-load-misses", &event, &diag), 0);
	assert_int_equal(opened.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(opened.config, 0x10002);
	assert_false(opened.exclude_kernel || opened.exclude_hv || opened.exclude_user);
	assert_true(capture_event_is_hardware(&event));
	assert_false(event.is_clock);
}

/* Those of software have one name, however they are spelled. */
static void test_software_by_number(void **state)
{
	struct capture_event event;
	struct diag diag = { "" };

	if (access(PMU_ROOT "/software/type", R_OK) != 0)
		skip();
	assert_int_equal(capture_event_parse("software/config=0/", &event, &diag), 0);
	assert_string_equal(event.name, "cpu-clock");
	assert_true(event.is_clock);
	assert_int_equal(capture_event_parse("software/config=2/", &event, &diag), 0);
	assert_string_equal(event.name, "page-faults");
	assert_int_equal(opened.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(opened.config, PERF_COUNT_SW_PAGE_FAULTS);
}

static void test_what_is_a_tracepoint(void **state)
{
	assert_true(capture_event_is_tracepoint_name("sched:sched_switch"));
	assert_false(capture_event_is_tracepoint_name("cycles:u"));
	assert_false(capture_event_is_tracepoint_name("cycles:x"));
	assert_false(capture_event_is_tracepoint_name("r01c2:pp"));
	assert_false(capture_event_is_tracepoint_name("cpu/event=0x3c/:u"));
	assert_false(capture_event_is_tracepoint_name("cpu-clock"));
	assert_false(capture_event_is_tracepoint_name(""));
}

static void says(const char *name, const char *what)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct capture_event event;

	assert_int_equal(capture_event_parse(name, &event, NULL), 0);
	capture_event_blind_spot(&event, &text);
	if (!strstr(text.bytes, what))
		fail_msg("%s: '%s' does not say '%s'", name, text.bytes, what);
}

static void test_blind_spots(void **state)
{
	has_cycles = true;
	max_precise = 2;
	strcpy(max_precise_text, "2\n");
	says("cpu-clock", "interrupts off");
	says("faults", "occurrences, not time");
#ifdef __x86_64__
	says("cycles", "at their instructions (precise_ip 2)");
#endif
	says("instructions", "some behind the one that was at work");
	says("instructions:u", "of the kernel nothing was asked for");
	says("instructions:k", "of user code nothing was asked for");
	says("LLC-loads", "speculate");
	says("r01c2", "manual");
	*max_precise_text = '\0';
}

static void test_rates(void **state)
{
	const struct capture_event clock = { .is_clock = true }, hits = { .is_tracepoint = true },
				   faults = { .name = "faults" };
	const struct capture_rate hz = { .freq_hz = 100000 }, fast = { .freq_hz = 100001 },
				  least = { .period = 10000 }, shorter = { .period = 9999 };
	struct diag diag = { "" };

	assert_int_equal(capture_rate_check(&clock, &hz, &diag), 0);
	assert_int_equal(capture_rate_check(&clock, &least, &diag), 0);
	assert_int_equal(capture_rate_check(&clock, &shorter, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "--count"));
	assert_int_equal(capture_rate_check(&clock, &fast, &diag), -EINVAL);
	assert_int_equal(capture_rate_check(&faults, &fast, &diag), 0);
	assert_int_equal(capture_rate_check(&faults, &shorter, &diag), 0);
	assert_int_equal(capture_rate_check(&hits, &hz, &diag), -EINVAL);
	assert_int_equal(capture_rate_check(&hits, &shorter, &diag), 0);
	assert_true(capture_is_weighed(&faults, &hz));
	assert_false(capture_is_weighed(&faults, &least));
	assert_false(capture_is_weighed(&clock, &hz));
	assert_false(capture_is_weighed(&hits, &hz));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_cpu_is_off),
		cmocka_unit_test(test_no_counter),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_what_is_opened),
		cmocka_unit_test(test_software_by_number),
		cmocka_unit_test(test_what_is_a_tracepoint),
		cmocka_unit_test(test_blind_spots),
		cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
