// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that come, go, map more and stand idle, in a /proc that the test writes. */
#include "unit/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/process_slots.h"
#include "symbol/process_table.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/worker_pool.h"

/* A root of our own, whose /proc the tests write. */
struct fixture {
	struct frame_table *frames;
	struct file_table *files;
	struct process_table *t;
	uint32_t next_space;
	char root[32];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[64];

	strcpy(f->root, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(path, sizeof(path), "%s/proc", f->root);
	assert_int_equal(mkdir(path, 0755), 0);
	f->next_space = 1;
	f->frames = frame_table_new();
	f->files = file_table_new(f->frames, f->root, 0, &f->next_space);
	f->t = process_table_new(f->frames, f->root, f->files, &f->next_space);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	process_table_free(f->t);
	file_table_free(f->files);
	frame_table_unref(f->frames);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

/* nr executable mappings of a page each, every second page, from 0x1000 on. */
static void write_maps(struct fixture *f, pid_t pid, unsigned int nr)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/proc/%d", f->root, (int)pid);
	mkdir(path, 0755);
	strcat(path, "/maps");
	to = fopen(path, "w");
	assert_non_null(to);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(to, "%x-%x r-xp 0 00:00 0\n", 0x1000 + i * 0x2000, 0x2000 + i * 0x2000);
	fclose(to);
}

static void test_life(void **state)
{
	struct fixture *f = *state;
	struct process *p;

	assert_null(process_table_find(f->t, 7));
	write_maps(f, 7, 2);
	p = process_table_add(f->t, 7, 0, 0);
	assert_true(p->known);
	assert_int_equal(p->as.nr, 2);
	assert_ptr_equal(process_table_find(f->t, 7), p);
	/* Another process in the same bucket of the table. */
	assert_null(process_table_find(f->t, 7 + 4096));
	assert_false(process_table_add(f->t, 7 + 4096, 0, 0)->known);
	assert_ptr_equal(process_table_find(f->t, 7), p);
	process_table_remove(f->t, 7);
	assert_null(process_table_find(f->t, 7));
	assert_non_null(process_table_find(f->t, 7 + 4096));
	assert_int_equal(process_table_nr(f->t), 1);
}

/* A new space only where something is new; waiting longer where nothing is. */
static void test_refresh(void **state)
{
	struct fixture *f = *state;
	struct process *p;
	uint32_t space;
	uint64_t wait;

	write_maps(f, 7, 2);
	p = process_table_add(f->t, 7, 0, 1000);
	assert_true(p->refresh_ms <= 1000); /* at once: it may have been met at its exec */
	space = p->space;
	process_refresh(f->t, p, 1000);
	assert_int_equal(p->space, space);
	wait = p->refresh_ms - 1000;
	assert_true(wait >= 1);
	for (int i = 0; i < 20; i++)
		process_refresh(f->t, p, 1000);
	assert_true(p->refresh_ms - 1000 > wait);
	assert_true(p->refresh_ms - 1000 <= 10000);
	write_maps(f, 7, 3);
	process_refresh(f->t, p, 1000);
	assert_int_not_equal(p->space, space);
	assert_int_equal(p->as.nr, 3);
	assert_true(p->refresh_ms - 1000 < 1000);
	/* It ends: what was known stays. */
	space = p->space;
	write_maps(f, 7, 0);
	process_refresh(f->t, p, 1000);
	assert_int_equal(p->as.nr, 3);
	assert_int_equal(p->space, space);
}

/* Processes of a user share what one of them may take; what takes no time rests as it would. */
static void test_rest(void **state)
{
	struct fixture *f = *state;
	struct process *p, *small;
	uint64_t alone, shared;

	write_maps(f, 7, 100);
	write_maps(f, 8, 100);
	write_maps(f, 9, 10);
	p = process_table_add(f->t, 7, 0, 1000);
	alone = process_rest_ms(f->t, p, clock_ns(CLOCK_MONOTONIC) - 10000000, 1);
	assert_in_range(alone, 200, 400); /* a busy machine is later */
	process_table_add(f->t, 8, 0, 1000);
	small = process_table_add(f->t, 9, 0, 1000);
	shared = process_rest_ms(f->t, p, clock_ns(CLOCK_MONOTONIC) - 10000000, 1);
	assert_in_range(shared, 2 * 200, 2 * 400);
	shared = process_rest_ms(f->t, small, clock_ns(CLOCK_MONOTONIC) - 10000000, 1);
	assert_in_range(shared, 21 * 200, 21 * 400);
	assert_in_range(process_rest_ms(f->t, small, clock_ns(CLOCK_MONOTONIC), 1), 1, 99);
}

static void write_exe(struct fixture *f, pid_t pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/proc/%d", f->root, (int)pid);
	mkdir(path, 0755);
	strcat(path, "/exe");
	assert_int_equal(symlink("/bin/true", path), 0);
}

static void test_idle_ones_go(void **state)
{
	struct fixture *f = *state;

	for (pid_t pid = 1; pid <= 4; pid++)
		write_exe(f, pid);
	process_table_add(f->t, 1, 0, 1000);
	process_table_add(f->t, 2, 0, 1000)->used_ms = 50000;
	process_table_add(f->t, 3, 0, 60500);
	assert_non_null(process_table_find(f->t, 1));
	process_table_add(f->t, 4, 0, 90000);
	assert_null(process_table_find(f->t, 1));
	assert_non_null(process_table_find(f->t, 2));
	assert_non_null(process_table_find(f->t, 3));
}

/* One that has ended, or is a zombie, has no program; samples of it may still come for a while. */
static void test_ended_ones_go(void **state)
{
	struct fixture *f = *state;
	char path[128];

	for (pid_t pid = 1; pid <= 3; pid++) {
		write_maps(f, pid, 2);
		write_exe(f, pid);
		process_table_add(f->t, pid, 0, 100000);
	}
	process_table_age(f->t, 101000);
	snprintf(path, sizeof(path), "%s/proc/2/exe", f->root);
	assert_int_equal(unlink(path), 0);
	process_table_age(f->t, 102000);
	process_table_find(f->t, 2)->used_ms = 102500; /* a late one */
	for (uint64_t now_ms = 103000; now_ms <= 105000; now_ms += 1000) {
		process_table_age(f->t, now_ms);
		assert_non_null(process_table_find(f->t, 2));
	}
	process_table_age(f->t, 106000);
	assert_null(process_table_find(f->t, 2));
	assert_int_equal(process_table_nr(f->t), 2);
}

static void test_bounds(void **state)
{
	struct fixture *f = *state;

	for (pid_t pid = 1; pid <= 10000; pid++)
		process_table_add(f->t, pid, 0, 1000 + pid / 4);
	assert_true(process_table_nr(f->t) <= 4096);
	assert_true(process_table_nr(f->t) > 1000);
	assert_non_null(process_table_find(f->t, 10000)); /* the newest stay */
	assert_null(process_table_find(f->t, 1));
	/* Processes with very many mappings: a million of them together. */
	for (pid_t pid = 20000; pid < 20060; pid++) {
		write_maps(f, pid, 40000);
		assert_int_equal(process_table_add(f->t, pid, 0, 4000)->as.nr, 40000);
	}
	assert_true(process_table_bytes(f->t) < 100 << 20);
}

static void write_owner(struct fixture *f, pid_t pid, uint32_t uid)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/proc/%d", f->root, (int)pid);
	mkdir(path, 0755);
	strcat(path, "/status");
	to = fopen(path, "w");
	assert_non_null(to);
	fprintf(to, "Name:\tx\nUid:\t%u\t0\t0\t0\n", uid);
	fclose(to);
}

