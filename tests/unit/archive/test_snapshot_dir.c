// SPDX-License-Identifier: GPL-2.0-or-later
/* Listings of directories of snapshots, and which windows lie in a range of time. */
#include "unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "archive/snapshot_dir.h"
#include "util/mem.h"

struct tree {
	char dir[64];
};

static int tree_make(void **state)
{
	struct tree *t = xcalloc(1, sizeof(*t));

	strcpy(t->dir, "/tmp/eddy-snapshots.XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	*state = t;
	return 0;
}

static int tree_remove(void **state)
{
	struct tree *t = *state;
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", t->dir);
	int r = system(command);

	free(t);
	return r;
}

static void put(const struct tree *t, const char *path)
{
	_cleanup_free_ char *whole = xasprintf("%s/%s", t->dir, path);
	_cleanup_close_ int fd = open(whole, O_CREAT | O_WRONLY, 0666);

	assert_true(fd >= 0);
}

static void dir(const struct tree *t, const char *path)
{
	_cleanup_free_ char *whole = xasprintf("%s/%s", t->dir, path);

	assert_int_equal(mkdir(whole, 0777), 0);
}

/* The paths of a listing without the tree's own, joined by spaces. */
static char *listed(const struct tree *t, const struct snapshot_list *list)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		snapshot_list_path(list, i, &path);
		assert_memory_equal(path.bytes, t->dir, strlen(t->dir));
		if (i)
			strbuf_addch(&all, ' ');
		strbuf_addstr(&all, path.bytes + strlen(t->dir) + 1);
	}
	return strbuf_detach(&all);
}

static void expect(const struct tree *t, const char *want)
{
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };
	_cleanup_free_ char *got = NULL;

	assert_int_equal(snapshot_list_read(t->dir, &list, NULL), 0);
	got = listed(t, &list);
	assert_string_equal(got, want);
}

#define A "20261120T120000Z-10.folded.gz"
#define B "20261120T120010Z-10.folded.gz"
#define C "20261120T120020Z-10.folded"

static void test_hosts(void **state)
{
	const struct tree *t = *state;
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };

	dir(t, "web");
	dir(t, "db");
	dir(t, "empty");
	dir(t, "web/" A); /* a directory of that name is no snapshot */
	put(t, "web/" B);
	put(t, "web/" B ".json");
	put(t, "web/" C);
	put(t, "web/.eddy-snapshot.lock");
	put(t, "web/notes.txt");
	put(t, "db/" C);
	put(t, "db/" A);
	put(t, "README");
	expect(t, "db/" A " web/" B " db/" C " web/" C);
	assert_int_equal(snapshot_list_read(t->dir, &list, NULL), 0);
	assert_int_equal(list.nr_unread, 0);
	assert_int_equal(list.nr_hosts, 4);
}

static void test_one_host(void **state)
{
	const struct tree *t = *state;
	const char *name = strrchr(t->dir, '/') + 1;
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };

	put(t, C);
	put(t, A);
	put(t, A ".json");
	expect(t, A " " C);
	assert_int_equal(snapshot_list_read(t->dir, &list, NULL), 0);
	for (size_t i = 0; i < list.nr; i++)
		assert_string_equal(list.hosts[list.entries[i].host].name, name);
}

/* [since, until): a window that only touches the range is not in it. */
static void test_range(void **state)
{
	enum { NOON = 1795176000 };
	static const struct {
		int64_t since_s, until_s;
		bool is_within, is_moment_within; /* of ten seconds, of none */
	} ranges[] = {
		{ 0, 0, true, true },
		{ NOON, 0, true, true },
		{ NOON + 9, 0, true, false },
		{ NOON + 10, 0, false, false },
		{ 0, NOON, false, false },
		{ 0, NOON + 1, true, true },
		{ NOON + 2, NOON + 5, true, false },
		{ NOON - 9, NOON, false, false },
		{ NOON - 9, NOON + 1, true, true },
	};
	struct snapshot_name name, moment;

	assert_int_equal(snapshot_name_parse(A, &name), 0);
	moment = name;
	moment.seconds = 0;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		int64_t since_s = ranges[i].since_s, until_s = ranges[i].until_s;

		assert_int_equal(snapshot_name_is_within(&name, since_s, until_s),
				 ranges[i].is_within);
		assert_int_equal(snapshot_name_is_within(&moment, since_s, until_s),
				 ranges[i].is_moment_within);
	}
}

static void test_absent(void **state)
{
	const struct tree *t = *state;
	_cleanup_free_ char *path = xasprintf("%s/absent", t->dir);
	struct snapshot_list list;
	struct diag diag = { "" };

	assert_int_equal(snapshot_list_read(path, &list, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "absent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hosts, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_one_host, tree_make, tree_remove),
		cmocka_unit_test(test_range),
		cmocka_unit_test_setup_teardown(test_absent, tree_make, tree_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
