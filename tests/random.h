/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers for properties and for inputs of benchmarks: the same ones on every machine. */
#ifndef EDDY_TESTS_RANDOM_H
#define EDDY_TESTS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

/* xorshift64*, one sequence for the whole program; EDDY_SEED changes it. */
static inline uint64_t test_random(void)
{
	static uint64_t x;

	if (!x) {
		const char *seed = getenv("EDDY_SEED");

		x = seed ? strtoull(seed, NULL, 0) : 88172645463325252ull;
		x |= !x;
	}
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 2685821657736338717ull;
}

static inline uint64_t test_random_below(uint64_t n)
{
	return test_random() % n;
}

/* A number that has nothing to do with x, the same one each time. */
static inline uint64_t test_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* splitmix64, for as many sequences as there are states; any state will do to begin with. */
static inline uint64_t test_random_from(uint64_t *state)
{
	return test_mix(*state += 0x9e3779b97f4a7c15);
}

#endif
