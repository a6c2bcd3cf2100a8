// SPDX-License-Identifier: GPL-2.0-or-later
/* gprof's manual, "How Mutually Recursive Functions Are Described", as text to the letter. */
#include "output/graph_text.h"
#include "unit/unit.h"

enum { START = 1, MAIN, A, B, C };

static void test_manual(void **state)
{
	static const char *names[] = { "<spontaneous>", "start", "main", "a", "b", "c" };
	static const uint32_t arcs[][3] = { { START, MAIN, 1 }, { MAIN, A, 1 }, { A, B, 3 },
					    { B, A, 2 },	{ A, C, 3 },	{ B, C, 3 } };
	static const char want[] =
		"index   % time      self  children  called   name\n"
		"                                                 <spontaneous>\n"
		"[1]     100.00         0      1.93           start [1]\n"
		"                    0.16      1.77    1/1        main [2]\n"
		"-----------------------------------------------\n"
		"                    0.16      1.77    1/1        start [1]\n"
		"[2]     100.00      0.16      1.77    1      main [2]\n"
		"                    1.77         0    1/1        a <cycle 1> [5]\n"
		"-----------------------------------------------\n"
		"                    1.77         0    1/1        main [2]\n"
		"[3]      91.71      1.77         0    1+5    <cycle 1 as a whole> [3]\n"
		"                    1.02         0    3          b <cycle 1> [4]\n"
		"                    0.75         0    2          a <cycle 1> [5]\n"
		"                       0         0    6/6        c [6]\n"
		"-----------------------------------------------\n"
		"                                      3          a <cycle 1> [5]\n"
		"[4]      52.85      1.02         0    0      b <cycle 1> [4]\n"
		"                                      2          a <cycle 1> [5]\n"
		"                       0         0    3/6        c [6]\n"
		"-----------------------------------------------\n"
		"                    1.77         0    1/1        main [2]\n"
		"                                      2          b <cycle 1> [4]\n"
		"[5]      38.86      0.75         0    1      a <cycle 1> [5]\n"
		"                                      3          b <cycle 1> [4]\n"
		"                       0         0    3/6        c [6]\n"
		"-----------------------------------------------\n"
		"                       0         0    3/6        a <cycle 1> [5]\n"
		"                       0         0    3/6        b <cycle 1> [4]\n"
		"[6]       0.00         0         0    6      c [6]\n"
		"-----------------------------------------------\n";
	struct graph g;
	struct cycles c = { 0 };
	struct graph_view v = { .graph = &g, .cycles = &c, .names = names, .total = 193 };
	struct graph_opts opts = GRAPH_OPTS_DEFAULT;
	char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	graph_init(&g, 5);
	g.functions[MAIN].self = 16;
	g.functions[A].self = 75;
	g.functions[B].self = 102;
	for (size_t i = 0; i < sizeof(arcs) / sizeof(*arcs); i++)
		graph_add_arc(&g, arcs[i][0], arcs[i][1], arcs[i][2]);
	graph_index(&g);
	assert_int_equal(cycles_find(&c, &g), 0);
	gprof_text_write(out, &v, &opts, 100);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	cycles_deinit(&c);
	graph_deinit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
