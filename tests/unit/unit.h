/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka with the headers it forgets to include, and a seeded random source for properties. */
#ifndef EDDY_TESTS_UNIT_H
#define EDDY_TESTS_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* xorshift64*: the same numbers on every machine; EDDY_SEED changes them. */
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

/*
 * Whether qemu's user emulation runs this test: /proc then tells of the emulator for every process
 * but the reader itself.
 */
static inline int test_is_emulated(void)
{
	return getenv("EDDY_EMULATED") != NULL;
}

#endif