/* Daemons, and programs of another user: what is known of them is not displaced. */
static void add_others(struct fixture *f, pid_t pids[], size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		pids[i] = 100000 + (pid_t)i;
		write_owner(f, pids[i], i % 2 ? 2000 : 1);
		write_maps(f, pids[i], 100);
		write_exe(f, pids[i]);
		assert_int_equal(process_table_add(f->t, pids[i], 0, 1000)->as.nr, 100);
	}
}

static void others_are_there(struct fixture *f, const pid_t pids[], size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct process *p = process_table_find(f->t, pids[i]);

		assert_non_null(p);
		assert_int_equal(p->as.nr, 100);
	}
}

static uint64_t nr_forgotten(struct fixture *f)
{
	struct limit_counts limits = { 0 };

	process_table_add_limits(f->t, &limits);
	return limits.nr[LIMIT_PROCESSES];
}

/* Of one user so many short-lived ones that they alone would be too many, some ended before. */
static void a_crowd_of_a_user(void **state)
{
	struct fixture *f = *state;
	pid_t others[200];

	add_others(f, others, ARRAY_SIZE(others));
	for (pid_t pid = 1; pid <= 12000; pid++) {
		if (pid % 3)
			write_owner(f, pid, 3000);
		process_table_add(f->t, pid, 0, 1100 + pid / 40);
		assert_true(process_table_nr(f->t) <= 4096);
		if (pid % 500 == 0)
			others_are_there(f, others, ARRAY_SIZE(others));
	}
	others_are_there(f, others, ARRAY_SIZE(others));
	assert_int_equal(nr_forgotten(f), 12200 - process_table_nr(f->t));
}

