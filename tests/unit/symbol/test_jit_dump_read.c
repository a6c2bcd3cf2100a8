// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of jitdumps: names by time, moves, what is not written yet, and what is no dump. */
#include "unit/unit.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/perf_map.h"
#include "unit/symbol/jit_dump_maker.h"

#define PID 5

struct dump {
	int fd;
	struct strbuf bytes; /* that are not in the file yet */
	struct perf_map *map;
};

static struct dump *dump_new(uint64_t flags)
{
	struct dump *d = calloc(1, sizeof(*d));

	d->fd = memfd_create("dump", MFD_CLOEXEC);
	d->bytes = (struct strbuf)STRBUF_INIT;
	d->map = perf_map_new_dump(NULL, &(struct worker_key){ 0 }, dup(d->fd), 0);
	dump_begin(&d->bytes, PID, flags);
	return d;
}

static void dump_free(struct dump *d)
{
	perf_map_free(d->map);
	strbuf_deinit(&d->bytes);
	close(d->fd);
	free(d);
}

/* Writes the first of what waits, and reads it. */
static int flush_part(struct dump *d, size_t len)
{
	assert_int_equal(write(d->fd, d->bytes.bytes, len), len);
	memmove(d->bytes.bytes, d->bytes.bytes + len, d->bytes.len - len);
	d->bytes.len -= len;
	return perf_map_refresh(d->map, 1 << 20);
}

static int flush(struct dump *d)
{
	return flush_part(d, d->bytes.len);
}

static void load(struct dump *d, uint64_t time_ns, uint64_t start, const char *name)
{
	dump_load(&d->bytes, &(struct dumped){ PID, time_ns, start, 0x40, 1, name });
}

/* "NAME", or "NAME+" where other code came later. */
static const char *name_at(const struct dump *d, uint64_t addr, uint64_t time_ns)
{
	static char name[8192];
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
	int r = perf_map_name(d->map, addr, time_ns, &to);

	if (r < 0)
		return "";
	snprintf(name, sizeof(name), "%s%s", to.bytes, r ? "+" : "");
	return name;
}

static void names_by_time(void **state)
{
	struct dump *d = dump_new(0);

	load(d, 100, 0x1000, "first");
	load(d, 300, 0x1000, "second");
	load(d, 200, 0x1020, "between"); /* written late */
	dump_record(&d->bytes, 2, 250, 24);
	strbuf_addstr(&d->bytes, "debug information, twice");
	dump_record(&d->bytes, 3, 400, 0);
	load(d, 500, 0x2000, "behind the end");
	assert_int_equal(flush(d), 1);
	assert_int_equal(perf_map_nr(d->map), 4);
	assert_string_equal(name_at(d, 0x0fff, 0), "");
	assert_string_equal(name_at(d, 0x1000, 0), "second");
	assert_string_equal(name_at(d, 0x1000, 350), "second");
	assert_string_equal(name_at(d, 0x1000, 299), "first+");
	assert_string_equal(name_at(d, 0x1030, 200), "between+");
	assert_string_equal(name_at(d, 0x1030, 199), "first+");
	assert_string_equal(name_at(d, 0x1030, 300), "second");
	assert_string_equal(name_at(d, 0x1050, 300), "between");
	assert_string_equal(name_at(d, 0x1060, 300), "");
	/* It ran before its compiler told of it; what comes next may be another's. */
	assert_string_equal(name_at(d, 0x1000, 50), "first+");
	assert_string_equal(name_at(d, 0x2000, 50), "behind the end+");
	assert_int_equal(flush(d), 0);
	dump_free(d);
}

static void moves(void **state)
{
	struct dump *d = dump_new(0);
	const struct dumped to_2000 = { PID, 200, 0x2000, 0x40, 1, NULL };
	const struct dumped to_3000 = { PID, 300, 0x3000, 0x40, 1, NULL };
	const struct dumped in_circles = { PID, 400, 0x4000, 0x40, 1, NULL };

	load(d, 100, 0x1000, "moved");
	assert_int_equal(flush(d), 1);
	dump_move(&d->bytes, &to_2000, 0x1000);
	load(d, 250, 0x1000, "another");
	dump_move(&d->bytes, &to_3000, 0x2000);
	dump_move(&d->bytes, &in_circles, 0x4000);
	assert_int_equal(flush(d), 1);
	assert_string_equal(name_at(d, 0x1000, 150), "moved+");
	assert_string_equal(name_at(d, 0x1000, 0), "another");
	assert_string_equal(name_at(d, 0x2008, 0), "moved");
	assert_string_equal(name_at(d, 0x303f, 0), "moved");
	assert_string_equal(name_at(d, 0x3040, 0), "");
	assert_string_equal(name_at(d, 0x4000, 0), "");
	dump_free(d);
}

/* A compiler writes when its buffer is full: in the middle of a record, of a header. */
static void piece_by_piece(void **state)
{
	struct dump *d = dump_new(0);

	load(d, 100, 0x1000, "one");
	load(d, 100, 0x2000, "two");
	while (d->bytes.len > 1)
		flush_part(d, d->bytes.len < 7 ? d->bytes.len - 1 : 7);
	assert_string_equal(name_at(d, 0x1000, 0), "one");
	assert_string_equal(name_at(d, 0x2000, 0), "");
	assert_int_equal(flush(d), 1);
	assert_string_equal(name_at(d, 0x2000, 0), "two");
	dump_free(d);
}

