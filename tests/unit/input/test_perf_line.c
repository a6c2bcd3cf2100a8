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
		{ "sh 18 U     2.5: 9 x: ", "sh", "9", "x", "" },
		{ "sh 18 [001] KE     2.5: 9 x: ", "sh", "9", "x", "" },
		{ "18 2.5: 9 x: ", "", "9", "x", "" },
		{ "a b 2.5: x: ", "a b", "", "x", "" },
		{ "2.5: x: ", "", "", "x", "" },
		{ "2.5: ", "", "", "", "" },
		{ "sh 18 2.5: 20408163 ", "sh", "20408163", "", "" },
		{ "sh 18 2.5:      12ab f (/bin/a b)", "sh", "", "", "12ab f (/bin/a b)" },
		/* -F +tod, alone and beside the time; -F +machine_pid,vcpu */
		{ "a b 18 2026-11-22 22:46:14.087278 2.5:  9 x: ", "a b", "9", "x", "" },
		{ "a b 18 [001] KE  2026-11-22 22:46:14.087278 x: ", "a b", "", "x", "" },
		{ "a b 2026-11-22 22:46:14.087278 ", "a b", "", "", "" },
		{ "2026-11-22 22:46:14.087278 ", "", "", "", "" },
		{ "VM:   12 VCPU:003 sh 18 2.5: 9 x: ", "sh", "9", "x", "" },
		{ "VM:13400 VCPU:001 sh 18 2.5: 9 x: ", "sh", "9", "x", "" },
		{ "VM: 18 2.5: 9 x: ", "VM:", "9", "x", "" },
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

static void test_ids(void **state)
{
	static const struct {
		const char *line, *pid, *tid, *cpu;
	} cases[] = {
		{ "sh 18 [007] 1.5: x: ", "", "18", "007" },
		{ "sh 17/18 1.5: x: ", "17", "18", "" },
		{ ":-1    -1/-1    1.5: x: ", "-1", "-1", "" },
		{ "12/13 1.5: x: ", "12", "13", "" },
		{ "sh 1.5: x: ", "", "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_header h;

		assert_true(perf_header_parse(cases[i].line, strlen(cases[i].line), &h));
		expect_bytes(h.pid, cases[i].pid);
		expect_bytes(h.tid, cases[i].tid);
		expect_bytes(h.cpu, cases[i].cpu);
	}
}

/* Headers that are one by what follows, and samples of one line without time and event. */
static void test_bare_and_short(void **state)
{
	static const struct {
		const char *line, *comm, *tid, *event, *period, *tail; /* tail NULL: bare */
	} cases[] = {
		{ "sh ", "sh", "", "", "", NULL },
		{ "a b 18 ", "a b", "18", "", "", NULL },
		{ "18 ", "", "18", "", "", NULL },
		{ "cpu-clock: ", "", "", "cpu-clock", "", NULL },
		{ "sh cpu-clock: ", "sh", "", "cpu-clock", "", NULL },
		{ "   5025125 cycles: ", "", "", "cycles", "5025125", NULL },
		{ "  18 cycles: ", "", "18", "cycles", "", NULL },
		{ "    sh      5628b07b9e55 f (/b)", "sh", "", "", "", "5628b07b9e55 f (/b)" },
		{ "    bad 18      5628b07b9e55 add (/b)", "bad", "18", "", "",
		  "5628b07b9e55 add (/b)" },
		{ "     5628b07b9e55 f (/b)", "", "", "", "", "5628b07b9e55 f (/b)" },
		{ "sh  ffffffff821f2c2b f ([k])", "sh", "", "", "", "ffffffff821f2c2b f ([k])" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].line);
		struct perf_header h;

		if (cases[i].tail)
			assert_true(perf_header_parse_short(cases[i].line, len, &h));
		else
			assert_true(perf_header_parse_bare(cases[i].line, len, &h));
		expect_bytes(h.comm, cases[i].comm);
		expect_bytes(h.tid, cases[i].tid);
		expect_bytes(h.event, cases[i].event);
		expect_bytes(h.period, cases[i].period);
		expect_bytes(h.tail, cases[i].tail ?: "");
	}
}

static void test_tails(void **state)
{
	static const char *const lines[] = {
		"12 f+0x1 (/bin/a (b)) ABI:2    AX:0x7f    IP:0x56  insn: 48 89 e6",
		"12 f+0x1 (/bin/a (b))  insn: 48 89 e6",
		"12 f+0x1 (/bin/a (b)) 0x12/0x13/P/-/-/0  0x14/0x15/P/-/-/0",
		"12 f+0x1 (/bin/a (b))",
	};
	struct perf_frame f;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_true(perf_tail_parse((struct bytes){ lines[i], strlen(lines[i]) }, &f));
		expect_bytes(f.symbol, "f");
		expect_bytes(f.module, "/bin/a (b)");
	}
}

static void test_extras(void **state)
{
	static const char *const extras[] = {
		" insn: 89 c2",
		" ABI:2    AX:0x7f19b06326c0    IP:0x5628b07b9e55  insn: 48 89 e6",
		"  0x12/0x13/P/-/-/0  0x14/0x15/P/-/-/0 ",
		" main+0x1/f+0x2/P/-/-/1 ",
	};
	static const char *const others[] = { "insn: 89", "  file.c:17", "  a/b/c.c:12", "", " " };

	for (size_t i = 0; i < ARRAY_SIZE(extras); i++)
		assert_true(perf_line_is_extra(extras[i], strlen(extras[i])));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(perf_line_is_extra(others[i], strlen(others[i])));
}

/* A line without end costs no more than its length. */
static void test_long_line(void **state)
{
	size_t len = 4 << 20;
	char *line = xmalloc(len);
	struct perf_header h;

	for (size_t i = 0; i + 8 <= len; i += 8)
		memcpy(line + i, "1.5: aa ", 8);
	assert_false(perf_header_parse(line, len, &h));
	free(line);
}

static void test_records(void **state)
{
	static const char *const lines[] = {
		"swapper     0/0     [000]     0.000000000: PERF_RECORD_FORK(1:1):(0:0)",
		"a b     0 [000]     0.000000: PERF_RECORD_COMM: process_api:1/1",
		"swapper 0 [000] 0.0: PERF_RECORD_MMAP -1/0: [0xff(0x12) @ 0xff]: x [kernel]_text",
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
		cmocka_unit_test(test_no_frames), cmocka_unit_test(test_ids),
		cmocka_unit_test(test_tails),	  cmocka_unit_test(test_bare_and_short),
		cmocka_unit_test(test_extras),	  cmocka_unit_test(test_long_line),
	};

	return cmocka_run_group_tests_name("perf_line", tests, NULL, NULL);
}
