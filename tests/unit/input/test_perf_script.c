// SPDX-License-Identifier: GPL-2.0-or-later
/* `perf script` text in: recorded and hand-made, cut at every byte, and told from folded text. */
#include "unit/input/read.h"

#include "util/mem.h"

#define FIXTURES "tests/unit/input/fixtures/"

static const char kernel_and_user[] =
	"worker 7 41/42 [001] 10.000001:   5 cycles:u: \n"
	"\tffffffff81000001 sys_read+0x1 ([kernel.kallsyms])\n"
	"\tffffffffa0000001 nf_hook+0x1 ([nf_tables])\n"
	"\t            1181 read_all(int, char*)+0x28 (/usr/lib/lib x.so (deleted))\n"
	"\t            1182 helper (inlined)\n"
	"\t    7f0000000003 jitted+0x1 (/tmp/perf-41.map)\n"
	"\tffffffffff600000 [unknown] ([vsyscall])\n"
	"\t            116d [unknown] (/usr/bin/work)\n"
	"\t            116e [unknown] (/usr/bin/work)\n"
	"\t               9 [unknown] ([unknown])\n"
	"\n";

static void read_fixture(const char *name, const struct input_opts *opts, struct profile *into)
{
	struct diag diag;

	if (input_read_path(name, opts, into, &diag) < 0)
		fail_msg("%s", diag.text);
}

static void test_stack(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	struct diag diag;
	const struct frame *f;
	node_id n;

	assert_int_equal(read_bytes(kernel_and_user, strlen(kernel_and_user), NULL, p, &diag), 0);
	assert_int_equal(profile_total(p), 1);
	assert_true(weight_of(p,
			      "worker 7;[unknown];[work+0x116e];[work+0x116d];"
			      "[vsyscall];jitted_[j];helper_[i];"
			      "read_all(int, char*);nf_hook_[k];sys_read_[k]",
			      NULL) == 1);
	n = profile_nr_nodes(p) - 1;
	f = frame_table_get(t, profile_frame(p, n));
	assert_string_equal(frame_table_str(t, f->module, NULL), "[kernel]");
	n = profile_parent(p, profile_parent(p, n));
	f = frame_table_get(t, profile_frame(p, n));
	assert_string_equal(frame_table_str(t, f->module, NULL), "lib x.so");
	f = frame_table_get(t, profile_frame(p, 3));
	assert_string_equal(frame_table_str(t, f->module, NULL), "work");
	assert_true(f->unnamed);
	assert_int_equal(f->start, 0x116e);
	assert_int_equal(frame_table_get(t, profile_frame(p, 1))->origin, FRAME_BASE);
}

/* One record as perf 6.1 printed it on a machine with a mixed load; see the file. */
static void test_fixture_callgraph(void **state)
{
	static const char *const stack =
		"worker 12 (x);__libc_start_call_main;main;deep;deep;deep;deep;"
		"ns::Box::operator();ns::Box::put";
	const struct input_opts cpu = { .event = "cpu-clock" };
	_cleanup_profile_ struct profile *first = profile_new(NULL), *p = profile_new(NULL);
	_cleanup_profile_ struct profile *plain = profile_new(NULL);
	struct input_opts opts = { 0 };
	struct diag remark;

	/* The first event is another one. */
	opts.ret_remark = &remark;
	read_fixture(FIXTURES "perf-callgraph.txt", &opts, first);
	assert_int_equal(profile_total(first), 6);
	assert_string_equal(remark.text,
			    FIXTURES "perf-callgraph.txt: 16 samples of other events than "
				     "context-switches are left out: cpu-clock 16 (--event NAME "
				     "chooses, --event all adds them up)");
	read_fixture(FIXTURES "perf-callgraph.txt", &cpu, p);
	assert_int_equal(profile_total(p), 16);
	assert_int_equal(weight_of(p,
				   "worker 12 (x);__libc_start_call_main;main;deep;deep;deep;deep;"
				   "ns::Box::put",
				   NULL),
			 3);
	assert_int_equal(weight_of(p, stack, NULL), 0);
	/* The same without what --header prints. */
	read_fixture(FIXTURES "perf-callgraph-only.txt", &cpu, plain);
	assert_int_equal(profile_nr_nodes(plain), profile_nr_nodes(p));
	assert_int_equal(profile_total(plain), 16);
}

