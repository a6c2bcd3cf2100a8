// SPDX-License-Identifier: GPL-2.0-or-later
/* Hashes of stacks and rows of the three tables, with names that need escapes. */
#include "unit/unit.h"

#include "output/clickhouse.h"
#include "util/mem.h"

/* Published vectors of FNV-1a, and those of the header. */
static void test_hash(void **state)
{
	assert_true(stack_hash(STACK_HASH_INIT, "", 0) == 0xcbf29ce484222325ull);
	assert_true(stack_hash(STACK_HASH_INIT, "foobar", 6) == 0x85944171f73967e8ull);
	assert_true(stack_hash(STACK_HASH_INIT, "a;b", 3) == 16601599842520829589ull);
	assert_true(stack_hash(STACK_HASH_INIT, "main", 4) == 2258945139493307336ull);
	assert_true(stack_hash(stack_hash(STACK_HASH_INIT, "a;", 2), "b", 1) ==
		    16601599842520829589ull);
}

static void check_rows(enum clickhouse_table table, const struct profile *p, const char *want)
{
	const struct clickhouse_window w = {
		.host = "h\t1'",
		.event = "cpu-clock",
		.ts = 1795046400,
		.seconds = 10,
		.nr = 3,
		.freq_hz = 99,
		.nr_cpus = 2,
		.due = 1980,
		.kept = 7,
		.lost = 1,
	};
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	clickhouse_write(f, table, p, &w);
	fclose(f);
	assert_string_equal(text, want);
}

static void test_rows(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	frame_id stack[2] = { frame_table_add_text(profile_frames(p), "a", 1),
			      frame_table_add_text(profile_frames(p), "b", 1) };

	profile_add(p, profile_stack(p, stack, 2), 5);
	check_rows(CLICKHOUSE_STACKS, p, "16601599842520829589\t['a','b']\n");
	check_rows(CLICKHOUSE_SAMPLES, p, "h\\t1\\'\t1795046400\t10\t3\t16601599842520829589\t5\n");
	check_rows(CLICKHOUSE_ALL, p,
		   "h\\t1\\'\t1795046400\t10\t3\t1980\t16601599842520829589\t5\t['a','b']\n");
	check_rows(CLICKHOUSE_WINDOWS, p,
		   "h\\t1\\'\t1795046400\t10\t3\tcpu-clock\t99\t2\t1980\t7\t1\n");
}

/* Quotes, a backslash and a newline, which folded text writes as \\x0a. */
static void test_odd_names(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	frame_id odd = frame_table_add_text(profile_frames(p), "it's\\\n_[k]", 10);

	profile_add(p, profile_stack(p, &odd, 1), 1);
	check_rows(CLICKHOUSE_STACKS, p, "8846699297317661359\t['it\\'s\\\\\\\\x0a_[k]']\n");
	assert_int_equal(clickhouse_nr_collisions(p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_odd_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
