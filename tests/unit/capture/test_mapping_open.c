// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that this process has mapped, asked for as the sampler asks: with privileges and without.
 */
#include "capture/mapping_open.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/file_generation.h"
#include "capture/file_key.h"
#include "unit/unit.h"
#include "util/cleanup.h"
#include "util/mem.h"

static char dir[] = "/tmp/eddy-mapping-open-XXXXXX";
static char path[2][64];

/* Maps a file where addr says (NULL: anywhere), and says how the sampler would ask for it. */
static struct eddy_file_event ask(int nr, void *addr)
{
	size_t bytes = sysconf(_SC_PAGESIZE);
	_cleanup_close_ int fd = open(path[nr], O_RDONLY | O_CLOEXEC);
	struct eddy_file_event asked = { .pid = getpid() };
	struct stat st = { 0 };
	void *p;

	assert_true(fd >= 0 && !fstat(fd, &st));
	p = mmap(addr, bytes, PROT_READ, MAP_PRIVATE | (addr ? MAP_FIXED : 0), fd, 0);
	assert_true(p != MAP_FAILED);
	asked.start = (uintptr_t)p;
	asked.end = asked.start + bytes;
	asked.key.ino = st.st_ino;
	asked.key.dev = major(st.st_dev) << 20 | minor(st.st_dev);
	asked.key.gen = file_generation(fd);
	asked.shown = asked.key;
	asked.shown.gen = 0;
	return asked;
}

static void unmap(const struct eddy_file_event *asked)
{
	munmap((void *)(uintptr_t)asked->start, asked->end - asked->start);
}

static struct worker_pool *pool;