static void test_fixture_flat(void **state)
{
	const struct input_opts cpu = { .event = "cpu-clock" };
	const struct input_opts period = { .event = "cpu-clock", .by_period = true };
	_cleanup_profile_ struct profile *faults = profile_new(NULL), *p = profile_new(NULL);
	_cleanup_profile_ struct profile *periods = profile_new(NULL);

	read_fixture(FIXTURES "perf-flat.txt", NULL, faults);
	assert_int_equal(profile_total(faults), 5);
	assert_int_equal(weight_of(faults, "perf-exec;getenv", NULL), 1);
	assert_int_equal(weight_of(faults, "ls;[ls]", NULL), 1);
	read_fixture(FIXTURES "perf-flat.txt", &cpu, p);
	assert_int_equal(profile_total(p), 6);
	assert_int_equal(weight_of(p, "swapper;pv_native_safe_halt_[k]", NULL), 3);
	read_fixture(FIXTURES "perf-flat.txt", &period, periods);
	assert_int_equal(profile_total(periods), 6 * 40000000);
}

static void expect_total(const char *text, uint64_t total)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	if (read_bytes(text, strlen(text), NULL, p, &diag) < 0)
		fail_msg("%s", diag.text);
	assert_int_equal(profile_total(p), total);
}

static void test_shapes(void **state)
{
	/* No frames at all, twice; carriage returns; a record without an empty line between. */
	expect_total("a 1 [000] 1.5: cycles: \n\na 1 [000] 1.5: cycles: \n\n", 2);
	expect_total("a 1 [000] 1.5: cycles: \r\n\t12 f (m)\r\n\r\n", 1);
	expect_total("a 1 1.5: cycles: \n\t12 f (m)\nb 1 1.5: cycles: \n\t12 f (m)\n\n", 2);
	/* Tracepoints: fields behind the event, with and without frames. */
	expect_total("a 1 [000] 1.5: x:y: abc=1\na 1 [000] 1.6: x:y: abc=1\n\t12 f (m)\n\n", 2);
	/* Other records between samples, and one that interrupts none. */
	expect_total("a 1 [000] 1.5: PERF_RECORD_FORK(1:1):(0:0)\n"
		     "a 1 [000] 1.5: cycles: \n\t12 f (m)\n\n"
		     "a 1 [000] 1.6: PERF_RECORD_EXIT(1:1):(0:0)\n",
		     1);
	/* Source lines, and blanks instead of tabs. */
	expect_total("a 1 1.5: cycles: \n\t12 f (m)\n  f.c:17\n        13 g (m)\n  g.c:1\n\n", 1);
	expect_total("# ========\n# captured on    : today\n# ========\n#\n", 0);
}

/* A field that looks like a frame is none when a call chain follows. */
static void test_tail_is_no_frame(void **state)
{
	static const char text[] = "a 1 1.5: x:y: 12 f (m)\n\t13 g (m)\n\n";
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	assert_int_equal(read_bytes(text, strlen(text), NULL, p, NULL), 0);
	assert_int_equal(weight_of(p, "a;g", NULL), 1);
	assert_int_equal(profile_nr_nodes(p), 3);
}

static void expect_error(const char *text, const char *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_int_equal(read_bytes(text, strlen(text), NULL, p, &diag), -EINVAL);
	assert_string_equal(diag.text, want);
}

static void test_errors(void **state)
{
	expect_error("a 1 [000] 1.5: cycles: \n\tmain+0x1\n\n",
		     "in:2: neither a frame nor a sample of perf script");
	expect_error("a 1 [000] 1.5: cycles: \n\t12 f (m)\n\nmain;read 12\n",
		     "in:4: not a sample of perf script (comm, pid, time, event)");
	expect_error("a 1 [000] 1.5: cycles: \n\t12 f (m)\n\n\t12 f (m)\n",
		     "in:4: not a sample of perf script (comm, pid, time, event)");
}

