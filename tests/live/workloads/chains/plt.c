// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> plt_caller -> (PLT) -> libc, a position-dependent program with lazy binding: samples hit
 * the PLT's own instructions, with one or two words on the stack.
 */
#include "chain.h"

#include <ctype.h>
#include <string.h>

static volatile size_t sink;

NAMED void plt_caller(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;
	char text[16] = "abc";

	do {
		for (int i = 0; i < 10000; i++) {
			text[1] = 'a' + (i & 7);
			sink += strnlen(text, sizeof(text));
			sink += toupper(text[1]);
			sink += strcspn(text, "c");
		}
	} while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	plt_caller(chain_begin(argc, argv));
	chain_end();
}
