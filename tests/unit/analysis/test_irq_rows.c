// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of the view of interrupts, the second opinion of the stack pointer, and what separation
 * changed.
 */
#include "unit/unit.h"

#include "analysis/irq_agreement.h"
#include "analysis/irq_effect.h"
#include "analysis/irq_rows.h"
#include "unit/analysis/irq_stacks.h"
#include "util/mem.h"

static char *rows_text(const char *folded, unsigned int keys)
{
	_cleanup_profile_ struct profile *p = irq_stacks_parse(folded);
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
	_cleanup_irq_rows_ struct irq_rows rows = { 0 };
	struct strbuf sb = STRBUF_INIT;

	irq_rows_collect(map, keys, &rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct irq_row *r = &rows.rows[i];

		strbuf_addf(&sb, "%s|%s|%s|%s|%llu\n", irq_class_name(r->class),
			    frame_table_str(profile_frames(p), r->entry, NULL),
			    frame_table_str(profile_frames(p), r->handler, NULL),
			    frame_table_str(profile_frames(p), r->victim, NULL),
			    (unsigned long long)r->samples);
	}
	return strbuf_detach(&sb);
}

static const char load[] =
	"a;main 100\n"
	"a;main;asm_common_interrupt_[k];common_interrupt_[k];handle_irq_event_[k];dev_[k] 2\n"
	"a;main;asm_common_interrupt_[k];common_interrupt_[k];handle_irq_event_[k];dev_[k];x_[k] "
	"3\n"
	"b;main;asm_sysvec_x_[k];sysvec_x_[k];__irq_exit_rcu_[k];handle_softirqs_[k];net_[k] 5\n"
	"b;main;asm_sysvec_x_[k];sysvec_x_[k];__irq_exit_rcu_[k];handle_softirqs_[k] 1\n"
	"b;s_[k];__local_bh_enable_ip_[k];do_softirq_[k];handle_softirqs_[k];net_[k] 7\n"
	"b;main;asm_sysvec_x_[k];irqentry_exit_to_user_mode_[k] 50\n"
	"ksoftirqd/0;run_ksoftirqd_[k];handle_softirqs_[k];net_[k] 50\n"
	"swapper/1;do_idle_[k];asm_exc_nmi_[k];exc_nmi_[k];wd_[k] 4\n"
	"[softirq];timers_[k] 9\n"
	"asm_sysvec_y_[k];sysvec_y_[k] 1\n";

static void test_rows(void **state)
{
	_cleanup_free_ char *got = rows_text(load, IRQ_BY_ALL);

	assert_string_equal(got, "softirq||timers||9\n"
				 "softirq|__local_bh_enable_ip|net|b|7\n"
				 "hardirq|asm_common_interrupt|dev|a|5\n"
				 "softirq|asm_sysvec_x|net|b|5\n"
				 "nmi|asm_exc_nmi|wd|swapper/1|4\n"
				 "hardirq|asm_sysvec_y|||1\n"
				 "softirq|asm_sysvec_x||b|1\n");
}

/* Marked interrupts give way to what is known of them; the rest of a class is nobody's. */
static void test_known(void **state)
{
	_cleanup_profile_ struct profile *p = irq_stacks_parse(
		"[softirq];net_[k] 9\n[nmi];wd_[k] 2\na;m;asm_sysvec_x_[k];sysvec_x_[k] 1\n");
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
	_cleanup_irq_rows_ struct irq_rows known = { 0 }, rows = { 0 };
	struct irq_row row = { .class = IRQ_SOFTIRQ_INLINE,
			       .victim = frame_table_intern0(profile_frames(p), "b"),
			       .samples = 10 };

	array_reserve(known.rows, known.cap, 1);
	known.rows[known.nr++] = row;
	assert_false(irq_rows_complete(map, &known)); /* there are only 9 */
	assert_int_equal(known.nr, 1);
	known.rows[0].samples = 7;
	assert_true(irq_rows_complete(map, &known));
	assert_true(irq_rows_complete(map, &known)); /* once more changes nothing */
	assert_int_equal(known.nr, 3);
	map->known = &known;
	irq_rows_collect(map, IRQ_BY_CLASS | IRQ_BY_VICTIM, &rows);
	assert_int_equal(rows.nr, 4);
	assert_int_equal(rows.rows[0].class, IRQ_SOFTIRQ);
	assert_int_equal(rows.rows[0].victim, row.victim);
	assert_int_equal(rows.rows[0].samples, 7);
	assert_int_equal(rows.rows[1].samples + rows.rows[2].samples, 4);
	assert_int_equal(rows.rows[3].class, IRQ_HARDIRQ); /* not marked: as it stands there */
	assert_int_equal(rows.rows[3].samples, 1);
}