/* `perf script | head`: what is whole is kept, what is not is told, wherever it is cut. */
static void test_cut(void **state)
{
	static const struct {
		const char *text, *remark;
		uint64_t total;
	} cases[] = {
		{ "a 1 [000] 1.5: cycles: \n\t12 f (m)\n",
		  "in:2: the text is cut off in this sample, which may lack frames", 1 },
		{ "a 1 [000] 1.5: cycles: \n",
		  "in:1: the text is cut off in this sample, which may lack frames", 1 },
		{ "a 1 [000] 1.5: cycles: \n\t12 f (m)",
		  "in:2: the text is cut off in this sample, which may lack frames", 1 },
		{ "a 1 [000] 1.5: cycles: \n\t12 f (m",
		  "in:2: the text is cut off in this line; its sample may lack frames", 1 },
		{ "a 1 [000] 1.5: cycles: \n\t12 f (m)\n\na 1 [000] 1.6: cy",
		  "in:4: the text is cut off in this line, which is left out", 1 },
		{ "a 1 1.5: cycles:  12 f (m)\na 1 1.5: cycles:  12 f (m)", "", 2 },
		{ "a 1 [000] 1.5: cycles: \n\t12 f (m)\n\n", "", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		const char *text = cases[i].text;
		struct diag diag = { "" }, remark = { "" };
		const struct input_opts opts = { .ret_remark = &remark };

		assert_int_equal(read_bytes(text, strlen(text), &opts, p, &diag), 0);
		assert_string_equal(remark.text, cases[i].remark);
		assert_int_equal(profile_total(p), cases[i].total);
	}
}

static void test_cut_anywhere(void **state)
{
	for (size_t len = 50; len + 1 < sizeof(kernel_and_user) - 1; len++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		struct diag diag = { "" }, remark = { "" };
		const struct input_opts opts = { .ret_remark = &remark };

		assert_int_equal(read_bytes(kernel_and_user, len, &opts, p, &diag), 0);
		assert_int_equal(profile_total(p), 1);
		assert_memory_equal(remark.text, "in:", 3);
	}
}

static void test_periods(void **state)
{
	static const char missing[] = "a 1 [000] 1.5: cycles: \n\n";
	static const char huge[] = "a 1 1.5: 99999999999999999999 cycles: \n\n";
	static const char sum[] =
		"a 1 1.5: 9223372036854775807 cycles: \n\na 1 1.5: 1 cycles: \n\n";
	const struct input_opts opts = { .by_period = true };
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_int_equal(read_bytes(missing, strlen(missing), &opts, p, &diag), -EINVAL);
	assert_string_equal(diag.text, "in:1: the sample has no period");
	assert_int_equal(read_bytes(huge, strlen(huge), &opts, p, &diag), -EINVAL);
	assert_int_equal(read_bytes(sum, strlen(sum), &opts, p, &diag), -EOVERFLOW);
	assert_string_equal(diag.text, "in:4: the periods add up to more than 9223372036854775807");
}

/* Text that is not perf's stays folded text, even when a frame ends in a colon. */
static void test_detection(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	const char *text = "main 1 class::f: 12\n";

	assert_int_equal(read_bytes(text, strlen(text), NULL, p, NULL), 0);
	assert_int_equal(profile_total(p), 12);
}

/* A process that is called like a header of perf's, in a file of folded text that it begins. */
static void test_forged_header(void **state)
{
	static const struct {
		const char *text;
		uint64_t total;
	} cases[] = {
		{ "! 1 2.5: c: x;_start;main 7\nmain;f 3\n", 10 },
		{ "! 1 [000] 2.5: c: 7\nmain;f 3\n", 10 },
		{ "! 1 2.5: a;b;c: 7\n", 7 },
		{ "! 1 2.5: c: x;f 7\n! 2 2.5: c: x;f 7\n", 14 },
		/* perf's: a tracepoint whose last field is a number, with a stack and without. */
		{ "sh 1 [000] 2.5: a:b: 7\n\t401126 main (/bin/a)\n\n", 1 },
		{ "sh 1 [000] 2.5: a:b: 7\nsh 1 [000] 2.6: a:b: 9\n", 2 },
		{ "sh 1 [000] 2.5: a:b: 7\nsh 1 [000] 2.6: a:b: x=9\n", 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		const char *text = cases[i].text;

		assert_int_equal(read_bytes(text, strlen(text), NULL, p, NULL), 0);
		assert_int_equal(profile_total(p), cases[i].total);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_fixture_callgraph),
		cmocka_unit_test(test_fixture_flat),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_tail_is_no_frame),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_forged_header),
	};

	return cmocka_run_group_tests_name("perf_script", tests, NULL, NULL);
}
