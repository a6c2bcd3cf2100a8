// SPDX-License-Identifier: GPL-2.0-or-later
/* What a parser of perf maps may answer, and each way in which it may lie. */
#include "symbol/perf_map_lines.h"

#include <errno.h>
#include <string.h>

#include "unit/unit.h"
#include "util/mem.h"

static const struct perf_map_ask ask = { .from = 4096, .stamp = 1, .max_bytes = 1024 };

/* The head, as it stands in the answer's bytes. */
struct head {
	uint64_t from, to, stamp, nr;
	uint32_t is_full, is_end;
};

struct answer {
	struct head head;
	struct {
		struct jit_symbol symbols[2];
		char names[8];
	} file;
	size_t head_len, len;
};

static struct answer an_answer(void)
{
	return (struct answer){
		.head = { .from = 4096, .to = 4140, .stamp = 7, .nr = 2, .is_end = 1 },
		.file = { .symbols = { { 0x1000, 0x40, 0, 3, 5, 0 }, { 0x2000, 0x10, 0, 0, 3, 0 } },
			  .names = "onefirst" },
		.head_len = sizeof(struct head),
		.len = 2 * sizeof(struct jit_symbol) + 8,
	};
}

static int check(struct answer *a, struct perf_map_lines *ret_lines)
{
	const struct worker_answer answer = { .bytes = (char *)&a->head,
					      .len = a->head_len,
					      .fd = -1 };

	return perf_map_lines_check(&answer, &a->file, a->len, &ask, ret_lines);
}

static void what_is_true(void **state)
{
	struct answer a = an_answer();
	struct perf_map_lines l;

	assert_int_equal(check(&a, &l), 0);
	assert_int_equal(l.nr, 2);
	assert_true(l.from == 4096 && l.to == 4140 && l.stamp == 7 && l.is_end && !l.is_full);
	assert_memory_equal(l.names + l.symbols[0].name, "first", 5);
	assert_memory_equal(l.names + l.symbols[1].name, "one", 3);
	/* From the beginning again. */
	a.head.from = 0;
	assert_int_equal(check(&a, &l), 0);
	/* Nothing new. */
	a = an_answer();
	a.head.nr = a.len = 0;
	a.head.to = a.head.from;
	assert_int_equal(check(&a, &l), 0);
	assert_int_equal(l.nr, 0);
}

#define LIE(...)                                         \
	do {                                             \
		struct answer a = an_answer();           \
		struct perf_map_lines l;                 \
                                                         \
		__VA_ARGS__;                             \
		assert_int_equal(check(&a, &l), -EPIPE); \
	} while (0)

static void lies(void **state)
{
	LIE(a.head_len--);
	LIE(a.head_len = 0);
	LIE(a.head.from = 8);
	LIE(a.head.to = 4095);
	LIE(a.head.to = UINT64_MAX);
	LIE(a.head.from = 0, a.head.to = 32 << 20); /* more than it reads at once */
	LIE(a.head.nr = 3);
	LIE(a.head.nr = UINT64_MAX);
	LIE(a.head.nr = UINT64_MAX / sizeof(struct jit_symbol) + 2);
	LIE(a.len = 1025); /* of which no more is looked at */
	LIE(a.head.is_end = 0, a.head.to = a.head.from);
	LIE(a.file.symbols[0].size = 0);
	LIE(a.file.symbols[1].start = UINT64_MAX);
	LIE(a.file.symbols[0].len = 0);
	LIE(a.file.symbols[0].len = 6);
	LIE(a.file.symbols[0].name = 9);
	LIE(a.file.symbols[0].name = UINT32_MAX);
	LIE(a.file.symbols[0].len = 0x7fffffff);
	LIE(a.file.symbols[0].is_move = 1);   /* of five bytes */
	LIE(a.file.symbols[1].start = 0xfff); /* not sorted */
	LIE(a.file.symbols[1] = a.file.symbols[0]);
	/* Of one start the later line stands behind. */
	LIE(a.file.symbols[1].start = 0x1000);
}

/* Records of a jitdump are as long as they say, but no file is read beyond all measure. */
static void dumps(void **state)
{
	const struct perf_map_ask dump = { .from = 4096, .max_bytes = 1024, .is_dump = 1 };
	struct answer a = an_answer();
	const struct worker_answer answer = { .bytes = (char *)&a.head,
					      .len = a.head_len,
					      .fd = -1 };
	struct perf_map_lines l;

	a.head.to = 8ull << 30;
	assert_int_equal(perf_map_lines_check(&answer, &a.file, a.len, &ask, &l), -EPIPE);
	assert_int_equal(perf_map_lines_check(&answer, &a.file, a.len, &dump, &l), 0);
	a.head.to = 32ull << 30;
	assert_int_equal(perf_map_lines_check(&answer, &a.file, a.len, &dump, &l), -EPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_true),
		cmocka_unit_test(lies),
		cmocka_unit_test(dumps),
	};

	return cmocka_run_group_tests_name("perf_map_lines", tests, NULL, NULL);
}
