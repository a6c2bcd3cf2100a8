// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of an event that is held back, in pages as the kernel writes them. */
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/throttle_ring.h"

struct fixture {
	struct throttle_ring ring;
	size_t page_bytes;
};

static void begin(struct fixture *f)
{
	f->page_bytes = sysconf(_SC_PAGESIZE);
	f->ring = (struct throttle_ring){ .page_bytes = f->page_bytes };
	assert_int_equal(posix_memalign((void **)&f->ring.pages, f->page_bytes, 2 * f->page_bytes),
			 0);
	memset(f->ring.pages, 0, 2 * f->page_bytes);
}

/* A record of that many words behind its header. */
static void put(struct fixture *f, uint32_t type, uint64_t first, uint64_t second, size_t nr_words)
{
	const struct perf_event_header h = { .type = type, .size = 8 + 8 * nr_words };
	char *data = (char *)f->ring.pages + f->page_bytes;
	uint64_t words[4] = { 0, first, second, 0 };

	memcpy(words, &h, sizeof(h));
	for (size_t i = 0; i <= nr_words; i++) {
		memcpy(data + f->ring.pages->data_head % f->page_bytes, &words[i], 8);
		f->ring.pages->data_head += 8;
	}
}

static void test_times(void **state)
{
	struct fixture f;

	begin(&f);
	/* Often enough to wrap, with a record that is no multiple of the others in between. */
	for (uint64_t i = 1; i <= 200; i++) {
		put(&f, PERF_RECORD_THROTTLE, i * 1000, 1, 3);
		put(&f, PERF_RECORD_UNTHROTTLE, i * 1000 + 300, 1, 3);
		if (i == 100)
			put(&f, PERF_RECORD_LOST, 1, 0, 2);
		throttle_ring_poll(&f.ring);
	}
	assert_int_equal(f.ring.nr, 200);
	assert_int_equal(f.ring.ns, 60000);
	assert_int_equal(f.ring.pages->data_tail, f.ring.pages->data_head);
	free(f.ring.pages);
}

static void test_lost(void **state)
{
	struct fixture f;

	begin(&f);
	put(&f, PERF_RECORD_UNTHROTTLE, 5, 1, 3); /* of a time before the first look */
	put(&f, PERF_RECORD_THROTTLE, 1000, 1, 3);
	put(&f, PERF_RECORD_UNTHROTTLE, 1400, 1, 3);
	put(&f, PERF_RECORD_THROTTLE, 2000, 1, 3);
	put(&f, PERF_RECORD_LOST, 1, 20, 2);
	put(&f, PERF_RECORD_UNTHROTTLE, 9000, 1, 3); /* of which nobody knows the beginning */
	throttle_ring_poll(&f.ring);
	assert_int_equal(f.ring.nr, 12);
	assert_int_equal(f.ring.ns, 400 + 10 * 200);
	free(f.ring.pages);
}

static void test_none(void **state)
{
	struct throttle_ring r = { 0 };

	throttle_ring_map(&r, -1);
	assert_null(r.pages);
	throttle_ring_poll(&r);
	throttle_ring_unmap(&r);
	assert_int_equal(r.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("throttle_ring", tests, NULL, NULL);
}
