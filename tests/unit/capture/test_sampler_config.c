// SPDX-License-Identifier: GPL-2.0-or-later
/* From options to the constants of the BPF program: each option has its effect and no other. */
#include "capture/sampler_config.h"

#include "unit/unit.h"
#include "util/mem.h"

static const struct sampler_host host = {
	.seed = 42,
	.page_bytes = 4096,
	.user_address_mask = 0x7fffffffffff,
	.nr_cpus = 8,
	.pid_space = 7,
	.max_stack = 127,
	.major = 6,
	.minor = 7,
};

static struct eddy_config config_of(struct sampler_opts opts)
{
	struct eddy_config c;

	memset(&c, 0xff, sizeof(c));
	sampler_config_fill(&opts, &host, &c);
	return c;
}

static void test_plain(void **state)
{
	struct eddy_config c = config_of((struct sampler_opts){
		.event = { .is_clock = true }, .rate = { .freq_hz = 99 }, .max_user_frames = 127 });

	assert_int_equal(c.seed, 42);
	assert_int_equal(c.page_bytes, 4096);
	assert_int_equal(c.thread_bytes, 16384);
	assert_int_equal(c.ra_mask, 0x7fffffffffff);
	assert_int_equal(c.pid_space, 7);
	assert_int_equal(c.filter, 0);
	assert_int_equal(c.identity, 0);
	assert_int_equal(c.keep_idle, 0);
	assert_int_equal(c.max_user_frames, 127);
	assert_int_equal(c.max_kernel_frames, 127);
	assert_int_equal(c.unwind, EDDY_UNWIND_AUTO);
	assert_int_equal(c.copy, EDDY_COPY_PENDING);
	assert_int_equal(c.period, 1);
	assert_int_equal(c.kernel_check_every, 128);
	assert_int_equal(c.is_weighed, 0);
	assert_int_equal(c.wake_bytes, 1 << 20); /* a quarter of 4 MiB */
	assert_string_equal(c.comm, "");
}

static void test_filters(void **state)
{
	const uint32_t some[] = { 1, 2 };
	const struct capture_event tracepoint = { .is_tracepoint = true };
	const struct {
		struct sampler_opts opts;
		uint32_t filter;
	} cases[] = {
		{ { .tasks = some, .nr_tasks = 2 }, EDDY_FILTER_PID },
		{ { .tasks = some, .nr_tasks = 2, .by_thread = true }, EDDY_FILTER_TID },
		{ { .comm = "sh" }, EDDY_FILTER_COMM },
		{ { .cgroup_path = "/x" }, EDDY_FILTER_CGROUP },
		{ { .user_only = true }, EDDY_FILTER_USER },
		{ { .kernel_only = true }, EDDY_FILTER_KERNEL },
		/* A perf event is opened on these CPUs only; a tracepoint has to look. */
		{ { .cpus = some, .nr_cpus = 2 }, 0 },
		{ { .cpus = some, .nr_cpus = 2, .event = tracepoint }, EDDY_FILTER_CPU },
		{ { .event = tracepoint }, 0 },
		{ { .comm = "sh", .user_only = true }, EDDY_FILTER_COMM | EDDY_FILTER_USER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(config_of(cases[i].opts).filter, cases[i].filter);
}

/* As the kernel's: 15 bytes and a NUL. */
static void test_comm_is_cut(void **state)
{
	assert_string_equal(config_of((struct sampler_opts){ .comm = "0123456789abcdefgh" }).comm,
			    "0123456789abcde");
	assert_string_equal(config_of((struct sampler_opts){ .comm = "sh" }).comm, "sh");
}

static void test_copies(void **state)
{
	struct sampler_opts fp = { .unwind = EDDY_UNWIND_FP },
			    all = { .unwind = EDDY_UNWIND_FP, .copy_all = true };

	assert_int_equal(config_of(fp).copy, EDDY_COPY_NONE);
	assert_int_equal(config_of(all).copy, EDDY_COPY_ALL);
	assert_int_equal(config_of((struct sampler_opts){ .unwind = EDDY_UNWIND_EH }).copy,
			 EDDY_COPY_PENDING);
	assert_false(sampler_has_tables(&fp));
	assert_false(sampler_has_tables(&(struct sampler_opts){ .kernel_only = true }));
	assert_true(sampler_has_tables(&(struct sampler_opts){ 0 }));
}

static void test_numbers(void **state)
{
	const struct sampler_opts none = { 0 };
	struct sampler_host other = host;
	struct eddy_config c;

	assert_int_equal(config_of((struct sampler_opts){ .rate = { .period = 5 } }).period, 5);
	assert_int_equal(
		config_of((struct sampler_opts){ .check_kernel = true }).kernel_check_every, 1);
	assert_int_equal(config_of((struct sampler_opts){ .keep_idle = true }).keep_idle, 1);
	assert_int_equal(config_of((struct sampler_opts){ .identity = 3 }).identity, 3);
	/* A frequency on what is no clock: the kernel adapts the period. */
	assert_int_equal(config_of((struct sampler_opts){ .rate = { .freq_hz = 99 } }).is_weighed,
			 1);
	assert_int_equal(config_of(none).has_backing_files, 1);
	other.minor = 6;
	other.max_stack = -1;
	sampler_config_fill(&none, &other, &c);
	assert_int_equal(c.has_backing_files, 0);
	assert_int_equal(c.max_kernel_frames, EDDY_MAX_KERNEL_FRAMES);
	other.max_stack = EDDY_MAX_KERNEL_FRAMES + 1;
	sampler_config_fill(&none, &other, &c);
	assert_int_equal(c.max_kernel_frames, EDDY_MAX_KERNEL_FRAMES);
	other.max_stack = 0;
	sampler_config_fill(&none, &other, &c);
	assert_int_equal(c.max_kernel_frames, 0);
}

/* A power of two, so that the kernel takes it. */
static void test_ring(void **state)
{
	const struct sampler_opts none = { 0 }, fp = { .unwind = EDDY_UNWIND_FP };

	assert_int_equal(sampler_ring_bytes(&none, 1), 4 << 20); /* room for copies of stacks */
	assert_int_equal(sampler_ring_bytes(&fp, 1), 1 << 20);
	assert_int_equal(sampler_ring_bytes(&fp, 64), 8 << 20);
	assert_int_equal(sampler_ring_bytes(&none, 4096), 64 << 20);
	for (uint64_t asked = 1; asked < UINT64_C(1) << 40; asked = asked * 3 + 1) {
		struct sampler_opts opts = { .ring_bytes = asked };
		uint64_t bytes = sampler_ring_bytes(&opts, 1);

		assert_true(bytes >= 4096 && bytes <= 64 << 20 && !(bytes & (bytes - 1)));
		assert_true(bytes >= asked || bytes == 64 << 20);
		assert_true(bytes < 2 * asked || bytes == 4096);
	}
}

static void test_this_machine(void **state)
{
	struct sampler_host here, again;

	sampler_host_read(&here, 5);
	sampler_host_read(&again, 5);
	assert_int_equal(here.pid_space, 5);
	assert_true(here.page_bytes >= 4096 && !(here.page_bytes & (here.page_bytes - 1)));
	assert_true(here.nr_cpus >= 1 && here.major >= 5);
	assert_true(here.user_address_mask > UINT32_MAX);
	assert_true(here.seed != again.seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	     cmocka_unit_test(test_filters),
		cmocka_unit_test(test_comm_is_cut),  cmocka_unit_test(test_copies),
		cmocka_unit_test(test_numbers),	     cmocka_unit_test(test_ring),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests_name("sampler_config", tests, NULL, NULL);
}
