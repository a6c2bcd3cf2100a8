// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of PMUs as a directory of the test describes them, as sysfs would. */
#include "capture/pmu.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "unit/unit.h"
#include "util/cleanup.h"
#include "util/mem.h"

static char root[] = "/tmp/eddy-test-XXXXXX";

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	FILE *f;

	for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	assert_non_null(mkdtemp(root));
	put("cpu/type", "4\n");
	put("cpu/format/event", "config:0-7,32-35\n");
	put("cpu/format/umask", "config:8-15\n");
	put("cpu/format/edge", "config:18\n");
	put("cpu/format/offcore_rsp", "config1:0-63\n");
	put("cpu/format/ldlat", "config2:0-15\n");
	put("cpu/format/config9", "config9:0-3\n");
	put("cpu/format/broken", "config:7-0\n");
	put("cpu/events/cpu-cycles", "event=0x3c\n");
	put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put("cpu/events/needs", "event=0x1,umask=?\n");
	put("cpu/events/loop", "loop\n");
	put("cpu/events/cpu-cycles.scale", "2.0\n");
	put("cpu/caps/max_precise", "2\n");
	put("broken/type", "x\n");
	return 0;
}

static int teardown(void **state)
{
	_cleanup_free_ char *command = xasprintf("rm -rf %s", root);

	return system(command);
}

static void check(const char *text, uint64_t config, uint64_t config1, uint64_t config2)
{
	struct pmu_event e;
	struct diag diag = { "" };

	assert_int_equal(pmu_parse(root, text, &e, &diag), 0);
	assert_int_equal(e.type, 4);
	assert_int_equal(e.config[0], config);
	assert_int_equal(e.config[1], config1);
	assert_int_equal(e.config[2], config2);
}

static void test_terms(void **state)
{
	check("cpu/event=0x3c/", 0x3c, 0, 0);
	check("cpu/event=60,umask=1/pp", 0x13c, 0, 0);
	check("cpu/event=0xfab,umask=0x20,edge/", 0xf000420ab, 0, 0);
	check("cpu/edge=0,event=010/", 8, 0, 0);
	check("cpu/event=0xb7,offcore_rsp=0xffffffffffffffff/", 0xb7, UINT64_MAX, 0);
	check("cpu/config=0x1c2,config1=7,config2=9/", 0x1c2, 7, 9);
	/* What comes later is what counts, and sets its own bits alone. */
	check("cpu/config=0xffff,umask=0/", 0xff, 0, 0);
}

static void test_named_events(void **state)
{
	check("cpu/cpu-cycles/", 0x3c, 0, 0);
	check("cpu/mem-loads/", 0x1cd, 0, 3);
	check("cpu/mem-loads,ldlat=30/", 0x1cd, 0, 30);
}

static void refused(const char *text, int err, const char *why)
{
	struct pmu_event e = { .type = 77 };
	struct diag diag = { "" };

	assert_int_equal(pmu_parse(root, text, &e, &diag), err);
	if (!strstr(diag.text, why))
		fail_msg("'%s' does not say '%s'", diag.text, why);
	assert_int_equal(e.type, 77);
}

static void test_refused(void **state)
{
	refused("cpu/event=0x1000/", -EINVAL, "there are 12 bits");
	refused("cpu/edge=2/", -EINVAL, "there are 1 bits");
	refused("cpu/evnt=1/", -EINVAL, "did you mean 'event'");
	refused("cpu/nothing/", -EINVAL, "broken, config9, edge, event");
	refused("cpu/cpu-cycle/", -EINVAL, "did you mean 'cpu-cycles'");
	refused("cpu/cpu-cycles.scale/", -EINVAL, "is no term");
	refused("cpu/needs/", -EINVAL, "needs umask=VALUE");
	refused("cpu/loop/", -EINVAL, "stands for is not understood");
	refused("cpu/config9=1/", -EINVAL, "not understood: 'config9:0-3'");
	refused("cpu/broken=1/", -EINVAL, "not understood: 'config:7-0'");
	refused("cpu/event=x/", -EINVAL, "is no number");
	refused("cpu/event=-1/", -EINVAL, "is no number");
	refused("cpu/event=0x10000000000000000/", -EINVAL, "is no number");
	refused("cpu/event=/", -EINVAL, "is no number");
	refused("cpu/period=5/", -EINVAL, "--count");
	refused("cpu/../type/", -EINVAL, "a term has no name");
	refused("cpu/,/", -EINVAL, "a term has no name");
	refused("cpu//", -EINVAL, "no term between");
	refused("cpu/", -EINVAL, "PMU/TERMS/");
	refused("../cpu/event=1/", -EINVAL, "PMU/TERMS/");
	refused("/event=1/", -EINVAL, "PMU/TERMS/");
	refused("cpv/event=1/", -ENOENT, "no PMU 'cpv' (broken, cpu); did you mean 'cpu'");
	refused("broken/event=1/", -ENOENT, "no PMU 'broken'");
}

static void test_precision(void **state)
{
	assert_int_equal(pmu_max_precise(root), 2);
	put("cpu/caps/max_precise", "9\n");
	assert_int_equal(pmu_max_precise(root), 3);
	put("cpu/caps/max_precise", "high\n");
	assert_int_equal(pmu_max_precise(root), 0);
	assert_int_equal(pmu_max_precise("/nowhere"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_named_events),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_precision),
	};

	return cmocka_run_group_tests_name("pmu", tests, setup, teardown);
}
