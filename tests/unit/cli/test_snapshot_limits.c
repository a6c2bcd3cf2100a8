// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits as options and as a file, and that a file with an error changes nothing. */
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/snapshot_limits.h"
#include "util/mem.h"

static void test_set(void **state)
{
	struct diag diag = { "" };
	struct snapshot_limits l;

	snapshot_limits_init(&l);
	assert_int_equal(l.keep_files, 0);
	assert_int_equal(l.max_memory_bytes, 32 << 20);
	assert_int_equal(snapshot_limits_set(&l, "keep-files", "8640", &diag), 0);
	assert_int_equal(snapshot_limits_set(&l, "keep-bytes", "2G", &diag), 0);
	assert_int_equal(snapshot_limits_set(&l, "keep-age", "7d", &diag), 0);
	assert_int_equal(snapshot_limits_set(&l, "max-memory", "8M", &diag), 0);
	assert_int_equal(l.keep_files, 8640);
	assert_int_equal(l.keep_bytes, UINT64_C(2) << 30);
	assert_int_equal(l.keep_age_ns, UINT64_C(604800000000000));
	assert_int_equal(l.max_memory_bytes, 8 << 20);
	assert_int_equal(snapshot_limits_set(&l, "keep", "1", &diag), -ENOENT);
	assert_int_equal(snapshot_limits_set(&l, "keep-files", "0", &diag), -EINVAL);
	assert_int_equal(snapshot_limits_set(&l, "keep-files", "-1", &diag), -EINVAL);
	assert_int_equal(snapshot_limits_set(&l, "keep-age", "week", &diag), -EINVAL);
	assert_int_equal(snapshot_limits_set(&l, "max-memory", "1K", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "max-memory: '1K'"));
	assert_int_equal(l.keep_files, 8640);
}

static int read_text(struct snapshot_limits *l, const char *text, struct diag *diag)
{
	char path[] = "/tmp/eddy-limits.XXXXXX";
	int fd = mkstemp(path), r;

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	r = snapshot_limits_read(l, path, diag);
	unlink(path);
	return r;
}

static void test_read(void **state)
{
	struct diag diag = { "" };
	struct snapshot_limits l;

	snapshot_limits_init(&l);
	l.keep_files = 5;
	assert_int_equal(read_text(&l,
				   "# a comment\n\n keep-age 1h # so long\r\nkeep-bytes=1M\n"
				   "max-memory = 4M",
				   &diag),
			 0);
	assert_int_equal(l.keep_files, 5);
	assert_int_equal(l.keep_age_ns, UINT64_C(3600000000000));
	assert_int_equal(l.keep_bytes, 1 << 20);
	assert_int_equal(l.max_memory_bytes, 4 << 20);
	assert_int_equal(read_text(&l, "", &diag), 0);
}

/* Nothing of a file with an error counts, and the message names the line. */
static void test_refused(void **state)
{
	static const char *const bad[] = {
		"keep-files 1\nkeep-files\n",	     "keep-files 1\nkeep-files 2 3\n",
		"keep-files 1\nkeep-everything 2\n", "keep-files 1\nkeep-age x\n",
		"keep-files 1\n\x01\xff\n",
	};
	struct snapshot_limits l;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct diag diag = { "" };

		snapshot_limits_init(&l);
		assert_int_equal(read_text(&l, bad[i], &diag), -EINVAL);
		assert_non_null(strstr(diag.text, ":2: "));
		assert_int_equal(l.keep_files, 0);
	}
	assert_int_equal(snapshot_limits_read(&l, "/nonexistent", NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("snapshot_limits", tests, NULL, NULL);
}
