// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of windows: names, collisions, directories that vanish, disks that fill up. */
#include "unit/snapshot/snapshots.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "snapshot/host_dir.h"
#include "snapshot/snapshot_store.h"
#include "util/clock.h"

#define NOON UINT64_C(1795176000000)

static struct snapshot_store *open_store(const char *dir, bool is_gzip, uint64_t keep_files)
{
	static struct passes passes;
	const struct snapshot_store_opts opts = {
		.dir = dir,
		.host = "h",
		.is_gzip = is_gzip,
		.passes = &passes,
		.limits = { .keep_files = keep_files },
	};
	struct diag diag = { "" };
	struct snapshot_store *s;

	passes_init(&passes);
	if (snapshot_store_open(&opts, &s, &diag) < 0)
		fail_msg("%s", diag.text);
	return s;
}

/* Writes a window of random stacks; its samples. */
static uint64_t write_one(struct snapshot_store *s, uint64_t start_ms, uint64_t ms)
{
	_cleanup_snapshot_window_ struct snapshot_window *w =
		some_window(start_ms, ms, 1 + test_random_below(50));
	struct diag diag = { "" };

	if (snapshot_store_write(s, w, &diag) < 0)
		fail_msg("%s", diag.text);
	return profile_total(w->profile);
}

static bool has_file(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/h/%s", dir, name);

	return !access(path, F_OK);
}

static void test_names(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, false, 0);
	uint64_t sum = 0;
	size_t nr;

	sum += write_one(s, NOON + 3, 10002);	 /* 12:00:00.003 to 12:00:10.005 */
	sum += write_one(s, NOON + 10005, 9998); /* to 12:00:20.003 */
	sum += write_one(s, NOON + 20003, 400);	 /* SIGUSR1, three times in a second */
	sum += write_one(s, NOON + 20403, 200);
	sum += write_one(s, NOON + 20603, 100);
	assert_int_equal(sum_of_files(dir, &nr), sum);
	assert_int_equal(nr, 5);
	assert_true(has_file(dir, "20261120T120000Z-10.folded"));
	assert_true(has_file(dir, "20261120T120000Z-10.folded.json"));
	assert_true(has_file(dir, "20261120T120010Z-10.folded"));
	assert_true(has_file(dir, "20261120T120020Z-0.folded"));
	assert_true(has_file(dir, "20261120T120020Z-0-2.folded"));
	assert_true(has_file(dir, "20261120T120020Z-0-3.folded.json"));
	assert_false(has_file(dir, SNAPSHOT_TEMPORARY));
	snapshot_store_free(take_ptr(s));
	s = open_store(dir, true, 0);
	sum += write_one(s, NOON + 20703, 9300);
	assert_true(has_file(dir, "20261120T120020Z-10.folded.gz"));
	assert_int_equal(sum_of_files(dir, &nr), sum);
}

/* Start and end are a lie then; the name tells how long the window was. */
static void test_clock_set(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, false, 0);
	_cleanup_snapshot_window_ struct snapshot_window *back = some_window(NOON, 5000, 3);
	_cleanup_snapshot_window_ struct snapshot_window *ahead = some_window(NOON, 3600000, 3);
	struct snapshot_name name;

	back->span.lasted_ms = 7400;
	ahead->span.lasted_ms = 9600;
	snapshot_window_name(ahead, false, 0, &name);
	assert_int_equal(name.seconds, 10);
	snapshot_window_name(back, false, 0, &name);
	assert_int_equal(name.seconds, 7);
	assert_int_equal(name.start_s, NOON / 1000);
}

static void test_one_writer(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, true, 0);
	struct host_dir *f;
	struct diag diag = { "" };
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(host_dir_open(dir, "h", true, &f, &diag), -EBUSY);
	assert_non_null(strstr(diag.text, pid));
	assert_non_null(strstr(diag.text, dir));
	assert_int_equal(host_dir_open(dir, "other", true, &f, &diag), 0);
	host_dir_free(f);
	snapshot_store_free(take_ptr(s));
	assert_int_equal(host_dir_open(dir, "h", true, &f, &diag), 0);
	host_dir_free(f);
}

