// SPDX-License-Identifier: GPL-2.0-or-later
/* The account of a window from two readings: how long it was, what is counted, what is noted. */
#include "unit/unit.h"

#include "run/capture_account.h"

static const struct capture_event cpu_clock = { .name = "cpu-clock", .is_clock = true };

struct fixture {
	struct frame_table *frames;
	struct capture_parts parts;
	struct capture_reading before, after;
	struct capture_account account;
};

static void begin(struct fixture *f, const struct capture_event *event)
{
	const struct instant start = { .real_ns = 5000999999ull };
	const struct capture_rate rate = { .freq_hz = 99 };

	*f = (struct fixture){ .frames = frame_table_new() };
	f->parts.event = event;
	f->after.sampler.due_is_known = event->is_clock;
	f->parts.symbolizer =
		symbolizer_new(f->frames, &(struct symbolizer_opts){ .root = "/nonexistent" });
	f->parts.collector =
		collector_new(f->parts.symbolizer, f->frames, &(struct collector_opts){ 0 });
	capture_account_begin(&f->account, &f->parts, &rate, &start);
}

static void end(struct fixture *f)
{
	capture_account_deinit(&f->account);
	collector_free(f->parts.collector);
	symbolizer_free(f->parts.symbolizer);
	frame_table_unref(f->frames);
}

/* The note that holds the text; NULL when there is none. */
static const char *note_of(const struct fixture *f, const char *text)
{
	for (size_t i = 0; i < f->account.nr_notes; i++)
		if (strstr(f->account.notes[i], text))
			return f->account.notes[i];
	return NULL;
}

static void fill(struct fixture *f)
{
	capture_account_fill(&f->account, &f->parts, &f->before, &f->after);
}

static void test_lasted(void **state)
{
	struct capture_account a = { .seconds = 3000.25 };

	assert_int_equal(capture_account_lasted_ms(&a), 3000250);
	/* An hour by the clock: its name must reach as far as those of others do. */
	a.lapse.suspended_ns = 600ull * 1000000000;
	assert_int_equal(capture_account_lasted_ms(&a), 3600250);
}

static void test_quiet_window(void **state)
{
	_cleanup_strbuf_ struct strbuf blind = STRBUF_INIT;
	struct fixture f;

	capture_event_blind_spot(&cpu_clock, &blind);
	begin(&f, &cpu_clock);
	f.after.sampler.due = f.after.sampler.delivered = f.after.sampler.kept = 198;
	fill(&f);
	assert_int_equal(f.account.start_ms, 5000);
	assert_int_equal(f.account.rate.freq_hz, 99);
	assert_ptr_equal(f.account.event, &cpu_clock);
	/* What the event cannot see, and nothing else. */
	assert_int_equal(f.account.nr_notes, 1);
	assert_string_equal(f.account.notes[0], blind.bytes);
	assert_true(f.account.rss_bytes && f.account.max_rss_bytes);
	assert_int_equal(profile_total(collector_profile(f.parts.collector)), 0);
	end(&f);
}

static void test_differences(void **state)
{
	struct fixture f;
	struct sampler_stats *before = &f.before.sampler, *after = &f.after.sampler;
	const struct sampler_stats *got = &f.account.sampler;

	begin(&f, &cpu_clock);
	*before = (struct sampler_stats){ .due = 1002,
					  .delivered = 992,
					  .idle = 100,
					  .filtered = 10,
					  .kept = 870,
					  .lost = { 4, 3, 3, 2 },
					  .not_taken = { 10, 10, 10, 10 },
					  .nr_cpus = 2 };
	*after = (struct sampler_stats){ .due = 3002,
					 .due_is_known = true,
					 .delivered = 2982,
					 .idle = 200,
					 .filtered = 30,
					 .kept = 2700,
					 .lost = { 14, 13, 13, 12 },
					 .not_taken = { 11, 12, 13, 14 },
					 .nr_cpus = 3 };
	f.before.misses[SYMBOL_MISS_NO_FILE] = 0;
	f.before.cpu_seconds = 1.5;
	f.after.cpu_seconds = 2;
	fill(&f);
	assert_int_equal(got->due, 2000);
	assert_int_equal(got->idle, 100);
	assert_int_equal(got->filtered, 20);
	assert_int_equal(got->kept, 1830);
	assert_int_equal(got->nr_cpus, 3);
	assert_int_equal(f.account.nr_lost, 40);
	assert_int_equal(got->delivered, got->idle + got->filtered + got->kept + f.account.nr_lost);
	/* What was lost stands in the profile, under each reason. */
	assert_int_equal(profile_total(collector_profile(f.parts.collector)), 40);
	assert_int_equal(profile_nr_stacks(collector_profile(f.parts.collector)),
			 NR_SAMPLER_LOSSES);
	assert_true(f.account.cpu_seconds == 0.5);
	assert_int_equal(got->not_taken.idle, 1);
	assert_int_equal(got->not_taken.throttled, 2);
	assert_int_equal(got->not_taken.stolen, 3);
	assert_int_equal(got->not_taken.busy, 4);
	end(&f);
}

