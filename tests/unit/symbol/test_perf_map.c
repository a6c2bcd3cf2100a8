// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /tmp/perf-PID.map: names, bounds, random lines against a slow look-up, and whose file is taken.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/perf_map.h"
#include "unit/elf/elf_maker.h"

static const char *name_at(const struct perf_map *m, uint64_t addr)
{
	static char name[8192];
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;

	if (perf_map_name(m, addr, 0, &to) < 0)
		return "";
	snprintf(name, sizeof(name), "%s", to.bytes);
	return name;
}

static void append(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void test_names(void **state)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	_cleanup_(perf_map_freep) struct perf_map *m = perf_map_new(dup(fd));

	assert_int_equal(perf_map_refresh(m, 1 << 20), 0);
	append(fd,
	       "1000 40 first function\n0x2000 0x10 LazyCompile:~f /a.js:1\nnonsense\n3000 0 x\n"
	       "4000 10\n5000 10 half a li");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_int_equal(perf_map_nr(m), 2);
	assert_string_equal(name_at(m, 0xfff), "");
	assert_string_equal(name_at(m, 0x1000), "first function");
	assert_string_equal(name_at(m, 0x103f), "first function");
	assert_string_equal(name_at(m, 0x1040), "");
	assert_string_equal(name_at(m, 0x200f), "LazyCompile:~f /a.js:1");
	assert_string_equal(name_at(m, 0x5000), "");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 0);
	append(fd, "ne\n0500 10 before\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_string_equal(name_at(m, 0x5000), "half a line");
	assert_string_equal(name_at(m, 0x500), "before");
	/* Memory is used again: the last writer names it. */
	append(fd, "1010 8 again\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_string_equal(name_at(m, 0x1000), "first function");
	assert_string_equal(name_at(m, 0x1012), "again");
	append(fd, "1000 40 moved back\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_string_equal(name_at(m, 0x1012), "moved back");
	/* Written anew, and shorter. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	append(fd, "9000 10 new\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_int_equal(perf_map_nr(m), 1);
	assert_string_equal(name_at(m, 0x1012), "");
	assert_string_equal(name_at(m, 0x9001), "new");
	/* And longer, before anybody looked. */
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	append(fd, "9000 10 old\n9000 10 newest\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_int_equal(perf_map_nr(m), 2);
	assert_string_equal(name_at(m, 0x9001), "newest");
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	append(fd, "9000 10 old\n9000 10 Newest\n");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_string_equal(name_at(m, 0x9001), "Newest");
	assert_int_equal(perf_map_refresh(m, 1 << 20), 0);
	close(fd);
}

/* By a parser: names as without, several steps of a large file, one that dies in between. */
static void test_by_parser(void **state)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	_cleanup_(perf_map_freep) struct perf_map *m = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull);
	m = perf_map_new_by(pool, dup(fd));
	for (int i = 0; i < 300000; i++)
		strbuf_addf(&text, "%x 10 function_%d\n", 0x10000000 - i * 16, i);
	append(fd, text.bytes);
	while (perf_map_refresh(m, PERF_MAP_MAX_BYTES) > 0)
		continue;
	assert_int_equal(perf_map_nr(m), 300000);
	assert_false(perf_map_is_cut(m));
	for (int i = 0; i < 300000; i += 997) {
		char want[32];

		snprintf(want, sizeof(want), "function_%d", i);
		assert_string_equal(name_at(m, 0x10000000 - i * 16 + 15), want);
	}
	append(fd, "20000000 10 appended\n");
	assert_int_equal(perf_map_refresh(m, PERF_MAP_MAX_BYTES), 1);
	assert_string_equal(name_at(m, 0x20000001), "appended");
	assert_int_equal(perf_map_refresh(m, PERF_MAP_MAX_BYTES), 0);
	close(fd);
}

static void test_bounded(void **state)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	_cleanup_(perf_map_freep) struct perf_map *m = perf_map_new(fd);
	uint64_t bytes;

	for (int i = 0; i < 5000; i++)
		dprintf(fd, "%x 10 function_%d\n", 0x100000 + i * 16, i);
	/* 32 bytes a line and its name. */
	bytes = 1000 * 32 + 10 * 10 + 90 * 11 + 900 * 12;
	assert_int_equal(perf_map_refresh(m, bytes), 1);
	assert_int_equal(perf_map_nr(m), 1000);
	assert_int_equal(perf_map_held(m), bytes);
	assert_true(perf_map_is_cut(m));
	assert_string_equal(name_at(m, 0x100000 + 999 * 16), "function_999");
	assert_string_equal(name_at(m, 0x100000 + 1000 * 16), "");
	/* No room for another one, then for all. */
	assert_int_equal(perf_map_refresh(m, bytes + 32 + 12), 0);
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_int_equal(perf_map_nr(m), 5000);
	assert_false(perf_map_is_cut(m));
	assert_string_equal(name_at(m, 0x100000 + 4999 * 16), "function_4999");
}

