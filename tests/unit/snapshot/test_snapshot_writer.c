// SPDX-License-Identifier: GPL-2.0-or-later
/* The writing thread: in order, through a full disk, merged and dropped when memory runs out. */
#include "unit/snapshot/snapshots.h"

#include <signal.h>
#include <sys/resource.h>

#include "snapshot/snapshot_writer.h"
#include "util/clock.h"

#define NOON UINT64_C(1795176000000)

static char messages[4096];

static void on_message(const char *text)
{
	strncat(messages, text, sizeof(messages) - strlen(messages) - 2);
	strcat(messages, "\n");
}

static struct snapshot_store *open_store(const char *dir)
{
	static struct passes passes;
	const struct snapshot_store_opts opts = {
		.dir = dir, .host = "h", .is_gzip = true, .passes = &passes
	};
	struct snapshot_store *s;
	struct diag diag = { "" };

	passes_init(&passes);
	if (snapshot_store_open(&opts, &s, &diag) < 0)
		fail_msg("%s", diag.text);
	messages[0] = '\0';
	return s;
}

static struct snapshot_writer *start(struct snapshot_store *s, uint64_t max_bytes)
{
	struct snapshot_writer *w;

	assert_int_equal(snapshot_writer_new(s, max_bytes, on_message, &w, NULL), 0);
	return w;
}

/* Submits window i; its samples. */
static uint64_t submit(struct snapshot_writer *w, int i, unsigned int nr_stacks)
{
	struct snapshot_window *window = some_window(NOON + i * 10000, 10000, nr_stacks);
	uint64_t total = profile_total(window->profile);

	snapshot_writer_submit(w, window);
	return total;
}

static void test_in_order(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir);
	_cleanup_snapshot_writer_ struct snapshot_writer *w = start(s, 1 << 30);
	struct snapshot_totals totals;
	uint64_t sum = 0;
	size_t nr;

	for (int i = 0; i < 50; i++)
		sum += submit(w, i, test_random_below(100));
	snapshot_writer_stop(w, &totals, NULL);
	assert_int_equal(totals.nr_files, 50);
	assert_int_equal(totals.nr_unwritten, 0);
	assert_int_equal(sum_of_files(dir, &nr), sum);
	assert_int_equal(nr, 50);
	assert_string_equal(messages, "");
}

static void wait_for(struct snapshot_writer *w, const char *text)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + 900000000000ull;

	while (!strstr(messages, text)) {
		if (clock_ns(CLOCK_MONOTONIC) > until)
			fail_msg("no '%s' in '%s'", text, messages);
		usleep(1000);
		snapshot_writer_poll(w);
	}
}

static size_t count(const char *in, const char *what)
{
	size_t nr = 0;

	for (; (in = strstr(in, what)); in++)
		nr++;
	return nr;
}

/* A disk without room, for this process: no file may grow. */
static void set_full(bool is_full)
{
	static struct rlimit saved;
	const struct rlimit none = { 0, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	if (is_full)
		getrlimit(RLIMIT_FSIZE, &saved);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, is_full ? &none : &saved), 0);
}

/* What waits is written later, each window to its file, and both ends of the trouble are told once.
 */
static void test_trouble(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir);
	_cleanup_snapshot_writer_ struct snapshot_writer *w = start(s, 1 << 30);
	struct snapshot_totals totals;
	uint64_t sum = 0;
	size_t nr;

	set_full(true);
	for (int i = 0; i < 20; i++) {
		sum += submit(w, i, 50);
		snapshot_writer_poll(w);
	}
	wait_for(w, "kept in memory");
	assert_int_equal(sum_of_files(dir, &nr), 0);
	set_full(false);
	sum += submit(w, 20, 50);
	wait_for(w, "written again");
	snapshot_writer_stop(w, &totals, NULL);
	assert_int_equal(sum_of_files(dir, &nr), sum);
	assert_int_equal(nr, 21);
	assert_int_equal(count(messages, "kept in memory"), 1);
	assert_int_equal(count(messages, "written again"), 1);
	assert_non_null(strstr(messages, strerror(EFBIG)));
}

