// SPDX-License-Identifier: GPL-2.0-or-later
/* Windows merged in memory: every number, and the same as merging their files. */
#include "unit/unit.h"

#include "output/sidecar_merge.h"
#include "output/sidecar_rule.h"
#include "output/sidecar_sum.h"

static const struct irq_counts irq = { 10, { [IRQ_HARDIRQ] = 3 } };
static const struct irq_agreement agreement = { .agree = 5, .samples[IRQ_NMI][IRQ_STACK_OFF] = 2 };

static struct sidecar make(uint64_t start_ms, const struct sidecar_count *losses,
			   const char *const *notes)
{
	return (struct sidecar){
		.host = "h",
		.kernel = "6",
		.arch = "x",
		.event = "cpu-clock",
		.freq_hz = start_ms / 1000 + 99,
		.nr_cpus = 2,
		.start_ms = start_ms,
		.end_ms = start_ms + 1000,
		.samples = { 10, 9, 1, 2, 3, 3 },
		.losses = losses,
		.nr_losses = losses ? 2 : 0,
		.user_stacks = { 5, 2, 1, NULL, 0 },
		.frames = { 4, 3, 2, 1 },
		.irq = { &irq, &agreement },
		.cost = { 1000, 0.25, 4096, 2048, -1 },
		.notes = notes,
		.nr_notes = notes ? 2 : 0,
	};
}

static void test_sum(void **state)
{
	char name[16] = "cpu-clock", note[16] = "two";
	const struct sidecar_count losses[] = { { "map-full", 1 }, { "ring-full", 2 } };
	const struct sidecar_count others[] = { { "ring-full", 0 }, { "map-busy", 3 } };
	const char *const notes[] = { "one", note }, *const more[] = { "one", "three" };
	struct sidecar a = make(1000, losses, notes), b = make(2000, others, more);
	_cleanup_sidecar_sum_ struct sidecar_sum *sum = NULL;
	const struct sidecar *s;

	a.event = name;
	sum = sidecar_sum_new(&a);
	memset(name, 'x', sizeof(name) - 1); /* the sum has copies of its own */
	memset(note, 'x', sizeof(note) - 1);
	b.nr_cpus = 4;
	b.cost.bpf_ns_per_sample = 4000;
	b.samples.delivered = 18;
	b.cost.max_rss_bytes = 100;
	sidecar_sum_add(sum, &b);
	s = sidecar_sum_get(sum);
	assert_string_equal(s->event, "cpu-clock");
	assert_int_equal(s->start_ms, 1000);
	assert_int_equal(s->end_ms, 3000);
	assert_true(s->rates_differ);
	assert_int_equal(s->nr_cpus, 4);
	assert_int_equal(s->samples.due, 20);
	assert_int_equal(s->samples.delivered, 27);
	assert_int_equal(s->samples.kept, 6);
	assert_int_equal(s->samples.lost, 6);
	assert_int_equal(s->nr_losses, 3);
	assert_string_equal(s->losses[1].name, "ring-full");
	assert_int_equal(s->losses[1].value, 2);
	assert_int_equal(s->losses[2].value, 3);
	assert_int_equal(s->frames.kernel_named, 2);
	assert_int_equal(s->irq.counts->samples[IRQ_HARDIRQ], 6);
	assert_int_equal(s->irq.agreement->agree, 10);
	assert_int_equal(s->irq.agreement->samples[IRQ_NMI][IRQ_STACK_OFF], 4);
	assert_true(s->cost.bpf_ns_per_sample == 3000);
	assert_true(s->cost.cpu_seconds == 0.5);
	assert_int_equal(s->cost.max_rss_bytes, 4096);
	assert_int_equal(s->nr_notes, 4);
	assert_string_equal(s->notes[1], "two");
	assert_string_equal(s->notes[2], SIDECAR_RATES_DIFFER);
	assert_string_equal(s->notes[3], "three");
}

static char *text_of(const struct sidecar *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	sidecar_write(f, s);
	fclose(f);
	return text;
}

static struct json *json_of(const struct sidecar *s)
{
	_cleanup_free_ char *text = text_of(s);
	struct json *j = NULL;

	assert_int_equal(json_parse(text, strlen(text), &j, NULL), 0);
	return j;
}

