// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols of files by way of parsers: of those that answer, that die, that hang. */
#include "unit/symbol/mapped_files.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "symbol/mapped_file_table.h"
#include "util/worker_pool.h"

#define NR_MANY 1500000 /* more than is read at once */

static struct worker_pool *use_pool(struct fixture *f)
{
	struct worker_pool *pool = NULL;

	assert_int_equal(worker_pool_new(&pool), 0);
	worker_pool_set_patience(pool, 60000000000ull); /* for files: the machine may be busy */
	file_table_use_pool(f->t, pool);
	return pool;
}

/* ---- whoever finds parsers and does something to them ---------------------------------------- */

struct hunter {
	pthread_t thread;
	int signal;
	unsigned long min_ticks; /* of those that have used so much of a CPU */
	atomic_bool stop;
};

static bool has_used(pid_t pid, unsigned long min_ticks)
{
	unsigned long user = 0, kernel = 0;
	char path[64];
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	from = fopen(path, "re");
	if (!from)
		return false;
	if (fscanf(from, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		   &kernel) != 2)
		user = kernel = 0;
	fclose(from);
	return user + kernel >= min_ticks;
}

/* Is it a process of this name that was forked from one that this one forked from...? */
static bool is_own_parser(pid_t pid)
{
	char path[64], name[32] = "";
	int parent = pid;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	from = fopen(path, "re");
	if (!from || !fgets(name, sizeof(name), from))
		name[0] = '\0';
	if (from)
		fclose(from);
	if (strcmp(name, "eddy-parser\n") != 0)
		return false;
	for (int depth = 0; depth < 4 && parent > 1; depth++) {
		if (parent == getpid())
			return true;
		snprintf(path, sizeof(path), "/proc/%d/stat", parent);
		from = fopen(path, "re");
		if (!from || fscanf(from, "%*d (%*[^)]) %*c %d", &parent) != 1)
			parent = 0;
		if (from)
			fclose(from);
	}
	return parent == getpid();
}

static void *hunt(void *arg)
{
	struct hunter *h = arg;

	while (!atomic_load(&h->stop)) {
		DIR *proc = opendir("/proc");
		struct dirent *e;

		while (proc && (e = readdir(proc)))
			if (is_own_parser(atoi(e->d_name)) &&
			    has_used(atoi(e->d_name), h->min_ticks))
				kill(atoi(e->d_name), h->signal);
		if (proc)
			closedir(proc);
	}
	return NULL;
}

static void hunt_begin(struct hunter *h, int sig, unsigned long min_ticks)
{
	*h = (struct hunter){ .signal = sig, .min_ticks = min_ticks };
	assert_int_equal(pthread_create(&h->thread, NULL, hunt, h), 0);
}

