// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files appear whole or not at all, also on full disks, in folders that are open, and on standard
 * output.
 */
#include "unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/atomic_file.h"

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/eddy-unit.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

/* Removes the folder's files; their number is what the tests ask for. */
static int nr_files(bool remove)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int nr = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		nr++;
		if (remove)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	closedir(d);
	return nr;
}

static int remove_folder(void **state)
{
	nr_files(true);
	return rmdir(folder);
}

static void expect_content(const char *file, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(file, "r");

	assert_non_null(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, want);
}

static int write_file(const char *to, const char *text, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = NULL;
	int r = atomic_file_open(to, &f, diag);

	if (r < 0)
		return r;
	fputs(text, atomic_file_stream(f));
	r = atomic_file_commit(&f, diag);
	assert_null(f);
	return r;
}

static void test_commit_and_replace(void **state)
{
	struct stat st;

	assert_int_equal(write_file(path, "one\n", NULL), 0);
	expect_content(path, "one\n");
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(write_file(path, "two\n", NULL), 0);
	expect_content(path, "two\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(nr_files(false), 1);
}

static void test_unseen_until_commit(void **state)
{
	struct atomic_file *f;

	assert_int_equal(write_file(path, "old\n", NULL), 0);
	assert_int_equal(atomic_file_open(path, &f, NULL), 0);
	fputs("new\n", atomic_file_stream(f));
	fflush(atomic_file_stream(f));
	expect_content(path, "old\n");
	assert_int_equal(nr_files(false), 2);
	atomic_file_drop(f);
	expect_content(path, "old\n");
	assert_int_equal(nr_files(false), 1);
}

static void test_link_is_followed(void **state)
{
	char link[112];
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(write_file(path, "old\n", NULL), 0);
	assert_int_equal(symlink("out", link), 0);
	assert_int_equal(write_file(link, "new\n", NULL), 0);
	expect_content(path, "new\n");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void test_not_a_regular_file(void **state)
{
	struct stat st;

	assert_int_equal(write_file("/dev/null", "x", NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

/* Standard output gets what is written, after what was printed before; a drop takes the rest. */
static void test_standard_output(void **state)
{
	int saved = dup(1), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct atomic_file *f;

	fflush(stdout);
	assert_int_equal(dup2(fd, 1), 1);
	fputs("before ", stdout);
	assert_int_equal(write_file("-", "result", NULL), 0);
	assert_int_equal(atomic_file_open("-", &f, NULL), 0);
	fputs("never", atomic_file_stream(f));
	atomic_file_drop(f);
	fputs(" after", stdout);
	fflush(stdout);
	assert_int_equal(dup2(saved, 1), 1);
	close(saved);
	close(fd);
	expect_content(path, "before result after");
}

static void expect_open_fails(const char *to, int err, const char *why)
{
	struct atomic_file *f = NULL;
	struct diag diag;

	assert_int_equal(atomic_file_open(to, &f, &diag), -err);
	assert_null(f);
	assert_non_null(strstr(diag.text, to));
	assert_non_null(strstr(diag.text, why));
}

static void test_bad_places(void **state)
{
	char under[112];

	snprintf(under, sizeof(under), "%s/none/out", folder);
	expect_open_fails(under, ENOENT, "No such file or directory");
	expect_open_fails(folder, EISDIR, "Is a directory");
	expect_open_fails("", ENOENT, "No such file");
	assert_int_equal(write_file(path, "file", NULL), 0);
	snprintf(under, sizeof(under), "%s/out/x", folder);
	expect_open_fails(under, ENOTDIR, "Not a directory");
}

/* /dev/full fails at the write; a file size limit fails like a full disk, in the middle. */
static void test_full(void **state)
{
	const struct rlimit small = { 4096, RLIM_INFINITY };
	struct rlimit saved;
	struct atomic_file *f;
	struct diag diag;

	assert_int_equal(write_file("/dev/full", "x", &diag), -ENOSPC);
	assert_non_null(strstr(diag.text, "No space left on device"));

	assert_int_equal(write_file(path, "old\n", NULL), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(atomic_file_open(path, &f, NULL), 0);
	for (int i = 0; i < 100000; i++)
		fputs("0123456789", atomic_file_stream(f));
	assert_int_equal(atomic_file_commit(&f, &diag), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
	expect_content(path, "old\n");
	assert_int_equal(nr_files(false), 1);
}

static void test_killed(void **state)
{
	pid_t pid;
	int status;

	assert_int_equal(write_file(path, "old\n", NULL), 0);
	pid = fork();
	if (!pid) {
		struct atomic_file *f;

		if (atomic_file_open(path, &f, NULL) == 0)
			fputs("half", atomic_file_stream(f));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	expect_content(path, "old\n");
	assert_int_equal(nr_files(false), 2);
}

static int write_new(int folder_fd, const char *name, const char *text, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = NULL;
	int r = atomic_file_open_new(folder_fd, name, name, ".mine.tmp", &f, diag);

	if (r < 0)
		return r;
	assert_int_equal(faccessat(folder_fd, ".mine.tmp", F_OK, 0), 0);
	fputs(text, atomic_file_stream(f));
	return atomic_file_commit(&f, diag);
}

/* In an open folder: what was left behind goes, what is there stays. */
static void test_new(void **state)
{
	_cleanup_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY);
	char left[96];
	struct diag diag = { "" };

	snprintf(left, sizeof(left), "%s/.mine.tmp", folder);
	assert_int_equal(symlink(path, left), 0);
	assert_int_equal(write_new(fd, "out", "one\n", &diag), 0);
	expect_content(path, "one\n");
	assert_int_equal(write_new(fd, "out", "two\n", &diag), -EEXIST);
	expect_content(path, "one\n");
	assert_int_equal(nr_files(false), 1);
	assert_int_equal(atomic_file_sync_folder(fd), 0);
	assert_int_equal(write_new(fd, "other", "two\n", &diag), 0);
	assert_int_equal(nr_files(true), 2);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(write_new(fd, "out", "x", &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "out"));
	assert_int_equal(mkdir(folder, 0700), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_commit_and_replace),
		IN_FOLDER(test_unseen_until_commit),
		IN_FOLDER(test_link_is_followed),
		IN_FOLDER(test_not_a_regular_file),
		IN_FOLDER(test_standard_output),
		IN_FOLDER(test_bad_places),
		IN_FOLDER(test_full),
		IN_FOLDER(test_killed),
		IN_FOLDER(test_new),
	};

	return cmocka_run_group_tests_name("atomic_file", tests, NULL, NULL);
}
