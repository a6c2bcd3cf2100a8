// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are written in place are told of, others are not, whatever a writer of others does. */
#include "capture/file_watch.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit/unit.h"

struct self {
	char dir[64], path[2][80];
	struct file_watch *watch;
	uint64_t now_s;
	unsigned int told[2], nr_unsure;
};

static const struct eddy_unwind_key keys[2] = { { .ino = 7, .dev = 1 }, { .ino = 9, .gen = 3 } };

static void on_changed(void *ctx, const struct eddy_unwind_key *key, bool is_seen)
{
	struct self *self = ctx;

	self->nr_unsure += !is_seen;
	for (int i = 0; i < 2; i++)
		self->told[i] += !memcmp(key, &keys[i], sizeof(*key));
}

/* How often each file was told of by one poll, a second after the last. */
static void expect(struct self *self, unsigned int first, unsigned int second)
{
	memset(self->told, 0, sizeof(self->told));
	file_watch_poll(self->watch, ++self->now_s, on_changed, self);
	assert_int_equal(self->told[0], first);
	assert_int_equal(self->told[1], second);
}

static int file_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void file_write(const char *path, int flags)
{
	int fd = file_open(path, O_WRONLY | flags);

	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void watch(struct self *self, const struct eddy_unwind_key *key, unsigned int queue,
		  const char *path)
{
	int fd = file_open(path, O_RDONLY);
	int wd = file_watch_begin(file_watch_fds(self->watch)->fd[queue], fd);

	assert_true(wd > 0);
	file_watch_put(self->watch, key, queue, wd);
	file_watch_put(self->watch, key, queue, wd); /* once is enough */
	close(fd);
}

static int setup(void **state)
{
	static struct self self;

	self = (struct self){ .watch = file_watch_new(), .now_s = 100 };
	strcpy(self.dir, "/tmp/eddy-watch.XXXXXX");
	assert_non_null(mkdtemp(self.dir));
	for (int i = 0; i < 2; i++) {
		snprintf(self.path[i], sizeof(self.path[i]), "%s/%d", self.dir, i);
		file_write(self.path[i], O_CREAT);
		watch(&self, &keys[i], i ? file_watch_queue(1000) : FILE_WATCH_SYSTEM,
		      self.path[i]);
	}
	assert_int_equal(file_watch_nr(self.watch), 2);
	*state = &self;
	return 0;
}

static int teardown(void **state)
{
	struct self *self = *state;

	for (int i = 0; i < 2; i++)
		unlink(self->path[i]);
	rmdir(self->dir);
	file_watch_free(self->watch);
	return 0;
}

static void written_in_place(void **state)
{
	struct self *self = *state;

	expect(self, 0, 0);
	file_write(self->path[1], 0);
	expect(self, 0, 1);
	expect(self, 0, 0);
	file_write(self->path[0], O_TRUNC);
	file_write(self->path[1], O_APPEND);
	expect(self, 1, 1);
}

static void opened_and_not_written(void **state)
{
	struct self *self = *state;

	close(file_open(self->path[0], O_RDWR));
	close(file_open(self->path[1], O_RDONLY));
	expect(self, 0, 0);
}

static void told_when_the_writer_closes(void **state)
{
	struct self *self = *state;
	int fd = file_open(self->path[0], O_WRONLY);

	assert_int_equal(write(fd, "y", 1), 1);
	expect(self, 0, 0);
	close(fd);
	expect(self, 1, 0);
}

static void once_a_second(void **state)
{
	struct self *self = *state;

	file_write(self->path[0], 0);
	expect(self, 1, 0);
	file_write(self->path[0], 0);
	self->now_s--;
	expect(self, 0, 0);
	expect(self, 1, 0);
}

static void replaced_or_forgotten(void **state)
{
	struct self *self = *state;

	/* Another inode in its place: the sampler sees that by itself. */
	assert_int_equal(rename(self->path[1], self->path[0]), 0);
	expect(self, 0, 0);
	assert_int_equal(file_watch_nr(self->watch), 1);
	file_watch_remove(self->watch, &keys[1]);
	file_watch_remove(self->watch, &keys[1]);
	assert_int_equal(file_watch_nr(self->watch), 0);
	file_write(self->path[0], 0);
	expect(self, 0, 0);
}

static void queues_by_owner(void **state)
{
	const struct self *self = *state;
	unsigned int nr[FILE_WATCH_QUEUES] = { 0 };

	assert_int_equal(file_watch_queue(OWNER_SYSTEM), FILE_WATCH_SYSTEM);
	for (owner_id owner = OWNER_FIRST_UID; owner < OWNER_FIRST_UID + 700; owner++)
		nr[file_watch_queue(owner)]++;
	assert_int_equal(nr[FILE_WATCH_SYSTEM], 0);
	for (size_t i = 1; i < FILE_WATCH_QUEUES; i++) {
		assert_int_equal(nr[i], 100);
		assert_true(file_watch_fds(self->watch)->fd[i] !=
			    file_watch_fds(self->watch)->fd[i - 1]);
	}
}

/* As many events as the kernel keeps in a queue, and some more. */
static unsigned int nr_events(void)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	unsigned int nr = 0;

	if (!f || fscanf(f, "%u", &nr) != 1 || nr > 200000)
		nr = 0;
	if (f)
		fclose(f);
	return nr ? nr + 1000 : 0;
}

