// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room for unwind tables, given out and taken back.  The maps are files in memory, the clock is the
 * test's, and the programs that may still be reading a table that was taken back are played here.
 */
#include "capture/unwind_maps.h"

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sampler_abi.h"
#include "unit/unit.h"
#include "util/mem.h"

#define SLABS_FD   1000
#define FILES_FD   1001
#define MAX_FILES  256
#define PAGE_ROWS  65536u
#define SLAB_BYTES sizeof(struct eddy_unwind_slab)
#define SECOND_NS  1000000000ull

struct known {
	bool is_there;
	struct eddy_unwind_key key;
	struct eddy_unwind_file file;
};

static struct {
	uint64_t now_ns;
	int pages_fd, rules_fd;
	int slab_fd[EDDY_UNWIND_MAX_SLABS];
	uint32_t nr_slabs;
	uint32_t max_slabs; /* that the kernel has memory for */
	struct known files[MAX_FILES];
	bool update_fails;
} fake;

/* ---- the kernel --------------------------------------------------------------------------- */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	t->tv_sec = fake.now_ns / SECOND_NS;
	t->tv_nsec = fake.now_ns % SECOND_NS;
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
	if (fake.nr_slabs < fake.max_slabs)
		return memory(value_bytes);
	errno = EPERM;
	return -EPERM;
}

static struct known *known_find(const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < MAX_FILES; i++)
		if (fake.files[i].is_there && !memcmp(&fake.files[i].key, key, sizeof(*key)))
			return &fake.files[i];
	return NULL;
}

static int refuse(int err)
{
	errno = err;
	return -err;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	struct known *f;

	if (fd == SLABS_FD) {
		fake.slab_fd[*(const uint32_t *)key] = *(const int *)value;
		fake.nr_slabs++;
		return 0;
	}
	assert_int_equal(fd, FILES_FD);
	if (fake.update_fails)
		return refuse(E2BIG);
	f = known_find(key);
	if (!f && flags == BPF_EXIST)
		return refuse(ENOENT);
	for (size_t i = 0; !f; i++) {
		assert_true(i < MAX_FILES);
		f = fake.files[i].is_there ? NULL : &fake.files[i];
	}
	f->is_there = true;
	memcpy(&f->key, key, sizeof(f->key));
	memcpy(&f->file, value, sizeof(f->file));
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	struct known *f = known_find(key);

	if (!f)
		return refuse(ENOENT);
	memcpy(value, &f->file, sizeof(f->file));
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	struct known *f = known_find(key);

	if (!f)
		return refuse(ENOENT);
	f->is_there = false;
	return 0;
}

/* ---- tables ------------------------------------------------------------------------------- */

static struct unwind_maps *begin(uint64_t nr_slabs)
{
	struct unwind_maps_fds fds = { .slabs = SLABS_FD, .files = FILES_FD };
	struct unwind_maps *m = NULL;

	memset(&fake, 0, sizeof(fake));
	fake.now_ns = 1000 * SECOND_NS;
	fake.max_slabs = EDDY_UNWIND_MAX_SLABS;
	fds.pages = fake.pages_fd = memory(sizeof(struct eddy_unwind_pages));
	fds.rules = fake.rules_fd = memory(sizeof(struct eddy_unwind_rules));
	assert_int_equal(unwind_maps_new(&fds, nr_slabs * SLAB_BYTES, &m, NULL), 0);
	return m;
}

static void end(struct unwind_maps *m)
{
	unwind_maps_free(m);
	close(fake.pages_fd);
	close(fake.rules_fd);
}

static struct eddy_unwind_key key_of(uint32_t nr)
{
	return (struct eddy_unwind_key){ .ino = nr, .dev = 7, .gen = 9 };
}

/* One of so many rows, by pages of `rows_a_page`; all of them name the rule `nr`. */
static struct unwind_table *table_new(uint32_t nr, uint32_t nr_rows, uint32_t rows_a_page)
{
	struct unwind_table *t = xcalloc(1, sizeof(*t));

