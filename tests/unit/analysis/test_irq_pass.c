// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each mode makes of interrupts, inline softirqs and exit work, and what holds for any frames.
 */
#include "unit/unit.h"

#include "analysis/irq_pass.h"
#include "unit/analysis/irq_stacks.h"

static struct profile *pass(const struct profile *in, enum irq_mode mode, bool split_inline,
			    uint64_t *ret_dropped)
{
	struct irq_opts opts = { .mode = mode, .split_inline = split_inline };

	return irq_separate(in, &opts, ret_dropped);
}

static char *pass_text(const char *in, enum irq_mode mode, bool split_inline)
{
	_cleanup_profile_ struct profile *p = irq_stacks_parse(in);
	_cleanup_profile_ struct profile *q = pass(p, mode, split_inline, NULL);

	return irq_stacks_print(q);
}

static void check(const char *in, enum irq_mode mode, bool split_inline, const char *want)
{
	_cleanup_free_ char *got = pass_text(in, mode, split_inline);

	assert_string_equal(got, want);
}

#define ENTRY	"asm_sysvec_x_[k];sysvec_x_[k]"
#define SOFTIRQ ENTRY ";__irq_exit_rcu_[k];handle_softirqs_[k]"
#define INLINE	"send_[k];__local_bh_enable_ip_[k];do_softirq_[k];handle_softirqs_[k]"

static void test_hardirq(void **state)
{
	static const char in[] = "a;main;" ENTRY ";dev_[k] 3\n"
				 "a;main 4\n";

	check(in, IRQ_MODE_SPLIT, false, "[hardirq];" ENTRY ";dev_[k] 3\na;main 4\n");
	check(in, IRQ_MODE_KEEP, false, "a;main 4\na;main;" ENTRY ";dev_[k] 3\n");
	check(in, IRQ_MODE_CHARGE, false, "a;main 7\n");
	check(in, IRQ_MODE_DROP, false, "a;main 4\n");
}

static void test_softirq(void **state)
{
	static const char in[] = "a;main;" SOFTIRQ ";net_rx_action_[k];poll_[k] 3\n"
				 "a;main;" SOFTIRQ " 2\n";

	check(in, IRQ_MODE_SPLIT, false,
	      "[softirq];handle_softirqs_[k] 2\n[softirq];net_rx_action_[k];poll_[k] 3\n");
	check(in, IRQ_MODE_CHARGE, false, "a;main 5\n");
	check(in, IRQ_MODE_DROP, false, "");
	/* A core of two frames. */
	check("a;" ENTRY ";irq_exit_[k];__do_softirq_[k];handle_softirqs_[k];rcu_core_[k] 1\n",
	      IRQ_MODE_SPLIT, false, "[softirq];rcu_core_[k] 1\n");
}

static void test_inline_softirq(void **state)
{
	static const char in[] = "a;main;" INLINE ";net_rx_action_[k] 3\n";

	check(in, IRQ_MODE_SPLIT, false, in);
	check(in, IRQ_MODE_CHARGE, false, in);
	check(in, IRQ_MODE_DROP, false, in);
	check(in, IRQ_MODE_SPLIT, true, "[softirq];net_rx_action_[k] 3\n");
	check(in, IRQ_MODE_CHARGE, true, "a;main;send_[k];__local_bh_enable_ip_[k] 3\n");
	check(in, IRQ_MODE_DROP, true, "");
	check(in, IRQ_MODE_KEEP, true, in);
}

