// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * endless_stacks SECONDS: 1152 functions with names of a kilobyte (NAME, of the command line) that
 * call each other at random, 250 deep: hardly two samples have the same stack.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 250
#define SPINS 20000

struct walk {
	uint32_t random;
	uint32_t depth;
	volatile uint32_t sink;
};

typedef void function(struct walk *w);

#define JOIN(a, b)    a##b
#define NAMED(a, b)   JOIN(a, b)
#define BY_FOUR(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define BY_16(X, n)   BY_FOUR(X, n##0) BY_FOUR(X, n##1) BY_FOUR(X, n##2) BY_FOUR(X, n##3)
#define BY_256(X, n)   \
	BY_16(X, n##0) \
	BY_16(X, n##1) \
	BY_16(X, n##2) BY_16(X, n##3) BY_16(X, n##4) BY_16(X, n##5) BY_16(X, n##6) BY_16(X, n##7)
#define ALL(X)       \
	BY_256(X, 1) \
	BY_256(X, 2) \
	BY_256(X, 3) BY_256(X, 4) BY_256(X, 5) BY_256(X, 6) BY_256(X, 7) BY_256(X, 8) BY_256(X, 9)

static function *pick(struct walk *w);

#define DEFINE(n)                                                             \
	static __attribute__((noinline)) void NAMED(NAME, n)(struct walk * w) \
	{                                                                     \
		if (++w->depth < DEPTH)                                       \
			pick(w)(w);                                           \
		else                                                          \
			for (uint32_t i = 0; i < SPINS; i++)                  \
				w->sink++;                                    \
		w->depth--;                                                   \
	}
#define ENTRY(n) NAMED(NAME, n),

ALL(DEFINE)

static function *const functions[] = { ALL(ENTRY) };

static function *pick(struct walk *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 17;
	w->random ^= w->random << 5;
	return functions[w->random % (sizeof(functions) / sizeof(*functions))];
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
	struct walk w = { .random = 2463534242 };

	while (time(NULL) < end)
		pick (&w)(&w);
	return 0;
}
