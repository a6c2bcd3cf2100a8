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

#include "../random.h"

/*
 * Whether qemu's user emulation runs this test: /proc then tells of the emulator for every process
 * but the reader itself.
 */
static inline int test_is_emulated(void)
{
	return getenv("EDDY_EMULATED") != NULL;
}

#endif
