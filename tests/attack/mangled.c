// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mangled SECONDS: 64 functions that take turns of some 20 us each; whoever runs the program gives
 * them names.
 */
#include <stdlib.h>
#include <time.h>

#define EIGHT(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define ALL(m)      \
	EIGHT(m, 0) \
	EIGHT(m, 1) EIGHT(m, 2) EIGHT(m, 3) EIGHT(m, 4) EIGHT(m, 5) EIGHT(m, 6) EIGHT(m, 7)

#define DEFINE(n)                                                  \
	__attribute__((noinline, noclone)) void renamed_##n(void); \
	__attribute__((noinline, noclone)) void renamed_##n(void)  \
	{                                                          \
		for (volatile int i = 0x##n; i < 10000; i++)       \
			;                                          \
	}
#define NAME(n) renamed_##n,

ALL(DEFINE)

static void (*const functions[])(void) = { ALL(NAME) };

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 1);

	while (time(NULL) < end)
		for (int i = 0; i < 64; i++)
			functions[i]();
	return 0;
}
