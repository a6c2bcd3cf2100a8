// SPDX-License-Identifier: GPL-2.0-or-later
/* The ORC tables are used where the symbols that bound them make sense together, and only there. */
#include "run/orc_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/mem.h"

static const char whole[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000100 T return_to_handler\n"
			    "ffffffff81000200 T arch_rethook_trampoline\n"
			    "ffffffff81800000 T _etext\n"
			    "ffffffff81fffff0 R __start_orc_header\n"
			    "ffffffff82000000 R __start_orc_unwind_ip\n"
			    "ffffffff82001000 R __stop_orc_unwind_ip\n"
			    "ffffffff82001000 R __start_orc_unwind\n"
			    "ffffffff82002800 R __stop_orc_unwind\n";

/* Looks into a kallsyms of this text, of kernel 6.minor, or 5.10 when that is negative. */
static bool find_in(const char *kallsyms, int minor, struct eddy_orc *ret_orc)
{
	char root[] = "/tmp/eddy-orc.XXXXXX";
	_cleanup_free_ char *dir = NULL, *path = NULL;
	_cleanup_(frame_table_freep) struct frame_table *frames = frame_table_new();
	struct symbolizer *s;
	bool found;
	FILE *f;

	assert_non_null(mkdtemp(root));
	dir = xasprintf("%s/proc", root);
	path = xasprintf("%s/kallsyms", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(kallsyms, f);
	fclose(f);
	s = symbolizer_new(frames, &(struct symbolizer_opts){ .root = root });
	found = orc_tables_find(s, minor < 0 ? 5 : 6, minor < 0 ? 10 : minor, ret_orc);
	symbolizer_free(s);
	unlink(path);
	rmdir(dir);
	rmdir(root);
	return found;
}

static bool find(const char *kallsyms, struct eddy_orc *ret_orc)
{
	return find_in(kallsyms, 12, ret_orc);
}

/* The whole text with one line replaced; line: a new one for the symbol at its end. */
static bool find_with(const char *line)
{
	_cleanup_free_ char *text = NULL;
	const char *name = strrchr(line, ' ') + 1;
	const char *at = strstr(whole, name), *begin = at, *end = strchr(at, '\n') + 1;
	struct eddy_orc orc = { .nr_entries = 7 };
	bool found;

	while (begin > whole && begin[-1] != '\n')
		begin--;
	text = xasprintf("%.*s%s\n%s", (int)(begin - whole), whole, line, end);
	found = find(text, &orc);
	assert_true(found || orc.nr_entries == 7);
	return found;
}

static void test_found(void **state)
{
	struct eddy_orc orc = { 0 };

	assert_true(find(whole, &orc));
	assert_true(orc.text_start == 0xffffffff81000000);
	assert_true(orc.text_end == 0xffffffff81800000);
	assert_true(orc.ips == 0xffffffff82000000);
	assert_true(orc.entries == 0xffffffff82001000);
	assert_int_equal(orc.nr_entries, 1024);
	assert_true(orc.trampoline[0] == 0xffffffff81000100);
	assert_true(orc.trampoline[1] == 0xffffffff81000200);
	assert_int_equal(orc.is_on, 1);
}

/* Before 6.3: another form, no header, and another name. */
static void test_older(void **state)
{
	struct eddy_orc orc = { 0 };
	_cleanup_free_ char *text = xstrdup(whole);

	memcpy(strstr(text, "arch_rethook_trampoline"), "kretprobe_trampoline\n#\n", 23);
	memcpy(strstr(text, "__start_orc_header"), "__start_orc_helper", 18);
	assert_true(find_in(text, -1, &orc));
	assert_true(orc.trampoline[1] == 0xffffffff81000200);
	assert_int_equal(orc.has_old_types, 1);
	assert_true(find_in(text, 2, &orc));
	assert_int_equal(orc.has_old_types, 1);
}

/* 6.3 has a form of its own, and a header on an older kernel names a form that it did not have. */
static void test_unknown_form(void **state)
{
	_cleanup_free_ char *text = xstrdup(whole);
	struct eddy_orc orc = { 0 };

	assert_true(find_in(whole, 4, &orc));
	assert_int_equal(orc.has_old_types, 0);
	assert_false(find_in(whole, 3, &orc));
	assert_false(find_in(whole, -1, &orc));
	memcpy(strstr(text, "__start_orc_header"), "__start_orc_helper", 18);
	assert_false(find_in(text, 3, &orc));
	assert_false(find_in(text, 4, &orc));
}

static void test_refused(void **state)
{
	struct eddy_orc orc = { .nr_entries = 7 };

	assert_false(find("ffffffff81000000 T _stext\nffffffff81800000 T _etext\n", &orc));
	assert_false(find("", &orc));
	assert_int_equal(orc.nr_entries, 7);
	/* Bounds that do not go together: numbers of the two arrays, order, too few, too many. */
	assert_false(find_with("ffffffff82002806 R __stop_orc_unwind"));
	assert_false(find_with("ffffffff81fffff0 R __stop_orc_unwind_ip"));
	assert_false(find_with("ffffffff82000080 R __stop_orc_unwind_ip"));
	assert_false(find_with("fffffffff2000000 R __stop_orc_unwind_ip"));
	assert_false(find_with("ffffffff80000000 T _etext"));
	assert_false(find_with("0000000000000000 R __start_orc_unwind"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_unknown_form),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("orc_tables", tests, NULL, NULL);
}
