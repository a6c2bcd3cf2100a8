// SPDX-License-Identifier: GPL-2.0-or-later
/* The forms of `perf script` text that -F, options and other people's tools make of it. */
#include "unit/input/read.h"

#include "util/mem.h"

static int read_text(const char *text, const struct input_opts *opts, struct profile *p,
		     struct diag *diag)
{
	return read_bytes(text, strlen(text), opts, p, diag);
}

/* All of them are two samples of one stack each: main;f, under a comm if there is one. */
static void test_forms(void **state)
{
#define STACK "\t            12ab f (/bin/a)\n\t            12ac main (/bin/a)\n"
	static const struct {
		const char *text, *stack;
	} cases[] = {
		{ "sh \n" STACK "\nsh \n" STACK "\n", "sh;main;f" },
		{ "a b 18 \n" STACK "\na b 18 \n" STACK "\n", "a b;main;f" },
		{ "18 1.5: x: \n" STACK "\n18 1.5: x: \n" STACK "\n", "main;f" },
		{ "1.5: x: \n" STACK "\n1.6: x: \n" STACK "\n", "main;f" },
		{ "x: \n" STACK "\nx: \n" STACK "\n", "main;f" },
		{ "sh 18 1.5: \n" STACK "\nsh 18 1.5: \n" STACK "\n", "sh;main;f" },
		{ "sh 1.5: x: \n" STACK "\nsh 1.5: x: \n" STACK "\n", "sh;main;f" },
		{ "\n" STACK "\n\n" STACK "\n", "main;f" },
		{ "   2004008 \n" STACK "\n         1 \n" STACK "\n", "main;f" },
		{ "2004008123456 \n" STACK "\n         1 \n" STACK "\n", "main;f" },
		{ "sh 18 2026-11-22 22:46:14.087278 \n" STACK
		  "\nsh 18 2026-11-22 22:46:14.1 \n" STACK "\n",
		  "sh;main;f" },
		{ "sh 18/18 U     1.5: x: \n" STACK "\nsh 18/18 K     1.5: x: \n" STACK "\n",
		  "sh;main;f" },
		/* -F +srcline, +insn, registers, branches; no empty line follows these */
		{ "sh 1 1.5: x: \n\t12ab f (/bin/a)\n  a.c:7\n\t12ac main (/bin/a)\n  a.c:9\n\n"
		  "sh 1 1.5: x: \n" STACK "\n",
		  "sh;main;f" },
		{ "sh 1 1.5: x: \n" STACK " insn: 89 c2\nsh 1 1.5: x: \n" STACK " insn: 74\n",
		  "sh;main;f" },
		{ "sh 1 \n" STACK " insn: 89 c2\nsh 1 \n" STACK " insn: 74\n", "sh;main;f" },
		{ "sh 1 1.5: x: \n" STACK " ABI:2    AX:0x7f\nsh 1 1.5: x: \n" STACK " ABI:2\n",
		  "sh;main;f" },
		{ "sh 1 1.5: x: \n" STACK " 0x1/0x2/P/-/-/0 \nsh 1 1.5: x: \n" STACK
		  " main+0x1/f+0x2/P/-/-/1 \n",
		  "sh;main;f" },
		/* a byte order mark, carriage returns, blanks that are gone or are others */
		{ "\xef\xbb\xbfsh 1 1.5: x: \n" STACK "\nsh 1 1.5: x: \n" STACK "\n", "sh;main;f" },
		{ "sh 1 1.5: x:\r\n\t12ab f (/bin/a)\r\n\t12 main (/bin/a)\r\n\r\n"
		  "sh 1 1.5: x:\r\n\t12ab f (/bin/a)\r\n\t12 main (/bin/a)\r\n\r\n",
		  "sh;main;f" },
		{ "sh 1 1.5: x:\n12ab f (/bin/a)\n12 main (/bin/a)\n\n"
		  "sh 1 1.5: x:\n400577 f (/bin/a)\n12 main (/bin/a)\n\n",
		  "sh;main;f" },
		{ "sh 1 1.5: x:\n    12ab f (/bin/a)\n    12 main (/bin/a)\n\n"
		  "bad 1 1.5: x:\n    12ab f (/bin/a)\n    12 main (/bin/a)\n\n"
		  "sh 1 1.5: x:\n    12ab f (/bin/a)\n    12 main (/bin/a)\n\n",
		  "sh;main;f" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		struct diag diag = { "" }, remark = { "" };
		const struct input_opts opts = { .ret_remark = &remark };

		if (read_text(cases[i].text, &opts, p, &diag) < 0)
			fail_msg("%zu: %s", i, diag.text);
		assert_string_equal(remark.text, "");
		if (weight_of(p, cases[i].stack, NULL) != 2)
			fail_msg("%zu: %s", i, cases[i].text);
	}
}

/* A line a sample. */
static void test_single_lines(void **state)
{
	static const struct {
		const char *text, *stack;
	} cases[] = {
		{ "  sh 18 1.5: 7 x:   12ab f+0x1 (/bin/a)\n  sh 18 1.5: 7 x:   12ab f (/bin/a)\n",
		  "sh;f" },
		{ "  sh 18 1.5: 7 x:   12ab f (/bin/a) ABI:2    AX:0x7f  insn: 48\n"
		  "  sh 18 1.5: 7 x:   12ab f (/bin/a)  insn: 48\n",
		  "sh;f" },
		{ "  sh 18 1.5: 7 x:   12ab f (/bin/a)\n  a.c:7\n  sh 18 1.5: 7 x:   12 f (/b)\n",
		  "sh;f" },
		{ "  sh      5628b07b9e55 f (/bin/a)\n  sh      5628b07b9e55 f (/bin/a)\n",
		  "sh;f" },
		{ "  bad 18      5628b07b9e55 f (/b)\n  bad 18      5628b07b9e55 f (/b)\n",
		  "bad;f" },
		{ "      5628b07b9e55 f (/bin/a)\n      5628b07b9e55 f (/bin/a)\n", "f" },
		/* --insn-trace with decoded instructions */
		{ "  :17 17 [001] 1.5:  ffffffff8220116e f+0xe ([guest.kernel.kallsyms])      "
		  "pushq  %rax\n"
		  "  :17 17 [001] 1.5:  ffffffff8220116f f+0xf ([guest.kernel.kallsyms])  nopl  "
		  "%eax, (%rax)\n",
		  ":17;f_[k]" },
		{ "1.5:      5628b07b9e55 f (/bin/a)\n1.5:      5628b07b9e55 f (/bin/a)\n", "f" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		struct diag diag = { "" };

		if (read_text(cases[i].text, NULL, p, &diag) < 0)
			fail_msg("%zu: %s", i, diag.text);
		if (weight_of(p, cases[i].stack, NULL) != 2)
			fail_msg("%zu: %s", i, cases[i].text);
	}
}

/* perf script --show-task-events --show-namespace-events --show-switch-events ... */
static void test_other_records(void **state)
{
	static const char text[] =
		"swapper     0     0.000000: PERF_RECORD_CGROUP cgroup: 1 /\n"
		"sh 17     0.000000: PERF_RECORD_NAMESPACES 17/17 - nr_namespaces: 7\n"
		"\t\t[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, 2/ipc: 4/0xefffffff, \n"
		"\t\t 4/user: 4/0xeffffffd, 5/mnt: 4/0xeffffff8, 6/cgroup: 4/0xeffffffb]\n"
		"sh 17     1.0: PERF_RECORD_SWITCH OUT preempt\n"
		"PERF_RECORD_FINISHED_ROUND\n"
		"sh 17 1.5: 7 cpu-clock: \n" STACK "\n"
		"sh 17     1.0: PERF_RECORD_SWITCH IN         \n"
		"sh 17 1.5: 7 cpu-clock: \n" STACK "\n";
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	if (read_text(text, NULL, p, &diag) < 0)
		fail_msg("%s", diag.text);
	assert_int_equal(profile_total(p), 2);
	assert_int_equal(weight_of(p, "sh;main;f", NULL), 2);
}

/* perf's own names of Python functions hold blanks, colons, paths and parentheses. */
static void test_python_names(void **state)
{
	static const char text[] =
		"python3 18 1.5: 7 x: \n"
		"\t    7f0caf8aa72d py::<module>:/home/u/a 1 x: (b).py+0xb (/tmp/perf-18.map)\n"
		"            7f0caf8aa738 py::f:<frozen importlib._bootstrap>+0xb "
		"(/tmp/perf-18.map)\n"
		"\n";
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	if (read_text(text, NULL, p, &diag) < 0)
		fail_msg("%s", diag.text);
	assert_int_equal(weight_of(p,
				   "python3;py::f:<frozen importlib._bootstrap>_[j];"
				   "py::<module>:/home/u/a 1 x: (b).py_[j]",
				   NULL),
			 1);
}

/* -F without ip: no sample lacks the frames that none has. */
static void test_no_frames(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" }, remark = { "" };
	const struct input_opts opts = { .ret_remark = &remark };

	assert_int_equal(read_text("  sh 18 1.5: x: \n  sh 18 1.6: x: \n", &opts, p, &diag), 0);
	assert_string_equal(remark.text, "");
	assert_int_equal(profile_total(p), 2);
}

static void test_period_headers(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };
	const struct input_opts opts = { .by_period = true };

	assert_int_equal(
		read_text("   2004008 \n" STACK "\n         1 \n" STACK "\n", &opts, p, &diag), 0);
	assert_int_equal(weight_of(p, "main;f", NULL), 2004009);
}

static void expect_error(const char *text, const char *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag;

	assert_true(read_text(text, NULL, p, &diag) < 0);
	assert_string_equal(diag.text, want);
}

/* A line that any text could be is a header only where frames follow. */
static void test_not_headers(void **state)
{
	expect_error("sh \n" STACK "\nsh \nsh \n", "in:6: neither a frame nor a sample of perf "
						   "script");
	expect_error("sh 1 1.5: x: \n" STACK "\nsh \n" STACK "\n",
		     "in:5: not a sample of perf script (comm, pid, time, event)");
	expect_error("PERF_RECORD_FINISHED_ROUND\nsh \n\n",
		     "in:2: not a sample of perf script (comm, pid, time, event)");
	expect_error("some text\nand more\n", "in:1: no count");
	expect_error("some text\n\nand more\n", "in:1: no count");
	expect_error("sh 18\nsh 19\nsh\n", "in:3: no count");
}

static const char two_events[] = "a 7/8 [000] 1.5: 10 cycles:u: \n\t12 f (m)\n\n"
				 "a 7/9 [001] 1.6: 20 faults: \n\t12 f (m)\n\n"
				 "a 7/9 [001] 1.7: 30 cycles:u: \n\t12 f (m)\n\n"
				 "b 17/17 [011] 1.8: 40 cycles:u: \n\t12 f (m)\n\n";

static uint64_t total_of(const struct input_opts *opts)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	if (read_text(two_events, opts, p, &diag) < 0)
		fail_msg("%s", diag.text);
	return profile_total(p);
}

