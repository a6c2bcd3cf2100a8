// SPDX-License-Identifier: GPL-2.0-or-later
/* Other columns go where the weights of their nodes go, whether nodes are left out or named. */
#include "unit/unit.h"

#include "output/html_fit.h"
#include "util/mem.h"

static struct profile *random_profile(size_t nr_nodes)
{
	struct profile *p = profile_new(NULL);

	profile_add(p, NODE_ROOT, 7);
	for (size_t i = 0; i < nr_nodes; i++) {
		char name[] = { 'a' + test_random_below(9), '\0' };
		node_id n = test_random_below(profile_nr_nodes(p));

		n = profile_child(p, n, frame_table_add_text(profile_frames(p), name, 1));
		profile_add(p, n, test_random_below(4));
	}
	return p;
}

/* The weights themselves as a column are what the fitted profile has, node by node. */
static void expect_weights(const struct html_fit *f, const struct profile *p)
{
	_cleanup_free_ uint64_t *column =
		html_fit_column(f, profile_selves(p), profile_nr_nodes(p));

	for (node_id n = 0; n < profile_nr_nodes(f->p); n++)
		assert_int_equal(column[n], profile_self(f->p, n));
	assert_int_equal(f->sums[NODE_ROOT], profile_total(p));
}

static void test_left_out(void **state)
{
	for (size_t max_nodes = 5; max_nodes < 2000; max_nodes *= 2) {
		_cleanup_profile_ struct profile *p = random_profile(1000);
		_cleanup_html_fit_ struct html_fit f;

		html_fit_init(&f, p, max_nodes);
		assert_true(profile_nr_nodes(f.p) <= max_nodes + 1);
		expect_weights(&f, p);
	}
}

static void test_as_it_is(void **state)
{
	_cleanup_profile_ struct profile *p = random_profile(50);
	_cleanup_html_fit_ struct html_fit f;

	profile_subtract(p, NODE_ROOT, 7);
	html_fit_init(&f, p, HTML_MAX_NODES);
	assert_ptr_equal(f.p, p);
	expect_weights(&f, p);
}

static void test_empty_stack(void **state)
{
	_cleanup_profile_ struct profile *p = random_profile(0);
	_cleanup_html_fit_ struct html_fit f;

	html_fit_init(&f, p, HTML_MAX_NODES);
	assert_int_equal(profile_self(f.p, html_fit_node(&f, NODE_ROOT)), 7);
	assert_int_not_equal(html_fit_node(&f, NODE_ROOT), NODE_ROOT);
	expect_weights(&f, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_as_it_is),
		cmocka_unit_test(test_empty_stack),
	};

	return cmocka_run_group_tests_name("html_fit", tests, NULL, NULL);
}