/* Every number of the first object is the second's, but for those of the second alone. */
static void expect_same(const struct json *a, json_id in_a, const struct json *b, json_id in_b)
{
	for (json_id x = json_first(a, in_a); x != JSON_NONE; x = json_next(a, x)) {
		json_id y = json_member(b, in_b, json_name(a, x));

		if (!strcmp(json_name(a, x), "notes"))
			continue;
		assert_int_not_equal(y, JSON_NONE);
		assert_int_equal(json_kind(a, x) == JSON_NULL, json_kind(b, y) == JSON_NULL);
		assert_true(json_number(a, x) - json_number(b, y) < 0.11 &&
			    json_number(b, y) - json_number(a, x) < 0.11);
		assert_string_equal(json_string(a, x), json_string(b, y));
		if (json_kind(a, x) == JSON_OBJECT)
			expect_same(a, x, b, y);
	}
}

/* Windows merged in memory and then written, and written and then merged, say the same. */
static void test_as_files(void **state)
{
	static const struct sidecar_count losses[] = { { "map-full", 1 }, { "ring-full", 2 } };
	static const struct sidecar_count broken[] = { { "no-map", 3 }, { "fault", 4 } };

	for (int round = 0; round < 200; round++) {
		_cleanup_sidecar_merge_ struct sidecar_merge *files = sidecar_merge_new();
		_cleanup_sidecar_sum_ struct sidecar_sum *sum = NULL;
		_cleanup_json_ struct json *in_memory = NULL, *of_files = NULL;
		_cleanup_free_ char *text = NULL;
		size_t len;
		FILE *f;

		for (int i = 0; i < 5; i++) {
			struct sidecar s = make(1000 * i, test_random() % 2 ? losses : NULL, NULL);
			_cleanup_json_ struct json *j = NULL;

			s.freq_hz = test_random() % 8 ? 99 : 49;
			s.period = round % 2;
			s.nr_cpus = 1 + test_random() % 4;
			s.samples.delivered = 1 + test_random() % 100;
			s.dropped = 1 + test_random() % 5;
			s.user_stacks.broken = broken;
			s.user_stacks.nr_broken = test_random() % 3;
			s.cost.bpf_ns_per_sample =
				test_random() % 3 ? (double)(test_random() % 5000) : -1;
			s.cost.rss_bytes = test_random() % 1000;
			s.cost.max_rss_bytes = test_random() % 1000;
			j = json_of(&s);
			assert_int_equal(sidecar_merge_add(files, j, NULL), 0);
			if (!sum)
				sum = sidecar_sum_new(&s);
			else
				sidecar_sum_add(sum, &s);
		}
		sidecar_sum_set_stacks(sum, 7, sidecar_sum_get(sum)->dropped);
		in_memory = json_of(sidecar_sum_get(sum));
		f = open_memstream(&text, &len);
		sidecar_merge_write(f, files, 7);
		fclose(f);
		assert_int_equal(json_parse(text, len, &of_files, NULL), 0);
		expect_same(in_memory, JSON_ROOT, of_files, JSON_ROOT);
	}
}

static void test_lose_and_note(void **state)
{
	struct sidecar a = make(0, NULL, NULL);
	_cleanup_sidecar_sum_ struct sidecar_sum *sum = sidecar_sum_new(&a);
	const struct sidecar *s = sidecar_sum_get(sum);
	size_t before = sidecar_sum_bytes(sum);

	sidecar_sum_lose(sum, "window-memory", 2);
	assert_int_equal(s->samples.kept, 1);
	assert_int_equal(s->samples.lost, 5);
	assert_int_equal(s->losses[0].value, 2);
	sidecar_sum_set_stacks(sum, 7, 1);
	assert_int_equal(s->distinct_stacks, 7);
	assert_int_equal(s->dropped, 1);
	sidecar_sum_set_bytes_written(sum, 99);
	assert_int_equal(s->cost.bytes_written, 99);
	for (int i = 0; i < 1000; i++)
		sidecar_sum_note(sum, "note %d", i % 500);
	assert_true(s->nr_notes > 10 && s->nr_notes < 100);
	assert_non_null(strstr(s->notes[s->nr_notes - 1], "more"));
	assert_true(sidecar_sum_bytes(sum) > before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_lose_and_note),
		cmocka_unit_test(test_as_files),
	};

	return cmocka_run_group_tests_name("sidecar_sum", tests, NULL, NULL);
}
