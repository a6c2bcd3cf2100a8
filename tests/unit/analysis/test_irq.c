// SPDX-License-Identifier: GPL-2.0-or-later
/* Which class, entry and handler a stack has, for the kernels we know, by names and by roles. */
#include "unit/unit.h"

#include "analysis/irq.h"
#include "unit/analysis/irq_stacks.h"
#include "profile/frame_role.h"

struct expected {
	const char *stack;
	enum irq_class class;
	const char *entry, *handler; /* "" when there is none */
};

static const char *name_of(const struct profile *p, node_id n)
{
	return n ? frame_table_name(profile_frames(p), profile_frame(p, n), NULL) : "";
}

static void check(const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_profile_ struct profile *p = profile_new(NULL);
		node_id leaf = irq_stack(p, e[i].stack, strlen(e[i].stack));
		_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
		const struct irq_node *me = &map->nodes[leaf];
		const char *entry = name_of(p, map->boundaries[me->boundary].entry);

		if (irq_class_of_node(map, leaf) != e[i].class)
			fail_msg("%s: %s, not %s", e[i].stack, irq_class_name(me->class),
				 irq_class_name(e[i].class));
		if (e[i].entry && strcmp(entry, e[i].entry))
			fail_msg("%s: entry '%s'", e[i].stack, entry);
		if (e[i].handler && strcmp(name_of(p, me->handler), e[i].handler))
			fail_msg("%s: handler '%s'", e[i].stack, name_of(p, me->handler));
	}
}