/* The directory goes and comes: what is written afterwards is in the one that the path leads to. */
static void test_dir_removed(void **state)
{
	const char *dir = *state;
	_cleanup_free_ char *host_dir = xasprintf("%s/h", dir), *moved = xasprintf("%s/old", dir);
	_cleanup_free_ char *lock = xasprintf("%s/h/" SNAPSHOT_LOCK, dir);
	_cleanup_free_ char *command = xasprintf("rm -rf '%s'", dir);
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, true, 0);
	uint64_t sum;

	write_one(s, NOON, 10000);
	assert_int_equal(system(command), 0);
	sum = write_one(s, NOON + 10000, 10000);
	assert_int_equal(sum_of_files(dir, NULL), sum);
	assert_int_equal(rename(host_dir, moved), 0);
	sum += write_one(s, NOON + 20000, 10000);
	assert_true(has_file(dir, "20261120T120020Z-10.folded.gz"));
	assert_int_equal(sum_of_files(dir, NULL), sum);
	assert_int_equal(unlink(lock), 0);
	sum += write_one(s, NOON + 30000, 10000);
	assert_int_equal(access(lock, F_OK), 0);
	assert_int_equal(sum_of_files(dir, NULL), sum);
}

/* A disk that is full in the middle of a file: nothing of the window is there, and it is kept. */
static void test_full(void **state)
{
	const char *dir = *state;
	_cleanup_free_ char *host_dir = xasprintf("%s/h", dir);
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, false, 0);
	_cleanup_snapshot_window_ struct snapshot_window *w = some_window(NOON, 10000, 2000);
	struct rlimit small = { 4096, RLIM_INFINITY }, saved;
	struct diag diag = { "" };
	uint64_t total = profile_total(w->profile);
	size_t nr;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(snapshot_store_write(s, w, &diag), -EFBIG);
	assert_int_equal(snapshot_store_write(s, w, &diag), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_int_equal(nr_names(host_dir, false), 0);
	assert_int_equal(nr_names(host_dir, true), 1); /* the lock */
	assert_int_equal(snapshot_store_write(s, w, &diag), 0);
	assert_int_equal(sum_of_files(dir, &nr), total);
	assert_int_equal(nr, 1);
	{
		_cleanup_free_ char *path =
			xasprintf("%s/20261120T120000Z-10.folded.json", host_dir);
		_cleanup_free_ char *json = read_text(path);

		assert_non_null(strstr(json, "could not be written for"));
		assert_non_null(strstr(json, strerror(EFBIG)));
	}
}

/*
 * kill -9 at random moments: whatever is there is whole, besides at most one temporary and one json
 * without its snapshot, and the next start removes both.
 */
static void write_until_killed(const char *dir, int round)
{
	struct snapshot_store *s = open_store(dir, round % 2, 0);

	for (int i = 0;; i++)
		write_one(s, NOON + (round * 10000ull + i) * 1000, 1000);
}

static void check_leftovers(const char *dir)
{
	_cleanup_free_ char *host_dir = xasprintf("%s/h", dir);
	size_t nr = 0, names;

	if (access(host_dir, F_OK))
		return; /* killed before it was made */
	sum_of_files(dir, &nr);
	names = nr_names(host_dir, false);
	if (names < 2 * nr || names > 2 * nr + 1)
		fail_msg("%zu snapshots, and %zu names", nr, names);
	if (nr_names(host_dir, true) > names + 2) /* the lock and the temporary */
		fail_msg("more than one temporary");
}

/* What a child needs to open the directory and to write a window: some are killed before. */
static uint64_t writing_ns(const char *dir)
{
	uint64_t from = clock_ns(CLOCK_MONOTONIC);
	struct snapshot_store *s = open_store(dir, true, 0);

	write_one(s, NOON, 10000);
	snapshot_store_free(s);
	return clock_ns(CLOCK_MONOTONIC) - from;
}

