// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows on a mapped file: contents, what is mapped and what is let go, and failures. */
#include "unit/unit.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/map_view.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* Ends within a page and within a piece. */
#define BYTES ((size_t)5 * MAP_VIEW_PIECE_BYTES + 4100)

static int file_new(size_t bytes)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	return fd;
}

/* What is written through one view is read through another, at random places, with random
 * forgetting. */
static void test_random_places(void **state)
{
	_cleanup_close_ int fd = file_new(BYTES);
	struct map_view a = { .fd = fd, .bytes = BYTES }, b = a;
	_cleanup_free_ unsigned char *truth = xcalloc(BYTES, 1);
	size_t nr_forgotten = 0;

	for (int i = 0; i < 3000; i++) {
		size_t offset = test_random() % BYTES;
		size_t len = 1 + test_random() % (BYTES - offset);
		struct map_view *v = i & 1 ? &a : &b;
		unsigned char *p;

		if (len > 3000 && i % 16)
			len = 3000;
		p = map_view_get(v, offset, len);
		assert_non_null(p);
		assert_ptr_equal(p, v->base + offset);
		assert_memory_equal(p, truth + offset, len);
		p[len - 1] = truth[offset + len - 1] = test_random();
		assert_true(map_view_bytes(v) >= len);
		assert_true(map_view_bytes(v) < BYTES + sysconf(_SC_PAGESIZE));
		if (test_random() % 8)
			continue;
		map_view_forget(v);
		assert_int_equal(map_view_bytes(v), 0);
		nr_forgotten++;
	}
	assert_true(nr_forgotten > 100);
	map_view_forget(&a);
	map_view_forget(&b);
}

/* Only what was asked for is mapped, rounded to pieces, and the last one no further than the map.
 */
static void test_pieces(void **state)
{
	_cleanup_close_ int fd = file_new(BYTES);
	struct map_view v = { .fd = fd, .bytes = BYTES };
	size_t page = sysconf(_SC_PAGESIZE), piece = MAP_VIEW_PIECE_BYTES;
	char *p = map_view_get(&v, piece - 1, 1);

	assert_int_equal(map_view_bytes(&v), piece);
	/* What is there stays where it is. */
	p[0] = 7;
	assert_ptr_equal(map_view_get(&v, piece - 1, 2), p);
	assert_int_equal(p[0], 7);
	assert_int_equal(map_view_bytes(&v), 2 * piece);
	assert_non_null(map_view_get(&v, 3 * piece, 1));
	assert_int_equal(map_view_bytes(&v), 3 * piece);
	/* The hole between two that are mapped, and the end. */
	assert_non_null(map_view_get(&v, 0, BYTES));
	assert_int_equal(map_view_bytes(&v), (BYTES + page - 1) / page * page);
	map_view_forget(&v);
	map_view_forget(&v);
}

static void test_failure(void **state)
{
	_cleanup_close_ int fd = file_new(BYTES);
	struct map_view v = { .fd = fd, .bytes = BYTES };

	assert_non_null(map_view_get(&v, 0, 1));
	v.fd = -1;
	errno = 0;
	assert_null(map_view_get(&v, MAP_VIEW_PIECE_BYTES, 1));
	assert_int_equal(errno, EBADF);
	assert_int_equal(map_view_bytes(&v), 0);
	v.fd = fd;
	assert_non_null(map_view_get(&v, MAP_VIEW_PIECE_BYTES, 1));
	map_view_forget(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_places),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests_name("map_view", tests, NULL, NULL);
}
