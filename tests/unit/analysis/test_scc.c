// SPDX-License-Identifier: GPL-2.0-or-later
/* Components against reachability, on random graphs; and a graph too deep for recursion. */
#include "analysis/scc.h"

#include <stdbool.h>

#include "unit/unit.h"

enum { NR = 12 };

static void test_random_graphs(void **state)
{
	for (int round = 0; round < 5000; round++) {
		uint32_t nr = 1 + test_random_below(NR), density = 1 + test_random_below(6);
		uint32_t start[NR + 1], to[NR * NR], component[NR], nr_edges = 0;
		bool reach[NR][NR] = { 0 };
		uint32_t nr_components, highest = 0;

		for (uint32_t v = 0; v < nr; v++) {
			start[v] = nr_edges;
			reach[v][v] = true;
			for (uint32_t w = 0; w < nr; w++)
				if (test_random_below(nr) < density / 3 + (density > v)) {
					to[nr_edges++] = w;
					reach[v][w] = true;
				}
		}
		start[nr] = nr_edges;
		nr_components = scc_find(nr, start, to, component);
		for (uint32_t k = 0; k < nr; k++)
			for (uint32_t v = 0; v < nr; v++)
				for (uint32_t w = 0; w < nr; w++)
					reach[v][w] |= reach[v][k] && reach[k][w];
		for (uint32_t v = 0; v < nr; v++) {
			highest = component[v] > highest ? component[v] : highest;
			for (uint32_t w = 0; w < nr; w++) {
				assert_int_equal(component[v] == component[w],
						 reach[v][w] && reach[w][v]);
				/* Callees first. */
				if (reach[v][w])
					assert_true(component[v] >= component[w]);
			}
		}
		assert_int_equal(highest + 1, nr_components);
	}
}

static void test_deep(void **state)
{
	uint32_t nr = 300000, *start = malloc((nr + 1) * sizeof(*start));
	uint32_t *to = malloc(nr * sizeof(*to)), *component = malloc(nr * sizeof(*component));

	for (uint32_t v = 0; v < nr; v++) {
		start[v] = v;
		to[v] = (v + 1) % nr;
	}
	start[nr] = nr;
	assert_int_equal(scc_find(nr, start, to, component), 1);
	to[nr - 1] = nr - 1; /* a chain that ends in a call of itself */
	assert_int_equal(scc_find(nr, start, to, component), nr);
	assert_int_equal(component[0], nr - 1);
	free(start);
	free(to);
	free(component);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