static void test_killed(void **state)
{
	const char *dir = *state;
	_cleanup_free_ char *host_dir = xasprintf("%s/h", dir);
	uint64_t longest_ns = 8000000 + 3 * writing_ns(dir);
	size_t nr = 0;

	for (int round = 0; round < 300; round++) {
		uint64_t ns = test_random_below(longest_ns);
		struct timespec wait = { ns / 1000000000, ns % 1000000000 };
		pid_t pid = fork();
		int status;

		if (!pid)
			write_until_killed(dir, round);
		nanosleep(&wait, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		if (round % 10 == 9)
			check_leftovers(dir);
		if (round % 100 ==
		    99) { /* a start that lives tidies up, and keeps the files small */
			snapshot_store_free(open_store(dir, true, 0));
			sum_of_files(dir, &nr);
			assert_int_equal(nr_names(host_dir, false), 2 * nr);
			assert_int_equal(nr_names(host_dir, true), 2 * nr + 1);
			assert_true(nr > 0);
			{
				_cleanup_free_ char *command = xasprintf("rm -rf '%s'", host_dir);

				assert_int_equal(system(command), 0);
			}
		}
	}
}

static void test_retention(void **state)
{
	const char *dir = *state;
	_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, true, 3);
	struct snapshot_limits limits = { .keep_files = 2 };
	size_t nr;

	for (int i = 0; i < 10; i++)
		write_one(s, NOON + i * 10000, 10000);
	sum_of_files(dir, &nr);
	assert_int_equal(nr, 3);
	assert_true(has_file(dir, "20261120T120130Z-10.folded.gz"));
	snapshot_store_set_limits(s, &limits);
	write_one(s, NOON + 100000, 10000);
	sum_of_files(dir, &nr);
	assert_int_equal(nr, 2);
}

static int try_open(const char *dir, struct diag *diag)
{
	struct host_dir *f = NULL;
	int r = host_dir_open(dir, "h", true, &f, diag);

	host_dir_free(f);
	return r;
}

static void expect_private(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, geteuid() ? st.st_mode & 0777 : 0600);
}

/* Who may only read the directory can neither hold the lock nor read the files. */
static void test_private(void **state)
{
	const char *dir = *state;
	_cleanup_free_ char *lock = xasprintf("%s/h/" SNAPSHOT_LOCK, dir);
	_cleanup_free_ char *file = xasprintf("%s/h/20261120T120000Z-10.folded", dir);
	_cleanup_free_ char *json = xasprintf("%s.json", file);
	mode_t saved = umask(0);
	struct stat st;

	snapshot_store_free(open_store(dir, false, 0));
	assert_int_equal(stat(lock, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(chmod(lock, 0644), 0); /* of an earlier eddy */
	{
		_cleanup_snapshot_store_ struct snapshot_store *s = open_store(dir, false, 0);

		write_one(s, NOON, 10000);
	}
	umask(saved);
	assert_int_equal(stat(lock, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	expect_private(file);
	expect_private(json);
}

/*
 * A lock or a directory that is not what it should be: refused at once, nothing is written to it.
 */
static void test_not_ours(void **state)
{
	const char *dir = *state;
	_cleanup_free_ char *host = xasprintf("%s/h", dir), *victim = xasprintf("%s/victim", dir);
	_cleanup_free_ char *lock = xasprintf("%s/" SNAPSHOT_LOCK, host);
	struct diag diag = { "" };
	struct stat st;
	FILE *f;

	assert_true(mkdir(host, 0700) == 0 || errno == EEXIST);
	assert_int_equal(mkfifo(lock, 0666), 0);
	assert_true(try_open(dir, &diag) < 0);
	assert_non_null(strstr(diag.text, "not a file of its own"));
	assert_int_equal(unlink(lock), 0);
	f = fopen(victim, "w");
	fputs("precious", f);
	fclose(f);
	assert_int_equal(link(victim, lock), 0);
	assert_true(try_open(dir, &diag) < 0);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(symlink(victim, lock), 0);
	assert_true(try_open(dir, &diag) < 0);
	assert_int_equal(stat(victim, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(unlink(victim), 0);
	assert_int_equal(mkdir(victim, 0700), 0);
	assert_int_equal(rmdir(host), 0);
	assert_int_equal(symlink("victim", host), 0);
	assert_int_equal(try_open(dir, &diag), -ELOOP);
	assert_non_null(strstr(diag.text, "is a link"));
	assert_int_equal(rmdir(victim), 0);
	assert_int_equal(unlink(host), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(test_names),	IN_DIR(test_clock_set), IN_DIR(test_one_writer),
		IN_DIR(test_full),	IN_DIR(test_killed),	IN_DIR(test_dir_removed),
		IN_DIR(test_retention), IN_DIR(test_private),	IN_DIR(test_not_ours),
	};

	return cmocka_run_group_tests_name("snapshot_store", tests, NULL, NULL);
}
