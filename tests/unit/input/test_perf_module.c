// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose code a frame of `perf script` is, what its module is called, which addresses are kept. */
#include "unit/unit.h"

#include "input/perf_module.h"
#include "util/mem.h"

#define HIGH 0xffffffffc0010000

static void test_origins(void **state)
{
	static const struct {
		const char *module;
		uint64_t addr;
		bool has_user;
		enum frame_origin origin;
		const char *name;
	} cases[] = {
		{ "[kernel.kallsyms]", 0x12, false, FRAME_KERNEL, "[kernel]" },
		{ "[kernel.kallsyms].init.text", HIGH, false, FRAME_KERNEL, "[kernel]" },
		{ "[guest.kernel.kallsyms.12]", 0x7fffab, true, FRAME_KERNEL, "[kernel]" },
		{ "/lib/modules/4.13.0/build/vmlinux", 0x44b0fe, false, FRAME_KERNEL, "[kernel]" },
		{ "/boot/vmlinux-5.4.14-x", HIGH, false, FRAME_KERNEL, "[kernel]" },
		{ "/home/u/vmlinuxes", 0x12, false, FRAME_USER, "vmlinuxes" },
		{ "/lib/modules/5.4/mlx5_core.ko", 0x12, false, FRAME_KERNEL, "mlx5_core.ko" },
		{ "/lib/modules/5.4/nf.ko.xz", 0x12, false, FRAME_KERNEL, "nf.ko.xz" },
		{ "[nf_conntrack_ipv4]", 0x7d8, false, FRAME_KERNEL, "[nf_conntrack_ipv4]" },
		{ "bpf_prog_2b956549c660136a_lb", HIGH, false, FRAME_KERNEL,
		  "bpf_prog_2b956549c660136a_lb" },
		{ "[unknown]", HIGH, false, FRAME_KERNEL, "" },
		{ "[unknown]", HIGH, true, FRAME_USER, "" },
		{ "", HIGH, true, FRAME_USER, "" },
		{ "[unknown]", 0x12, false, FRAME_USER, "" },
		{ "[vdso]", 0x12, false, FRAME_USER, "[vdso]" },
		{ "[vsyscall]", 0xffffffffff600000, false, FRAME_USER, "[vsyscall]" },
		{ "[heap]", 0x12, false, FRAME_USER, "[heap]" },
		{ "/tmp/perf-12.map", 0x12, false, FRAME_JIT, "[jit]" },
		{ "/tmp/jitted-31714-414.so", 0xf719f4a4, false, FRAME_JIT, "[jit]" },
		{ "[JIT] tid 12", 0x12, false, FRAME_JIT, "[jit]" },
		{ "[JIT app cache]", 0x9c51fd34, true, FRAME_JIT, "[jit]" },
		{ "inlined", HIGH, false, FRAME_INLINED, "" },
		{ "/usr/lib/a b.so (deleted)", 0x12, false, FRAME_USER, "a b.so" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct perf_frame f = {
			.addr = cases[i].addr,
			.module = { *cases[i].module ? cases[i].module : NULL,
				    strlen(cases[i].module) },
		};
		struct bytes name;

		if (perf_frame_origin(&f, cases[i].has_user) != cases[i].origin)
			fail_msg("%s", cases[i].module);
		name = perf_module_name(&f, cases[i].origin);
		assert_int_equal(name.len, strlen(cases[i].name));
		assert_memory_equal(name.at, cases[i].name, name.len);
	}
}

/* An address of the run is in no name: it is another one the next time. */
static void test_addresses(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
		enum frame_origin origin;
		bool is_raw;
	} cases[] = {
		{ 0x7bf7, "dash", FRAME_USER, false },
		{ 0x401126, "work", FRAME_USER, false },
		{ 0x7f89e28120cf, "libjvm.so", FRAME_USER, true },
		{ 0x55d61ec63b50, "dash", FRAME_USER, true },
		{ 0xaaaac1479980, "trace", FRAME_USER, true },
		{ 0xf7abc8e9, "libc-2.29.so", FRAME_USER, true },
		{ 0x12, "", FRAME_USER, true },
		{ 0x12, "[vdso]", FRAME_USER, true },
		{ 0x12, "mlx5_core.ko", FRAME_KERNEL, true },
		{ 0x12, "//anon", FRAME_USER, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_frame f = { .addr = cases[i].addr };
		struct bytes name = { cases[i].name, strlen(cases[i].name) };

		assert_int_equal(perf_frame_is_raw(&f, name, cases[i].origin), cases[i].is_raw);
		f.has_module_offset = true;
		assert_false(perf_frame_is_raw(&f, name, cases[i].origin));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests_name("perf_module", tests, NULL, NULL);
}
