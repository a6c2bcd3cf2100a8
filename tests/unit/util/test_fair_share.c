// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shares: the sum is never more than there is, nobody but the system gets more than his share, and
 * who is within it gets what he asks for, whatever others do.
 */
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "util/fair_share.h"

#define TOTAL	 1000u
#define NR_USERS 9

static void one_user_has_half(void **state)
{
	struct fair_share *s = fair_share_new(TOTAL);

	assert_int_equal(fair_share_take(s, 1000, 501), -EDQUOT);
	assert_int_equal(fair_share_take(s, 1000, 500), 0);
	assert_int_equal(fair_share_take(s, 1000, 1), -EDQUOT);
	assert_int_equal(fair_share_of(s, 1000), 500);
	/* The system has the other half, and then all that nobody uses. */
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 500), 0);
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 1), -EDQUOT);
	fair_share_give(s, 1000, 500);
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 500), 0);
	assert_int_equal(fair_share_used(s), TOTAL);
	fair_share_free(s);
}

static void who_comes_later_gets_as_much(void **state)
{
	struct fair_share *s = fair_share_new(TOTAL);
	owner_id owner = 0;

	assert_int_equal(fair_share_take(s, 1000, 500), 0);
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 500), 0);
	assert_false(fair_share_greediest(s, 1000, &owner));
	assert_true(fair_share_greediest(s, 1001, &owner));
	assert_int_equal(fair_share_take(s, 1001, 251), -EDQUOT);
	assert_int_equal(fair_share_take(s, 1001, 250), -ENOSPC);
	fair_share_give(s, 1000, 1);
	assert_int_equal(fair_share_take(s, 1001, 1), 0);
	assert_true(fair_share_greediest(s, 1001, &owner));
	assert_int_equal(owner, 1000);
	fair_share_free(s);
}

static void owners_below_1000_are_the_system(void **state)
{
	assert_int_equal(owner_of_uid(0), OWNER_SYSTEM);
	assert_int_equal(owner_of_uid(999), OWNER_SYSTEM);
	assert_int_equal(owner_of_uid(1000), 1000);
	assert_int_equal(owner_of_uid(65534), 65534);
}

static void what_was_not_taken_is_not_given_back(void **state)
{
	struct fair_share *s = fair_share_new(TOTAL);

	fair_share_give(s, 1000, 10);
	assert_int_equal(fair_share_used(s), 0);
	assert_int_equal(fair_share_take(s, 1000, 10), 0);
	fair_share_give(s, 1000, 20);
	assert_int_equal(fair_share_used(s), 0);
	assert_int_equal(fair_share_take(s, 1000, 0), 0);
	assert_int_equal(fair_share_bound(s, 1001), 500);
	fair_share_free(s);
}

/* What is there already is charged, and who has most beyond his share is found by it. */
static void more_than_there_is(void **state)
{
	struct fair_share *s = fair_share_new(TOTAL);
	owner_id owner = 0;

	fair_share_charge(s, 1000, 900);
	fair_share_charge(s, 1001, 300);
	fair_share_charge(s, 1002, 0);
	assert_int_equal(fair_share_used(s), 1200);
	assert_int_equal(fair_share_of(s, 1000), 900);
	assert_int_equal(fair_share_bound(s, 1000), 250);
	assert_true(fair_share_greediest(s, OWNER_SYSTEM, &owner));
	assert_int_equal(owner, 1000);
	/* There is none left, not a very large amount. */
	assert_int_equal(fair_share_ask(s, 1002, 100), -ENOSPC);
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 1), -ENOSPC);
	fair_share_give(s, 1000, 700);
	assert_int_equal(fair_share_used(s), 500);
	assert_int_equal(fair_share_take(s, OWNER_SYSTEM, 500), 0);
	fair_share_free(s);
}

/* Takes for an owner as one does who can take back from others. */
static int take_from_others(struct fair_share *s, owner_id owner, uint64_t amount)
{
	owner_id greediest = 0;
	int r;

	while ((r = fair_share_take(s, owner, amount)) == -ENOSPC) {
		assert_true(fair_share_greediest(s, owner, &greediest));
		assert_int_not_equal(greediest, owner);
		fair_share_give(s, greediest, 1);
	}
	return r;
}

static void whoever_is_within_his_share_gets_it(void **state)
{
	struct fair_share *s = fair_share_new(TOTAL);

	for (int step = 0; step < 20000; step++) {
		uint64_t nr = test_random_below(NR_USERS + 1), amount = test_random_below(300);
		owner_id owner = nr ? 1000 + nr - 1 : OWNER_SYSTEM;
		uint64_t have = fair_share_of(s, owner), sum = 0;
		bool is_within = have + amount <= fair_share_bound(s, owner);

		if (test_random_below(3) == 0)
			fair_share_give(s, owner, amount);
		else if (is_within)
			assert_int_equal(take_from_others(s, owner, amount), 0);
		else if (!fair_share_take(s, owner, amount))
			assert_int_equal(owner, OWNER_SYSTEM);
		for (owner_id u = 1000; u < 1000 + NR_USERS; u++)
			sum += fair_share_of(s, u);
		assert_int_equal(fair_share_used(s), sum + fair_share_of(s, OWNER_SYSTEM));
		assert_true(fair_share_used(s) <= TOTAL);
	}
	fair_share_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_user_has_half),
		cmocka_unit_test(who_comes_later_gets_as_much),
		cmocka_unit_test(owners_below_1000_are_the_system),
		cmocka_unit_test(what_was_not_taken_is_not_given_back),
		cmocka_unit_test(more_than_there_is),
		cmocka_unit_test(whoever_is_within_his_share_gets_it),
	};

	return cmocka_run_group_tests_name("fair_share", tests, NULL, NULL);
}