static void test_stays(void **state)
{
	static const char *const stacks[] = {
		"ksoftirqd/0;kthread_[k];run_ksoftirqd_[k];handle_softirqs_[k];rcu_core_[k] 1\n",
		"a;main;asm_exc_page_fault_[k];exc_page_fault_[k];clear_page_[k] 1\n",
		"a;main;asm_exc_page_fault_[k];irqentry_exit_[k];schedule_[k] 1\n",
		"a;main;entry_SYSCALL_64_after_hwframe_[k] 1\n",
		"a;main;common_interrupt_return_[k] 1\n",
		"a;el0t_64_sync_[k];el0_svc_[k];do_notify_resume_[k];schedule_[k] 1\n",
		"[lost:map-full] 1\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		for (enum irq_mode mode = IRQ_MODE_SPLIT; mode <= IRQ_MODE_DROP; mode++)
			check(stacks[i], mode, true, stacks[i]);
}

static void test_exit_work(void **state)
{
	static const enum irq_mode modes[] = { IRQ_MODE_SPLIT, IRQ_MODE_CHARGE, IRQ_MODE_DROP };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		check("a;main;" ENTRY ";irqentry_exit_to_user_mode_[k];schedule_[k] 3\n", modes[i],
		      false, "a;main;irqentry_exit_to_user_mode_[k];schedule_[k] 3\n");
		check("a;f_[k];" ENTRY
		      ";irqentry_exit_[k];preempt_schedule_irq_[k];__schedule_[k] 3\n",
		      modes[i], false,
		      "a;f_[k];irqentry_exit_[k];preempt_schedule_irq_[k];__schedule_[k] 3\n");
		/* Interrupted again on the way out. */
		check("a;m;" ENTRY ";irqentry_exit_to_user_mode_[k];" ENTRY
		      ";irqentry_exit_[k];__schedule_[k] 3\n",
		      modes[i], false,
		      "a;m;irqentry_exit_to_user_mode_[k];irqentry_exit_[k];__schedule_[k] 3\n");
	}
	/* The interrupt itself is left out, the exit work under it is not. */
	check("a;m;" ENTRY " 2\na;m;" ENTRY ";irqentry_exit_to_user_mode_[k] 3\n", IRQ_MODE_DROP,
	      false, "a;m;irqentry_exit_to_user_mode_[k] 3\n");
}

static void test_nested(void **state)
{
	static const char in[] =
		"a;main;" SOFTIRQ ";net_rx_action_[k];" ENTRY ";dev_[k] 3\n"
		"a;main;" SOFTIRQ ";net_rx_action_[k];asm_exc_nmi_[k];wd_[k] 5\n"
		"a;main;" SOFTIRQ ";net_rx_action_[k];" ENTRY ";irqentry_exit_[k] 7\n";

	check(in, IRQ_MODE_SPLIT, false,
	      "[hardirq];" ENTRY ";dev_[k] 3\n"
	      "[nmi];asm_exc_nmi_[k];wd_[k] 5\n"
	      "[softirq];net_rx_action_[k];irqentry_exit_[k] 7\n");
	check(in, IRQ_MODE_CHARGE, false, "a;main 15\n");
	check(in, IRQ_MODE_DROP, false, "");
	/* Innermost first: the inline softirq is the victim, and kept in its place. */
	check("a;" INLINE ";net_rx_action_[k];" ENTRY ";dev_[k] 3\n", IRQ_MODE_CHARGE, false,
	      "a;" INLINE ";net_rx_action_[k] 3\n");
	check("a;" INLINE ";net_rx_action_[k];" ENTRY ";dev_[k] 3\n", IRQ_MODE_CHARGE, true,
	      "a;send_[k];__local_bh_enable_ip_[k] 3\n");
	check("a;" INLINE ";net_rx_action_[k];" ENTRY ";irqentry_exit_[k] 3\n", IRQ_MODE_SPLIT,
	      true, "[softirq];net_rx_action_[k];irqentry_exit_[k] 3\n");
}

static void test_idle(void **state)
{
	static const char in[] =
		"swapper/1;do_idle_[k];default_idle_[k];" SOFTIRQ ";rcu_core_[k] 3\n";

	check(in, IRQ_MODE_SPLIT, false, "[softirq];rcu_core_[k] 3\n");
	check(in, IRQ_MODE_CHARGE, false, "swapper/1;do_idle_[k];default_idle_[k] 3\n");
}

