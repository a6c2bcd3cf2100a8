// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose the functions of a capture are: what the .json says of them, and what does not fit. */
#include "unit/unit.h"

#include "archive/sidecar_modules.h"
#include "run/account_modules.h"
#include "util/mem.h"

static void add(struct profile *p, const char *name, const char *module, enum frame_origin origin,
		uint64_t weight)
{
	struct frame_table *frames = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(frames, name),
			   .module = frame_table_intern0(frames, module),
			   .origin = origin,
			   .unnamed = *name == '[' };

	f.start = frame_table_nr(frames);
	profile_add(p, profile_child(p, NODE_ROOT, frame_table_add(frames, &f)), weight);
}

static json_id modules_of(const struct json *j)
{
	return json_member(j, JSON_ROOT, SIDECAR_MODULES);
}

static const char *functions(const struct json *j, const char *module)
{
	return json_string(j, json_member(j, modules_of(j), module));
}

static void test_what_is_said(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_json_ struct json *j = json_new(), *plain = json_new();

	add(p, "malloc", "libc.so.6", FRAME_USER, 1);
	add(p, "free", "libc.so.6", FRAME_USER, 0);
	add(p, "init", "libc.so.6", FRAME_USER, 2); /* static ones of one name */
	add(p, "init", "libc.so.6", FRAME_USER, 3);
	add(p, "main", "app", FRAME_USER, 1);
	add(p, "a;b", "app", FRAME_USER, 1);
	add(p, "nf_fn", "nf_nat", FRAME_KERNEL, 1);
	/* What frames say themselves. */
	add(p, "[app+0x5]", "app", FRAME_USER, 1);
	add(p, "vfs_read", "[kernel]", FRAME_KERNEL, 1);
	add(p, "bpf_prog_6deef7357e7b4530_x", "bpf", FRAME_KERNEL, 1);
	add(p, "run", "[jit]", FRAME_JIT, 1);
	add(p, "inlined", "app", FRAME_INLINED, 1);
	account_modules_add(j, p, false);
	assert_int_equal(json_count(j, modules_of(j)), 3);
	assert_string_equal(functions(j, "libc.so.6"), "free;init;malloc");
	assert_string_equal(functions(j, "app"), "a:b;main");
	assert_string_equal(functions(j, "nf_nat"), "nf_fn_[k]");
	/* Without suffixes a kernel's function and a program's are one text. */
	account_modules_add(plain, p, true);
	assert_int_equal(json_count(plain, modules_of(plain)), 2);
}

static void test_what_does_not_fit(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_json_ struct json *j = json_new();
	char name[32];
	json_id notes;

	for (int i = 0; i < 9000; i++) {
		snprintf(name, sizeof(name), "a_function_of_%05d", i);
		add(p, name, "app", FRAME_USER, (uint64_t)i);
	}
	account_modules_add(j, p, false);
	assert_true(strlen(functions(j, "app")) <= SIDECAR_MODULES_MAX_BYTES);
	assert_non_null(strstr(functions(j, "app"), "a_function_of_08999"));
	assert_null(strstr(functions(j, "app"), "a_function_of_00000"));
	notes = json_member(j, JSON_ROOT, "notes");
	assert_int_equal(json_count(j, notes), 1);
	assert_non_null(strstr(json_string(j, json_first(j, notes)), "of 9000 functions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_said),
		cmocka_unit_test(test_what_does_not_fit),
	};

	return cmocka_run_group_tests_name("account_modules", tests, NULL, NULL);
}
