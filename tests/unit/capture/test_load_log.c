// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one line of a verifier's log, or of libbpf's messages, that says why a program did not load.
 */
#include "unit/unit.h"

#include <bpf/libbpf.h>
#include <string.h>

#include "capture/load_log.h"

static void assert_reason(const char *text, const char *want)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	load_log_reason(text, 60, &line);
	assert_string_equal(line.len ? line.bytes : "", want);
}

static void test_verifier(void **state)
{
	assert_reason("libbpf: prog 'p': BPF program load failed: Permission denied\n"
		      "libbpf: prog 'p': -- BEGIN PROG LOAD LOG --\n"
		      "0: R1=ctx(off=0,imm=0) R10=fp0\n"
		      "3: (71) r1 = *(u8 *)(r7 +1)\n"
		      "R7 invalid mem access 'scalar'\n"
		      "verification time 812 usec\n"
		      "stack depth 8+16\n"
		      "processed 4 insns (limit 1000000) max_states_per_insn 0 total_states 0\n"
		      "-- END PROG LOAD LOG --\n"
		      "libbpf: prog 'p': failed to load: -13\n"
		      "libbpf: failed to load object 'sampler_bpf'\n"
		      "libbpf: failed to load BPF skeleton 'sampler_bpf': -13\n",
		      "R7 invalid mem access 'scalar'");
}

/* The kernel refused before it verified anything. */
static void test_empty_log(void **state)
{
	assert_reason("libbpf: prog 'p': BPF program load failed: Operation not permitted\n"
		      "libbpf: prog 'p': -- BEGIN PROG LOAD LOG --\n"
		      "-- END PROG LOAD LOG --\n"
		      "libbpf: prog 'p': failed to load: -1\n",
		      "");
}

static void test_libbpf(void **state)
{
	assert_reason("libbpf: Error in bpf_create_map(ring):Invalid argument(-22). Retrying "
		      "without BTF.\n"
		      "libbpf: map 'ring': failed to create: Cannot allocate memory(-12)\n"
		      "libbpf: failed to load object 'sampler_bpf'\n"
		      "libbpf: failed to load BPF skeleton 'sampler_bpf': -12",
		      "map 'ring': failed to create: Cannot allocate memory(-12)");
	assert_reason("libbpf: failed to load object 'sampler_bpf'\n", "");
	assert_reason("", "");
	assert_reason("no newline", "no newline");
	assert_reason("\n\n\n", "");
}

/* A log may be cut anywhere and hold any bytes: nothing behind its end is read, the line is
 * bounded. */
static void test_any_bytes(void **state)
{
	static const char *const words[] = { "\n",
					     "processed ",
					     "libbpf: ",
					     "-- BEGIN PROG LOAD LOG --",
					     "-- END PROG LOAD LOG --",
					     "\x1b[31m",
					     "failed to load object",
					     "x" };

	for (int i = 0; i < 5000; i++) {
		_cleanup_strbuf_ struct strbuf text = { 0 }, line = { 0 };

		strbuf_addstr(&text, "");
		for (uint64_t n = test_random_below(20); n; n--)
			strbuf_addstr(&text, words[test_random_below(8)]);
		load_log_reason(text.len ? text.bytes : "", 10, &line);
		assert_true(line.len <= 10);
		assert_null(memchr(line.len ? line.bytes : "", '\n', line.len));
	}
}

/* What libbpf says between begin and end is in the log, and nowhere else. */
static void test_collects(void **state)
{
	struct load_log log = { 0 };
	libbpf_print_fn_t before = libbpf_set_print(NULL);

	load_log_begin(&log);
	assert_null(bpf_object__open_mem("no ELF", 6, NULL));
	load_log_end(&log);
	assert_non_null(log.text.bytes);
	assert_non_null(strstr(log.text.bytes, "libbpf: "));
	strbuf_deinit(&log.text);
	assert_null(libbpf_set_print(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verifier), cmocka_unit_test(test_empty_log),
		cmocka_unit_test(test_libbpf),	 cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_collects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
