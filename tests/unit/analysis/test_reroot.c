// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Roots made coarser, from thread to process to name to none, and refused where they would be
 * finer.
 */
#include "unit/unit.h"

#include "analysis/reroot.h"

static node_id stack(struct profile *p, const char *text, uint64_t weight)
{
	char copy[64], *save = NULL;
	node_id n = NODE_ROOT;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *f = strtok_r(copy, ";", &save); f; f = strtok_r(NULL, ";", &save))
		n = profile_child(p, n, frame_table_add_text(profile_frames(p), f, strlen(f)));
	assert_int_equal(profile_add(p, n, weight), 0);
	return n;
}

static void check(const char *const *in, enum reroot to, const char *const *want)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *got = NULL, *wanted = NULL;

	for (; *in; in++)
		stack(p, *in, 1);
	wanted = profile_new(profile_frames(p));
	assert_int_equal(profile_reroot(p, to, &got, NULL), 0);
	assert_non_null(got);
	for (; *want; want++)
		stack(wanted, *want, 1);
	assert_int_equal(profile_nr_nodes(got), profile_nr_nodes(wanted));
	for (node_id n = 0; n < profile_nr_nodes(got); n++) {
		assert_int_equal(profile_frame(got, n), profile_frame(wanted, n));
		assert_int_equal(profile_self(got, n), profile_self(wanted, n));
	}
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_coarser(void **state)
{
	check(LIST("a-1/2;f", "a-1/3;f", "a-4/4;g", "[hardirq];f-9", "ksoftirqd/0;f"),
	      REROOT_PROCESS, LIST("a-1;f", "a-1;f", "a-4;g", "[hardirq];f-9", "ksoftirqd/0;f"));
	check(LIST("a-1/2;f", "a-1/3;f", "a-4;g-1", "k/0-7;f", "-5;f"), REROOT_COMM,
	      LIST("a;f", "a;f", "a;g-1", "k/0;f", "-5;f"));
	check(LIST("a;f;g", "b;f", "[truncated];h", "[softirq];x_[k]", "entry_[k];y_[k]"),
	      REROOT_NONE, LIST("f;g", "f", "[truncated];h", "[softirq];x_[k]", "entry_[k];y_[k]"));
}

static void test_refused(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *cpus = profile_new(NULL);
	struct profile *got = NULL;
	struct diag diag = { 0 };

	stack(p, "a-1;f", 1);
	stack(p, "[hardirq];f", 1);
	assert_int_equal(profile_reroot(p, REROOT_THREAD, &got, &diag), -ENODATA);
	assert_string_equal(diag.text, "--root thread: the stacks do not have it "
				       "(record with --root thread)");
	assert_int_equal(profile_reroot(p, REROOT_CPU, &got, &diag), -ENODATA);
	assert_int_equal(profile_reroot(p, REROOT_CGROUP, &got, &diag), -ENODATA);
	stack(cpus, "cpu-0;f", 1);
	assert_int_equal(profile_reroot(cpus, REROOT_CPU, &got, &diag), 0);
	assert_null(got); /* as they are */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coarser),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("reroot", tests, NULL, NULL);
}
