// SPDX-License-Identifier: GPL-2.0-or-later
/* Roles of kernel functions by their names, and that nothing near such a name has one. */
#include "unit/unit.h"

#include <stdio.h>

#include "profile/frame_role.h"
#include "util/cleanup.h"
#include "util/mem.h"

struct expected {
	const char *name;
	enum frame_role role;
};

static void check(const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum frame_role role = frame_role_of_name(e[i].name, strlen(e[i].name));

		if (role != e[i].role)
			fail_msg("%s: role %d, not %d", e[i].name, role, e[i].role);
	}
}

static void test_x86(void **state)
{
	static const struct expected names[] = {
		{ "asm_common_interrupt", FRAME_ROLE_IRQ_ENTRY },
		{ "asm_sysvec_apic_timer_interrupt", FRAME_ROLE_IRQ_ENTRY },
		{ "asm_sysvec_reschedule_ipi", FRAME_ROLE_IRQ_ENTRY },
		{ "sysvec_call_function_single", FRAME_ROLE_IRQ_ENTRY },
		{ "__sysvec_apic_timer_interrupt", FRAME_ROLE_IRQ_ENTRY },
		{ "fred_sysvec_irq_work", FRAME_ROLE_IRQ_ENTRY },
		{ "irq_entries_start", FRAME_ROLE_IRQ_ENTRY },
		{ "asm_call_sysvec_on_stack", FRAME_ROLE_IRQ_PATH },
		{ "handle_irq_event", FRAME_ROLE_IRQ_PATH },
		{ "asm_exc_nmi", FRAME_ROLE_NMI_ENTRY },
		{ "end_repeat_nmi", FRAME_ROLE_NMI_ENTRY },
		{ "nmi_handle", FRAME_ROLE_NMI_ENTRY },
		{ "asm_exc_page_fault", FRAME_ROLE_EXCEPTION },
		{ "asm_exc_int3", FRAME_ROLE_EXCEPTION },
		{ "exc_page_fault", FRAME_ROLE_EXCEPTION },
		{ "irq_exit_rcu", FRAME_ROLE_IRQ_EXIT },
		{ "__irq_exit_rcu", FRAME_ROLE_IRQ_EXIT },
		{ "handle_softirqs", FRAME_ROLE_SOFTIRQ_CORE },
		{ "__do_softirq", FRAME_ROLE_SOFTIRQ_CORE },
		{ "__softirqentry_text_start", FRAME_ROLE_SOFTIRQ_CORE },
		{ "do_softirq", FRAME_ROLE_SOFTIRQ_PATH },
		{ "do_softirq_own_stack", FRAME_ROLE_SOFTIRQ_PATH },
		{ "__local_bh_enable_ip", FRAME_ROLE_BH_ENABLE },
		{ "run_ksoftirqd", FRAME_ROLE_KSOFTIRQD },
		{ "irqentry_exit", FRAME_ROLE_EXIT_WORK },
		{ "irqentry_exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
		{ "exit_to_user_mode_loop", FRAME_ROLE_EXIT_WORK },
		{ "exit_to_user_mode_prepare", FRAME_ROLE_EXIT_WORK },
		{ "preempt_schedule_irq", FRAME_ROLE_EXIT_WORK },
		{ "preempt_schedule_common", FRAME_ROLE_EXIT_WORK },
		{ "raw_irqentry_exit_cond_resched", FRAME_ROLE_EXIT_WORK },
		{ "entry_SYSCALL_64_after_hwframe", FRAME_ROLE_TRAMPOLINE },
		{ "common_interrupt_return", FRAME_ROLE_TRAMPOLINE },
	};

	check(names, ARRAY_SIZE(names));
}

static void test_arm64(void **state)
{
	static const struct expected names[] = {
		{ "el1_irq", FRAME_ROLE_IRQ_ENTRY },
		{ "el0_irq_naked", FRAME_ROLE_IRQ_ENTRY },
		{ "__handle_domain_irq", FRAME_ROLE_IRQ_ENTRY },
		{ "__irqentry_text_start", FRAME_ROLE_IRQ_ENTRY },
		{ "el1h_64_irq", FRAME_ROLE_IRQ_ENTRY },
		{ "el1h_64_irq_handler", FRAME_ROLE_IRQ_ENTRY },
		{ "el0t_64_irq", FRAME_ROLE_IRQ_ENTRY },
		{ "el0t_32_irq", FRAME_ROLE_IRQ_ENTRY },
		{ "el1h_64_fiq", FRAME_ROLE_IRQ_ENTRY },
		{ "__el0_irq_handler_common", FRAME_ROLE_IRQ_ENTRY },
		{ "call_on_irq_stack", FRAME_ROLE_IRQ_PATH },
		{ "gic_handle_irq", FRAME_ROLE_IRQ_PATH },
		{ "__el1_pnmi", FRAME_ROLE_NMI_ENTRY },
		{ "el0t_64_sync", FRAME_ROLE_TRAMPOLINE }, /* of system calls too */
		{ "el1h_64_sync", FRAME_ROLE_EXCEPTION },
		{ "el0_svc", FRAME_ROLE_TRAMPOLINE },
		{ "el0_da", FRAME_ROLE_EXCEPTION },
		{ "blkcg_maybe_throttle_current", FRAME_ROLE_EXIT_WORK },
		{ "irq_exit", FRAME_ROLE_IRQ_EXIT },
		{ "____do_softirq", FRAME_ROLE_SOFTIRQ_PATH },
		{ "do_notify_resume", FRAME_ROLE_EXIT_WORK },
		{ "arm64_preempt_schedule_irq", FRAME_ROLE_EXIT_WORK },
	};

	check(names, ARRAY_SIZE(names));
}

static void test_suffixes(void **state)
{
	static const struct expected names[] = {
		{ "do_softirq.part.0", FRAME_ROLE_SOFTIRQ_PATH },
		{ "handle_softirqs.cold", FRAME_ROLE_SOFTIRQ_CORE },
		{ "nmi_handle.part.0.cold", FRAME_ROLE_NMI_ENTRY },
		{ "arch_exit_to_user_mode_prepare.isra.0", FRAME_ROLE_EXIT_WORK },
		{ "irq_exit_rcu.constprop.12", FRAME_ROLE_IRQ_EXIT },
		{ "__do_softirq.llvm.9876543210", FRAME_ROLE_SOFTIRQ_CORE },
		{ "asm_sysvec_apic_timer_interrupt.cold", FRAME_ROLE_IRQ_ENTRY },
		{ "irq_exit_rcu.constprop.0.isra.0", FRAME_ROLE_IRQ_EXIT },
		/* Not suffixes: other functions. */
		{ "irq_exit_rcu.", FRAME_ROLE_NONE },
		{ "irq_exit_rcu.0", FRAME_ROLE_NONE },
		{ "irq_exit_rcu.part.x", FRAME_ROLE_NONE },
		{ "irq_exit_rcu.else", FRAME_ROLE_NONE },
		{ ".part.0", FRAME_ROLE_NONE },
		{ ".", FRAME_ROLE_NONE },
	};

	check(names, ARRAY_SIZE(names));
}

static void test_neighbours(void **state)
{
	static const struct expected names[] = {
		{ "", FRAME_ROLE_NONE },
		{ "asm_sysvec_", FRAME_ROLE_NONE },
		{ "net_rx_action", FRAME_ROLE_NONE },
		{ "irq_exit_rcu2", FRAME_ROLE_NONE },
		{ "irq_exi", FRAME_ROLE_NONE },
		{ "sysvec", FRAME_ROLE_NONE },
		{ "raise_softirq", FRAME_ROLE_NONE },
		{ "run_timer_softirq", FRAME_ROLE_NONE },
		{ "blk_done_softirq", FRAME_ROLE_NONE },
		{ "perf_event_nmi_handler", FRAME_ROLE_NONE },
		{ "schedule_timeout", FRAME_ROLE_NONE },
		{ "do_syscall_64_entry", FRAME_ROLE_NONE },
		/* Markers that share an address with whatever comes next hide nothing. */
		{ "__softirqentry_text_end", FRAME_ROLE_NONE },
		{ "__irqentry_text_end", FRAME_ROLE_NONE },
		{ "_stext", FRAME_ROLE_NONE },
		{ "nmi_handle(int)", FRAME_ROLE_NONE },
	};

	check(names, ARRAY_SIZE(names));
	/* The length counts, not a NUL. */
	assert_int_equal(frame_role_of_name("irq_exit_rcu;x", 12), FRAME_ROLE_IRQ_EXIT);
	assert_int_equal(frame_role_of_name("irq_exit_rcu", 8), FRAME_ROLE_IRQ_EXIT);
	assert_int_equal(frame_role_of_name("irq_exit_rcu", 7), FRAME_ROLE_NONE);
}

/* Every name of the table is found by the bisection: a row out of order would hide others. */
static void test_table_is_sorted(void **state)
{
	_cleanup_fclose_ FILE *f = fopen("user/profile/frame_role.c", "r");
	char line[256], name[128], role[64];
	int nr = 0;

	if (!f)
		skip();
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " { \"%127[^\"]\", FRAME_ROLE_%63[A-Z_] }", name, role) != 2)
			continue;
		if (name[strlen(name) - 1] == '_')
			continue; /* a prefix */
		if (frame_role_of_name(name, strlen(name)) == FRAME_ROLE_NONE)
			fail_msg("%s is out of order", name);
		nr++;
	}
	assert_true(nr > 150);
}

/* Random bytes and mutilated names never read past their length (the sanitizer watches). */
static void test_random_names(void **state)
{
	static const char alphabet[] = "_.0asmirqexvpt";

	for (int round = 0; round < 20000; round++) {
		size_t len = test_random_below(24);
		_cleanup_free_ char *s = xmalloc(len);
		enum frame_role role;

		for (size_t i = 0; i < len; i++)
			s[i] = alphabet[test_random_below(sizeof(alphabet))];
		role = frame_role_of_name(s, len);
		assert_in_range(role, FRAME_ROLE_NONE, NR_FRAME_ROLES - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_table_is_sorted),
		cmocka_unit_test(test_random_names),
	};

	return cmocka_run_group_tests_name("frame_role", tests, NULL, NULL);
}
