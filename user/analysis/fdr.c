// SPDX-License-Identifier: GPL-2.0-or-later
/* Benjamini and Hochberg's step-up procedure, as a q value for each p: one sort, one pass back. */
#include "analysis/fdr.h"

#include <stdlib.h>

#include "util/cleanup.h"
#include "util/mem.h"

struct test {
	double p;
	size_t index;
};

static int test_cmp(const void *a, const void *b)
{
	const struct test *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void fdr_adjust(const double *p, size_t nr, double *ret_q)
{
	_cleanup_free_ struct test *tests = xcalloc(nr, sizeof(*tests));
	double least = 1;

	for (size_t i = 0; i < nr; i++)
		tests[i] = (struct test){ p[i], i };
	qsort(tests, nr, sizeof(*tests), test_cmp);
	for (size_t rank = nr; rank > 0; rank--) {
		double q = tests[rank - 1].p * nr / rank;

		if (q < least)
			least = q;
		ret_q[tests[rank - 1].index] = least;
	}
}