/* The same by mappings, and a process of his own that is larger than his share. */
static void very_many_mappings_of_a_user(void **state)
{
	struct fixture *f = *state;
	pid_t others[20];

	add_others(f, others, ARRAY_SIZE(others));
	assert_int_equal(nr_forgotten(f), 0);
	for (pid_t pid = 1; pid <= 60; pid++) {
		write_owner(f, pid, 3000);
		write_maps(f, pid, 40000);
		assert_int_equal(process_table_add(f->t, pid, 0, 2000 + pid)->as.nr, 40000);
		others_are_there(f, others, ARRAY_SIZE(others));
	}
	assert_true(process_table_bytes(f->t) < 100 << 20);
	assert_int_equal(nr_forgotten(f), 60 + 20 - process_table_nr(f->t));
}

static void test_renumbered(void **state)
{
	struct fixture *f = *state;
	struct process *a = process_table_add(f->t, 1, 0, 0), *b = process_table_add(f->t, 2, 0, 0);

	f->next_space = 100;
	process_table_renumber(f->t);
	assert_true(a->space >= 100 && b->space >= 100 && a->space != b->space);
	assert_int_equal(f->next_space, 102);
}

static pid_t parent_of(pid_t pid)
{
	char path[64];
	int parent = 0;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	from = fopen(path, "re");
	if (!from)
		return 0;
	if (fscanf(from, "%*d (%*[^)]) %*c %d", &parent) != 1)
		parent = 0;
	fclose(from);
	return parent;
}

/* To every process that this one forked, or one of those; how many. */
static int signal_own(int sig)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	int nr = 0;

	assert_non_null(proc);
	while ((e = readdir(proc))) {
		const pid_t pid = atoi(e->d_name);
		pid_t up = pid > 0 ? parent_of(pid) : 0;

		for (int depth = 0; depth < 4 && up > 1 && up != getpid(); depth++)
			up = parent_of(up);
		if (up == getpid())
			nr += !kill(pid, sig);
	}
	closedir(proc);
	return nr;
}

/* Its map of names, to be written to. */
static FILE *write_jit(struct fixture *f, pid_t pid)
{
	const char *const dirs[] = { "root", "root/tmp" };
	char path[128];
	FILE *to;

	write_maps(f, pid, 1);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/proc/%d/%s", f->root, (int)pid, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/proc/%d/status", f->root, (int)pid);
	to = fopen(path, "w");
	assert_non_null(to);
	fprintf(to, "Uid:\t%u\t%u\nNSpid:\t%d\n", getuid(), getuid(), (int)pid);
	fclose(to);
	snprintf(path, sizeof(path), "%s/proc/%d/root/tmp/perf-%d.map", f->root, (int)pid,
		 (int)pid);
	to = fopen(path, "w");
	assert_non_null(to);
	return to;
}

/*
 * Nobody answers, as on a machine that is too busy: it is asked again soon, a few times, and what
 * was compiled has its name as soon as somebody does.
 */
static void test_unanswered(void **state)
{
	_cleanup_(worker_pool_freep) struct worker_pool *pool = NULL;
	struct fixture *f = *state;
	uint64_t now_ms = 100000;
	struct process *p;
	FILE *map;

	assert_int_equal(worker_pool_new(&pool), 0);
	file_table_use_pool(f->files, pool);
	worker_pool_set_patience(pool, 60000000000);
	map = write_jit(f, 7);
	p = process_table_add(f->t, 7, 0, now_ms);
	assert_int_equal(p->as.nr, 1);
	process_read_jit(f->t, p, now_ms);
	assert_non_null(p->jit[JIT_MAP]);
	fputs("1000 40 compiled\n", map);
	fclose(map);
	worker_pool_set_patience(pool, 60000000);
	assert_true(signal_own(SIGSTOP) > 0);
	now_ms = 200000;
	process_follow_jit(f->t, p, now_ms);
	assert_in_range(p->jit_ms, now_ms, now_ms + 200); /* not twenty times what that took */
	assert_int_equal(perf_map_nr(p->jit[JIT_MAP]), 0);
	assert_true(signal_own(SIGCONT) > 0);
	worker_pool_set_patience(pool, 60000000000);
	for (int i = 0; i < 400 && !perf_map_nr(p->jit[JIT_MAP]); i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		process_follow_jit(f->t, p, now_ms += 200);
	}
	assert_int_equal(perf_map_nr(p->jit[JIT_MAP]), 1);
	file_table_use_pool(f->files, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_life, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refresh, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_ones_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended_ones_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(a_crowd_of_a_user, setup, teardown),
		cmocka_unit_test_setup_teardown(very_many_mappings_of_a_user, setup, teardown),
		cmocka_unit_test_setup_teardown(test_renumbered, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unanswered, setup, teardown),
	};

	return cmocka_run_group_tests_name("process_table", tests, NULL, NULL);
}