/* Nobody to charge: the interrupt stands on its own. */
static void test_homeless(void **state)
{
	check(ENTRY ";dev_[k] 3\n", IRQ_MODE_CHARGE, false, "[hardirq];" ENTRY ";dev_[k] 3\n");
	check(SOFTIRQ ";rcu_core_[k];" ENTRY ";irqentry_exit_[k] 3\n", IRQ_MODE_CHARGE, false,
	      "[softirq];rcu_core_[k];irqentry_exit_[k] 3\n");
	check(ENTRY ";irqentry_exit_to_user_mode_[k] 3\n", IRQ_MODE_CHARGE, false,
	      "irqentry_exit_to_user_mode_[k] 3\n");
}

static void test_separated_before(void **state)
{
	static const char in[] = "[hardirq];" ENTRY ";dev_[k] 1\n"
				 "[nmi];asm_exc_nmi_[k];wd_[k] 2\n"
				 "[softirq];handle_softirqs_[k] 4\n"
				 "[softirq];net_rx_action_[k] 8\n"
				 "a;main 16\n";
	_cleanup_profile_ struct profile *p = irq_stacks_parse(in);
	_cleanup_profile_ struct profile *q = NULL;
	uint64_t dropped = 0;

	check(in, IRQ_MODE_SPLIT, false, in);
	check(in, IRQ_MODE_CHARGE, false, in);
	q = pass(p, IRQ_MODE_DROP, false, &dropped);
	assert_int_equal(dropped, 15);
	assert_int_equal(profile_total(q), 16);
}

/* A mark that stood in the file and one made now are the same node. */
static void test_marks_join(void **state)
{
	check("[softirq];rcu_core_[k] 1\na;" SOFTIRQ ";rcu_core_[k] 2\n", IRQ_MODE_SPLIT, false,
	      "[softirq];rcu_core_[k] 3\n");
}

static void test_not_annotated(void **state)
{
	check("a;main;asm_common_interrupt;common_interrupt;irq_exit_rcu;__do_softirq;net 3\n"
	      "a;main 1\n",
	      IRQ_MODE_SPLIT, false, "[softirq];net 3\na;main 1\n");
	check("a;asm_common_interrupt;main;read_[k] 3\n", IRQ_MODE_SPLIT, false,
	      "a;asm_common_interrupt;main;read_[k] 3\n");
}

static const char *const random_frames[] = {
	"main",
	"work_[k]",
	"net_rx_action_[k]",
	"schedule_[k]",
	"asm_sysvec_x_[k]",
	"sysvec_x_[k]",
	"asm_common_interrupt_[k]",
	"handle_irq_event_[k]",
	"asm_exc_nmi_[k]",
	"nmi_handle_[k]",
	"asm_exc_page_fault_[k]",
	"__irq_exit_rcu_[k]",
	"handle_softirqs_[k]",
	"__do_softirq_[k]",
	"do_softirq_[k]",
	"call_on_irq_stack_[k]",
	"__local_bh_enable_ip_[k]",
	"run_ksoftirqd_[k]",
	"irqentry_exit_to_user_mode_[k]",
	"preempt_schedule_irq_[k]",
	"entry_SYSCALL_64_[k]",
	"__el1_pnmi_[k]",
};

/* Any order of any frames: far beyond what kernels do. */
static struct profile *random_profile(void)
{
	static const char *const bases[] = { "a", "b", "[hardirq]", "[softirq]", "[nmi]" };
	struct profile *p = profile_new(NULL);

	for (size_t i = 1 + test_random_below(60); i > 0; i--) {
		node_id n = NODE_ROOT;
		const char *base = bases[test_random_below(ARRAY_SIZE(bases))];

		if (test_random_below(8))
			n = irq_stack(p, base, strlen(base));
		for (size_t depth = test_random_below(14); depth > 0; depth--) {
			const char *f = random_frames[test_random_below(ARRAY_SIZE(random_frames))];

			n = profile_child(p, n,
					  frame_table_add_text(profile_frames(p), f, strlen(f)));
		}
		assert_int_equal(profile_add(p, n, test_random_below(100)), 0);
	}
	return p;
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	_cleanup_free_ char *x = irq_stacks_print(a), *y = irq_stacks_print(b);

