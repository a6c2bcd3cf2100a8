// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of /proc/PID/maps: as they come, malformed, this process's, and longer than the buffer. */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbol/maps.h"
#include "unit/symbol/elf_maker.h"

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
		1);
	assert_true(l.start == 0x7f0ebd4f3000 && l.end == 0x7f0ebd519000 && l.offset == 0x26000);
	assert_true(l.dev == makedev(0xfe, 1));
	assert_int_equal(l.ino, 332835);
	assert_int_equal(l.path_len, 18);
	assert_memory_equal(l.path, "/usr/lib/libc.so.6", 18);
	assert_int_equal(parse("1000-2000 rwxp 00000000 00:00 0 ", &l), 1);
	assert_int_equal(l.path_len, 0);
	assert_int_equal(parse("1000-2000 rwxp 00000000 00:00 0", &l), 1);
	assert_int_equal(l.path_len, 0);
	assert_int_equal(parse("1000-2000 r-xp 00000000 00:00 5 /a b (deleted)", &l), 1);
	assert_memory_equal(l.path, "/a b (deleted)", 14);
	assert_int_equal(
		parse("ffffffffff600000-ffffffffffffffff --xp 00000000 00:00 0 [vsyscall]", &l), 1);
	assert_true(l.end == UINT64_MAX);
}

static void test_not_executable(void **state)
{
	struct maps_line l = { .ino = 7 };

	assert_int_equal(parse("1000-2000 rw-p 00000000 00:00 0 [heap]", &l), 0);
	assert_int_equal(l.ino, 7); /* untouched */
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

/* sscanf reads the same from the mappings of this process. */
static void test_self(void **state)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	int fd = open("/proc/self/maps", O_RDONLY), nr = 0, i = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_true(maps_read(fd, see, seen) > seen->nr);
	while (fgets(line, sizeof(line), f)) {
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
	fclose(f);
	close(fd);
	free(seen);
}

/* Longer than the buffer: every line arrives, whole, wherever the reads cut it. */
static bool see_in_order(void *ctx, const struct maps_line *line)
{
	uint64_t *next = ctx;
	char want[64];

	snprintf(want, sizeof(want), "/lib/%llu.so", (unsigned long long)*next);
	assert_int_equal(line->start, *next * 0x1000);
	assert_int_equal(line->path_len, strlen(want));
	assert_memory_equal(line->path, want, strlen(want));
	++*next;
	return true;
}

static void test_long_file(void **state)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t next = 1;
	int fd;

	for (unsigned int i = 1; i <= 10000; i++)
		strbuf_addf(&text, "%x-%x r-xp 00000000 fe:00 %u   /lib/%u.so\n", i * 0x1000,
			    (i + 1) * 0x1000, i, i);
	fd = fd_of(text.bytes, text.len);
	assert_int_equal(maps_read(fd, see_in_order, &next), 10000);
	assert_int_equal(next, 10001);
	close(fd);
	strbuf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_not_executable),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_self),
		cmocka_unit_test(test_long_file),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
