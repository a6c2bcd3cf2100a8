// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/unit.h"

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
	assert_int_equal(s->freq_hz, 101);
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
	assert_int_equal(s->nr_notes, 3);
	assert_string_equal(s->notes[1], "two");
	assert_string_equal(s->notes[2], "three");
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
	};

	return cmocka_run_group_tests_name("sidecar_sum", tests, NULL, NULL);
}