/* perf script --header: the command has newlines, and what stands there looks like anything. */
static void test_commands(void **state)
{
#define HEADER "# ========\n# captured on    : Mon Nov 23 03:57:00 2026\n"
#define SAMPLE "sh 1 1.5: x: \n\t12ab f (/bin/a)\n\n"
	static const struct {
		const char *text;
		int total;
	} rows[] = {
		{ HEADER
		  "# cmdline : perf record python3 -c def f(n):\n    12ab g (/bin/a)\n\nf 22 \n"
		  "f(22)\n# event : name = x\n# ========\n#\n" SAMPLE SAMPLE,
		  2 },
		{ HEADER "# cmdline : perf record sh -c a\nb c\n" SAMPLE, 1 },
		/* -I: memory nodes and caches look like samples. */
		{ HEADER "# node0 meminfo  : total = 1 kB\n#    0 [24G]: 0-23,32-199\n"
			 "# node0 cpu list : 0-1\n# ========\n#\n" SAMPLE SAMPLE,
		  2 },
		{ HEADER "# cmdline : perf record a\n# ========\n#\nsh 1 \n\t12ab f (/bin/a)\n\n",
		  1 },
		{ HEADER "# cmdline : perf record a\nsh 1 \n\t12ab f (/bin/a)\n\n", -EINVAL },
		{ SAMPLE "# cmdline : perf record a\nnonsense\n# ======\n" SAMPLE, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		struct diag diag = { "" };
		int r = read_text(rows[i].text, NULL, p, &diag);

		if (rows[i].total < 0)
			assert_int_equal(r, rows[i].total);
		else
			assert_int_equal(profile_total(p), rows[i].total);
	}
}

static void test_events(void **state)
{
	static const uint32_t seven[] = { 7 }, nine[] = { 9, 17 };
	struct diag diag, remark;
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	assert_int_equal(total_of(&(struct input_opts){ .ret_remark = &remark }), 3);
	assert_string_equal(remark.text, "in: 1 samples of other events than cycles:u are left "
					 "out: faults 1 (--event NAME chooses, --event all adds "
					 "them up)");
	assert_int_equal(total_of(&(struct input_opts){ .event = "cycles" }), 3);
	assert_int_equal(total_of(&(struct input_opts){ .event = "faults" }), 1);
	assert_int_equal(total_of(&(struct input_opts){ .event = "all", .by_period = true }), 100);
	assert_int_equal(total_of(&(struct input_opts){ .pids = seven, .nr_pids = 1 }), 2);
	assert_int_equal(total_of(&(struct input_opts){ .tids = nine, .nr_tids = 2 }), 2);
	assert_int_equal(read_text(two_events, &(struct input_opts){ .event = "cache" }, p, &diag),
			 -ENODATA);
	assert_string_equal(diag.text, "in: no samples of cache; there are cycles:u 3, faults 1");
	assert_int_equal(read_text("a 1 1.5: x: \n" STACK "\n",
				   &(struct input_opts){ .pids = seven, .nr_pids = 1 }, p, &diag),
			 -EINVAL);
	assert_string_equal(diag.text,
			    "in:1: the sample has no PID (perf script -F +pid prints it)");
}

static void test_roots(void **state)
{
	static const struct {
		enum base_frame root;
		const char *stack;
		uint64_t weight;
	} cases[] = {
		{ BASE_FRAME_COMM, "a;f", 2 },	     { BASE_FRAME_PROCESS, "a-7;f", 2 },
		{ BASE_FRAME_THREAD, "a-7/9;f", 1 }, { BASE_FRAME_CPU, "cpu-11;f", 1 },
		{ BASE_FRAME_CPU, "cpu-0;f", 1 },    { BASE_FRAME_NONE, "?;f", 3 },
	};
	_cleanup_profile_ struct profile *none = profile_new(NULL);
	struct diag diag;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		const struct input_opts opts = { .root = BASE_FRAMES_OF(cases[i].root) };

		assert_int_equal(read_text(two_events, &opts, p, &diag), 0);
		assert_int_equal(weight_of(p, cases[i].stack, NULL), cases[i].weight);
	}
	assert_int_equal(
		read_text("a 1 1.5: x: \n" STACK "\n",
			  &(struct input_opts){ .root = BASE_FRAMES_OF(BASE_FRAME_PROCESS) }, none,
			  &diag),
		-ENODATA);
	assert_string_equal(diag.text,
			    "in: --root: the samples do not have it (perf script -F +pid "
			    "prints it)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	      cmocka_unit_test(test_single_lines),
		cmocka_unit_test(test_other_records), cmocka_unit_test(test_python_names),
		cmocka_unit_test(test_not_headers),   cmocka_unit_test(test_commands),
		cmocka_unit_test(test_events),	      cmocka_unit_test(test_roots),
		cmocka_unit_test(test_no_frames),     cmocka_unit_test(test_period_headers),
	};

	return cmocka_run_group_tests_name("perf_script_forms", tests, NULL, NULL);
}
