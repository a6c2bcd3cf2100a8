// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories that others move away, or cannot. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/held_dir.h"

static char dir[64], in[80], away[80], path[96];

static int make_dirs(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/eddy-unit.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(away, sizeof(away), "%s/away", dir);
	snprintf(path, sizeof(path), "%s/in/x", dir);
	return mkdir(in, 0700);
}

static int remove_dirs(void **state)
{
	char name[96];

	snprintf(name, sizeof(name), "%s/x", away);
	unlink(name);
	rmdir(away);
	rmdir(in);
	return rmdir(dir);
}

/* The same path is one of the directory that stands there now, or of the one that was held. */
static void what_others_move_is_held(void **state)
{
	struct held_dir d;
	const char *held;
	bool is_moved;
	struct stat st;
	char name[96];
	int fd;

	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(held_dir_open(path, &d, NULL), 0);
	assert_string_equal(held_dir_path(&d, path, &is_moved), path);
	assert_false(is_moved);
	assert_int_equal(rename(in, away), 0);
	held = held_dir_path(&d, path, &is_moved);
	assert_true(is_moved);
	assert_int_equal(mkdir(in, 0700), 0);
	held = held_dir_path(&d, path, &is_moved);
	assert_true(is_moved);
	fd = open(held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	snprintf(name, sizeof(name), "%s/x", away);
	assert_int_equal(stat(name, &st), 0);
	/* One that was removed is none to write to. */
	unlink(name);
	assert_int_equal(rmdir(away), 0);
	assert_string_equal(held_dir_path(&d, path, &is_moved), path);
	assert_false(is_moved);
	held_dir_close(&d);
}

/* What the caller alone can have moved is his own doing. */
static void ones_own_doing(void **state)
{
	static const mode_t modes[] = { 0700, 0755, 01777 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct held_dir d;
		bool is_moved;

		assert_int_equal(chmod(dir, modes[i]), 0);
		assert_int_equal(held_dir_open(path, &d, NULL), 0);
		assert_int_equal(d.fd, -1);
		assert_int_equal(rename(in, away), 0);
		assert_int_equal(mkdir(in, 0700), 0);
		assert_string_equal(held_dir_path(&d, path, &is_moved), path);
		assert_false(is_moved);
		assert_int_equal(rmdir(away), 0);
		held_dir_close(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_others_move_is_held, make_dirs, remove_dirs),
		cmocka_unit_test_setup_teardown(ones_own_doing, make_dirs, remove_dirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
