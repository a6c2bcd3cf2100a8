// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of /proc/PID/maps: as they come, malformed, this process's. */
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "util/maps.h"
#include "util/mem.h"
#include "util/strbuf.h"

static int parse(const char *s, struct maps_line *ret)
{
	return maps_line_parse(s, strlen(s), ret);
}

static void test_lines(void **state)
{
	struct maps_line l = { .ino = 7 };

	assert_int_equal(
		parse("7f0ebd4f3000-7f0ebd519000 r-xp 00026000 fe:01 332835     /usr/lib/libc.so.6",
		      &l),
		0);
	assert_true(l.start == 0x7f0ebd4f3000 && l.end == 0x7f0ebd519000 && l.offset == 0x26000);
	assert_true(l.is_executable);
	assert_true(l.dev == makedev(0xfe, 1));
	assert_int_equal(l.ino, 332835);
	assert_int_equal(l.path_len, 18);
	assert_memory_equal(l.path, "/usr/lib/libc.so.6", 18);
	assert_int_equal(parse("1000-2000 rwxp 00000000 00:00 0 ", &l), 0);
	assert_int_equal(l.path_len, 0);
	assert_int_equal(parse("1000-2000 rwxp 00000000 00:00 0", &l), 0);
	assert_int_equal(l.path_len, 0);
	assert_int_equal(parse("1000-2000 r-xp 00000000 00:00 5 /a b (deleted)", &l), 0);
	assert_memory_equal(l.path, "/a b (deleted)", 14);
	assert_int_equal(
		parse("ffffffffff600000-ffffffffffffffff --xp 00000000 00:00 0 [vsyscall]", &l), 0);
	assert_true(l.end == UINT64_MAX);
}

static void test_not_executable(void **state)
{
	static const char heap[] = "1000-2000 rw-p 00000000 00:00 0 [heap]";
	struct maps_line l = { .ino = 7 };

	assert_int_equal(parse(heap, &l), 0);
	assert_false(l.is_executable);
	assert_false(maps_line_is_executable(heap, strlen(heap)));
	assert_true(maps_line_is_executable("1-2 r-xp ", 9));
	assert_false(maps_line_is_executable("1-2 r-x", 7));
	assert_false(maps_line_is_executable("1-2xr-xp", 8));
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"",
		"1000",
		"1000-2000",
		"2000-1000 r-xp 0 0:0 0",
		"1000-1000 r-xp 0 0:0 0",
		"x000-2000 r-xp 0 0:0 0",
		"1000-2000 r-xp",
		"1000-2000 r-xp ",
		"1000-2000 r-xp 0 0",
		"1000-2000 r-xp 0 0:0",
		"1000-2000 r-xp 0 0:0 12x",
		"10000000000000000-20000000000000000 r-xp 0 0:0 0",
		"1000-2000 r-xp 0 0:0 99999999999999999999999",
		"1000-2000 r-xp 0 100000000:0 5",
		"1000-2000 r-xp 0 0:100000000 5",
	};
	struct maps_line l = { .ino = 7 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse(bad[i], &l), -EINVAL);
	assert_int_equal(l.ino, 7);
}

struct seen {
	int nr;
	struct maps_line lines[1024];
};

static bool see(void *ctx, const struct maps_line *line)
{
	struct seen *s = ctx;

	s->lines[s->nr++] = *line;
	return s->nr < 1024;
}

static char *self_read(size_t *ret_len)
{
	FILE *f = fopen("/proc/self/maps", "r");
	struct strbuf text = STRBUF_INIT;
	char part[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)))
		strbuf_add(&text, part, n);
	fclose(f);
	*ret_len = text.len;
	return strbuf_detach(&text);
}

/* sscanf reads the same from the mappings of this process. */
static void test_self(void **state)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	size_t len;
	char *text = self_read(&len), *line = text, *nl;
	int nr = 0, i = 0;

	maps_read(text, len, see, seen);
	for (; (nl = strchr(line, '\n')); line = nl + 1) {
		unsigned long long start, end, offset, ino;
		unsigned int major, minor;
		char perms[8];

		assert_int_equal(sscanf(line, "%llx-%llx %7s %llx %x:%x %llu", &start, &end, perms,
					&offset, &major, &minor, &ino),
				 7);
		nr++;
		if (perms[2] != 'x')
			continue;
		assert_true(i < seen->nr);
		assert_true(seen->lines[i].start == start && seen->lines[i].end == end &&
			    seen->lines[i].offset == offset && seen->lines[i].ino == ino &&
			    seen->lines[i].dev == makedev(major, minor));
		i++;
	}
	assert_int_equal(i, seen->nr);
	assert_true(nr > i);
	free(text);
	free(seen);
}

/* In their order, until it is enough; what has no newline is no line. */
static bool see_two(void *ctx, const struct maps_line *line)
{
	int *nr = ctx;

	assert_int_equal(line->start, 0x1000 * (*nr + 1));
	return ++*nr < 2;
}

static void test_text(void **state)
{
	static const char text[] = "1000-1800 r-xp 0 0:0 0\n1800-2000 rw-p 0 0:0 0\nnonsense\n"
				   "2000-3000 r-xp 0 0:0 0 /lib\n3000-4000 r-xp 0 0:0 0\n";
	int nr = 0;

	maps_read(text, strlen(text), see_two, &nr);
	assert_int_equal(nr, 2);
	nr = 0;
	maps_read(text, strchr(text, '/') - text, see_two, &nr);
	assert_int_equal(nr, 1);
	nr = 0;
	maps_read(NULL, 0, see_two, &nr);
	assert_int_equal(nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_not_executable),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_self),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
