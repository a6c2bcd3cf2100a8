// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose this process is, and what /etc/subuid of this machine says. */
#include "util/owner.h"

#include <unistd.h>

#include "unit/unit.h"
#include "util/cleanup.h"
#include "util/owner_ranges.h"

static void the_system_and_others(void **state)
{
	assert_int_equal(owner_of_uid(0), OWNER_SYSTEM);
	assert_int_equal(owner_of_uid(999), OWNER_SYSTEM);
	assert_int_equal(owner_of_uid(1000), 1000);
	assert_int_equal(owner_of_process(getpid()), owner_of_uid(getuid()));
	assert_int_equal(owner_of_process(0x7ffffff0), OWNER_UNKNOWN);
}

static void subordinate_uids(void **state)
{
	_cleanup_fclose_ FILE *subuid = fopen("/etc/subuid", "re");
	_cleanup_fclose_ FILE *passwd = fopen("/etc/passwd", "re");
	struct owner_ranges r = { 0 };

	if (subuid)
		owner_ranges_read(&r, subuid, passwd);
	if (!r.nr)
		skip();
	for (size_t i = 0; i < r.nr; i++) {
		uint32_t last = (uint32_t)(r.items[i].end - 1), uid = owner_ranges_find(&r, last);

		assert_int_equal(owner_of_uid(last), uid < 1000 ? OWNER_SYSTEM : uid);
	}
	owner_ranges_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_system_and_others),
		cmocka_unit_test(subordinate_uids),
	};

	return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