static void hunt_end(struct hunter *h)
{
	atomic_store(&h->stop, true);
	pthread_join(h->thread, NULL);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* With so many symbols that reading them takes longer than finding who reads. */
static void write_large_elf(struct fixture *f, const char *name, size_t nr)
{
	struct made_symbol *many = calloc(nr, sizeof(*many));
	struct made_elf m = {
		.text_vaddr = 0x5000, .text_bytes = 16 * nr, .symtab = many, .nr_symtab = nr
	};
	struct strbuf bytes;
	char path[128];
	FILE *to;

	for (size_t i = 0; i < nr; i++)
		many[i] = (struct made_symbol){ "one_of_many", 0x5000 + 16 * i, 16,
						STT_FUNC,      STB_GLOBAL,	0 };
	bytes = elf_make(&m);
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(bytes.bytes, 1, bytes.len, to);
	fclose(to);
	strbuf_deinit(&bytes);
	free(many);
}

static uint64_t nr_unparsed(const struct fixture *f)
{
	struct limit_counts limits = { 0 };

	file_table_add_limits(f->t, &limits);
	return limits.nr[LIMIT_UNPARSED];
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void symbols_come_of_parsers(void **state)
{
	struct fixture *f = *state;
	struct worker_pool *pool = use_pool(f);
	struct mapped_file *full, *packed, *none;
	struct worker_pool_stats stats;
	char path[128];
	FILE *to;

	write_elf(f, "full", "build-1", true);
	write_packed_elf(f, "packed", "build-2", 20000);
	snprintf(path, sizeof(path), "%s/none", f->dir);
	to = fopen(path, "w");
	fputs("#!/bin/sh\n", to);
	fclose(to);
	full = get(f, "full", 1000);
	packed = get(f, "packed", 1000);
	none = get(f, "none", 1000);
	assert_int_equal(nr_symbols(f, full, 1000), 2);
	assert_true(nr_symbols(f, packed, 1000) >= 20);
	assert_null(mapped_file_symbols(f->t, none, 1000));
	assert_int_equal(none->miss, SYMBOL_MISS_BAD_ELF);
	assert_int_equal(nr_unparsed(f), 0);
	worker_pool_get_stats(pool, &stats);
	assert_int_equal(stats.nr_died, 0);
	worker_pool_free(pool);
}

/* What becomes of a large file while parsers are hunted: NULL, or that none was caught in time. */
static struct mapped_file *hunted(struct fixture *f, int sig, unsigned long min_ticks,
				  uint64_t now_ms)
{
	for (int i = 0; i < 10; i++) {
		struct mapped_file *m;
		struct hunter hunter;
		char name[32];

		snprintf(name, sizeof(name), "large-%d-%d", sig, i);
		write_large_elf(f, name, NR_MANY);
		m = get(f, name, now_ms);
		hunt_begin(&hunter, sig, min_ticks);
		mapped_file_symbols(f->t, m, now_ms);
		hunt_end(&hunter);
		if (!m->symbols)
			return m;
	}
	return NULL;
}

/* It goes without, the next one is read, and a minute later it is read as well. */
static void goes_without(struct fixture *f, int sig, unsigned long min_ticks)
{
	struct worker_pool *pool = use_pool(f);
	struct mapped_file *large = hunted(f, sig, min_ticks, 1000), *other;

	assert_non_null(large);
	assert_int_equal(large->miss, SYMBOL_MISS_UNPARSED);
	assert_int_equal(nr_unparsed(f), 1);
	assert_null(mapped_file_symbols(f->t, large, 2000));
	assert_int_equal(large->miss, SYMBOL_MISS_UNPARSED);
	assert_int_equal(nr_unparsed(f), 1);
	write_elf(f, "other", "build-1", true);
	other = get(f, "other", 2000);
	assert_int_equal(nr_symbols(f, other, 2000), 2);
	assert_int_equal(nr_symbols(f, large, 62000), NR_MANY);
	assert_int_equal(nr_unparsed(f), 1);
	worker_pool_free(pool);
}

static void a_parser_dies(void **state)
{
	goes_without(*state, SIGKILL, 0);
}

/* Of its file, once it has begun to compute: not of the copying before. */
static void a_parser_hangs(void **state)
{
	goes_without(*state, SIGSTOP, 2);
}

/* Files that are read at once are read by parsers as well: there are some to be caught. */
static void a_parser_of_small_files_dies(void **state)
{
	struct fixture *f = *state;
	struct worker_pool *pool = use_pool(f);
	struct hunter hunter;
	char name[32];

	hunt_begin(&hunter, SIGKILL, 0);
	for (int i = 0; i < 1000 && !nr_unparsed(f); i++) {
		struct mapped_file *m;

		snprintf(name, sizeof(name), "small-%d", i);
		write_elf(f, name, "build-1", true);
		m = get(f, name, 1000);
		mapped_file_symbols(f->t, m, 1000);
		mapped_file_put(m);
	}
	hunt_end(&hunter);
	assert_int_equal(nr_unparsed(f), 1);
	worker_pool_free(pool);
}

/* One that has ended since its last file costs none. */
static void a_parser_dies_idle(void **state)
{
	struct fixture *f = *state;
	struct worker_pool *pool = use_pool(f);
	struct hunter hunter;
	char name[32];

	for (int i = 0; i < 3; i++) {
		struct mapped_file *m;

		snprintf(name, sizeof(name), "file-%d", i);
		write_elf(f, name, "build-1", true);
		m = get(f, name, 1000);
		assert_int_equal(nr_symbols(f, m, 1000), 2);
		hunt_begin(&hunter, SIGKILL, 0);
		usleep(100000);
		hunt_end(&hunter);
	}
	assert_int_equal(nr_unparsed(f), 0);
	worker_pool_free(pool);
}

/* However long a user's files take to read: in a minute so much, and others' are read. */
static void parsing_is_shared(void **state)
{
	struct fixture *f = *state;
	struct worker_pool *pool = use_pool(f);
	struct mapped_file *theirs, *ours;
	struct minute_share *parsing = &f->t->parsing;

	write_elf(f, "theirs", "build-1", true);
	write_elf(f, "ours", "build-2", true);
	theirs = get(f, "theirs", 1000);
	ours = get(f, "ours", 1000);
	theirs->uid = 3000;
	assert_true(minute_share_bound(parsing, 3000, UINT64_MAX, 20000000000ull, 1000) > 0);
	minute_share_note(parsing, 3000, 600000000000ull);
	assert_null(mapped_file_symbols(f->t, theirs, 1000));
	assert_int_equal(theirs->miss, SYMBOL_MISS_UNPARSED);
	assert_int_equal(nr_unparsed(f), 1);
	assert_int_equal(nr_symbols(f, ours, 1000), 2);
	assert_int_equal(nr_symbols(f, theirs, 1000 + MINUTE_MS), 2);
	worker_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(symbols_come_of_parsers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parser_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parser_of_small_files_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parser_hangs, setup, teardown),
		cmocka_unit_test_setup_teardown(a_parser_dies_idle, setup, teardown),
		cmocka_unit_test_setup_teardown(parsing_is_shared, setup, teardown),
	};

	if (test_is_emulated())
		return 0;
	return cmocka_run_group_tests_name("mapped_file_parser", tests, NULL, NULL);
}
