// SPDX-License-Identifier: GPL-2.0-or-later
/* Views by name, and their formats by name and by path. */
#include "unit/unit.h"

#include <errno.h>

#include "util/mem.h"
#include "view/views.h"

static void test_names(void **state)
{
	const struct view *view = NULL;
	struct diag diag = { "" };
	char names[VIEW_LIST_BYTES];

	assert_ptr_equal(view_find(NULL), &view_flat);
	assert_ptr_equal(view_find("callers"), &view_callers);
	assert_null(view_find("caller"));
	assert_int_equal(view_choose("view", "cycels", &view, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "did you mean 'cycles'?"));
	assert_null(view);
	view_list_names(names);
	assert_non_null(strstr(names, "flat, tree, "));
}

/* Every view has text first, for people, and a table for programs, which a path can ask for. */
static void test_formats(void **state)
{
	char names[VIEW_LIST_BYTES];

	view_list_names(names);
	for (char *at = strtok(names, ", "); at; at = strtok(NULL, ", ")) {
		const struct view *view = view_find(at);

		assert_non_null(view);
		assert_string_equal(view_find_format(view, NULL)->name, "text");
		assert_non_null(view_find_format(view, "tsv"));
		assert_ptr_equal(view_format_of_path(view, "a/b.tsv"),
				 view_find_format(view, "tsv"));
		assert_null(view_format_of_path(view, "a/.tsv"));
		assert_null(view_format_of_path(view, "a.tsv/b"));
		assert_null(view_find_format(view, "nothing"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
