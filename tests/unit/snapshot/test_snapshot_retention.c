// SPDX-License-Identifier: GPL-2.0-or-later
/* Which snapshots go when there are too many, too large or too old, whatever the clock did. */
#include "unit/snapshot/snapshots.h"

#include <fcntl.h>

#include "snapshot/snapshot_retention.h"

#define NOON INT64_C(1795176000)

struct place {
	const char *dir;
	int fd;
};

static struct place open_place(void **state)
{
	struct place p = { *state, open(*state, O_RDONLY | O_DIRECTORY) };

	assert_true(p.fd >= 0);
	return p;
}

static void put(const struct place *p, const char *name, size_t bytes)
{
	_cleanup_close_ int fd = openat(p->fd, name, O_CREAT | O_WRONLY, 0666);

	assert_int_equal(ftruncate(fd, bytes), 0);
}

static bool is_there(const struct place *p, const char *name)
{
	return !faccessat(p->fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* The window i of ten seconds; its two files are created. */
static void window(const struct place *p, int i, struct snapshot_name *ret_name)
{
	char text[SNAPSHOT_NAME_BYTES];

	*ret_name = (struct snapshot_name){ .start_s = NOON + 10 * i, .seconds = 10 };
	snapshot_name_format(ret_name, text);
	put(p, text, 100);
	strcat(text, ".json");
	put(p, text, 50);
}

static bool has_window(const struct place *p, int i)
{
	const struct snapshot_name name = { .start_s = NOON + 10 * i, .seconds = 10 };
	char text[SNAPSHOT_NAME_BYTES];
	bool has;

	snapshot_name_format(&name, text);
	has = is_there(p, text);
	strcat(text, ".json");
	assert_int_equal(has, is_there(p, text));
	return has;
}

static void expect_windows(const struct place *p, int first, int last)
{
	for (int i = 0; i < 20; i++)
		if (has_window(p, i) != (i >= first && i <= last))
			fail_msg("window %d, with %d to %d expected", i, first, last);
}

/* Ten windows that stand there before. */
static void fill(struct snapshot_retention *r, const struct place *p, bool with_bytes)
{
	struct snapshot_name name;

	for (int i = 9; i >= 0; i--)
		window(p, i, &name);
	assert_int_equal(snapshot_retention_read(r, p->fd, with_bytes), 0);
	assert_int_equal(snapshot_retention_nr(r), 10);
}

static void test_number(void **state)
{
	const struct snapshot_limits limits = { .keep_files = 4 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);
	struct snapshot_name name;

	fill(&r, &p, false);
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	expect_windows(&p, 6, 9);
	for (int i = 10; i < 15; i++) {
		window(&p, i, &name);
		snapshot_retention_add(&r, &name, 150);
		assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
		expect_windows(&p, i - 3, i);
	}
	snapshot_retention_deinit(&r);
	close(p.fd);
}

static void test_bytes(void **state)
{
	struct snapshot_limits limits = { .keep_bytes = 450 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);

	fill(&r, &p, true);
	assert_int_equal(r.bytes, 1500);
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	expect_windows(&p, 7, 9);
	limits.keep_bytes = 1; /* the newest one stays, whatever its size */
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	expect_windows(&p, 9, 9);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

static void test_age(void **state)
{
	const struct snapshot_limits limits = { .keep_age_ns = 30 * UINT64_C(1000000000) };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);

	fill(&r, &p, false);
	/* 100 s after noon: window 6 ended 30 s ago, window 5 40 s ago. */
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON + 100), 0);
	expect_windows(&p, 6, 9);
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON - 5000), 0);
	expect_windows(&p, 6, 9);
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON + 5000), 0);
	expect_windows(&p, 9, 9);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Windows written after the clock was set back are new, not old. */
static void test_clock_set_back(void **state)
{
	const struct snapshot_limits limits = { .keep_files = 3 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);
	struct snapshot_name name;

	for (int i = 15; i < 18; i++)
		window(&p, i, &name);
	assert_int_equal(snapshot_retention_read(&r, p.fd, false), 0);
	for (int i = 0; i < 3; i++) {
		window(&p, i, &name);
		snapshot_retention_add(&r, &name, 0);
		assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
		assert_true(has_window(&p, i));
		assert_false(has_window(&p, 15 + i));
	}
	expect_windows(&p, 0, 2);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Nor do windows from a clock that was ahead keep the later ones until their own time comes. */
static void test_age_of_the_future(void **state)
{
	const struct snapshot_limits limits = { .keep_age_ns = 30 * UINT64_C(1000000000) };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);
	struct snapshot_name name;

	for (int i = 0; i < 20; i++) {
		window(&p, i < 3 ? 360 + i : i, &name);
		snapshot_retention_add(&r, &name, 150);
		assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON + 10 * (i + 1)),
				 0);
		assert_true(has_window(&p, i < 3 ? 360 + i : i));
		assert_int_equal(has_window(&p, 360), i < 7); /* window 3 is 40 s old */
		expect_windows(&p, i < 7 ? 3 : i - 3, i < 3 ? -1 : i);
	}
	assert_int_equal(snapshot_retention_nr(&r), 4);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Nothing but snapshots goes, and a json alone; directories and links of such names stay. */
