// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are written in place are told of, others are not. */
#include "capture/file_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit/unit.h"

struct self {
	char dir[64], path[2][80];
	struct file_watch *watch;
	uint64_t now_s;
	unsigned int told[2];
};

static const struct eddy_unwind_key keys[2] = { { .ino = 7, .dev = 1 }, { .ino = 9, .gen = 3 } };

static void on_changed(void *ctx, const struct eddy_unwind_key *key)
{
	struct self *self = ctx;

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

static int setup(void **state)
{
	static struct self self;

	self = (struct self){ .watch = file_watch_new(), .now_s = 100 };
	strcpy(self.dir, "/tmp/eddy-watch.XXXXXX");
	assert_non_null(mkdtemp(self.dir));
	for (int i = 0; i < 2; i++) {
		int fd;

		snprintf(self.path[i], sizeof(self.path[i]), "%s/%d", self.dir, i);
		file_write(self.path[i], O_CREAT);
		fd = file_open(self.path[i], O_RDONLY);
		file_watch_add(self.watch, &keys[i], fd);
		file_watch_add(self.watch, &keys[i], fd); /* once is enough */
		close(fd);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_in_place, setup, teardown),
		cmocka_unit_test_setup_teardown(opened_and_not_written, setup, teardown),
		cmocka_unit_test_setup_teardown(told_when_the_writer_closes, setup, teardown),
		cmocka_unit_test_setup_teardown(once_a_second, setup, teardown),
		cmocka_unit_test_setup_teardown(replaced_or_forgotten, setup, teardown),
	};

	return cmocka_run_group_tests_name("file_watch", tests, NULL, NULL);
}
