// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns, over maps that are none: what libbpf would do is done here. */
#include "capture/counts.h"

#include <bpf/bpf.h>
#include <fcntl.h>

#include "unit/unit.h"

static bool update_fails;
static uint32_t turn, turn_at_update, updated;

int bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_bytes, __u32 value_bytes,
		   __u32 max_entries, const struct bpf_map_create_opts *opts)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	turn_at_update = turn;
	memcpy(&updated, key, sizeof(updated));
	if (!update_fails)
		return 0;
	errno = ENOMEM;
	return -ENOMEM;
}

int bpf_map_lookup_and_delete_batch(int fd, void *in, void *out, void *keys, void *values,
				    __u32 *count, const struct bpf_map_batch_opts *opts)
{
	errno = ENOENT;
	return -ENOENT;
}

static void test_turn(void **state)
{
	struct instant when = { 0 };
	struct counts *c;

	turn = 4;
	assert_int_equal(counts_new(-1, 0, &turn, &c, NULL), 0);
	for (uint32_t i = 5; i < 10; i++) {
		assert_int_equal(counts_turn(c, &when), 0);
		assert_int_equal(turn, i);
		assert_int_equal(counts_current(c), i);
		/* Raised first, then waited for, at the map of the turn that ended. */
		assert_int_equal(turn_at_update, i);
		assert_int_equal(updated, (i - 1) % EDDY_NR_TURNS);
		assert_true(when.mono_ns != 0);
	}
	counts_free(c);
}

/* A turn that cannot be ended goes on as it was. */
static void test_no_turn(void **state)
{
	struct instant when = { 0 };
	struct counts *c;

	turn = 0;
	assert_int_equal(counts_new(-1, 0, &turn, &c, NULL), 0);
	assert_int_equal(counts_turn(c, &when), 0);
	while (!counts_is_filling(c))
		counts_stack_sent(c);
	when = (struct instant){ 0 };
	update_fails = true;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(counts_turn(c, &when), -ENOMEM);
		assert_int_equal(turn, 1);
		assert_int_equal(counts_current(c), 1);
		assert_true(counts_is_filling(c));
		assert_true(when.mono_ns == 0);
	}
	update_fails = false;
	assert_int_equal(counts_turn(c, &when), 0);
	assert_int_equal(turn, 2);
	assert_false(counts_is_filling(c));
	counts_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turn),
		cmocka_unit_test(test_no_turn),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
