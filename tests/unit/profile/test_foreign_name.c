// SPDX-License-Identifier: GPL-2.0-or-later
/* Which names are read as forms of eddy's own, and that none is left that could be. */
#include "unit/unit.h"

#include "profile/foreign_name.h"
#include "profile/frame_text.h"
#include "util/mem.h"

static void test_table(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "", "" },
		{ "main", "main" },
		{ "[hardirq]", "\\x5bhardirq]" },
		{ "[lost:ring-full]", "\\x5blost:ring-full]" },
		{ "[]", "\\x5b]" },
		{ "]", "]" },
		{ "[", "[" },
		{ "[celeryd: celer", "[celeryd: celer" },
		{ "-[NSObject init]", "-[NSObject init]" },
		{ "asm_sysvec_x_[k]", "asm_sysvec_x_\\x5bk]" },
		{ "_[j]", "_\\x5bj]" },
		{ "f_[php]", "f_\\x5bphp]" },
		{ "[_[k]", "\\x5b_\\x5bk]" },
		{ "f_[k]_[k]", "f_[k]_\\x5bk]" },
		{ "f_[K]", "f_[K]" },
		{ "f_[]", "f_[]" },
		{ "f_[1]", "f_[1]" },
		{ "f_[k] ", "f_[k] " },
		{ "f[k]", "f[k]" },
		{ "\\x5bhardirq]", "\\x5bhardirq]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_frame_table_ struct frame_table *t = frame_table_new();
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
		str_id id = foreign_name_intern(t, cases[i].name, strlen(cases[i].name));

		foreign_name_add(&sb, cases[i].name, strlen(cases[i].name));
		assert_string_equal(sb.bytes, cases[i].want);
		assert_string_equal(frame_table_str(t, id, NULL), cases[i].want);
	}
}

static void test_guard_end(void **state)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "before_[k]");
	foreign_name_guard_end(&sb, 7);
	assert_string_equal(sb.bytes, "before_[k]"); /* "[k]" alone is no suffix */
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "/user.slice/x_[k]");
	foreign_name_guard_end(&sb, 0);
	assert_string_equal(sb.bytes, "/user.slice/x_\\x5bk]");
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "[anon]");
	foreign_name_guard_end(&sb, 0);
	assert_string_equal(sb.bytes, "[anon]");
}

/* Names put together from what forms are made of: as text a name of a user is one of a user. */
static void test_random_names(void **state)
{
	static const char *const parts[] = { "[",  "]", "_", "_[", "k]", "j", "k",
					     "py", ";", "a", ":",  " ",	 "\n" };
	for (int round = 0; round < 50000; round++) {
		_cleanup_frame_table_ struct frame_table *t = frame_table_new();
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, text = STRBUF_INIT;
		frame_id id, back;
		const struct frame *f;
		str_id again;

		for (uint64_t n = test_random_below(7); n; n--)
			strbuf_addstr(&name, parts[test_random_below(ARRAY_SIZE(parts))]);
		if (!name.len)
			continue;
		id = frame_table_add(
			t, &(struct frame){ .name = foreign_name_intern(t, name.bytes, name.len),
					    .origin = FRAME_USER });
		frame_text_add(&text, t, id, false);
		assert_false(text.bytes[0] == '[' && text.bytes[text.len - 1] == ']');
		back = frame_table_add_text(t, text.bytes, text.len);
		f = frame_table_get(t, back);
		assert_int_equal(f->origin, FRAME_USER);
		assert_string_equal(frame_table_str(t, f->name, NULL), text.bytes);
		/* Once is enough. */
		again = foreign_name_intern(t, text.bytes, text.len);
		assert_string_equal(frame_table_str(t, again, NULL), text.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_guard_end),
		cmocka_unit_test(test_random_names),
	};

	return cmocka_run_group_tests_name("foreign_name", tests, NULL, NULL);
}
