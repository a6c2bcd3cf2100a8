// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation: a large array that grows is moved by the kernel, not copied. */
#include "util/mem.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

#define MIB (1024 * 1024)

/* Whether all of it lies in one mapping: mremap(2) moves no more than one. */
static bool is_one_mapping(const void *p, size_t size)
{
	uintptr_t from = (uintptr_t)p, start, end;
	FILE *maps = fopen("/proc/self/maps", "re");
	bool is_one = false;
	char line[512];

	assert_non_null(maps);
	while (!is_one && fgets(line, sizeof(line), maps))
		is_one = sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2 &&
			 start <= from && from + size <= end;
	fclose(maps);
	return is_one;
}

static void large_arrays_stay_whole(void **state)
{
	char *p = xmalloc(16 * MIB + 1);

	assert_true(is_one_mapping(p, 16 * MIB + 1));
	p[0] = 'a';
	p[16 * MIB] = 'z';
	p = xreallocarray(p, 48 * MIB + 1, 1);
	assert_true(is_one_mapping(p, 48 * MIB + 1));
	assert_int_equal(p[0], 'a');
	assert_int_equal(p[16 * MIB], 'z');
	free(p);
	p = xcalloc(16, MIB);
	assert_true(is_one_mapping(p, 16 * MIB));
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_arrays_stay_whole),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