	t->kind = EDDY_FILE_TABLE;
	t->nr_segments = 1;
	t->nr_rows = nr_rows;
	t->nr_pages = (nr_rows + rows_a_page - 1) / rows_a_page;
	t->segment[0].end = (uint64_t)t->nr_pages << EDDY_UNWIND_PAGE_SHIFT;
	t->page = xcalloc(t->nr_pages, sizeof(*t->page));
	t->row = xcalloc(nr_rows, sizeof(*t->row));
	for (uint32_t i = 0; i < t->nr_pages; i++) {
		uint32_t first = i * rows_a_page, left = nr_rows - first;

		t->page[i].first = first;
		t->page[i].nr_rows = left < rows_a_page ? left : rows_a_page;
		for (uint32_t k = 0; k < t->page[i].nr_rows; k++)
			t->row[first + k] = k << 16 | nr;
	}
	return t;
}

static int add(struct unwind_maps *m, uint32_t nr, uint32_t nr_rows)
{
	_cleanup_(unwind_table_freep) struct unwind_table *t = table_new(nr, nr_rows, PAGE_ROWS);
	const struct eddy_unwind_key key = key_of(nr);

	return unwind_maps_add(m, &key, nr, t);
}

static void forget(struct unwind_maps *m, uint32_t nr)
{
	const struct eddy_unwind_key key = key_of(nr);

	unwind_maps_forget(m, &key);
}

static bool is_known(uint32_t nr)
{
	const struct eddy_unwind_key key = key_of(nr);

	return known_find(&key);
}

/* As the sampler marks it. */
static void use(uint32_t nr)
{
	const struct eddy_unwind_key key = key_of(nr);

	known_find(&key)->file.used = 1;
}

static void pass_seconds(double seconds)
{
	fake.now_ns += seconds * SECOND_NS;
}

static uint32_t version(void)
{
	uint32_t v;

	assert_int_equal(
		pread(fake.pages_fd, &v, sizeof(v), offsetof(struct eddy_unwind_pages, version)),
		sizeof(v));
	return v;
}

/* What a program reads that has found the file: all its rows name the rule. */
static void rows_are_those_of(const struct eddy_unwind_file *f, uint32_t nr)
{
	for (uint32_t i = 0; i < f->nr_pages; i++) {
		struct eddy_unwind_page page;
		uint32_t rows[2];

		assert_int_equal(pread(fake.pages_fd, &page, sizeof(page),
				       (f->first_page + i) * sizeof(page)),
				 sizeof(page));
		assert_true(page.slab < fake.nr_slabs);
		for (uint32_t k = 0; k < 2; k++)
			assert_int_equal(pread(fake.slab_fd[page.slab], &rows[k], sizeof(rows[k]),
					       (page.first + k * page.nm1) * sizeof(rows[k])),
					 sizeof(rows[k]));
		assert_int_equal(rows[0], nr);
		assert_int_equal(rows[1], (uint32_t)page.nm1 << 16 | nr);
	}
}

/* ---- tests -------------------------------------------------------------------------------- */

static void what_was_added_is_found(void **state)
{
	const struct eddy_unwind_key key = key_of(5), other = key_of(6);
	struct unwind_maps *m = begin(2);
	struct unwind_maps_stats stats;
	struct late_place place;

	assert_int_equal(add(m, 5, 100000), 0);
	unwind_maps_find(m, &key, 0x10007, &place);
	assert_int_equal(place.kind, LATE_PLACE_TABLE);
	assert_int_equal(place.file, 5);
	assert_int_equal(place.elf_addr, 0x10007);
	assert_ptr_equal(place.rule, &unwind_maps_rules(m)->rule[5]);
	/* Behind the last page there are segments and no rows; behind those, nothing is known. */
	unwind_maps_find(m, &key, 0x20000, &place);
	assert_int_equal(place.kind, LATE_PLACE_NOTABLE);
	unwind_maps_find(m, &other, 0, &place);
	assert_int_equal(place.kind, LATE_PLACE_PENDING);
	assert_int_equal(unwind_maps_add(m, &other, 6, NULL), 0);
	unwind_maps_find(m, &other, 0, &place);
	assert_int_equal(place.kind, LATE_PLACE_NOTABLE);
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.nr_tables, 1);
	assert_int_equal(stats.row_bytes, 100000 * 4);
	assert_int_equal(stats.slab_bytes, SLAB_BYTES);
	end(m);
}

