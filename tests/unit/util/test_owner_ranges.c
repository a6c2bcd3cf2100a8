// SPDX-License-Identifier: GPL-2.0-or-later
/* Files as /etc/subuid and /etc/passwd; lines of nonsense; random ranges against a slow look-up. */
#include "util/owner_ranges.h"

#include <string.h>

#include "random.h"
#include "unit/unit.h"
#include "util/cleanup.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "docker:x:998:998::/:/usr/sbin/nologin\n"
			     "nonsense\n"
			     "alice:x:1000:1000:Alice:/home/alice:/bin/bash\n"
			     "bob:x:1001:1001::/home/bob:/bin/bash\n"
			     "7777:x:1002:1002::/home/7777:/bin/bash\n";

static struct owner_ranges ranges_of(const char *subuid)
{
	_cleanup_fclose_ FILE *lines = fmemopen((char *)subuid, strlen(subuid), "r");
	_cleanup_fclose_ FILE *users = fmemopen((char *)passwd, strlen(passwd), "r");
	struct owner_ranges r = { 0 };

	owner_ranges_read(&r, lines, users);
	return r;
}

static void whose_they_are(void **state)
{
	struct owner_ranges r = ranges_of("bob:165536:65536\n"
					  "alice:100000:65536\n"
					  "alice:400000:10\n"
					  "1003:300000:1000\n"
					  "7777:310000:1000\n"
					  "elsewhere:500000:65536\n");

	assert_int_equal(r.nr, 6);
	assert_int_equal(owner_ranges_find(&r, 1000), 1000);
	assert_int_equal(owner_ranges_find(&r, 99999), 99999);
	assert_int_equal(owner_ranges_find(&r, 100000), 1000);
	assert_int_equal(owner_ranges_find(&r, 165535), 1000);
	assert_int_equal(owner_ranges_find(&r, 165536), 1001);
	assert_int_equal(owner_ranges_find(&r, 231071), 1001);
	assert_int_equal(owner_ranges_find(&r, 231072), 231072);
	assert_int_equal(owner_ranges_find(&r, 300999), 1003);
	assert_int_equal(owner_ranges_find(&r, 310999), 1002); /* a name before a number */
	assert_int_equal(owner_ranges_find(&r, 400009), 1000);
	assert_int_equal(owner_ranges_find(&r, 400010), 400010);
	assert_int_equal(owner_ranges_find(&r, 500000), 500000); /* one user, whoever it is */
	assert_int_equal(owner_ranges_find(&r, 565535), 500000);
	assert_int_equal(owner_ranges_find(&r, UINT32_MAX), UINT32_MAX);
	owner_ranges_deinit(&r);
}

/* Containers of one service are not one user, and no part of the system. */
static void blocks_of_the_system(void **state)
{
	struct owner_ranges r = ranges_of("root:1000000:1000000000\ndocker:700000:65537\n");

	assert_int_equal(owner_ranges_find(&r, 1000000), 1000000);
	assert_int_equal(owner_ranges_find(&r, 1065535), 1000000);
	assert_int_equal(owner_ranges_find(&r, 1065536), 1065536);
	assert_int_equal(owner_ranges_find(&r, 1131071), 1065536);
	assert_int_equal(owner_ranges_find(&r, 765535), 700000);
	assert_int_equal(owner_ranges_find(&r, 765536), 765536);
	owner_ranges_deinit(&r);
}

static void within_one_another(void **state)
{
	struct owner_ranges r = ranges_of("1003:100000:900000\nalice:200000:100\nbob:200050:10\n");

	assert_int_equal(owner_ranges_find(&r, 199999), 1003);
	assert_int_equal(owner_ranges_find(&r, 200000), 1000);
	assert_int_equal(owner_ranges_find(&r, 200055), 1001);
	assert_int_equal(owner_ranges_find(&r, 200060), 1000);
	assert_int_equal(owner_ranges_find(&r, 200100), 1003);
	assert_int_equal(owner_ranges_find(&r, 999999), 1003);
	assert_int_equal(owner_ranges_find(&r, 1000000), 1000000);
	owner_ranges_deinit(&r);
}

static void nonsense(void **state)
{
	char many[1200];
	struct owner_ranges r = ranges_of("\n:\n::\nalice\nalice:1\nalice:x:5\nalice:5:\n"
					  ":100000:5\nalice:100000:0\nalice:-5:10\n"
					  "alice:4294967296:5\nalice:5:4294967296\n"
					  "alice:100000:5:6\n# alice:100000:5 \n"
					  "bob:4294967295:4294967295");

	assert_int_equal(r.nr, 0); /* the last has no end of line: it may have been cut off */
	owner_ranges_deinit(&r);
	memset(many, 'a', sizeof(many));
	memcpy(many + sizeof(many) - 40, ":100000:5\nalice:4294967295:4294967295\n", 39);
	r = ranges_of(many);
	assert_int_equal(r.nr, 1);
	assert_int_equal(owner_ranges_find(&r, UINT32_MAX), 1000);
	assert_int_equal(owner_ranges_find(&r, 100000), 100000);
	owner_ranges_deinit(&r);
	r = ranges_of("\n");
	assert_int_equal(owner_ranges_find(&r, 5000), 5000);
	owner_ranges_deinit(&r);
}

/* The one that begins last of those that hold the UID; of these the shortest. */
static uint32_t find_slowly(const uint32_t (*ranges)[2], size_t nr, uint32_t uid)
{
	uint32_t best = uid, first = 0, count = 0;

	for (size_t i = 0; i < nr; i++) {
		const uint32_t *r = ranges[i];

		if (uid < r[0] || uid - r[0] >= r[1] || r[0] < first)
			continue;
		if (best != uid && r[0] == first && r[1] > count)
			continue;
		best = 1000 + (uint32_t)i, first = r[0], count = r[1];
	}
	return best;
}

static void against_slow(void **state)
{
	uint32_t made[60][2];

	for (int round = 0; round < 200; round++) {
		_cleanup_free_ char *text = NULL;
		struct owner_ranges r = { 0 };
		size_t bytes, nr = test_random_below(60);
		FILE *f = open_memstream(&text, &bytes);

		for (size_t i = 0; i < nr; i++) {
			made[i][0] = 2000 + test_random_below(500);
			made[i][1] = 1 + i + 60 * test_random_below(3); /* none like another */
			fprintf(f, "%zu:%u:%u\n", 1000 + i, made[i][0], made[i][1]);
		}
		fputc('\n', f);
		fclose(f);
		f = fmemopen(text, bytes, "r");
		owner_ranges_read(&r, f, NULL);
		fclose(f);
		assert_int_equal(r.nr, nr);
		for (uint32_t uid = 1900; uid < 2800; uid++)
			assert_int_equal(owner_ranges_find(&r, uid), find_slowly(made, nr, uid));
		owner_ranges_deinit(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_they_are),     cmocka_unit_test(blocks_of_the_system),
		cmocka_unit_test(within_one_another), cmocka_unit_test(nonsense),
		cmocka_unit_test(against_slow),
	};

	return cmocka_run_group_tests_name("owner_ranges", tests, NULL, NULL);
}