static void test_foreign(void **state)
{
	static const char *const foreign[] = {
		"README",
		"20261120T110000Z-10.folded.bak",
		"20261120T110000Z-10.folded.json.bak",
		"x20261120T110000Z-10.folded",
		"20261120T110000Z-010.folded",
		"20261320T110000Z-10.folded",
		".hidden",
	};
	static const char dir[] = "20261120T100000Z-10.folded",
			  link[] = "20261120T100010Z-10.folded",
			  orphan[] = "20261120T100020Z-10.folded.json";
	const struct snapshot_limits limits = { .keep_files = 1 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);

	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		put(&p, foreign[i], 1);
	assert_int_equal(mkdirat(p.fd, dir, 0777), 0);
	assert_int_equal(symlinkat("README", p.fd, link), 0);
	put(&p, orphan, 1);
	fill(&r, &p, false);
	assert_false(is_there(&p, orphan));
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	expect_windows(&p, 9, 9);
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		assert_true(is_there(&p, foreign[i]));
	assert_true(is_there(&p, dir));
	assert_true(is_there(&p, link));
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Files that others remove are no trouble. */
static void test_removed_by_others(void **state)
{
	const struct snapshot_limits limits = { .keep_files = 2 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);
	char text[SNAPSHOT_NAME_BYTES];

	fill(&r, &p, false);
	for (int i = 0; i < 9; i += 2) {
		const struct snapshot_name name = { .start_s = NOON + 10 * i, .seconds = 10 };

		snapshot_name_format(&name, text);
		unlinkat(p.fd, text, 0);
		strcat(text, ".json");
		unlinkat(p.fd, text, 0);
	}
	assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	assert_int_equal(snapshot_retention_nr(&r), 2);
	expect_windows(&p, 9, 9);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Months of windows: the list stays as large as what is kept. */
static void test_long_run(void **state)
{
	const struct snapshot_limits limits = { .keep_files = 10 };
	struct snapshot_retention r = { 0 };
	struct place p = open_place(state);

	for (int i = 0; i < 100000; i++) {
		const struct snapshot_name name = { .start_s = NOON + i, .seconds = 1 };

		snapshot_retention_add(&r, &name, 1);
		assert_int_equal(snapshot_retention_apply(&r, p.fd, &limits, NOON), 0);
	}
	assert_int_equal(snapshot_retention_nr(&r), 10);
	assert_int_equal(r.bytes, 10);
	assert_true(r.cap < 100);
	snapshot_retention_deinit(&r);
	close(p.fd);
}

/* Of both files of a snapshot; of a link it is the link that takes room here. */
static void test_bytes_of_one(void **state)
{
	struct place p = open_place(state);
	struct snapshot_name name;
	char text[SNAPSHOT_NAME_BYTES];

	window(&p, 0, &name);
	assert_int_equal(snapshot_bytes(p.fd, &name), 150);
	snapshot_name_format(&name, text);
	assert_int_equal(unlinkat(p.fd, text, 0), 0);
	assert_int_equal(snapshot_bytes(p.fd, &name), 50);
	assert_int_equal(symlinkat("/proc/self/exe", p.fd, text), 0);
	assert_int_equal(snapshot_bytes(p.fd, &name), strlen("/proc/self/exe") + 50);
	assert_int_equal(unlinkat(p.fd, text, 0), 0);
	snapshot_name_format_json(&name, text);
	assert_int_equal(unlinkat(p.fd, text, 0), 0);
	assert_int_equal(snapshot_bytes(p.fd, &name), 0);
	close(p.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(test_number),	   IN_DIR(test_bytes),
		IN_DIR(test_age),	   IN_DIR(test_clock_set_back),
		IN_DIR(test_foreign),	   IN_DIR(test_removed_by_others),
		IN_DIR(test_long_run),	   IN_DIR(test_age_of_the_future),
		IN_DIR(test_bytes_of_one),
	};

	return cmocka_run_group_tests_name("snapshot_retention", tests, NULL, NULL);
}
