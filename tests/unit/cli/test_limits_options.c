// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits as options and as a file, and that a file with an error changes nothing. */
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/limits_options.h"
#include "util/mem.h"

/* As options; what is refused names the option and changes nothing. */
static int set(struct snapshot_limits *l, const char *option, const char *value, struct diag *diag)
{
	const struct option_group groups[] = { { limits_option_rows, l, NULL }, { 0 } };
	char *argv[] = { "snapshot", (char *)option, (char *)value, NULL }, **operands;

	return options_parse(groups, true, argv, &operands, diag);
}

static void test_set(void **state)
{
	struct diag diag = { "" };
	struct snapshot_limits l;

	snapshot_limits_init(&l);
	assert_int_equal(l.keep_files, 0);
	assert_int_equal(l.max_memory_bytes, 64 << 20);
	assert_int_equal(set(&l, "--keep-files", "8640", &diag), 0);
	assert_int_equal(set(&l, "--keep-bytes", "2G", &diag), 0);
	assert_int_equal(set(&l, "--keep-age", "7d", &diag), 0);
	assert_int_equal(set(&l, "--max-memory", "8M", &diag), 0);
	assert_int_equal(l.keep_files, 8640);
	assert_int_equal(l.keep_bytes, UINT64_C(2) << 30);
	assert_int_equal(l.keep_age_ns, UINT64_C(604800000000000));
	assert_int_equal(l.max_memory_bytes, 8 << 20);
	assert_int_equal(set(&l, "--keep-files", "0", &diag), -EINVAL);
	assert_string_equal(diag.text, "--keep-files: '0' is not a number of files, at least 1");
	assert_int_equal(set(&l, "--keep-files", "-1", &diag), -EINVAL);
	assert_int_equal(set(&l, "--keep-bytes", "0", &diag), -EINVAL);
	assert_string_equal(diag.text, "--keep-bytes: '0' is not a size such as 500M or 2G");
	assert_int_equal(set(&l, "--keep-age", "week", &diag), -EINVAL);
	assert_string_equal(diag.text, "--keep-age: 'week' is not a duration such as 12h or 7d");
	assert_int_equal(set(&l, "--max-memory", "1K", &diag), -EINVAL);
	assert_string_equal(diag.text, "--max-memory: '1K' is not a size of at least 1M");
	assert_int_equal(l.keep_files, 8640);
	assert_int_equal(l.max_memory_bytes, 8 << 20);
}

static int read_text(struct snapshot_limits *l, const char *text, struct diag *diag)
{
	char path[] = "/tmp/eddy-limits.XXXXXX";
	int fd = mkstemp(path), r;

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	r = limits_options_read(l, path, diag);
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

/* Nothing of a file with an error counts, and the message names the line and no dashes. */
static void test_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "keep-files 1\nkeep-files\n", ":2: 'keep-files' and one value were expected" },
		{ "keep-files 1\nkeep-files 2 3\n",
		  ":2: 'keep-files' and one value were expected" },
		{ "keep-files 1\nkeep-everything 2\n",
		  ":2: no limit 'keep-everything' (keep-files, keep-bytes, keep-age, max-memory)" },
		{ "keep-files 1\nkeep-age x\n",
		  ":2: keep-age: 'x' is not a duration such as 12h or 7d" },
		{ "keep-files 1\n\x01\xff\n", ":2: '?\xff' and one value were expected" },
	};
	struct snapshot_limits l;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct diag diag = { "" };

		snapshot_limits_init(&l);
		assert_int_equal(read_text(&l, bad[i].text, &diag), -EINVAL);
		assert_non_null(strstr(diag.text, ":2: "));
		assert_string_equal(strstr(diag.text, ":2: "), bad[i].message);
		assert_int_equal(l.keep_files, 0);
	}
	assert_int_equal(limits_options_read(&l, "/nonexistent", NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("limits_options", tests, NULL, NULL);
}
