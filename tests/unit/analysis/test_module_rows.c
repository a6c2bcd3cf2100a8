// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose code frames are, by what says it; samples of modules, each once. */
#include "unit/analysis/stacks.h"

#include "analysis/base_marks.h"
#include "analysis/module_rows.h"
#include "util/mem.h"

static frame_id with_module(struct stacks *s, const char *text, const char *module)
{
	struct frame_table *frames = profile_frames(s->profile);
	struct frame f = *frame_table_get(frames, stacks_frame(s, text));

	f.module = frame_table_intern0(frames, module);
	return frame_table_add(frames, &f);
}

/* "inclusive self module kind;" of each row. */
static void check_profile(const struct profile *p, const struct modules_known *known,
			  const char *want)
{
	_cleanup_module_rows_ struct module_rows rows = { 0 };
	char got[1024] = "";
	size_t len = 0;
	uint64_t self = 0;

	assert_int_equal(module_rows_find(p, known, &rows, NULL), 0);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct module_row *r = &rows.rows[i];

		len += (size_t)snprintf(got + len, sizeof(got) - len, "%d %d %s %s;",
					(int)r->inclusive, (int)r->self, r->name,
					module_kind_name(r->kind));
		self += r->self;
	}
	assert_string_equal(got, want);
	assert_int_equal(self, profile_total(p));
}

static void check(const char *text, const char *want)
{
	_cleanup_profile_ struct profile *marked = NULL;
	struct stacks s;

	stacks_init(&s);
	stacks_parse(&s, text);
	marked = profile_mark_bases(s.profile, 1);
	check_profile(marked, NULL, want);
	stacks_deinit(&s);
}

static void test_texts(void **state)
{
	/* Once a sample, however often a stack comes through. */
	check("m;[libc.so.6+0x10];[app+0x5];[libc.so.6+0x20];[app+0x9] 3 m;[app+0x5] 1",
	      "4 4 app program;3 0 libc.so.6 library;");
	check("m;read;vfs_read_[k];[nf_nat]_[k];memcpy_[k] 2",
	      "2 2 [kernel] kernel;2 0 [unknown] unknown;2 0 nf_nat module;");
	check("m;f_[j];[anon];[vdso+0xa30] 4 m;[heap] 1",
	      "4 0 [anon] memory;4 0 [jit] jit;4 4 [vdso] library;1 1 [heap] memory;");
	/* A plus and an offset in a file's own name. */
	check("m;[a+0x1b+0x40] 1", "1 1 a+0x1b program;");
}

static void test_bpf_programs_are_apart(void **state)
{
	check("m;bpf_trampoline_64425_[k];bpf_prog_6deef7357e7b4530_a_[k] 2 "
	      "m;bpf_prog_6deef7357e7b4531_[k] 3 m;bpf_prog_run_array_of_all_[k] 1 "
	      "m;bpf_trampoline_link_[k] 4",
	      "5 5 [kernel] kernel;3 3 bpf_prog_6deef7357e7b4531 bpf;"
	      "2 2 bpf_prog_6deef7357e7b4530_a bpf;2 0 bpf_trampoline_64425 bpf;");
}

/* A mark is nobody's code: what stands under it keeps its module, what is only it has none. */
static void test_marks(void **state)
{
	check("[hardirq];tick_[k] 2 m;[truncated];[app+0x5] 3 m;[app+0x5];schedule_[k];[sleep] 4 "
	      "m;[truncated] 5 [lost:map-full] 6 m;[app+0x5];[i]_[i] 1",
	      "8 4 app program;6 6 [kernel] kernel;6 6 [lost:map-full] lost;5 5 [no code] none;");
}

static void test_modules_of_frames(void **state)
{
	struct stacks s;
	frame_id stack[3];

	stacks_init(&s);
	stack[0] = with_module(&s, "main", "app");
	stack[1] = with_module(&s, "fn_[k]", "[nf_nat]");
	stack[2] = with_module(&s, "other_[k]", "xfs.ko.xz");
	profile_add(s.profile, profile_stack(s.profile, stack, 3), 7);
	stack[1] = with_module(&s, "malloc", "libc.so.6");
	stack[2] = with_module(&s, "f_[i]", "libc.so.6");
	profile_add(s.profile, profile_stack(s.profile, stack, 3), 2);
	stack[0] = with_module(&s, "read_[k]", "[kernel.kallsyms]");
	stack[1] = with_module(&s, "prog_[k]", "bpf");
	profile_add(s.profile, profile_stack(s.profile, stack, 2), 1);
	check_profile(s.profile, NULL,
		      "9 0 app program;7 0 nf_nat module;7 7 xfs module;"
		      "2 2 libc.so.6 library;1 0 [kernel] kernel;1 1 prog bpf;");
	stacks_deinit(&s);
}

static void test_what_is_known(void **state)
{
	struct stacks s;
	struct modules_known known = { 0 };
	frame_id f, main_frame, fn;

	stacks_init(&s);
	stacks_parse(&s, "main;f 2 main;fn_[k] 3 main;g 1");
	main_frame = stacks_frame(&s, "main");
	f = stacks_frame(&s, "f");
	fn = stacks_frame(&s, "fn_[k]");
	known.nr = (size_t)stacks_frame(&s, "g"); /* which is behind all that is known */
	known.of = xcalloc(known.nr, sizeof(*known.of));
	known.of[main_frame] = MODULES_KNOWN_SEVERAL;
	known.of[f] = frame_table_intern0(profile_frames(s.profile), "libf.so");
	known.of[fn] = frame_table_intern0(profile_frames(s.profile), "nf_nat");
	check_profile(s.profile, &known,
		      "6 0 [several] unknown;3 3 nf_nat module;2 2 libf.so library;"
		      "1 1 [unknown] unknown;");
	free(known.of);
	stacks_deinit(&s);
}

static void test_nothing(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);

	check_profile(p, NULL, "");
	profile_add(p, NODE_ROOT, 2);
	check_profile(p, NULL, "2 2 [no code] none;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),	      cmocka_unit_test(test_bpf_programs_are_apart),
		cmocka_unit_test(test_marks),	      cmocka_unit_test(test_modules_of_frames),
		cmocka_unit_test(test_what_is_known), cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