/* The rows of the specification's table of classes. */
static void test_classes(void **state)
{
	static const struct expected stacks[] = {
		{ "a;main", IRQ_TASK, "", "" },
		{ "a;main;asm_common_interrupt_[k];common_interrupt_[k];handle_irq_event_[k];"
		  "vring_interrupt_[k];vp_vring_[k]",
		  IRQ_HARDIRQ, "asm_common_interrupt", "vring_interrupt" },
		{ "a;main;asm_sysvec_apic_timer_interrupt_[k];hrtimer_interrupt_[k]", IRQ_HARDIRQ,
		  "asm_sysvec_apic_timer_interrupt", "hrtimer_interrupt" },
		{ "a;main;asm_sysvec_apic_timer_interrupt_[k]", IRQ_HARDIRQ,
		  "asm_sysvec_apic_timer_interrupt", "" },
		{ "a;asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];"
		  "irq_exit_rcu_[k];handle_softirqs_[k];net_rx_action_[k];napi_poll_[k]",
		  IRQ_SOFTIRQ, "asm_sysvec_apic_timer_interrupt", "net_rx_action" },
		{ "a;send_[k];__local_bh_enable_ip_[k];do_softirq.part.0_[k];handle_softirqs_[k];"
		  "net_rx_action_[k]",
		  IRQ_SOFTIRQ_INLINE, "__local_bh_enable_ip", "net_rx_action" },
		{ "a;send_[k];__local_bh_enable_ip_[k];do_softirq.part.0_[k]", IRQ_TASK, "", "" },
		{ "swapper/0;do_idle_[k];flush_smp_call_function_queue_[k];do_softirq_[k];"
		  "handle_softirqs_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ_INLINE, "flush_smp_call_function_queue", "net_rx_action" },
		{ "ksoftirqd/0;ret_from_fork_[k];kthread_[k];smpboot_thread_fn_[k];"
		  "run_ksoftirqd_[k];handle_softirqs_[k];net_rx_action_[k]",
		  IRQ_KSOFTIRQD, "", NULL },
		{ "a;main;asm_sysvec_reschedule_ipi_[k];irqentry_exit_to_user_mode_[k];"
		  "schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		{ "a;f_[k];asm_sysvec_reschedule_ipi_[k];irqentry_exit_[k];"
		  "preempt_schedule_irq_[k];__schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		{ "a;main;asm_exc_page_fault_[k];exc_page_fault_[k];handle_mm_fault_[k]",
		  IRQ_EXCEPTION, "", "" },
		{ "a;main;asm_exc_page_fault_[k];irqentry_exit_to_user_mode_[k];schedule_[k]",
		  IRQ_EXCEPTION, "", "" },
		{ "a;main;asm_exc_nmi_[k];exc_nmi_[k];default_do_nmi_[k];nmi_handle.part.0_[k];"
		  "perf_event_nmi_handler_[k]",
		  IRQ_NMI, "asm_exc_nmi", "perf_event_nmi_handler" },
		{ "a;f_[k];end_repeat_nmi_[k];exc_nmi_[k]", IRQ_NMI, "end_repeat_nmi", "" },
		{ "a;main;entry_SYSCALL_64_after_hwframe_[k]", IRQ_TRAMPOLINE, "", "" },
		{ "a;main;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k]", IRQ_TRAMPOLINE, "",
		  "" },
		{ "a;main;entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];ksys_read_[k]",
		  IRQ_TASK, "", "" },
		{ "a;main;common_interrupt_return_[k]", IRQ_TRAMPOLINE, "", "" },
	};

	check(stacks, ARRAY_SIZE(stacks));
}

/* long: the rows of the table of boundary symbols, kernel by kernel; a table, not a program. */
static void test_kernels(void **state)
{
	static const struct expected stacks[] = {
		/* x86-64 5.10 */
		{ "a;asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];"
		  "irq_exit_rcu_[k];do_softirq_own_stack_[k];asm_call_sysvec_on_stack_[k];"
		  "__softirqentry_text_start_[k];run_timer_softirq_[k]",
		  IRQ_SOFTIRQ, "asm_sysvec_apic_timer_interrupt", "run_timer_softirq" },
		{ "a;send_[k];__local_bh_enable_ip_[k];do_softirq_[k];do_softirq_own_stack_[k];"
		  "asm_call_sysvec_on_stack_[k];__softirqentry_text_start_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ_INLINE, "__local_bh_enable_ip", "net_rx_action" },
		{ "a;asm_sysvec_apic_timer_interrupt_[k];asm_call_sysvec_on_stack_[k];"
		  "__sysvec_apic_timer_interrupt_[k];hrtimer_interrupt_[k]",
		  IRQ_HARDIRQ, "asm_sysvec_apic_timer_interrupt", "hrtimer_interrupt" },
		{ "a;asm_sysvec_apic_timer_interrupt_[k];irqentry_exit_to_user_mode_[k];"
		  "exit_to_user_mode_prepare_[k];schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		/* x86-64 6.1 */
		{ "a;asm_sysvec_apic_timer_interrupt_[k];sysvec_apic_timer_interrupt_[k];"
		  "__irq_exit_rcu_[k];handle_softirqs_[k];rcu_core_[k]",
		  IRQ_SOFTIRQ, "asm_sysvec_apic_timer_interrupt", "rcu_core" },
		{ "a;f_[k];asm_sysvec_apic_timer_interrupt_[k];preempt_schedule_common_[k];"
		  "__schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		/* x86-64 6.18 */
		{ "a;asm_sysvec_reschedule_ipi_[k];irqentry_exit_to_user_mode_[k];"
		  "exit_to_user_mode_loop_[k];task_work_run_[k]",
		  IRQ_EXIT_WORK, "", "" },
		{ "a;asm_sysvec_reschedule_ipi_[k];exit_to_user_mode_loop_[k]", IRQ_EXIT_WORK, "",
		  "" },
		/* arm64 5.10 */
		{ "a;el0_irq_naked_[k];__irqentry_text_start_[k];__handle_domain_irq_[k];"
		  "generic_handle_irq_[k];handle_percpu_devid_irq_[k];arch_timer_handler_virt_[k]",
		  IRQ_HARDIRQ, "el0_irq_naked", "arch_timer_handler_virt" },
		{ "a;f_[k];el1_irq_[k];gic_handle_irq_[k];__handle_domain_irq_[k];irq_exit_[k];"
		  "__do_softirq_[k];blk_done_softirq_[k]",
		  IRQ_SOFTIRQ, "el1_irq", "blk_done_softirq" },
		{ "a;f_[k];el1_irq_[k];__irqentry_text_start_[k];__handle_domain_irq_[k];"
		  "irq_exit_[k];__softirqentry_text_start_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ, "el1_irq", "net_rx_action" },
		{ "a;f_[k];el1_irq_[k];arm64_preempt_schedule_irq_[k];preempt_schedule_irq_[k];"
		  "__schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		{ "a;__handle_domain_irq_[k];generic_handle_irq_[k];vm_interrupt_[k]", IRQ_HARDIRQ,
		  "__handle_domain_irq", "vm_interrupt" },
		/* arm64 6.1, 6.12 */
		{ "a;el0t_64_irq_[k];el0t_64_irq_handler_[k];__el0_irq_handler_common_[k];"
		  "do_interrupt_handler_[k];call_on_irq_stack_[k];gic_handle_irq_[k];"
		  "generic_handle_domain_irq_[k];handle_fasteoi_irq_[k];handle_irq_event_[k];"
		  "__handle_irq_event_percpu_[k];vm_interrupt_[k]",
		  IRQ_HARDIRQ, "el0t_64_irq", "vm_interrupt" },
		{ "a;f_[k];el1h_64_irq_[k];el1h_64_irq_handler_[k];el1_interrupt_[k];"
		  "irq_exit_rcu_[k];__irq_exit_rcu_[k];do_softirq_own_stack_[k];"
		  "call_on_irq_stack_[k];____do_softirq_[k];__softirqentry_text_start_[k];"
		  "handle_softirqs_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ, "el1h_64_irq", "net_rx_action" },
		{ "a;send_[k];__local_bh_enable_ip_[k];do_softirq_[k];do_softirq_own_stack_[k];"
		  "call_on_irq_stack_[k];____do_softirq_[k];__softirqentry_text_start_[k];"
		  "handle_softirqs_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ_INLINE, "__local_bh_enable_ip", "net_rx_action" },
		{ "a;el0t_64_irq_[k];el0t_64_irq_handler_[k];__el0_irq_handler_common_[k];"
		  "do_notify_resume_[k];schedule_[k]",
		  IRQ_EXIT_WORK, "", "" },
		{ "a;main;el0t_64_sync_[k];el0t_64_sync_handler_[k];el0_svc_[k]", IRQ_TRAMPOLINE,
		  "", "" },
		{ "a;main;el0t_64_sync_[k];el0t_64_sync_handler_[k];el0_svc_[k];do_el0_svc_[k]",
		  IRQ_TASK, "", "" },
		{ "a;main;el0t_64_sync_[k];el0t_64_sync_handler_[k];el0_da_[k];do_mem_abort_[k]",
		  IRQ_EXCEPTION, "", "" },
		{ "a;f_[k];el1h_64_irq_[k];el1h_64_irq_handler_[k];el1_interrupt_[k];"
		  "__el1_pnmi_[k];do_interrupt_handler_[k];gic_handle_irq_[k];pmu_irq_[k]",
		  IRQ_NMI, "el1h_64_irq", "pmu_irq" },
	};

	check(stacks, ARRAY_SIZE(stacks));
}

static void test_nested(void **state)
{
	static const struct expected stacks[] = {
		/* task, hard IRQ, softirq, hard IRQ: the innermost counts */
		{ "a;main;asm_common_interrupt_[k];common_interrupt_[k];irq_exit_rcu_[k];"
		  "handle_softirqs_[k];net_rx_action_[k];asm_sysvec_apic_timer_interrupt_[k];"
		  "hrtimer_interrupt_[k]",
		  IRQ_HARDIRQ, "asm_sysvec_apic_timer_interrupt", "hrtimer_interrupt" },
		/* exit work of the inner one: the softirq goes on */
		{ "a;main;asm_common_interrupt_[k];irq_exit_rcu_[k];handle_softirqs_[k];"
		  "net_rx_action_[k];asm_sysvec_call_function_[k];irqentry_exit_[k];f_[k]",
		  IRQ_SOFTIRQ, "asm_common_interrupt", "net_rx_action" },
		/* an interrupt that hits exit work */
		{ "a;main;asm_sysvec_reschedule_ipi_[k];irqentry_exit_to_user_mode_[k];"
		  "asm_common_interrupt_[k];common_interrupt_[k];__irq_exit_rcu_[k];"
		  "handle_softirqs_[k];blk_done_softirq_[k]",
		  IRQ_SOFTIRQ, "asm_common_interrupt", "blk_done_softirq" },
		/* and one that hits an exception, an inline softirq, ksoftirqd */
		{ "a;main;asm_exc_page_fault_[k];clear_page_[k];asm_sysvec_irq_work_[k];work_[k]",
		  IRQ_HARDIRQ, "asm_sysvec_irq_work", "work" },
		{ "a;send_[k];__local_bh_enable_ip_[k];do_softirq_[k];handle_softirqs_[k];"
		  "net_rx_action_[k];asm_common_interrupt_[k];dev_[k]",
		  IRQ_HARDIRQ, "asm_common_interrupt", "dev" },
		{ "ksoftirqd/1;run_ksoftirqd_[k];handle_softirqs_[k];x_[k];"
		  "asm_common_interrupt_[k];irq_exit_rcu_[k];handle_softirqs_[k]",
		  IRQ_SOFTIRQ, "asm_common_interrupt", "" },
		/* NMI in a hard IRQ; its own entry frames are one boundary */
		{ "a;asm_common_interrupt_[k];dev_[k];asm_exc_nmi_[k];end_repeat_nmi_[k];"
		  "nmi_handle_[k];watchdog_[k]",
		  IRQ_NMI, "asm_exc_nmi", "watchdog" },
		/* a fault in a handler is the handler's */
		{ "a;asm_common_interrupt_[k];dev_[k];asm_exc_page_fault_[k];fix_[k]", IRQ_HARDIRQ,
		  "asm_common_interrupt", "dev" },
		/* entry not known: the exit path tells */
		{ "a;f_[k];mystery_[k];irq_exit_rcu_[k];handle_softirqs_[k];net_rx_action_[k]",
		  IRQ_SOFTIRQ, "irq_exit_rcu", "net_rx_action" },
	};

	check(stacks, ARRAY_SIZE(stacks));
}

static void test_origins(void **state)
{
	static const struct expected stacks[] = {
		/* Not annotated: all frames count. */
		{ "a;main;asm_common_interrupt;dev", IRQ_HARDIRQ, "asm_common_interrupt", "dev" },
		/* Annotated: only the kernel's do. */
		{ "a;asm_common_interrupt;main;ksys_read_[k]", IRQ_TASK, "", "" },
		{ "a;asm_common_interrupt;f_[j]", IRQ_TASK, "", "" },
		{ "a;nmi_handle;asm_common_interrupt_[k];dev_[k]", IRQ_HARDIRQ,
		  "asm_common_interrupt", "dev" },
		/* Separated before. */
		{ "[hardirq];asm_common_interrupt_[k];dev_[k]", IRQ_HARDIRQ, "asm_common_interrupt",
		  "dev" },
		{ "[softirq];net_rx_action_[k];x_[k]", IRQ_SOFTIRQ, "", "net_rx_action" },
		{ "[softirq];handle_softirqs_[k]", IRQ_SOFTIRQ, "", "" },
		{ "[nmi];asm_exc_nmi_[k];watchdog_[k]", IRQ_NMI, "asm_exc_nmi", "watchdog" },
		{ "[nmi]", IRQ_NMI, "", "" },
		/* Marks elsewhere are names. */
		{ "a;[softirq];net_rx_action_[k]", IRQ_TASK, "", "" },
		{ "[lost:map-full]", IRQ_TASK, "", "" },
		{ "a;[truncated];f_[k];asm_common_interrupt_[k]", IRQ_HARDIRQ,
		  "asm_common_interrupt", "" },
		/* No base frame. */
		{ "asm_common_interrupt_[k];dev_[k]", IRQ_HARDIRQ, "asm_common_interrupt", "dev" },
		/* Suffixes of compilers. */
		{ "a;asm_sysvec_irq_work.cold_[k];irq_exit_rcu.constprop.0_[k];"
		  "handle_softirqs.isra.0_[k];net_rx_action.part.3_[k]",
		  IRQ_SOFTIRQ, "asm_sysvec_irq_work.cold", "net_rx_action.part.3" },
	};

	check(stacks, ARRAY_SIZE(stacks));
}

/* A live frame has a module: without kernel frames nothing in it is an interrupt. */
static void test_live_user_frames(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	struct frame f = { .name = frame_table_intern0(t, "asm_common_interrupt"),
			   .module = frame_table_intern0(t, "emulator"),
			   .start = 4096 };
	node_id n = profile_child(p, NODE_ROOT, frame_table_add(t, &f));
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);

	assert_int_equal(irq_class_of_node(map, n), IRQ_TASK);
}

/* The role by address wins: a kernel that prints another name for the softirq core. */
static void test_live_roles(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	struct frame entry = { .name = frame_table_intern0(t, "odd_entry"),
			       .origin = FRAME_KERNEL,
			       .role = FRAME_ROLE_IRQ_ENTRY,
			       .start = 1 };
	struct frame core = { .name = frame_table_intern0(t, "odd_core"),
			      .origin = FRAME_KERNEL,
			      .role = FRAME_ROLE_SOFTIRQ_CORE,
			      .start = 2 };
	node_id at_entry = profile_child(p, NODE_ROOT, frame_table_add(t, &entry));
	node_id at_core = profile_child(p, at_entry, frame_table_add(t, &core));
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);

	assert_int_equal(irq_class_of_node(map, at_entry), IRQ_HARDIRQ);
	assert_int_equal(irq_class_of_node(map, at_core), IRQ_SOFTIRQ);
}

static void test_counts(void **state)
{
	_cleanup_profile_ struct profile *p = irq_stacks_parse(
		"a;main 1\n"
		"a;main;asm_common_interrupt_[k];dev_[k] 2\n"
		"a;main;asm_common_interrupt_[k];irq_exit_rcu_[k];handle_softirqs_[k] 4\n"
		"a;s_[k];__local_bh_enable_ip_[k];do_softirq_[k];handle_softirqs_[k];n_[k] 8\n"
		"a;main;asm_exc_nmi_[k] 16\n"
		"a;main;asm_sysvec_reschedule_ipi_[k];irqentry_exit_to_user_mode_[k] 32\n"
		"ksoftirqd/0;run_ksoftirqd_[k];handle_softirqs_[k] 64\n"
		"a;main;asm_exc_page_fault_[k] 128\n");
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
	struct irq_counts counts;

	irq_count(map, &counts);
	assert_int_equal(counts.total, 255);
	assert_int_equal(counts.samples[IRQ_TASK], 1);
	assert_int_equal(counts.samples[IRQ_HARDIRQ], 2);
	assert_int_equal(counts.samples[IRQ_SOFTIRQ], 4);
	assert_int_equal(counts.samples[IRQ_SOFTIRQ_INLINE], 8);
	assert_int_equal(counts.samples[IRQ_NMI], 16);
	assert_int_equal(counts.samples[IRQ_EXIT_WORK], 32);
	assert_int_equal(counts.samples[IRQ_KSOFTIRQD], 64);
	assert_int_equal(counts.samples[IRQ_EXCEPTION], 128);
	assert_int_equal(irq_counts_softirq(&counts), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),	   cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_nested),	   cmocka_unit_test(test_origins),
		cmocka_unit_test(test_live_roles), cmocka_unit_test(test_live_user_frames),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests_name("irq", tests, NULL, NULL);
}
