// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks that are followed through the passes: whatever passes there are, the samples of each node
 * are where it was said that its stack went.
 */
#include "analysis/pipeline.h"

#include "util/mem.h"
#include "unit/unit.h"

static struct profile *random_profile(void)
{
	static const char *const names[] = {
		"main",
		"work_[k]",
		"asm_sysvec_apic_timer_interrupt_[k]",
		"irqentry_exit_[k]",
		"f",
		"g",
		"sysvec_apic_timer_interrupt_[k]",
		"__irq_exit_rcu_[k]",
		"read_[k]",
		"f",
		"handle_softirqs_[k]",
		"net_rx_action_[k]",
		"asm_exc_nmi_[k]",
		"schedule_[k]",
	};
	struct profile *p = profile_new(NULL);

	for (int i = 0; i < 300; i++) {
		node_id at = profile_child(p, NODE_ROOT,
					   frame_table_add_text(profile_frames(p), "comm-7", 6));

		for (uint32_t depth = test_random_below(12); depth; depth--) {
			const char *name = names[test_random_below(ARRAY_SIZE(names))];

			at = profile_child(
				p, at, frame_table_add_text(profile_frames(p), name, strlen(name)));
		}
		profile_add(p, at, 1 + test_random_below(9));
	}
	return p;
}

static void expect_followed(const struct passes *passes)
{
	_cleanup_profile_ struct profile *p = random_profile();
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	_cleanup_free_ uint64_t *sums = NULL;
	const struct pipeline_request request = {
		.passes = passes,
		.flags = PIPELINE_FILES | PIPELINE_JOIN_INLINED,
		.had = BASE_FRAMES_OF(BASE_FRAME_PROCESS),
	};
	const node_id *followed;
	uint64_t dropped = 0;

	profile_follow(p);
	assert_int_equal(pipeline_run(&request, p, &result, NULL), 0);
	followed = profile_followed(result.profile);
	assert_non_null(followed);
	sums = xcalloc(profile_nr_nodes(result.profile), sizeof(*sums));
	for (node_id n = 0; n < profile_nr_nodes(p); n++)
		if (profile_self(p, n) && followed[n] == NODE_DROP)
			dropped += profile_self(p, n);
		else if (profile_self(p, n))
			sums[followed[n]] += profile_self(p, n);
	for (node_id n = 0; n < profile_nr_nodes(result.profile); n++)
		assert_int_equal(sums[n], profile_self(result.profile, n));
	assert_int_equal(dropped, result.stats.irq_dropped + result.stats.focus_dropped);
}

static void expect_followed_by(enum irq_mode mode, enum collapse_degree degree, int more)
{
	static const char *focus[] = { "f" }, *ignore[] = { "work_[[]k]" };
	struct passes passes;

	passes_init(&passes);
	passes.irq.mode = mode;
	passes.collapse = degree;
	passes.collapse_given = true;
	if (more & 1)
		passes.focus = (struct patterns){ focus, 1, 0 };
	if (more & 2)
		passes.ignore = (struct patterns){ ignore, 1, 0 };
	passes.root_given = more & 2;
	expect_followed(&passes);
}

static void test_followed(void **state)
{
	static const enum irq_mode modes[] = { IRQ_MODE_KEEP, IRQ_MODE_SPLIT, IRQ_MODE_CHARGE,
					       IRQ_MODE_DROP };

	for (size_t mode = 0; mode < ARRAY_SIZE(modes); mode++)
		for (int degree = 0; degree < NR_COLLAPSE_DEGREES; degree++)
			for (int more = 0; more < 4; more++)
				expect_followed_by(modes[mode], degree, more);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_followed) };

	return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
