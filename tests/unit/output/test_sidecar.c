// SPDX-License-Identifier: GPL-2.0-or-later
/* The .json of a capture, as a whole. */
#include "unit/unit.h"

#include <stdio.h>

#include "output/sidecar.h"

static void test_object(void **state)
{
	const struct sidecar_count losses[] = { { "map-full", 0 }, { "ring-full", 3 } };
	const struct sidecar_count broken[] = { { "no-map", 1 }, { "fault", 2 } };
	const char *const notes[] = { "a \"note\"", "back\\slash \x1b[31m\n\xff" };
	const struct sidecar s = {
		.host = "h\nost",
		.kernel = "6.18",
		.arch = "x86_64",
		.event = "cpu-clock",
		.freq_hz = 99,
		.nr_cpus = 2,
		.start_ms = 1234567890123,
		.end_ms = 1234567891004,
		.samples = { 10, 9, 1, 2, 3, 3 },
		.losses = losses,
		.nr_losses = 2,
		.user_stacks = { 5, 2, 1, broken, 2 },
		.dropped = 2,
		.cost = { -1, 0.25, 4096, 2048, 77 },
		.notes = notes,
		.nr_notes = 2,
	};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	sidecar_write(f, &s);
	fclose(f);
	assert_non_null(strstr(text, "\"host\": \"h\\\\x0aost\""));
	assert_non_null(strstr(text, "\"start\": \"2009-02-13T23:31:30.123Z\""));
	assert_non_null(strstr(text, "\"end\": \"2009-02-13T23:31:31.004Z\""));
	assert_non_null(strstr(text, "\"losses\": {\"ring-full\": 3}"));
	assert_non_null(strstr(text, "\"broken\": {\"no-map\": 1, \"fault\": 2}"));
	assert_non_null(strstr(text, "\"bpf_ns_per_sample\": null"));
	assert_non_null(strstr(text, "\"dropped\": 2,"));
	assert_non_null(strstr(text, "\"rss_bytes\": 2048, \"bytes_written\": 77}"));
	assert_non_null(strstr(text, "\"a \\\"note\\\"\""));
	/* Nothing that JSON forbids in strings, whatever came in. */
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_null(strchr(text, '\xff'));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_object),
	};

	return cmocka_run_group_tests_name("sidecar", tests, NULL, NULL);
}
