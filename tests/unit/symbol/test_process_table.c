// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that come, go, map more and stand idle, in a /proc that the test writes. */
#include "unit/unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/process_table.h"

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
	p = process_table_add(f->t, 7, 0);
	assert_true(p->known);
	assert_int_equal(p->as.nr, 2);
	assert_ptr_equal(process_table_find(f->t, 7), p);
	/* Another process in the same bucket of the table. */
	assert_null(process_table_find(f->t, 7 + 4096));
	assert_false(process_table_add(f->t, 7 + 4096, 0)->known);
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
	p = process_table_add(f->t, 7, 1000);
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

static void test_idle_ones_go(void **state)
{
	struct fixture *f = *state;

	process_table_add(f->t, 1, 1000);
	process_table_add(f->t, 2, 1000)->used_ms = 50000;
	process_table_add(f->t, 3, 60500);
	assert_non_null(process_table_find(f->t, 1));
	process_table_add(f->t, 4, 90000);
	assert_null(process_table_find(f->t, 1));
	assert_non_null(process_table_find(f->t, 2));
	assert_non_null(process_table_find(f->t, 3));
}

static void test_bounds(void **state)
{
	struct fixture *f = *state;

	for (pid_t pid = 1; pid <= 10000; pid++)
		process_table_add(f->t, pid, 1000 + pid / 4);
	assert_true(process_table_nr(f->t) <= 4096);
	assert_true(process_table_nr(f->t) > 1000);
	assert_non_null(process_table_find(f->t, 10000)); /* the newest stay */
	assert_null(process_table_find(f->t, 1));
	/* Processes with very many mappings: a million of them together. */
	for (pid_t pid = 20000; pid < 20060; pid++) {
		write_maps(f, pid, 40000);
		assert_int_equal(process_table_add(f->t, pid, 4000)->as.nr, 40000);
	}
	assert_true(process_table_bytes(f->t) < 100 << 20);
}

static void test_renumbered(void **state)
{
	struct fixture *f = *state;
	struct process *a = process_table_add(f->t, 1, 0), *b = process_table_add(f->t, 2, 0);

	f->next_space = 100;
	process_table_renumber(f->t);
	assert_true(a->space >= 100 && b->space >= 100 && a->space != b->space);
	assert_int_equal(f->next_space, 102);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_life, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refresh, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_ones_go, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_renumbered, setup, teardown),
	};

	return cmocka_run_group_tests_name("process_table", tests, NULL, NULL);
}