static void of_others(void **state)
{
	struct dump *d = dump_new(1); /* the processor's time */

	/* A child that has the file open too. */
	dump_load(&d->bytes, &(struct dumped){ PID + 1, 100, 0x1000, 0x40, 1, "child" });
	load(d, 1ull << 60, 0x2000, "no time");
	load(d, 1ull << 61, 0x2000, "no time either");
	assert_int_equal(flush(d), 1);
	assert_int_equal(perf_map_nr(d->map), 2);
	assert_string_equal(name_at(d, 0x1000, 0), "");
	assert_string_equal(name_at(d, 0x2000, 5), "no time either");
	dump_free(d);
}

/* Nothing is read of what is no dump, nor behind a record that has no length. */
static void damaged(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		int nr;
	} rows[] = {
		{ 0, 0x4454694a, 0 },	    /* the other order of bytes */
		{ 4, 0, 0 },		    /* version */
		{ 8, 39, 0 },		    /* length of the header */
		{ 8, UINT32_MAX, 0 },	    /* ... behind the end */
		{ 40 + 4, 15, 0 },	    /* length of the first record */
		{ 40 + 4, 0, 0 },	    /* the same */
		{ 40 + 4, UINT32_MAX, 0 },  /* longer than the file */
		{ 40 + 4, 16, 0 },	    /* no address in it, and then nonsense */
		{ 40 + 40, 0, 1 },	    /* no code */
		{ 40 + 44, UINT32_MAX, 2 }, /* code that reaches further than the record */
		{ 40 + 36, UINT32_MAX, 1 }, /* ... and than memory */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct dump *d = dump_new(0);

		load(d, 100, 0x1000, "one");
		load(d, 100, 0x2000, "two");
		memcpy(d->bytes.bytes + rows[i].at, &rows[i].value, 4);
		if (rows[i].at == 40 + 36)
			memset(d->bytes.bytes + 40 + 32, 0xff, 4);
		assert_true(flush(d) >= 0);
		assert_int_equal(perf_map_nr(d->map), rows[i].nr);
		dump_free(d);
	}
}

/* Code without a zero behind its name, names of any length, and a bound on all of them. */
static void long_names(void **state)
{
	struct dump *d = dump_new(0);
	char name[9000];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	load(d, 100, 0x1000, name);
	load(d, 100, 0x2000, "");
	load(d, 100, 0x3000, "short");
	assert_int_equal(flush(d), 1);
	assert_int_equal(perf_map_nr(d->map), 2);
	assert_int_equal(strlen(name_at(d, 0x1000, 0)), 4096);
	assert_string_equal(name_at(d, 0x3000, 0), "short");
	dump_record(&d->bytes, 0, 100, 40 + 3);
	dump_number(&d->bytes, PID, 8);
	dump_number(&d->bytes, 0x5000, 8);
	dump_number(&d->bytes, 0x5000, 8);
	dump_number(&d->bytes, 0x40, 8);
	dump_number(&d->bytes, 1, 8);
	strbuf_addstr(&d->bytes, "end");
	assert_int_equal(flush(d), 1);
	assert_string_equal(name_at(d, 0x5000, 0), "end");
	load(d, 100, 0x6000, "one more");
	assert_int_equal(write(d->fd, d->bytes.bytes, d->bytes.len), d->bytes.len);
	assert_int_equal(perf_map_refresh(d->map, perf_map_held(d->map)), 0);
	assert_true(perf_map_is_cut(d->map));
	assert_int_equal(perf_map_refresh(d->map, 1 << 20), 1);
	assert_false(perf_map_is_cut(d->map));
	assert_string_equal(name_at(d, 0x6000, 0), "one more");
	dump_free(d);
}

/* Loads in any order, by a parser and in steps, against the last one of those that cover it. */
static void against_slow(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	struct strbuf bytes = STRBUF_INIT;
	int fd = memfd_create("dump", MFD_CLOEXEC), nr = 40000;
	struct dumped *all = calloc(nr, sizeof(*all));
	_cleanup_(perf_map_freep) struct perf_map *m = NULL;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull);
	m = perf_map_new_dump(pool, &(struct worker_key){ 0 }, dup(fd), 0);
	dump_begin(&bytes, PID, 0);
	for (int i = 0; i < nr; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		all[i] = (struct dumped){ PID,
					  1 + test_random_below(1000000),
					  test_random_below(1000000),
					  1 + test_random_below(200),
					  1,
					  name };
		dump_load(&bytes, &all[i]);
	}
	assert_int_equal(write(fd, bytes.bytes, bytes.len), bytes.len);
	while (perf_map_refresh(m, PERF_MAP_MAX_BYTES) > 0)
		continue;
	assert_int_equal(perf_map_nr(m), nr);
	for (int n = 0; n < 200; n++) {
		uint64_t addr = test_random_below(1000000), when = test_random_below(1000000) + 1;
		_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
		char want[16] = "";
		uint64_t best = 0;

		for (int i = 0; i < nr; i++)
			if (addr - all[i].start < all[i].bytes && all[i].time_ns <= when &&
			    all[i].time_ns >= best) {
				best = all[i].time_ns;
				snprintf(want, sizeof(want), "f%d", i);
			}
		if (!best)
			continue;
		assert_true(perf_map_name(m, addr, when, &got) >= 0);
		assert_string_equal(got.bytes, want);
	}
	strbuf_deinit(&bytes);
	free(all);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_time),  cmocka_unit_test(moves),
		cmocka_unit_test(piece_by_piece), cmocka_unit_test(of_others),
		cmocka_unit_test(damaged),	  cmocka_unit_test(long_names),
		cmocka_unit_test(against_slow),
	};

	return cmocka_run_group_tests_name("jit_dump_read", tests, NULL, NULL);
}
