// SPDX-License-Identifier: GPL-2.0-or-later
/* Any folder tree will do: a cgroup's id is the inode of its folder. */
#include "unit/unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/cgroups.h"

static uint64_t make(const char *root, const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void test_paths(void **state)
{
	char root[] = "/tmp/eddy-test-XXXXXX", path[64];
	struct cgroups *g;
	struct stat st;
	uint64_t a, b, late;

	assert_non_null(mkdtemp(root));
	a = make(root, "a");
	b = make(root, "a/b.slice");
	assert_int_equal(stat(root, &st), 0);
	g = cgroups_new(root);
	assert_string_equal(cgroups_path(g, a), "/a");
	assert_string_equal(cgroups_path(g, b), "/a/b.slice");
	assert_string_equal(cgroups_path(g, st.st_ino), "/");
	late = make(root, "late");
	assert_string_equal(cgroups_path(g, late), "/late");
	snprintf(path, sizeof(path), "%s/late", root);
	rmdir(path);
	assert_string_equal(cgroups_path(g, late), "/late"); /* removed, it keeps its name */
	assert_string_equal(cgroups_path(g, 1ull << 60), "[cgroup-1152921504606846976]");
	cgroups_free(g);
	snprintf(path, sizeof(path), "%s/a/b.slice", root);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/a", root);
	rmdir(path);
	assert_int_equal(rmdir(root), 0);
}

/* Containers without end: those in use keep their names, the number is bounded. */
static void test_bounded(void **state)
{
	struct cgroups *g = cgroups_new("/nonexistent");
	char name[64];

	for (uint64_t window = 0; window < 100; window++) {
		for (uint64_t i = 0; i < 500; i++) {
			snprintf(name, sizeof(name), "[cgroup-%llu]",
				 (unsigned long long)(window * 500 + i));
			assert_string_equal(cgroups_path(g, window * 500 + i), name);
		}
		cgroups_path(g, 7);
		cgroups_age(g);
		assert_true(cgroups_nr(g) <= 8192 + 501);
	}
	assert_string_equal(cgroups_path(g, 7), "[cgroup-7]");
	cgroups_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