/* Programs may be reading: the room is used again when they have ended, and not before. */
static void room_rests(void **state)
{
	struct unwind_maps *m = begin(1);
	uint32_t before;

	assert_int_equal(add(m, 1, 700000), 0);
	before = version();
	forget(m, 1);
	assert_false(is_known(1));
	assert_true(version() != before); /* nothing that was found before holds any more */
	pass_seconds(UNWIND_MAPS_REST_SECONDS - 0.01);
	assert_int_equal(add(m, 2, 700000), -ENOSPC);
	assert_false(is_known(2));
	pass_seconds(0.01);
	assert_int_equal(add(m, 2, 700000), 0);
	end(m);
}

/* The longest unused makes way, and no more than are needed; the vdso never does. */
static void the_longest_unused_makes_way(void **state)
{
	const struct eddy_unwind_key vdso = { .ino = EDDY_VDSO_INO,
					      .dev = EDDY_VDSO_DEV,
					      .gen = EDDY_VDSO_GEN };
	_cleanup_(unwind_table_freep) struct unwind_table *t = table_new(9, 1000, PAGE_ROWS);
	struct unwind_maps *m = begin(1);
	struct unwind_maps_stats stats;

	assert_int_equal(unwind_maps_add(m, &vdso, 9, t), 0);
	for (uint32_t nr = 1; nr <= 3; nr++)
		assert_int_equal(add(m, nr, 300000), 0);
	use(1);
	use(3);
	assert_int_equal(add(m, 4, 300000), -ENOSPC);
	assert_true(is_known(1) && !is_known(2) && is_known(3));
	/* What rests already counts. */
	assert_int_equal(add(m, 4, 300000), -ENOSPC);
	assert_true(is_known(1) && is_known(3));
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.nr_evicted, 1);
	pass_seconds(UNWIND_MAPS_REST_SECONDS);
	assert_int_equal(add(m, 4, 300000), 0);
	use(4);
	use(1);
	/* All others go, and it does not help. */
	assert_int_equal(add(m, 5, 1000000), -ENOSPC);
	/* Beside the vdso's it would never fit: it is known without a table. */
	assert_int_equal(add(m, 5, EDDY_UNWIND_SLAB_ROWS), 0);
	assert_int_equal(
		known_find(&(struct eddy_unwind_key){ .ino = 5, .dev = 7, .gen = 9 })->file.kind,
		EDDY_FILE_NOTABLE);
	assert_true(known_find(&vdso));
	end(m);
}

static int add_of(struct unwind_maps *m, owner_id owner, uint32_t nr, uint32_t nr_rows)
{
	_cleanup_(unwind_table_freep) struct unwind_table *t = table_new(nr, nr_rows, PAGE_ROWS);
	const struct eddy_unwind_key key = key_of(nr);

	t->owner = owner;
	return unwind_maps_add(m, &key, nr, t);
}