/* The json of one of the files, the first that holds the text; NULL when none does. */
static char *json_with(const struct snapshot_list *list, const char *text)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		_cleanup_free_ char *json = NULL;

		snapshot_list_path(list, i, &name);
		strbuf_addstr(&name, ".json");
		json = read_text(name.bytes);
		if (strstr(json, text))
			return take_ptr(json);
	}
	return NULL;
}

/*
 * Beyond its memory the oldest windows become one; no sample is missing, and no second.  (The very
 * first may be on its way to the disk when the disk has room again, and stay alone.)
 */
static void test_merged(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir);
	_cleanup_snapshot_writer_ struct snapshot_writer *w = start(s, 2 << 20);
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };
	_cleanup_free_ char *merged = NULL;
	struct snapshot_totals totals;
	uint64_t sum = 0, seconds = 0;

	set_full(true);
	for (int i = 0; i < 100; i++)
		sum += submit(w, i, 50);
	wait_for(w, "kept in memory");
	set_full(false);
	snapshot_writer_stop(w, &totals, NULL);
	assert_int_equal(totals.nr_unwritten, 0);
	assert_int_equal(sum_of_files(dir, NULL), sum);
	assert_int_equal(snapshot_list_read(dir, &list, NULL), 0);
	assert_true(list.nr > 2 && list.nr < 50);
	for (size_t i = 0; i < list.nr; i++) {
		if (i)
			assert_int_equal(list.entries[i - 1].name.start_s +
						 list.entries[i - 1].name.seconds,
					 list.entries[i].name.start_s);
		seconds += list.entries[i].name.seconds;
	}
	assert_int_equal(seconds, 1000);
	merged = json_with(&list, "windows are merged in this file");
	assert_non_null(merged);
	assert_null(strstr(merged, "window-memory"));
}

/* Two windows alone are too much: detail goes, stacks and numbers stay, and the totals say it. */
static void test_too_much(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir);
	_cleanup_snapshot_writer_ struct snapshot_writer *w = start(s, 1 << 20);
	_cleanup_snapshot_list_ struct snapshot_list list = { 0 };
	_cleanup_free_ char *cut = NULL;
	struct snapshot_totals totals;
	uint64_t sum = 0;

	set_full(true);
	for (int i = 0; i < 4; i++)
		sum += submit(w, i, 20000);
	wait_for(w, "kept in memory");
	set_full(false);
	snapshot_writer_stop(w, &totals, NULL);
	assert_int_equal(sum_of_files(dir, NULL), sum);
	assert_int_equal(snapshot_list_read(dir, &list, NULL), 0);
	cut = json_with(&list, "\"cut_stacks\"");
	assert_non_null(cut);
	assert_true(number_in(cut, "cut_stacks") > 0);
	assert_non_null(strstr(cut, "they have lost detail"));
	assert_null(strstr(cut, "window-memory"));
	assert_int_equal(number_in(cut, "cut_stacks"), totals.losses.cut_stacks);
	assert_int_equal(totals.losses.nr_windows, 4 - list.nr);
	assert_int_equal(totals.losses.samples, 0);
}

/* What cannot be written at the end is said, and counted. */
static void test_end_in_trouble(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir);
	_cleanup_snapshot_writer_ struct snapshot_writer *w = start(s, 1 << 30);
	struct snapshot_totals totals;
	struct diag why = { "" };
	uint64_t sum = 0;

	set_full(true);
	for (int i = 0; i < 3; i++)
		sum += submit(w, i, 10);
	snapshot_writer_stop(w, &totals, &why);
	set_full(false);
	assert_int_equal(totals.nr_files, 0);
	assert_int_equal(totals.nr_unwritten, 3);
	assert_int_equal(totals.unwritten_samples, sum);
	assert_non_null(strstr(why.text, strerror(EFBIG)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(test_in_order), IN_DIR(test_trouble),	    IN_DIR(test_merged),
		IN_DIR(test_too_much), IN_DIR(test_end_in_trouble),
	};

	return cmocka_run_group_tests_name("snapshot_writer", tests, NULL, NULL);
}