/* Lines in random order, read in random portions, against the last line that covers an address. */
static void test_against_slow(void **state)
{
	for (int round = 0; round < 50; round++) {
		struct {
			uint64_t start, size;
		} all[200];
		int fd = memfd_create("test", MFD_CLOEXEC), nr = 0;
		_cleanup_(perf_map_freep) struct perf_map *m = perf_map_new(fd);

		while (nr < 200) {
			all[nr].start = 1 + test_random_below(4000);
			all[nr].size = 1 + test_random_below(60);
			dprintf(fd, "%llx %llx f%d\n", (unsigned long long)all[nr].start,
				(unsigned long long)all[nr].size, nr);
			nr++;
			if (!test_random_below(20))
				perf_map_refresh(m, 1 << 20);
		}
		perf_map_refresh(m, 1 << 20);
		assert_int_equal(perf_map_nr(m), 200);
		for (uint64_t addr = 0; addr < 4100; addr += 3) {
			char want[16] = "";

			for (int i = 0; i < nr; i++)
				if (addr >= all[i].start && addr < all[i].start + all[i].size)
					snprintf(want, sizeof(want), "f%d", i);
			assert_string_equal(name_at(m, addr), want);
		}
	}
}

/* A process directory under a root of our own: ROOT/proc/77, PID 5 in its namespace. */
struct place {
	char root[32], map[128];
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	static const char *const dirs[] = { "proc", "proc/77", "proc/77/root", "proc/77/root/tmp" };
	struct place *p = calloc(1, sizeof(*p));
	char path[128];

	strcpy(p->root, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(p->root));
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", p->root, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/proc/77/status", p->root);
	write_file(path, "Name:\tjava\nUid:\t4242\t4242\t4242\t4242\nNSpid:\t77\t5\n");
	snprintf(p->map, sizeof(p->map), "%s/proc/77/root/tmp/perf-5.map", p->root);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->root);
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

static void test_open(void **state)
{
	struct place *p = *state;
	struct perf_map *m = NULL;
	char target[256];

	assert_int_equal(perf_map_open(NULL, p->root, 78, &m), -ENOENT);
	assert_int_equal(perf_map_open(NULL, p->root, 77, &m), -ENOENT);
	write_file(p->map, "1000 40 f\n");
	if (getuid() != 0) /* our own is not the process's, and we may not give it away */
		skip();
	assert_int_equal(chown(p->map, 4242, 4242), 0);
	assert_int_equal(perf_map_open(NULL, p->root, 77, &m), 0);
	assert_int_equal(perf_map_refresh(m, 1 << 20), 1);
	assert_string_equal(name_at(m, 0x1001), "f");
	perf_map_free(m);
	/* Somebody else's. */
	assert_int_equal(chown(p->map, 4243, 4243), 0);
	assert_int_equal(perf_map_open(NULL, p->root, 77, &m), -EPERM);
	/* A link to a file that would do. */
	assert_int_equal(chown(p->map, 4242, 4242), 0);
	snprintf(target, sizeof(target), "%s.real", p->map);
	assert_int_equal(rename(p->map, target), 0);
	assert_int_equal(symlink(target, p->map), 0);
	assert_int_equal(perf_map_open(NULL, p->root, 77, &m), -EINVAL);
	/* A pipe, which would block whoever opens it. */
	assert_int_equal(unlink(p->map), 0);
	assert_int_equal(mkfifo(p->map, 0666), 0);
	assert_int_equal(perf_map_open(NULL, p->root, 77, &m), -EINVAL);
}

/* Opens the map; how many functions it names, or negative errno. */
static int nr_named(const struct place *p)
{
	struct perf_map *m = NULL;
	int r = perf_map_open(NULL, p->root, 77, &m);

	if (r < 0)
		return r;
	assert_true(perf_map_refresh(m, 1 << 20) >= 0);
	r = (int)perf_map_nr(m);
	perf_map_free(m);
	return r;
}

/* Of root's maps a process may have those that it could read: it can link or bind any in place. */
static void test_of_root(void **state)
{
	const struct place *p = *state;

	if (getuid() != 0)
		skip();
	write_file(p->map, "1000 40 f\n");
	assert_int_equal(chmod(p->map, 0644), 0);
	assert_int_equal(nr_named(p), 1);
	assert_int_equal(chmod(p->map, 0640), 0);
	assert_int_equal(nr_named(p), -EPERM);
}

/* "/tmp" is a link: inside the process's root it leads there, and never out of it. */
static void test_tmp_is_link(void **state)
{
	const struct place *p = *state;
	char tmp[128], path[256], outside[128];

	if (getuid() != 0)
		skip();
	snprintf(tmp, sizeof(tmp), "%s/proc/77/root/tmp", p->root);
	assert_int_equal(rmdir(tmp), 0);
	/* Out: a map of the host, which nobody else may read. */
	snprintf(outside, sizeof(outside), "%s/outside", p->root);
	assert_int_equal(mkdir(outside, 0755), 0);
	snprintf(path, sizeof(path), "%s/perf-5.map", outside);
	write_file(path, "1000 40 secret\n2000 40 secret\n");
	assert_int_equal(chown(path, 4242, 4242), 0);
	assert_int_equal(symlink(outside, tmp), 0);
	assert_int_equal(nr_named(p), -ELOOP); /* which begins with "/tmp" there */
	assert_int_equal(unlink(tmp), 0);
	assert_int_equal(symlink("../../../outside", tmp), 0);
	assert_int_equal(nr_named(p), -ENOENT);
	/* In: an honest container. */
	snprintf(path, sizeof(path), "%s/proc/77/root/scratch", p->root);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/perf-5.map");
	write_file(path, "1000 40 f\n");
	assert_int_equal(chown(path, 4242, 4242), 0);
	assert_int_equal(unlink(tmp), 0);
	assert_int_equal(symlink("/scratch", tmp), 0);
	assert_int_equal(nr_named(p), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_by_parser),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_against_slow),
		cmocka_unit_test_setup_teardown(test_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_root, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tmp_is_link, setup, teardown),
	};

	return cmocka_run_group_tests_name("perf_map", tests, NULL, NULL);
}