/* Opens and reads it; the inode, or negative errno. */
static int64_t opens(const struct eddy_file_event *ev)
{
	const struct asked_mapping asked = { .ev = ev, .owner = OWNER_FIRST_UID };
	_cleanup_close_ int fd = mapping_open(pool, &asked), copied = -1;
	struct mapped_copy copy;
	int r = fd < 0 ? fd : mapping_read(pool, &asked, fd, NULL, &copy);
	char bytes[sizeof(dir)];

	if (r < 0)
		return r;
	copied = copy.fd;
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	assert_int_equal(pread(copied, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_string_equal(bytes, dir);
	assert_true(pwrite(copied, bytes, 1, 0) < 0);
	assert_true(copy.watch < 0);
	assert_int_equal(copy.stat.owner, OWNER_FIRST_UID);
	return copy.stat.ino;
}

static void assert_opens(const struct eddy_file_event *asked, ino_t ino)
{
	assert_int_equal(opens(asked), ino);
}

/* As the kernel has it: 12 bits and 20, in one run; stat(2) has them in several. */
static void a_device_in_both_encodings(void **state)
{
	static const struct {
		unsigned int major, minor;
	} devices[] = { { 0, 0 }, { 0, 46 }, { 8, 1 }, { 259, 0x12345 }, { 0xfff, 0xfffff } };

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		const dev_t dev = makedev(devices[i].major, devices[i].minor);
		const struct eddy_unwind_key key = { .dev = file_key_dev(dev) };

		assert_int_equal(key.dev, devices[i].major * 0x100000 + devices[i].minor);
		assert_true(file_key_st_dev(&key) == dev);
	}
}

static void the_file_that_was_asked_for(void **state)
{
	struct eddy_file_event asked = ask(0, NULL), other;

	assert_opens(&asked, asked.key.ino);
	assert_int_equal(worker_pool_new(&pool), 0); /* and by another process */
	worker_pool_set_patience(pool, 60000000000);
	assert_opens(&asked, asked.key.ino);
	worker_pool_free(pool);
	pool = NULL;
	/* Another in its place, before the request is served. */
	other = ask(1, (void *)(uintptr_t)asked.start);
	assert_int_equal(opens(&asked), -ESTALE);
	assert_opens(&other, other.key.ino);
	unmap(&asked);
	assert_int_equal(opens(&asked), -ESRCH);
	asked.pid = 0x7ffffff0;
	assert_int_equal(opens(&asked), -ESRCH);
}

/* A user's file is watched where other users' are, root's where the system's are. */
static void the_owners_queue(void **state)
{
	const unsigned int of_user = file_watch_queue(OWNER_FIRST_UID + 5);
	struct file_watch *watch = file_watch_new();

	if (getuid() != 0) {
		file_watch_free(watch);
		skip();
	}
	for (int i = 0; i < 2; i++) {
		struct eddy_file_event ev = ask(i, NULL);
		const struct asked_mapping asked = { .ev = &ev, .owner = OWNER_FIRST_UID };
		_cleanup_close_ int fd = mapping_open(pool, &asked), copied = -1;
		struct mapped_copy copy;

		assert_int_equal(chown(path[i], i ? OWNER_FIRST_UID + 5 : 0, 0), 0);
		assert_int_equal(mapping_read(pool, &asked, fd, file_watch_fds(watch), &copy), 0);
		copied = copy.fd;
		assert_true(copied >= 0 && copy.watch > 0);
		assert_int_equal(copy.queue, i ? of_user : FILE_WATCH_SYSTEM);
		/* It is there: a queue knows the numbers of its own watches alone. */
		assert_int_equal(
			inotify_rm_watch(file_watch_fds(watch)->fd[copy.queue], copy.watch), 0);
		unmap(&ev);
	}
	assert_int_equal(chown(path[1], 0, 0), 0);
	file_watch_free(watch);
}

static void another_generation(void **state)
{
	struct eddy_file_event asked = ask(0, NULL);

	if (!asked.key.gen) {
		unmap(&asked);
		skip();
	}
	asked.key.gen++;
	assert_int_equal(opens(&asked), -ESTALE);
	asked.key.gen = 0;
	assert_opens(&asked, asked.key.ino);
	unmap(&asked);
}

/* As on overlayfs: what the sampler knows it by is seen by nobody else, but what it shows is. */
static void shown_as_another(void **state)
{
	struct eddy_file_event asked = ask(0, NULL);
	ino_t ino = asked.key.ino;

	asked.key = (struct eddy_unwind_key){ .ino = ino + 1000000, .dev = 0xfffu << 20 };
	assert_opens(&asked, ino);
	asked.shown = asked.key;
	assert_int_equal(opens(&asked), -ESTALE);
	unmap(&asked);
}

static void nothing_stays_mapped(void **state)
{
	struct eddy_file_event asked = ask(0, NULL);
	unsigned int nr[2] = { 0, 0 };
	char line[512];

	asked.key.dev = 0xfffu << 20;
	for (size_t i = 0; i < ARRAY_SIZE(nr); i++) {
		_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");

		assert_non_null(f);
		while (fgets(line, sizeof(line), f))
			nr[i] += strstr(line, dir) != NULL;
		for (int k = 0; k < 50; k++)
			assert_opens(&asked, asked.key.ino);
	}
	assert_int_equal(nr[0], 1);
	assert_int_equal(nr[1], 1);
	unmap(&asked);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

/* Without capabilities: by the path, when it still leads there. */
static void by_path(void)
{
	struct eddy_file_event asked = ask(0, NULL), real = asked;
	char moved[80];

	drop_capabilities();
	assert_opens(&asked, asked.key.ino);
	asked.key.dev = 0xfffu << 20;
	assert_opens(&asked, asked.key.ino);
	snprintf(moved, sizeof(moved), "%s.moved", path[0]);
	assert_int_equal(rename(path[0], moved), 0);
	assert_opens(&real, real.key.ino); /* the link follows */
	assert_int_equal(unlink(moved), 0);
	assert_int_equal(opens(&real), -EACCES);
}

/* In a process of its own: what is dropped does not come back. */
static void without_privileges(void **state)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		by_path();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int setup(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	for (int i = 0; i < 2; i++) {
		_cleanup_close_ int fd = -1;

		snprintf(path[i], sizeof(path[i]), "%s/file%d", dir, i);
		fd = open(path[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, dir, sizeof(dir)) < 0)
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < 2; i++)
		unlink(path[i]);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_that_was_asked_for), cmocka_unit_test(the_owners_queue),
		cmocka_unit_test(another_generation),	       cmocka_unit_test(shown_as_another),
		cmocka_unit_test(nothing_stays_mapped),	       cmocka_unit_test(without_privileges),
		cmocka_unit_test(a_device_in_both_encodings),
	};

	if (test_is_emulated()) {
		puts("1..1\nok 1 - mappings of a process # SKIP the emulator's are not the "
		     "process's");
		return 0;
	}
	return cmocka_run_group_tests_name("mapping_open", tests, setup, teardown);
}