	assert_string_equal(x, y);
}

/* No task's stack holds an interrupt: classified again, all that is left stands under marks. */
static void assert_separated(const struct profile *p, bool split_inline)
{
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		enum irq_class class = irq_class_of_node(map, n);
		const char *base = frame_table_name(profile_frames(p),
						    profile_frame(p, map->nodes[n].base), NULL);

		if (irq_class_is_interrupt(class) || (class == IRQ_SOFTIRQ_INLINE && split_inline))
			assert_string_equal(base, irq_class_mark(class));
	}
}

static void test_properties(void **state)
{
	for (int round = 0; round < 4000; round++) {
		_cleanup_profile_ struct profile *in = random_profile();
		bool split_inline = test_random_below(2);
		uint64_t dropped = 0;
		_cleanup_profile_ struct profile *keep =
			pass(in, IRQ_MODE_KEEP, split_inline, NULL);
		_cleanup_profile_ struct profile *split =
			pass(in, IRQ_MODE_SPLIT, split_inline, NULL);
		_cleanup_profile_ struct profile *charge =
			pass(in, IRQ_MODE_CHARGE, split_inline, NULL);
		_cleanup_profile_ struct profile *drop =
			pass(in, IRQ_MODE_DROP, split_inline, &dropped);
		_cleanup_profile_ struct profile *again =
			pass(split, IRQ_MODE_SPLIT, split_inline, NULL);
		_cleanup_profile_ struct profile *later =
			pass(keep, IRQ_MODE_SPLIT, split_inline, NULL);
		_cleanup_profile_ struct profile *drop_later =
			pass(split, IRQ_MODE_DROP, split_inline, NULL);

		assert_true(profile_total(keep) == profile_total(in));
		assert_true(profile_total(split) == profile_total(in));
		assert_true(profile_total(charge) == profile_total(in));
		assert_true(profile_total(drop) + dropped == profile_total(in));
		assert_same(in, keep);
		assert_same(split, again);
		assert_same(split, later);
		assert_same(drop, drop_later);
		assert_separated(split, split_inline);
		if (!irq_may_separate(in))
			assert_same(in, split);
	}
}

static bool may_separate(const char *stacks)
{
	_cleanup_profile_ struct profile *p = irq_stacks_parse(stacks);

	return irq_may_separate(p);
}

static void test_may_separate(void **state)
{
	assert_false(may_separate("a;main;f 1\na;main;vfs_read_[k] 1\n"));
	assert_true(may_separate("a;main;f 1\na;main;f;asm_sysvec_x_[k];handler_[k] 1\n"));
	assert_true(may_separate("a;main;f 1\n[softirq];net_rx_action_[k] 1\n"));
}

/* A chain of boundaries as deep as it is long takes no more than linear time and no stack. */
static void test_deep(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_profile_ struct profile *q = NULL;
	frame_id entry = frame_table_add_text(profile_frames(p), "asm_sysvec_x_[k]", 16);
	frame_id work = frame_table_add_text(profile_frames(p), "work_[k]", 8);
	node_id n = NODE_ROOT;

	for (int i = 0; i < 500000; i++)
		n = profile_child(p, profile_child(p, n, work), entry);
	assert_int_equal(profile_add(p, n, 1), 0);
	q = pass(p, IRQ_MODE_SPLIT, false, NULL);
	assert_int_equal(profile_total(q), 1);
	assert_int_equal(profile_nr_stacks(q), 1);
	profile_free(q);
	q = pass(p, IRQ_MODE_CHARGE, false, NULL);
	assert_int_equal(profile_nr_nodes(q), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hardirq),
		cmocka_unit_test(test_softirq),
		cmocka_unit_test(test_inline_softirq),
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_exit_work),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_homeless),
		cmocka_unit_test(test_separated_before),
		cmocka_unit_test(test_marks_join),
		cmocka_unit_test(test_not_annotated),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_may_separate),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests_name("irq_pass", tests, NULL, NULL);
}
