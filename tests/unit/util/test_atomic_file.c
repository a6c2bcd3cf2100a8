// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files appear whole or not at all, also on full disks, in directories that are open, and on
 * standard output.
 */
#include "unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/atomic_file.h"

static char dir[64];
static char path[96];

static int make_dir(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/eddy-unit.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out", dir);
	return 0;
}

/* Removes the directory's files; their number is what the tests ask for. */
static int nr_files(bool remove)
{
	DIR *d = opendir(dir);
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

static int remove_dir(void **state)
{
	nr_files(true);
	return rmdir(dir);
}

static void join(char to[static 128], const char *name);

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

static void write_kept(const char *to, const char *text, const char *tail)
{
	_cleanup_atomic_file_ struct atomic_file *f = NULL;

	assert_int_equal(atomic_file_open(to, &f, NULL), 0);
	atomic_file_keep_old(f, tail);
	fputs(text, atomic_file_stream(f));
	assert_int_equal(atomic_file_commit(&f, NULL), 0);
}

/* The file that was there stays as .old; what was empty does not, nor what is somebody's link. */
static void test_keep_old(void **state)
{
	char old[128], sidecar[128], old_sidecar[128], link[128];

	join(old, "out.old");
	join(sidecar, "out.json");
	join(old_sidecar, "out.old.json");
	join(link, "link");
	write_kept(path, "", "");
	assert_int_equal(nr_files(false), 1);
	write_kept(path, "one\n", "");
	assert_int_equal(nr_files(false), 1);
	write_kept(path, "two\n", "");
	expect_content(old, "one\n");
	write_kept(path, "three\n", "");
	expect_content(path, "three\n");
	expect_content(old, "two\n");
	write_kept(sidecar, "a\n", ".json");
	write_kept(sidecar, "b\n", ".json");
	expect_content(old_sidecar, "a\n");
	/* Nothing is kept: what stood there was about another file. */
	assert_int_equal(unlink(sidecar), 0);
	write_kept(sidecar, "c\n", ".json");
	assert_int_equal(access(old_sidecar, F_OK), -1);
	assert_int_equal(nr_files(false), 3);
	/* Another name of the same file stays what it is. */
	assert_int_equal(symlink(old, link), 0);
	write_kept(link, "four\n", "");
	expect_content(old, "four\n");
	assert_int_equal(unlink(old), 0);
	assert_int_equal(unlink(link), 0);
	/* A directory of that name: nothing is replaced. */
	assert_int_equal(mkdir(old, 0700), 0);
	{
		_cleanup_atomic_file_ struct atomic_file *f = NULL;

		assert_int_equal(atomic_file_open(path, &f, NULL), 0);
		atomic_file_keep_old(f, "");
		assert_true(atomic_file_commit(&f, NULL) < 0);
	}
	expect_content(path, "three\n");
	assert_int_equal(rmdir(old), 0);
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

	snprintf(link, sizeof(link), "%s/link", dir);
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

	snprintf(under, sizeof(under), "%s/none/out", dir);
	expect_open_fails(under, ENOENT, "No such file or directory");
	expect_open_fails(dir, EISDIR, "Is a directory");
	expect_open_fails("", ENOENT, "No such file");
	assert_int_equal(write_file(path, "file", NULL), 0);
	snprintf(under, sizeof(under), "%s/out/x", dir);
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

static int write_new(int dir_fd, const char *name, const char *text, struct diag *diag)
{
	_cleanup_atomic_file_ struct atomic_file *f = NULL;
	int r = atomic_file_open_new(dir_fd, name, name, ".mine.tmp", &f, diag);

	if (r < 0)
		return r;
	assert_int_equal(faccessat(dir_fd, ".mine.tmp", F_OK, 0), 0);
	fputs(text, atomic_file_stream(f));
	return atomic_file_commit(&f, diag);
}

/* In an open directory: what was left behind goes, what is there stays. */
static void test_new(void **state)
{
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY);
	char left[96];
	struct diag diag = { "" };

	snprintf(left, sizeof(left), "%s/.mine.tmp", dir);
	assert_int_equal(symlink(path, left), 0);
	assert_int_equal(write_new(fd, "out", "one\n", &diag), 0);
	expect_content(path, "one\n");
	assert_int_equal(write_new(fd, "out", "two\n", &diag), -EEXIST);
	expect_content(path, "one\n");
	assert_int_equal(nr_files(false), 1);
	assert_int_equal(atomic_file_sync_dir(fd), 0);
	assert_int_equal(write_new(fd, "other", "two\n", &diag), 0);
	assert_int_equal(nr_files(true), 2);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(write_new(fd, "out", "x", &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "out"));
	assert_int_equal(mkdir(dir, 0700), 0);
}

/* ---- directories that others may write to ---------------------------------------------------- */

#define STRANGER 65534
#define NR_TRIES 200

static void join(char to[static 128], const char *name)
{
	snprintf(to, 128, "%s/%s", dir, name);
}

static void expect_file(const char *file, uid_t owner, mode_t mode, const char *content)
{
	struct stat st;

	assert_int_equal(lstat(file, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_uid, owner);
	assert_int_equal(st.st_mode & 07777, mode);
	expect_content(file, content);
}

/* A new file is for root alone, whatever the umask. */
static void test_mode_of_new(void **state)
{
	mode_t saved = umask(0);

	assert_int_equal(write_file(path, "new\n", NULL), 0);
	umask(saved);
	expect_file(path, geteuid(), geteuid() ? 0666 : 0600, "new\n");
}

/* The mode of one's own file is kept, but never set-id bits; never the owner or mode of others. */
static void test_mode_is_handed_on(void **state)
{
	assert_int_equal(write_file(path, "old\n", NULL), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_file(path, geteuid(), 0755, "new\n");
	if (geteuid())
		skip();
	for (int i = 0; i < 3; i++) {
		static const mode_t dirs[] = { 0700, 01777, 0777 };

		assert_int_equal(chmod(dir, dirs[i]), 0);
		assert_int_equal(chown(path, STRANGER, STRANGER), 0);
		assert_int_equal(chmod(path, 04777), 0);
		assert_int_equal(write_file(path, "new\n", NULL), 0);
		expect_file(path, 0, 0600, "new\n");
	}
	/* Where others may rename, they can have put another of root's files there. */
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_file(path, 0, 0600, "new\n");
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_file(path, 0, 0644, "new\n");
}

/* A second name of another file says nothing about this one. */
static void test_hard_link(void **state)
{
	char other[128];

	join(other, "other");
	assert_int_equal(write_file(other, "old\n", NULL), 0);
	assert_int_equal(chmod(other, 0644), 0);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_file(other, geteuid(), 0644, "old\n");
	expect_file(path, geteuid(), geteuid() ? 0644 : 0600, "new\n");
}

/* In a shared directory a link is replaced, one to nowhere too; elsewhere it is followed. */
static void test_link_in_shared_dir(void **state)
{
	static const char *const names[] = { "shared/link", "shared/dangling" };
	char shared[128], link[128], victim[128];

	join(shared, "shared");
	join(victim, "victim");
	assert_int_equal(mkdir(shared, 0700), 0);
	for (int i = 0; i < 4; i++) {
		join(link, names[i % 2]);
		assert_int_equal(chmod(shared, i / 2 ? 01777 : 0777), 0);
		assert_int_equal(write_file(victim, "victim\n", NULL), 0);
		if (i % 2)
			assert_int_equal(unlink(victim), 0);
		assert_int_equal(symlink(victim, link), 0);
		assert_int_equal(write_file(link, "new\n", NULL), 0);
		expect_content(link, "new\n");
		if (i % 2)
			assert_int_equal(access(victim, F_OK), -1);
		else
			expect_content(victim, "victim\n");
		assert_int_equal(unlink(link), 0);
	}
	assert_int_equal(rmdir(shared), 0);
	assert_int_equal(symlink("nowhere", path), 0);
	join(victim, "nowhere");
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_content(victim, "new\n");
}

/* A directory's link: followed where it is ours and stays so, refused where it may be anybody's. */
static void test_link_on_the_way(void **state)
{
	char shared[128], link[128], to[128], real[128];
	struct diag diag;

	join(shared, "shared");
	join(link, "shared/way");
	join(to, "shared/way/out");
	join(real, "out");
	assert_int_equal(mkdir(shared, 0700), 0);
	assert_int_equal(symlink("..", link), 0);
	assert_int_equal(write_file(to, "one\n", NULL), 0);
	expect_content(real, "one\n");
	assert_int_equal(chmod(shared, 01777), 0);
	assert_int_equal(write_file(to, "two\n", NULL), 0);
	expect_content(real, "two\n");
	assert_int_equal(chmod(shared, 0777), 0);
	assert_int_equal(write_file(to, "three\n", &diag), -ELOOP);
	assert_non_null(strstr(diag.text, "others may write to"));
	if (!geteuid()) {
		assert_int_equal(chmod(shared, 01777), 0);
		assert_int_equal(lchown(link, STRANGER, STRANGER), 0);
		assert_int_equal(write_file(to, "three\n", NULL), -ELOOP);
	}
	expect_content(real, "two\n");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("way", link), 0);
	assert_int_equal(chmod(shared, 0700), 0);
	assert_int_equal(write_file(link, "x", NULL), -ELOOP);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(shared), 0);
}

static void test_no_file(void **state)
{
	struct diag diag;

	assert_int_equal(mkfifo(path, 0666), 0);
	assert_int_equal(write_file(path, "x", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "FIFO"));
	assert_false(atomic_file_is_stream(path));
	assert_true(atomic_file_is_stream("/dev/null"));
	assert_true(atomic_file_is_stream("/dev/stdout"));
	assert_true(atomic_file_is_stream("-"));
	if (geteuid())
		skip();
	assert_int_equal(unlink(path), 0);
	if (mknod(path, S_IFCHR | 0666, makedev(1, 3)) < 0)
		skip();
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(write_file(path, "x", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "device"));
}

/* /dev/stdout is the descriptor: the file that it leads to is added to, not replaced. */
static void test_descriptor(void **state)
{
	int saved = dup(1), fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	fflush(stdout);
	assert_int_equal(dup2(fd, 1), 1);
	fputs("before ", stdout);
	assert_int_equal(write_file("/dev/stdout", "result", NULL), 0);
	assert_int_equal(write_file("/proc/self/fd/1", " again", NULL), 0);
	fputs(" after", stdout);
	fflush(stdout);
	assert_int_equal(dup2(saved, 1), 1);
	close(saved);
	close(fd);
	expect_content(path, "before result again after");
}

/* Exchanges "out" and "bait", a link to root's file, until it is killed: at most a minute. */
static pid_t start_exchange(void)
{
	char bait[128];
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	join(bait, "bait");
	alarm(60);
	if (setresgid(STRANGER, STRANGER, STRANGER) || setresuid(STRANGER, STRANGER, STRANGER))
		_exit(1);
	for (;;) {
		if (renameat2(AT_FDCWD, path, AT_FDCWD, bait, RENAME_EXCHANGE) && errno == ENOENT) {
			/* Replaced: here is another. */
			close(open(path, O_WRONLY | O_CREAT | O_EXCL, 04777));
			(void)!symlink("precious/file", bait);
		}
	}
}

/*
 * A stranger exchanges a file of his own with a link to root's: root's is never written, never
 * given away, and what is written is not the stranger's.
 */
static void race(mode_t mode)
{
	char precious[128], file[128], bait[128];
	pid_t pid;

	join(precious, "precious");
	join(file, "precious/file");
	join(bait, "bait");
	assert_int_equal(chmod(dir, mode), 0);
	assert_int_equal(mkdir(precious, 0755), 0);
	assert_int_equal(write_file(file, "precious\n", NULL), 0);
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	assert_int_equal(chmod(path, 04777), 0);
	assert_int_equal(symlink("precious/file", bait), 0);
	assert_int_equal(lchown(bait, STRANGER, STRANGER), 0);
	pid = start_exchange();
	for (int i = 0; i < NR_TRIES; i++) {
		assert_int_equal(write_file(path, "new\n", NULL), 0);
		expect_file(file, 0, 0600, "precious\n");
		/* He makes the next one: what is root's he cannot rename in a sticky directory. */
		unlink(path);
		usleep(1000);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(write_file(path, "new\n", NULL), 0);
	expect_file(path, 0, 0600, "new\n");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(precious), 0);
}

static void test_race(void **state)
{
	if (geteuid())
		skip();
	race(0777);
}

static void test_race_sticky(void **state)
{
	if (geteuid())
		skip();
	race(01777);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(test_commit_and_replace),
		IN_DIR(test_keep_old),
		IN_DIR(test_unseen_until_commit),
		IN_DIR(test_link_is_followed),
		IN_DIR(test_not_a_regular_file),
		IN_DIR(test_standard_output),
		IN_DIR(test_bad_places),
		IN_DIR(test_full),
		IN_DIR(test_killed),
		IN_DIR(test_new),
		IN_DIR(test_mode_of_new),
		IN_DIR(test_mode_is_handed_on),
		IN_DIR(test_hard_link),
		IN_DIR(test_link_in_shared_dir),
		IN_DIR(test_link_on_the_way),
		IN_DIR(test_no_file),
		IN_DIR(test_descriptor),
		IN_DIR(test_race),
		IN_DIR(test_race_sticky),
	};

	return cmocka_run_group_tests_name("atomic_file", tests, NULL, NULL);
}