static void test_lapses(void **state)
{
	struct fixture f;

	begin(&f, &cpu_clock);
	f.account.lapse = (struct window_lapse){ .stepped_ns = -1500000000,
						 .suspended_ns = 2000000000,
						 .late_ns = 249999999 };
	fill(&f);
	assert_non_null(note_of(&f, "set back by 1.500 s"));
	assert_non_null(note_of(&f, "suspended for 2.0 s"));
	assert_null(note_of(&f, "late"));
	f.account.lapse = (struct window_lapse){ .stepped_ns = 250000000, .late_ns = 250000000 };
	fill(&f);
	assert_non_null(note_of(&f, "set forward by 0.250 s"));
	assert_non_null(note_of(&f, "late"));
	end(&f);
}

static void test_rates(void **state)
{
	static const struct capture_event cycles = { .name = "cycles" };
	struct fixture f;

	begin(&f, &cycles);
	f.before.max_sample_rate_hz = 100000;
	f.after.max_sample_rate_hz = 50000;
	f.before.sampler.throttled = 7;
	f.after.sampler.throttled = 10;
	f.after.sampler.enabled_ns = 2000;
	f.after.sampler.running_ns = 500;
	fill(&f);
	assert_non_null(note_of(&f, "throttled sampling 3 times"));
	assert_non_null(note_of(&f, "from 100000 to 50000 Hz"));
	assert_non_null(note_of(&f, "ran 25.0 % of the time"));
	assert_non_null(note_of(&f, "for a frequency on cycles the kernel adapts"));
	end(&f);
}

static void test_missing(void **state)
{
	struct fixture f;

	begin(&f, &cpu_clock);
	f.after.sampler.due = 2000;
	f.after.sampler.nr_cpus = 2;
	f.after.sampler.not_taken_slack = 4;
	/* One of each CPU may fall behind the end, a few in a thousand, and what a tick hides. */
	f.after.sampler.not_taken.busy = f.after.sampler.not_taken.idle = 16;
	fill(&f);
	assert_false(capture_account_is_many(&f.account, 16));
	assert_true(capture_account_is_many(&f.account, 17));
	assert_null(note_of(&f, "missing"));
	assert_null(note_of(&f, "(CPU idle"));
	f.after.sampler.not_taken.busy = 500;
	fill(&f);
	assert_non_null(note_of(&f, "500 samples of busy CPUs are missing"));
	assert_null(note_of(&f, "(CPU idle"));
	assert_null(note_of(&f, "skipped the sampler"));
	f.after.sampler.not_taken.idle = 700;
	f.after.sampler.not_taken.stolen = 300;
	f.after.sampler.bpf_misses = 5;
	fill(&f);
	assert_non_null(note_of(&f, "700 expected samples are missing (CPU idle"));
	assert_non_null(note_of(&f, "300 expected samples are missing (stolen"));
	assert_non_null(note_of(&f, "skipped the sampler 5 times"));
	end(&f);
}

/* So many samples of user stacks that end there. */
static void ends(struct fixture *f, uint8_t user_end, uint64_t samples)
{
	struct {
		struct eddy_stack_event ev;
		uint64_t frame;
	} e = { .ev = { .pid = 77, .user_end = user_end, .nr_user = 1 }, .frame = 0x1000 };

	collector_count(f->parts.collector, collector_stack(f->parts.collector, &e.ev), samples,
			samples);
}