static void test_groups(void **state)
{
	_cleanup_free_ char *by_class = rows_text(load, IRQ_BY_CLASS);
	_cleanup_free_ char *by_victim = rows_text(load, IRQ_BY_VICTIM);
	_cleanup_free_ char *none = rows_text("a;main 3\n", IRQ_BY_ALL);

	assert_string_equal(by_class, "softirq||||22\nhardirq||||6\nnmi||||4\n");
	assert_string_equal(by_victim, "task|||b|13\ntask||||10\ntask|||a|5\ntask|||swapper/1|4\n");
	assert_string_equal(none, "");
}

/* Innermost only: the stack that an interrupt hit inside another has the task as victim. */
static void test_nested_victim(void **state)
{
	_cleanup_free_ char *got = rows_text(
		"a;main;asm_common_interrupt_[k];irq_exit_rcu_[k];handle_softirqs_[k];net_[k];"
		"asm_sysvec_x_[k];sysvec_x_[k];tick_[k] 3\n"
		"[hardirq];asm_sysvec_x_[k];tick_[k] 2\n"
		"[truncated];f_[k];asm_sysvec_x_[k] 1\n",
		IRQ_BY_ALL);

	assert_string_equal(got, "hardirq|asm_sysvec_x|tick|a|3\n"
				 "hardirq|asm_sysvec_x|tick||2\n"
				 "hardirq|asm_sysvec_x|||1\n");
}

static const struct {
	const char *stack;
	uint64_t samples, off, user;
} agreement_stacks[] = {
	{ "a;main", 100, 0, 100 },
	{ "a;read_[k]", 50, 2, 0 },				   /* 2 disagree */
	{ "a;read_[k];asm_common_interrupt_[k];d_[k]", 10, 9, 0 }, /* 1 disagrees */
	{ "a;main;asm_common_interrupt_[k];e_[k]", 20, 0, 0 },	   /* silent */
	{ "[lost:map-full]", 11, 0, 0 },			   /* silent */
	{ "a;main;work", 13, 4, 0 },				   /* silent: user frames only */
	{ "a;s_[k];__local_bh_enable_ip_[k];do_softirq_[k];handle_softirqs_[k]", 30, 30, 0 },
	{ "ksoftirqd/0;run_ksoftirqd_[k];handle_softirqs_[k]", 5, 0, 0 },
	{ "a;main;asm_sysvec_x_[k];irqentry_exit_to_user_mode_[k]", 7, 0, 0 },
};

static void assert_counts(const struct irq_agreement *a, uint64_t total)
{
	assert_int_equal(a->samples[IRQ_TASK][IRQ_STACK_USER], 100);
	assert_int_equal(a->samples[IRQ_TASK][IRQ_STACK_OFF], 6);
	assert_int_equal(a->samples[IRQ_HARDIRQ][IRQ_STACK_OFF], 9);
	assert_int_equal(a->samples[IRQ_HARDIRQ][IRQ_STACK_TASK], 21);
	assert_int_equal(a->samples[IRQ_SOFTIRQ_INLINE][IRQ_STACK_OFF], 30);
	assert_int_equal(a->both, 39);
	assert_int_equal(a->neither, 60);
	assert_int_equal(a->name_only, 1);
	assert_int_equal(a->pointer_only, 2);
	assert_int_equal(a->on_user_code, 20);
	assert_int_equal(a->disagree, 3);
	assert_int_equal(a->silent, 144);
	assert_int_equal(a->agree + a->disagree + a->silent, total);
}

