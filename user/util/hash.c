// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The key.  It is written once, before main(), and never again: an exception to the rule that
 * nothing below cli/ has a state of its own, since every table of the process has to share it.
 */
#include "util/hash.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

uint64_t hash_key[HASH_KEYS];

/* Blocks only until the machine has any entropy at all. */
__attribute__((constructor)) static void choose_key(void)
{
	if (getrandom(hash_key, sizeof(hash_key), 0) != sizeof(hash_key))
		abort();
}