/* What would help is said where one in twenty stacks ends in compiled code, and not below. */
static void test_jit(void **state)
{
	struct fixture f;

	begin(&f, &cpu_clock);
	ends(&f, EDDY_END_ROOT, 95);
	ends(&f, EDDY_END_JIT, 5);
	fill(&f);
	assert_null(note_of(&f, "PreserveFramePointer"));
	ends(&f, EDDY_END_JIT, 1);
	fill(&f);
	assert_non_null(note_of(&f, "6 of 101 user stacks end in code compiled at run time"));
	assert_non_null(note_of(&f, "-XX:+PreserveFramePointer"));
	end(&f);
}

/* Those that ran longest come first, then those loaded last; what is not known is not said. */
static void test_programs(void **state)
{
	struct other_programs o = { .nr = 10 };
	_cleanup_free_ char *unknown = capture_account_programs(NULL);
	_cleanup_free_ char *refused = capture_account_programs(&o);
	_cleanup_free_ char *none = NULL, *some = NULL, *many = NULL;

	assert_string_equal(unknown, "");
	assert_string_equal(refused, "");
	o = (struct other_programs){ .is_known = true };
	none = capture_account_programs(&o);
	assert_string_equal(none, "; of such programs none was seen");
	o.nr = 3;
	o.items[0] = (struct other_program){ .id = 5, .kind = "kprobe", .name = "a" };
	o.items[1] = (struct other_program){ .id = 7, .kind = "perf_event", .is_gone = true };
	o.items[2] = (struct other_program){
		.id = 6, .kind = "tracepoint", .name = "b", .run_ns = 1250000000
	};
	some = capture_account_programs(&o);
	assert_string_equal(some, "; of such programs there were tracepoint b (id 6, ran 1.250 s), "
				  "perf_event without a name (id 7, gone by now), kprobe a (id 5)");
	o.nr = MAX_OTHER_PROGRAMS;
	o.nr_more = 100;
	for (size_t i = 0; i < o.nr; i++)
		o.items[i] = (struct other_program){ .id = i, .kind = "kprobe", .name = "p" };
	many = capture_account_programs(&o);
	assert_non_null(strstr(many, "kprobe p (id 63), "));
	assert_non_null(strstr(many, "kprobe p (id 56) and 156 more"));
}

/* What samples stand for, where they are weighed, and what the kernel counted. */
static void test_weights(void **state)
{
	static const struct capture_event faults = { .name = "page-faults" };
	static const uint64_t delivered[] = { 900, 1100, 899, 1101 };

	for (int i = 0; i < 4; i++) {
		struct fixture f;

		begin(&f, &faults);
		f.after.sampler.is_weighed = true;
		f.after.sampler.weight.counted = 1000;
		f.after.sampler.weight.delivered = f.after.sampler.weight.kept = delivered[i];
		fill(&f);
		assert_int_equal(note_of(&f, "of 1000 page-faults") != NULL, i >= 2);
		end(&f);
	}
}

/* Other events had the counters in turn with ours. */
static void test_sharing(void **state)
{
	static const struct capture_event cycles = { .name = "cycles" };
	static const uint64_t running[] = { 400, 100, 0 };
	static const char *const says[] = { NULL, "ran 25.0 % of the time", "never ran" };

	for (int i = 0; i < 3; i++) {
		struct fixture f;

		begin(&f, &cycles);
		f.after.sampler.enabled_ns = 400;
		f.after.sampler.running_ns = running[i];
		fill(&f);
		if (says[i])
			assert_non_null(note_of(&f, says[i]));
		assert_int_equal(note_of(&f, "times 4.000") != NULL, i == 1);
		end(&f);
	}
}

static void test_kernel_stacks(void **state)
{
	struct fixture f;

	begin(&f, &cpu_clock);
	f.after.sampler.kernel_walked = 900;
	f.after.sampler.kernel_checked = 30;
	fill(&f);
	assert_null(note_of(&f, "differed"));
	f.after.sampler.kernel_differed = 1;
	fill(&f);
	assert_non_null(note_of(&f, "1 of 30 kernel stacks"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lasted),	    cmocka_unit_test(test_quiet_window),
		cmocka_unit_test(test_differences), cmocka_unit_test(test_lapses),
		cmocka_unit_test(test_rates),	    cmocka_unit_test(test_missing),
		cmocka_unit_test(test_jit),	    cmocka_unit_test(test_programs),
		cmocka_unit_test(test_weights),	    cmocka_unit_test(test_kernel_stacks),
		cmocka_unit_test(test_sharing),
	};

	return cmocka_run_group_tests_name("capture_account", tests, NULL, NULL);
}