/* A user's tables make way for one another, and none of the system's does for them. */
static void a_user_has_his_share(void **state)
{
	struct unwind_maps *m = begin(2);
	struct unwind_maps_stats stats;

	assert_int_equal(add_of(m, OWNER_SYSTEM, 1, 400000), 0);
	for (uint32_t nr = 2; nr < 32; nr++) {
		if (add_of(m, 1000, nr, 300000) == -ENOSPC) {
			pass_seconds(UNWIND_MAPS_REST_SECONDS);
			assert_int_equal(add_of(m, 1000, nr, 300000), 0);
		}
		assert_true(is_known(1));
		unwind_maps_get_stats(m, &stats);
		assert_true(stats.row_bytes <= (400000 + EDDY_UNWIND_SLAB_ROWS) * 4ull);
	}
	assert_int_equal(stats.limits.nr[LIMIT_TABLES], 27);
	/* Another user gets his half of the half at once. */
	assert_int_equal(add_of(m, 1001, 40, 500000), 0);
	assert_true(is_known(40));
	/* One that is larger than the share has no table. */
	assert_int_equal(add_of(m, 1001, 41, 600000), 0);
	assert_int_equal(
		known_find(&(struct eddy_unwind_key){ .ino = 41, .dev = 7, .gen = 9 })->file.kind,
		EDDY_FILE_NOTABLE);
	end(m);
}

/* A table of so many rules that no other has. */
static struct unwind_table *table_of_rules(uint32_t nr, owner_id owner, uint32_t nr_rules)
{
	struct unwind_table *t = table_new(0, nr_rules, PAGE_ROWS);

	t->owner = owner;
	t->rules = t->own_rules = unwind_rules_new();
	for (uint32_t i = 0; i < nr_rules; i++) {
		struct eddy_unwind_rule rule = { .cfa = EDDY_CFA_SP,
						 .off = (int32_t)(nr * 4000 + i) * 8 };

		t->row[i] = i << 16 | unwind_rules_intern(t->own_rules, &rule);
	}
	return t;
}

/* What the sampler finds at the first address of a table of rules. */
static int32_t first_offset(struct unwind_maps *m, uint32_t nr, uint64_t at)
{
	const struct eddy_unwind_key key = key_of(nr);
	struct late_place place;

	unwind_maps_find(m, &key, at, &place);
	assert_int_equal(place.kind, LATE_PLACE_TABLE);
	return place.rule->cfa == EDDY_CFA_SP ? place.rule->off : -1;
}

/* Rules that were left out come when there is room: nothing has to be started again for it. */
static void rules_left_out_come_later(void **state)
{
	struct unwind_maps *m = begin(2);
	struct unwind_maps_stats stats;

	for (uint32_t nr = 1; nr <= 10; nr++) {
		_cleanup_(unwind_table_freep) struct unwind_table *t =
			table_of_rules(nr, 1000, 4000);
		const struct eddy_unwind_key key = key_of(nr);

		assert_int_equal(unwind_maps_add(m, &key, nr, t), 0);
		assert_int_equal(first_offset(m, nr, 0), nr < 10 ? (int32_t)nr * 4000 * 8 : -1);
	}
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.nr_rules, (EDDY_UNWIND_MAX_RULES - 4) / 2);
	assert_int_equal(stats.limits.nr[LIMIT_RULES], 40000 - (EDDY_UNWIND_MAX_RULES - 4) / 2);
	unwind_maps_age(m);
	assert_true(is_known(10));
	for (uint32_t nr = 1; nr <= 8; nr++)
		forget(m, nr);
	pass_seconds(UNWIND_MAPS_REST_SECONDS);
	unwind_maps_age(m);
	assert_false(is_known(9)); /* it had left some out too */
	assert_false(is_known(10));
	pass_seconds(UNWIND_MAPS_REST_SECONDS);
	unwind_maps_age(m);
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.nr_rules, 0);
	end(m);
}

static void larger_than_the_bound(void **state)
{
	const struct eddy_unwind_key key = key_of(1);
	struct unwind_maps *m = begin(1);
	struct late_place place;

	assert_int_equal(add(m, 1, EDDY_UNWIND_SLAB_ROWS + 1), 0);
	unwind_maps_find(m, &key, 0, &place);
	assert_int_equal(place.kind, LATE_PLACE_NOTABLE);
	end(m);
}

