// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adjusted p-values: R's and hand-made examples, and random sets against Benjamini and Hochberg's
 * definition.
 */
#include "unit/unit.h"

#include "analysis/fdr.h"

/* R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "BH") is 0.05 five times; and by hand. */
static void test_by_hand(void **state)
{
	const double even[] = { 0.01, 0.02, 0.03, 0.04, 0.05 },
		     mixed[] = { 0.9, 0.001, 0.04, 0.01 };
	const double want[] = { 0.9, 0.004, 0.16 / 3, 0.02 };
	double q[5];

	fdr_adjust(even, 5, q);
	for (int i = 0; i < 5; i++)
		assert_true(q[i] > 0.05 - 1e-12 && q[i] < 0.05 + 1e-12);
	fdr_adjust(mixed, 4, q);
	for (int i = 0; i < 4; i++)
		assert_true(q[i] > want[i] - 1e-12 && q[i] < want[i] + 1e-12);
	fdr_adjust(NULL, 0, q);
}

/* The definition: the largest k with p_(k) <= level k / nr; the k smallest are believed. */
static void test_against_definition(void **state)
{
	enum { NR = 40 };

	for (int round = 0; round < 500; round++) {
		double p[NR], q[NR], level = (1 + test_random_below(30)) / 100.0, bound = -1;

		for (int i = 0; i < NR; i++) {
			double u = test_random_below(1000) / 1000.0;

			p[i] = i % 3 ? u : u * u * u / 10;
		}
		fdr_adjust(p, NR, q);
		for (int i = 0; i < NR; i++) {
			int rank = 0;

			for (int k = 0; k < NR; k++)
				rank += p[k] <= p[i];
			if (p[i] <= level * rank / NR && p[i] > bound)
				bound = p[i];
		}
		for (int i = 0; i < NR; i++) {
			double slack = 1e-12;

			assert_true(q[i] >= p[i] - slack && q[i] <= 1);
			if (p[i] <= bound)
				assert_true(q[i] <= level + slack);
			else
				assert_true(q[i] >= level - slack);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_against_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
