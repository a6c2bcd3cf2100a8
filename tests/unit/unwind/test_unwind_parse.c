// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables by way of a parser are those that are read at once, whatever the file is. */
#include "unwind/unwind_parse.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/unit.h"
#include "unwind/elf_unwind.h"
#include "util/mem.h"
#include "util/worker_pool.h"

#define MINUTE_NS 60000000000ull

static struct unwind_table *by_parser(struct worker_pool *pool, int fd, struct unwind_rules *rules)
{
	const struct worker_request request = { .fds = { fd, -1 } };
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };

	assert_int_equal(worker_pool_parse(pool, unwind_parse, &request, MINUTE_NS, &a), 0);
	return unwind_parsed(&a, rules);
}

static void same_tables(struct worker_pool *pool, const char *path)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *here = unwind_rules_new();
	_cleanup_(unwind_rules_freep) struct unwind_rules *there = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *a = NULL, *b = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_source source;

	if (fd < 0)
		return;
	assert_int_equal(elf_source_from_fd(fd, &source), 0);
	a = elf_unwind_read(&source, here);
	b = by_parser(pool, fd, there);
	assert_non_null(b);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->nr_rows, b->nr_rows);
	for (uint32_t i = 0; i < a->nr_rows; i++)
		assert_memory_equal(unwind_rules_get(here, a->row[i] & 0xffff),
				    unwind_rules_get(there, b->row[i] & 0xffff),
				    sizeof(struct eddy_unwind_rule));
}

static void files(void **state)
{
	static const char *const paths[] = { "/proc/self/exe", "/bin/bash", "/etc/passwd" };
	struct worker_pool *pools[] = { NULL, NULL };

	if (!test_is_emulated())
		assert_int_equal(worker_pool_new(&pools[1]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
		for (size_t k = 0; k < ARRAY_SIZE(paths); k++)
			same_tables(pools[i], paths[k]);
	worker_pool_free(pools[1]);
}

/* What is no table is none: no file, no descriptor, bytes of something else. */
static void no_tables(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct worker_answer a = { .fd = -1 };
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_null(by_parser(NULL, -1, rules));
	assert_null(by_parser(NULL, null, rules));
	assert_null(unwind_parsed(&a, rules));
	parsed_give("nonsense", 8, &a);
	assert_true(a.fd >= 0);
	assert_null(unwind_parsed(&a, rules));
	worker_answer_deinit(&a);
	parsed_give("", 0, &a);
	assert_null(unwind_parsed(&a, rules));
	worker_answer_deinit(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(no_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