/* A user who writes to two of his files in turn: no event is like the one before. */
static void flood(struct self *self, unsigned int queue)
{
	char path[2][sizeof(self->path[0]) + 8];
	int fds[2];

	for (int i = 0; i < 2; i++) {
		const struct eddy_unwind_key key = { .ino = 100 + i };

		snprintf(path[i], sizeof(path[i]), "%s.flood", self->path[i]);
		fds[i] = file_open(path[i], O_WRONLY | O_CREAT);
		watch(self, &key, queue, path[i]);
	}
	for (unsigned int n = nr_events(); n; n--)
		assert_int_equal(pwrite(fds[n % 2], "x", 1, 0), 1);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		file_watch_remove(self->watch, &(struct eddy_unwind_key){ .ino = 100 + i });
		unlink(path[i]);
	}
}

/* All that is there to read, within one second. */
static void drained(struct self *self)
{
	memset(self->told, 0, sizeof(self->told));
	self->nr_unsure = 0;
	self->now_s++;
	for (int i = 0; i < 2000; i++)
		file_watch_poll(self->watch, self->now_s, on_changed, self);
}

static void events_were_lost(void **state)
{
	struct self *self = *state;

	if (!nr_events())
		skip();
	flood(self, file_watch_queue(1000));
	file_write(self->path[0], 0);
	file_write(self->path[1], 0); /* which nobody hears of */
	drained(self);
	assert_int_equal(self->told[0], 1);
	assert_int_equal(self->told[1], 1);
	assert_int_equal(self->nr_unsure, 1);
	/* Again: not at once, for that has its price, but not never. */
	flood(self, file_watch_queue(1000));
	drained(self);
	assert_int_equal(self->told[0] + self->told[1], 0);
	self->now_s += FILE_WATCH_OVERFLOW_REST;
	drained(self);
	assert_int_equal(self->told[0], 0);
	assert_int_equal(self->told[1], 1);
	assert_int_equal(self->nr_unsure, 1);
	drained(self);
	assert_int_equal(self->nr_unsure, 0);
}

/* What others write hides nothing of the system's. */
static void a_flood_of_others(void **state)
{
	struct self *self = *state;

	if (!nr_events())
		skip();
	flood(self, file_watch_queue(1001));
	file_write(self->path[0], 0);
	file_write(self->path[1], 0);
	drained(self);
	assert_int_equal(self->told[0], 1);
	assert_int_equal(self->told[1], 1);
	assert_int_equal(self->nr_unsure, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_in_place, setup, teardown),
		cmocka_unit_test_setup_teardown(opened_and_not_written, setup, teardown),
		cmocka_unit_test_setup_teardown(told_when_the_writer_closes, setup, teardown),
		cmocka_unit_test_setup_teardown(once_a_second, setup, teardown),
		cmocka_unit_test_setup_teardown(replaced_or_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(queues_by_owner, setup, teardown),
		cmocka_unit_test_setup_teardown(events_were_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(a_flood_of_others, setup, teardown),
	};

	return cmocka_run_group_tests_name("file_watch", tests, NULL, NULL);
}
