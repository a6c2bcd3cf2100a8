// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user with thousands of files: what each costs, counted in keys that are compared and in
 * questions to the kernel, of which nothing is there but an answer.
 */
#include <bpf/bpf.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/file_key.h"
#include "unit/unit.h"

static uint64_t nr_compared;

static bool counted_equals(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	nr_compared++;
	return file_key_equals(a, b);
}

/* Compiled once more, with keys that are compared counted. */
#define file_key_equals counted_equals
#include "capture/unwind_maps.c"
#undef file_key_equals

#define NR_FILES 12288
#define NR_ROWS	 128
#define FILES_FD 1001
#define MOST	 16

static struct {
	uint64_t now_ns, nr_looked_up;
	bool is_full; /* the map of files */
} fake;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	t->tv_sec = fake.now_ns / 1000000000;
	t->tv_nsec = fake.now_ns % 1000000000;
	return 0;
}

static int memory(size_t bytes)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

int bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_bytes, __u32 value_bytes,
		   __u32 max_entries, const struct bpf_map_create_opts *opts)
{
	return memory(value_bytes);
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	if (fd != FILES_FD || !fake.is_full)
		return 0;
	errno = E2BIG;
	return -E2BIG;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	fake.nr_looked_up++;
	memset(value, 0, sizeof(struct eddy_unwind_file));
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	return 0;
}

static int setup(void **state)
{
	struct unwind_maps_fds fds = { .slabs = 1000, .files = FILES_FD };
	struct unwind_maps *m;

	memset(&fake, 0, sizeof(fake));
	fake.now_ns = 1000000000000;
	fds.pages = memory(sizeof(struct eddy_unwind_pages));
	fds.rules = memory(sizeof(struct eddy_unwind_rules));
	assert_int_equal(unwind_maps_new(&fds, 2 * sizeof(struct eddy_unwind_slab), &m, NULL), 0);
	close(fds.pages);
	close(fds.rules);
	nr_compared = 0;
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	unwind_maps_free(*state);
	return 0;
}

static struct eddy_unwind_key key_of(uint32_t nr)
{
	return (struct eddy_unwind_key){ .ino = nr + 1, .dev = 8, .gen = 3 };
}

static int add(struct unwind_maps *m, uint32_t nr)
{
	static uint32_t rows[NR_ROWS];
	struct unwind_table_page page = { .nr_rows = NR_ROWS };
	const struct unwind_table table = {
		.kind = EDDY_FILE_TABLE,
		.nr_segments = 1,
		.nr_rows = NR_ROWS,
		.nr_pages = 1,
		.row = rows,
		.page = &page,
		.owner = 3000,
	};
	const struct eddy_unwind_key key = key_of(nr);

	return unwind_maps_add(m, &key, nr + 1, &table);
}

static size_t nr_tables(const struct unwind_maps *m)
{
	struct unwind_maps_stats stats;

	unwind_maps_get_stats(m, &stats);
	return stats.nr_tables;
}

/* They come and are forgotten in another order: each costs what one does that is alone. */
static void many_go(void **state)
{
	const uint32_t nr = NR_FILES / 3; /* as many as he may have at once */
	struct unwind_maps *m = *state;

	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(add(m, i), 0);
	assert_int_equal(add(m, 0), 0); /* again: the first one is no more */
	assert_int_equal(nr_tables(m), nr);
	for (uint32_t i = 0; i < nr; i++) {
		const struct eddy_unwind_key key = key_of(i * 7919 % nr);

		unwind_maps_forget(m, &key);
		assert_int_equal(nr_tables(m), nr - i - 1);
		unwind_maps_forget(m, &key);
	}
	assert_true(nr_compared <= (uint64_t)nr * MOST);
	assert_int_equal(fair_share_used(m->share), 0);
}

/* He has more than his share: for each that comes one goes, and the kernel is not asked of all. */
static void many_make_way(void **state)
{
	struct unwind_maps *m = *state;
	uint64_t began_ns = fake.now_ns, most = 0, seconds;
	struct unwind_maps_stats stats;
	int r;

	for (uint32_t i = 0; i < 3 * NR_FILES; i++) {
		while ((r = add(m, i)) == -ENOSPC)
			fake.now_ns += 500000000;
		assert_int_equal(r, 0);
		most = nr_tables(m) > most ? nr_tables(m) : most;
	}
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.limits.nr[LIMIT_TABLES], 3 * NR_FILES - nr_tables(m));
	assert_true(stats.limits.nr[LIMIT_TABLES] > NR_FILES);
	seconds = (fake.now_ns - began_ns) / 1000000000;
	assert_true(fake.nr_looked_up <= (seconds + 1) * most);
}

/* No table is known that the sampler's map has no place for, and it is counted. */
static void the_map_of_files_is_full(void **state)
{
	struct unwind_maps *m = *state;
	struct unwind_maps_stats stats;

	fake.is_full = true;
	assert_int_equal(add(m, 1), -E2BIG);
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.nr_tables, 0);
	assert_int_equal(stats.limits.nr[LIMIT_TABLES], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_go, setup, teardown),
		cmocka_unit_test_setup_teardown(many_make_way, setup, teardown),
		cmocka_unit_test_setup_teardown(the_map_of_files_is_full, setup, teardown),
	};

	return cmocka_run_group_tests_name("unwind_maps_many", tests, NULL, NULL);
}
