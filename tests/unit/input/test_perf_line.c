// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of `perf script`: headers, frames, and what looks like one and is none. */
#include "unit/unit.h"

#include <stdio.h>

#include "input/perf_line.h"
#include "util/mem.h"

static void expect_bytes(struct bytes got, const char *want)
{
	char text[128];

	snprintf(text, sizeof(text), "%.*s", (int)got.len, got.len ? got.at : "");
	assert_string_equal(text, want);
}

static void test_headers(void **state)
{
	static const struct {
		const char *line, *comm, *period, *event, *tail;
	} cases[] = {
		{ "swapper     0 [000]  2874.420019:   20408163 cpu-clock: ", "swapper", "20408163",
		  "cpu-clock", "" },
		{ "       perf-exec  9108 [000]  2877.878518:          1 page-faults:      7f04 "
		  "a+0x0 (b)",
		  "perf-exec", "1", "page-faults", "7f04 a+0x0 (b)" },
		{ "worker 12 (x) 18869 [001]  3172.548365:        210 context-switches: ",
		  "worker 12 (x)", "210", "context-switches", "" },
		{ "worker 12 34 18869/18870 [001]  3172.548365: cycles:u: ", "worker 12 34", "",
		  "cycles:u", "" },
		{ "a 1 2 3 4  77 5.000000001: 6 cpu/event=0x3c,umask=0x0/: ", "a 1 2 3 4", "6",
		  "cpu/event=0x3c,umask=0x0/", "" },
		{ ":1234  1234 [003] 1.5: sched:sched_switch: prev_comm=a prev_pid=1 ==> "
		  "next_pid=5",
		  ":1234", "", "sched:sched_switch", "prev_comm=a prev_pid=1 ==> next_pid=5" },
		{ "raw 3 1.5: 7 raw 0x1a8: ", "raw", "7", "raw 0x1a8", "" },
		{ "init    -1 [000] 1.5: 7 cycles:", "init", "7", "cycles", "" },
		{ "swapper     0 cpu-clock: ", "swapper", "", "cpu-clock", "" },
		{ "swapper     0/0  12.000001: ", "swapper", "", "", "" },
		{ "kworker/0:1-ev  12 [000] 1.5: 7 cycles:", "kworker/0:1-ev", "7", "cycles", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_header h;

		assert_true(perf_header_parse(cases[i].line, strlen(cases[i].line), &h));
		expect_bytes(h.comm, cases[i].comm);
		expect_bytes(h.period, cases[i].period);
		expect_bytes(h.event, cases[i].event);
		expect_bytes(h.tail, cases[i].tail);
		assert_false(h.is_record);
	}
}

static void test_no_headers(void **state)
{
	static const char *const lines[] = {
		"",
		" ",
		"swapper",
		"main;read 12",
		"main 12 13",
		"main 12 [000]",
		"swapper 0 [000] 2874.42",
		"swapper 0 [000] 2874.42: 20408163",
		"swapper 0 [00",
		"swapper 0 1.5: 3 raw",
		"swapper 0 2874.: cpu",
		"	ffffffff821f2c2b do_idle+0xb ([kernel.kallsyms])",
		"	            1181 deep+0x28 (/usr/bin/work)",
	};
	struct perf_header h;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(perf_header_parse(lines[i], strlen(lines[i]), &h));
}

static void test_records(void **state)
{
	static const char *const lines[] = {
		"swapper     0/0     [000]     0.000000000: PERF_RECORD_FORK(1:1):(0:0)",
		"a b     0 [000]     0.000000: PERF_RECORD_COMM: process_api:1/1",
		"swapper 0 [000] 0.0: PERF_RECORD_MMAP -1/0: [0xff(0x12) @ 0xff]: x "
		"[kernel.kallsyms]_text",
		"perf 0 [000] 0.0: PERF_RECORD_LOST lost 5",
	};
	struct perf_header h;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_true(perf_header_parse(lines[i], strlen(lines[i]), &h));
		assert_true(h.is_record);
	}
}

static void test_frames(void **state)
{
	static const struct {
		const char *line;
		uint64_t addr;
		const char *symbol, *module;
		int64_t module_offset; /* -1: none */
	} cases[] = {
		{ "\tffffffff821f2c2b do_idle+0xb ([kernel.kallsyms])", 0xffffffff821f2c2b,
		  "do_idle", "[kernel.kallsyms]", -1 },
		{ "\t            7e62 [unknown] (/usr/bin/ls)", 0x7e62, "", "/usr/bin/ls", -1 },
		{ "\t               0 [unknown] ([unknown])", 0, "", "[unknown]", -1 },
		{ "\t 12 ns::f(int, char (*)(int)) const+0x1f (/usr/lib/a b.so)", 0x12,
		  "ns::f(int, char (*)(int)) const", "/usr/lib/a b.so", -1 },
		{ "\t 12 f+0x1 (/memfd:x (deleted))", 0x12, "f", "/memfd:x (deleted)", -1 },
		{ "\t 12 f+0x1 (/usr/lib/a)b.so)", 0x12, "f", "/usr/lib/a)b.so", -1 },
		{ "\t 12 operator()(int)+0x1 (a)", 0x12, "operator()(int)", "a", -1 },
		{ "\t 12 f (inlined)", 0x12, "f", "inlined", -1 },
		{ "    12 f", 0x12, "f", "", -1 },
		{ "    12", 0x12, "", "", -1 },
		{ "\t12 f(int)", 0x12, "f(int)", "", -1 },
		{ "\t12 a+b+0x (m)  ", 0x12, "a+b+0x", "m", -1 },
		{ "\t12 [unknown] (/usr/lib/libc.so.6+0x1f00)", 0x12, "", "/usr/lib/libc.so.6",
		  0x1f00 },
		{ "\t12  (m)", 0x12, "", "m", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_frame f;

		assert_true(perf_frame_parse(cases[i].line, strlen(cases[i].line), &f));
		assert_true(f.addr == cases[i].addr);
		expect_bytes(f.symbol, cases[i].symbol);
		expect_bytes(f.module, cases[i].module);
		assert_int_equal(f.has_module_offset, cases[i].module_offset >= 0);
		if (f.has_module_offset)
			assert_int_equal(f.module_offset, cases[i].module_offset);
	}
}

static void test_no_frames(void **state)
{
	static const char *const lines[] = {
		"",
		"\t",
		"\tmain+0x1 (a)",
		"\t0x12 main (a)",
		"\t12main (a)",
		"\t00000000000000012 f (a)", /* 17 digits */
	};
	struct perf_frame f;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(perf_frame_parse(lines[i], strlen(lines[i]), &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),	  cmocka_unit_test(test_no_headers),
		cmocka_unit_test(test_records),	  cmocka_unit_test(test_frames),
		cmocka_unit_test(test_no_frames),
	};

	return cmocka_run_group_tests_name("perf_line", tests, NULL, NULL);
}
