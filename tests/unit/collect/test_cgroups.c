// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without handles any directory tree will do: a cgroup's id is the inode of its directory.  With,
 * it takes real cgroups, thousands of them; cost is counted in directories looked at, not in time.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	cgroups_age(g);
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

static struct cgroups_stats stats_of(const struct cgroups *g)
{
	struct cgroups_stats st;

	cgroups_get_stats(g, &st);
	return st;
}

/* Where the right to open by handle is missing: however many are gone, one walk a window. */
static void test_one_walk(void **state)
{
	char root[] = "/tmp/eddy-test-XXXXXX", path[64];
	struct cgroups *g;
	uint64_t late;

	assert_non_null(mkdtemp(root));
	g = cgroups_new(root);
	for (uint64_t i = 0; i < 1000; i++)
		cgroups_path(g, (1ull << 60) + i);
	assert_int_equal(stats_of(g).nr_walks, 1);
	late = make(root, "late");
	assert_memory_equal(cgroups_path(g, late), "[cgroup-", 8);
	cgroups_age(g);
	assert_string_equal(cgroups_path(g, late), "/late"); /* what was missing is looked for */
	assert_int_equal(stats_of(g).nr_walks, 2);
	cgroups_path(g, 1ull << 60);
	assert_int_equal(stats_of(g).nr_walks, 2);
	cgroups_free(g);
	snprintf(path, sizeof(path), "%s/late", root);
	rmdir(path);
	rmdir(root);
}

/*
 * Whoever may make cgroups can make any number: the last ones wait, with those that were asked for.
 */
static void test_new_ones(void **state)
{
	struct cgroups *g = cgroups_new("/proc"); /* a root with the number of the whole tree's */
	char path[64];

	cgroups_add_new(g, 1ull << 60, "/asked");
	assert_string_equal(cgroups_path(g, 1ull << 60), "/asked");
	for (uint64_t i = 1; i <= 100000; i++) {
		snprintf(path, sizeof(path), "/job-%u", (unsigned int)i);
		cgroups_add_new(g, (1ull << 60) + i, path);
	}
	assert_in_range(stats_of(g).nr, 2048, 4097);
	assert_string_equal(cgroups_path(g, (1ull << 60) + 100000), "/job-100000");
	assert_string_equal(cgroups_path(g, (1ull << 60) + 98000), "/job-98000");
	assert_memory_equal(cgroups_path(g, (1ull << 60) + 1), "[cgroup-", 8);
	assert_string_equal(cgroups_path(g, 1ull << 60), "/asked");
	cgroups_free(g);
}

/* Where only a part of the tree is seen, paths of the whole one are not its. */
static void test_part_of_the_tree(void **state)
{
	char root[] = "/tmp/eddy-test-XXXXXX";
	struct cgroups *g;

	assert_non_null(mkdtemp(root));
	g = cgroups_new(root);
	cgroups_add_new(g, 1ull << 60, "/elsewhere");
	assert_memory_equal(cgroups_path(g, 1ull << 60), "[cgroup-", 8);
	cgroups_free(g);
	rmdir(root);
}

#define NR_CGROUPS 3000
#define NR_GONE	   1000

/* A new cgroup to make others in; false: not possible here. */
static bool own_cgroup(char *root, size_t bytes, char *ret_name, size_t name_bytes)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	*root = '\0';
	while (f && !*root && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			snprintf(root, bytes, "%s", m->mnt_dir);
	if (f)
		endmntent(f);
	if (!*root)
		return false;
	snprintf(ret_name, name_bytes, "/eddy-test-%d", (int)getpid());
	snprintf(root + strlen(root), bytes - strlen(root), "%s", ret_name);
	return !mkdir(root, 0755);
}

static bool has_handles(const char *root)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + 8];
	} h = { .handle.handle_bytes = 8 };
	int mount_id, fd, dir = open(root, O_RDONLY | O_DIRECTORY);

	if (name_to_handle_at(AT_FDCWD, root, &h.handle, &mount_id, 0) < 0)
		return false;
	fd = open_by_handle_at(dir, &h.handle, O_PATH);
	close(dir);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_thousands(void **state)
{
	char root[256], own[64], name[128], path[512];
	uint64_t ids[NR_CGROUPS];
	struct cgroups *g;

	if (!own_cgroup(root, sizeof(root), own, sizeof(own)))
		skip();
	if (!has_handles(root)) {
		rmdir(root);
		skip();
	}
	g = cgroups_new(NULL);
	for (int i = 0; i < NR_CGROUPS; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		ids[i] = make(root, name);
	}
	for (int i = 0; i < NR_CGROUPS; i++) {
		snprintf(path, sizeof(path), "%s/c%d", root, i);
		if (i < NR_GONE)
			rmdir(path);
	}
	for (int i = 0; i < NR_CGROUPS; i++) {
		if (i < NR_GONE)
			snprintf(name, sizeof(name), "[cgroup-%llu]", (unsigned long long)ids[i]);
		else
			snprintf(name, sizeof(name), "%s/c%d", own, i);
		assert_string_equal(cgroups_path(g, ids[i]), name);
		assert_string_equal(cgroups_path(g, ids[i]), name);
	}
	assert_int_equal(stats_of(g).nr_walks, 0);
	assert_int_equal(stats_of(g).nr_opened, NR_CGROUPS); /* once each, those gone too */
	for (int i = NR_GONE; i < NR_CGROUPS; i++) {
		snprintf(path, sizeof(path), "%s/c%d", root, i);
		rmdir(path);
	}
	assert_string_equal(cgroups_path(g, 1), "/");
	cgroups_free(g);
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
		assert_true(stats_of(g).nr <= 8192 + 501);
	}
	assert_string_equal(cgroups_path(g, 7), "[cgroup-7]");
	cgroups_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	  cmocka_unit_test(test_one_walk),
		cmocka_unit_test(test_new_ones),  cmocka_unit_test(test_part_of_the_tree),
		cmocka_unit_test(test_thousands), cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
