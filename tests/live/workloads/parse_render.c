// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse_render [PARSE [RENDER]]: seconds of processor time of two functions, in turns of a few
 * milliseconds.  A program whose work is known, and of which one part can be made less while the
 * other stays what it is.
 */
#include "work.h"

NAMED void parse_input(uint64_t ns)
{
	BURN_NS(ns);
}

NAMED void render_output(uint64_t ns)
{
	BURN_NS(ns);
}

int main(int argc, char **argv)
{
	uint64_t parse_ns = work_ns(argc, argv, 1.6);
	uint64_t render_ns = argc > 2 ? work_ns(argc - 1, argv + 1, 0.8) : 800000000;
	uint64_t used[2] = { 0 };

	/* Each turn makes up for what the one before did too much. */
	for (int i = 1; i <= 200; i++) {
		uint64_t at = thread_cpu_ns(), want = parse_ns / 200 * i;

		if (want > used[0])
			parse_input(want - used[0]);
		used[0] += thread_cpu_ns() - at;
		at = thread_cpu_ns();
		want = render_ns / 200 * i;
		if (want > used[1])
			render_output(want - used[1]);
		used[1] += thread_cpu_ns() - at;
	}
	truth("parse_input", used[0]);
	truth("render_output", used[1]);
	return 0;
}