/* The kernel has memory for one slab of the four that it might be: that is the bound then. */
static void the_kernel_has_no_memory(void **state)
{
	struct unwind_maps *m = begin(4);
	_cleanup_(unwind_table_freep) struct unwind_table *t = table_new(2, 500000, PAGE_ROWS);
	struct unwind_maps_stats stats;

	fake.max_slabs = 1;
	assert_int_equal(add(m, 1, 600000), 0);
	assert_true(unwind_maps_have_room(m, t));
	assert_int_equal(add(m, 2, 500000), -ENOSPC);
	assert_false(is_known(1)); /* it makes way */
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.slab_bytes, SLAB_BYTES);
	pass_seconds(UNWIND_MAPS_REST_SECONDS);
	assert_int_equal(add(m, 2, 500000), 0);
	end(m);
}

/* A table that cannot be made known takes no room for good, nor one whose rows do not all fit. */
static void a_failure_takes_no_room(void **state)
{
	struct unwind_maps *m = begin(1);
	struct unwind_maps_stats stats;

	for (uint32_t i = 0; i < 10; i++) {
		fake.update_fails = true;
		assert_int_equal(add(m, 1, 900000), -E2BIG);
		fake.update_fails = false;
		pass_seconds(UNWIND_MAPS_REST_SECONDS);
	}
	assert_int_equal(add(m, 1, 600000), 0);
	use(1);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(add(m, 2, 500000), -ENOSPC);
	unwind_maps_get_stats(m, &stats);
	assert_int_equal(stats.row_bytes, 0);
	pass_seconds(UNWIND_MAPS_REST_SECONDS);
	assert_int_equal(add(m, 3, EDDY_UNWIND_SLAB_ROWS), 0);
	end(m);
}

/* ---- whatever happens --------------------------------------------------------------------- */

/* What programs found, and when; they may read it for as long as the room rests. */
struct found {
	struct eddy_unwind_file file;
	uint32_t nr;
	uint64_t at_ns;
};

static void programs_read(const struct found *found, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (fake.now_ns - found[i].at_ns < UNWIND_MAPS_REST_SECONDS * SECOND_NS)
			rows_are_those_of(&found[i].file, found[i].nr);
	for (size_t i = 0; i < MAX_FILES; i++)
		if (fake.files[i].is_there)
			rows_are_those_of(&fake.files[i].file, fake.files[i].key.ino);
}

static void no_row_is_written_over(void **state)
{
	static struct found found[256];
	struct unwind_maps *m = begin(3);
	struct unwind_maps_stats stats;
	size_t nr_found = 0;
	uint32_t nr_full = 0;

	for (uint32_t i = 0; i < 600; i++) {
		uint32_t nr = 1 + test_random_below(40);
		const struct eddy_unwind_key key = key_of(nr);
		const struct known *k = known_find(&key);

		if (k) {
			found[nr_found++ % ARRAY_SIZE(found)] =
				(struct found){ k->file, nr, fake.now_ns };
			use(nr);
			if (test_random_below(2))
				forget(m, nr);
		} else {
			int r = add(m, nr, 1 + test_random_below(400000));

			assert_true(!r || r == -ENOSPC);
			nr_full += r == -ENOSPC;
		}
		if (!test_random_below(4))
			unwind_maps_settle(m);
		pass_seconds(test_random_below(100) / 100.0);
		programs_read(found, nr_found < ARRAY_SIZE(found) ? nr_found : ARRAY_SIZE(found));
	}
	unwind_maps_get_stats(m, &stats);
	assert_true(stats.nr_evicted > 10 && nr_full > 10 && nr_found > 50);
	assert_int_equal(stats.slab_bytes, 3 * SLAB_BYTES);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found),
		cmocka_unit_test(room_rests),
		cmocka_unit_test(the_longest_unused_makes_way),
		cmocka_unit_test(a_user_has_his_share),
		cmocka_unit_test(rules_left_out_come_later),
		cmocka_unit_test(larger_than_the_bound),
		cmocka_unit_test(the_kernel_has_no_memory),
		cmocka_unit_test(a_failure_takes_no_room),
		cmocka_unit_test(no_row_is_written_over),
	};

	return cmocka_run_group_tests_name("unwind_maps", tests, NULL, NULL);
}
