// SPDX-License-Identifier: GPL-2.0-or-later
/* What a window loses for want of memory, it says; its numbers stay. */
#include "unit/snapshot/snapshots.h"

#include "profile/profile_trim.h"

#define NOON UINT64_C(1795176000000)

static uint64_t in_json(const struct snapshot_window *w, const char *object, const char *name)
{
	const struct json *j = sidecar_merge_json(w->sidecar);

	return json_integer(j, json_member(j, json_member(j, JSON_ROOT, object), name));
}

static bool is_noted(const struct snapshot_window *w, const char *text)
{
	const struct json *j = sidecar_merge_json(w->sidecar);
	json_id notes = json_member(j, JSON_ROOT, "notes");

	for (json_id id = json_first(j, notes); id != JSON_NONE; id = json_next(j, id))
		if (strstr(json_string(j, id), text))
			return true;
	return false;
}

static void test_trim(void **state)
{
	_cleanup_snapshot_window_ struct snapshot_window *w = some_window(NOON, 10000, 5000);
	uint64_t total = profile_total(w->profile), kept = in_json(w, "samples", "kept");
	struct snapshot_losses losses = { 0 };

	assert_true(snapshot_window_bytes(w) > 512 << 10);
	assert_true(snapshot_window_bytes_to_write(w) >= profile_bytes(w->profile));
	snapshot_window_trim(w, 256 << 10);
	assert_true(snapshot_window_bytes(w) <= 512 << 10);
	assert_int_equal(profile_total(w->profile), total);
	assert_int_equal(in_json(w, "samples", "kept"), kept);
	assert_true(is_noted(w, "lost detail"));
	snapshot_window_add_losses(w, &losses);
	assert_int_equal(losses.cut_stacks, profile_cut_weight(w->profile));
	assert_true(losses.cut_stacks > kept / 2);
	assert_int_equal(losses.samples, 0);
	assert_int_equal(losses.nr_windows, 0);
}

/* The last resort: one line for all that was kept. */
static void test_forget(void **state)
{
	_cleanup_snapshot_window_ struct snapshot_window *w = some_window(NOON, 10000, 500);
	_cleanup_snapshot_window_ struct snapshot_window *next =
		some_window(NOON + 10000, 10000, 500);
	struct snapshot_losses losses = { 0 }, sum = { .samples = 1 };
	uint64_t kept, lost, total;

	snapshot_window_merge(w, next);
	total = profile_total(w->profile);
	kept = in_json(w, "samples", "kept");
	lost = in_json(w, "samples", "lost");
	snapshot_window_forget_stacks(w);
	assert_int_equal(profile_total(w->profile), total);
	assert_int_equal(in_json(w, "samples", "kept"), 0);
	assert_int_equal(in_json(w, "samples", "lost"), kept + lost);
	assert_int_equal(in_json(w, "losses", "window-memory"), kept);
	assert_true(profile_nr_stacks(w->profile) <= 2);
	snapshot_window_add_losses(w, &losses);
	assert_int_equal(losses.samples, kept);
	assert_int_equal(losses.nr_windows, 1);
	snapshot_losses_add(&sum, &losses);
	assert_int_equal(sum.samples, kept + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests_name("snapshot_window", tests, NULL, NULL);
}