static void test_agreement(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_irq_map_ struct irq_map *map = NULL;
	_cleanup_free_ struct irq_disagreement *list = NULL;
	uint64_t off[64] = { 0 }, user[64] = { 0 };
	struct irq_stack_weights weights = { off, user };
	struct irq_agreement a;
	node_id inline_node = 0;

	for (size_t i = 0; i < ARRAY_SIZE(agreement_stacks); i++) {
		node_id n =
			irq_stack(p, agreement_stacks[i].stack, strlen(agreement_stacks[i].stack));

		assert_int_equal(profile_add(p, n, agreement_stacks[i].samples), 0);
		off[n] = agreement_stacks[i].off;
		user[n] = agreement_stacks[i].user;
		if (agreement_stacks[i].off == 30)
			inline_node = n;
	}
	assert_true(profile_nr_nodes(p) <= ARRAY_SIZE(off));
	map = irq_map_new(p);
	irq_agreement_count(map, &weights, &a);
	assert_counts(&a, profile_total(p));

	assert_int_equal(irq_agreement_list(map, &weights, &list), 2);
	assert_int_equal(list[0].samples, 2);
	assert_int_equal(list[0].stack, IRQ_STACK_OFF);
	assert_int_equal(list[0].class, IRQ_TASK);
	assert_int_equal(list[1].samples, 1);
	assert_int_equal(list[1].class, IRQ_HARDIRQ);

	/* A softirq on its task's stack, where softirqs have one of their own, and where they do
	 * not. */
	off[inline_node] = 29;
	irq_agreement_count(map, &weights, &a);
	assert_int_equal(a.name_only, 2);
	off[inline_node] = 0;
	irq_agreement_count(map, &weights, &a);
	assert_int_equal(a.name_only, 1);
	assert_int_equal(a.silent, 144 + 30);
	off[inline_node] = 30;

	/* Nothing known: kernel interrupts on the task's stack would all disagree. */
	irq_agreement_count(map, &(struct irq_stack_weights){ 0 }, &a);
	assert_int_equal(a.agree + a.disagree + a.silent, profile_total(p));
	/* More than there are samples is cut to what there is. */
	off[1] = UINT64_MAX;
	irq_agreement_count(map, &weights, &a);
	assert_int_equal(a.agree + a.disagree + a.silent, profile_total(p));
}

/* The interrupt closes a cycle that never happened. */
static void test_effect(void **state)
{
	_cleanup_profile_ struct profile *p =
		irq_stacks_parse("a;main;schedule_[k];asm_sysvec_x_[k];work_[k] 3\n"
				 "a;main;work_[k];schedule_[k] 2\n"
				 "a;main 5\n");
	_cleanup_irq_effect_ struct irq_effect e = { 0 };
	const struct frame_table *t = profile_frames(p);

	assert_int_equal(irq_effect_find(p, &(struct irq_opts){ 0 }, &e, NULL), 0);
	assert_int_equal(e.total, 10);
	assert_int_equal(e.keep.nr, 1);
	assert_int_equal(e.keep.sizes[0], 3);
	assert_int_equal(e.split.nr, 0);
	assert_int_equal(e.nr_rows, 2);
	assert_string_equal(frame_table_name(t, e.rows[0].function, NULL), "main");
	assert_int_equal(e.rows[0].keep, 10);
	assert_int_equal(e.rows[0].split, 7);
	assert_string_equal(frame_table_name(t, e.rows[1].function, NULL), "schedule");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	  cmocka_unit_test(test_known),
		cmocka_unit_test(test_groups),	  cmocka_unit_test(test_nested_victim),
		cmocka_unit_test(test_agreement), cmocka_unit_test(test_effect),
	};

	return cmocka_run_group_tests_name("irq_rows", tests, NULL, NULL);
}
