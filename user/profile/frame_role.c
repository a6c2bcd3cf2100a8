// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel function names and their roles: one sorted table of names, and a few prefixes for the
 * families that the kernel makes by macro (DEFINE_IDTENTRY_SYSVEC and friends).
 *
 * Names are those of x86-64 and arm64, 5.10 to 6.18, with the older spellings that folded files
 * of other tools still hold.  On arm64 system calls and exceptions come through the same entry;
 * which of them it is, the frame behind it says (el0_svc, el0_da).  Its walk by frame pointer
 * misses the caller of a leaf, so the leaves of exit work have their role too.  What the compiler
 * hangs behind a name (.isra.0, .cold, ...) belongs to the same function.  The section markers that
 * some kernels print for the function standing at the same address (__softirqentry_text_start,
 * __irqentry_text_start) have the role of what they hide.
 */
#include "profile/frame_role.h"

#include <stdbool.h>
#include <string.h>

#include "util/mem.h"

struct named_role {
	const char *name;
	enum frame_role role;
};

/* Sorted bytewise: looked up by bisection, the order is kept by the unit test. */
static const struct named_role by_name[] = {
	{ "____do_softirq", FRAME_ROLE_SOFTIRQ_PATH },
	{ "__common_interrupt", FRAME_ROLE_IRQ_PATH },
	{ "__do_softirq", FRAME_ROLE_SOFTIRQ_CORE },
	{ "__el0_fiq_handler_common", FRAME_ROLE_IRQ_ENTRY },
	{ "__el0_irq_handler_common", FRAME_ROLE_IRQ_ENTRY },
	{ "__el1_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "__el1_pnmi", FRAME_ROLE_NMI_ENTRY },
	{ "__generic_handle_irq", FRAME_ROLE_IRQ_PATH },
	{ "__gic_handle_irq", FRAME_ROLE_IRQ_PATH },
	{ "__gic_handle_irq_from_irqson", FRAME_ROLE_IRQ_PATH },
	{ "__handle_domain_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "__handle_irq_event_percpu", FRAME_ROLE_IRQ_PATH },
	{ "__irq_exit_rcu", FRAME_ROLE_IRQ_EXIT },
	{ "__irqentry_text_start", FRAME_ROLE_IRQ_ENTRY },
	{ "__local_bh_enable", FRAME_ROLE_BH_ENABLE },
	{ "__local_bh_enable_ip", FRAME_ROLE_BH_ENABLE },
	{ "__mem_cgroup_handle_over_high", FRAME_ROLE_EXIT_WORK },
	{ "__rseq_handle_notify_resume", FRAME_ROLE_EXIT_WORK },
	{ "__schedule", FRAME_ROLE_EXIT_WORK },
	{ "__sdei_asm_handler", FRAME_ROLE_NMI_ENTRY },
	{ "__sdei_handler", FRAME_ROLE_NMI_ENTRY },
	{ "__softirqentry_text_start", FRAME_ROLE_SOFTIRQ_CORE },
	{ "__xen_evtchn_do_upcall", FRAME_ROLE_IRQ_PATH },
	{ "__xen_pv_evtchn_do_upcall", FRAME_ROLE_IRQ_PATH },
	{ "_local_bh_enable", FRAME_ROLE_BH_ENABLE },
	{ "apic_timer_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "arch_do_signal_or_restart", FRAME_ROLE_EXIT_WORK },
	{ "arch_exit_to_user_mode_prepare", FRAME_ROLE_EXIT_WORK },
	{ "arm64_exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
	{ "arm64_preempt_schedule_irq", FRAME_ROLE_EXIT_WORK },
	{ "asm_call_irq_on_stack", FRAME_ROLE_IRQ_PATH },
	{ "asm_call_on_stack", FRAME_ROLE_IRQ_PATH },
	{ "asm_call_sysvec_on_stack", FRAME_ROLE_IRQ_PATH },
	{ "asm_common_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "asm_exc_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "asm_exc_nmi_kvm_vmx", FRAME_ROLE_NMI_ENTRY },
	{ "asm_exc_nmi_noist", FRAME_ROLE_NMI_ENTRY },
	{ "asm_exc_xen_hypervisor_callback", FRAME_ROLE_IRQ_ENTRY },
	{ "asm_exc_xennmi", FRAME_ROLE_NMI_ENTRY },
	{ "asm_exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
	{ "asm_fred_entrypoint_kernel", FRAME_ROLE_TRAMPOLINE },
	{ "asm_fred_entrypoint_user", FRAME_ROLE_TRAMPOLINE },
	{ "asm_int80_emulation", FRAME_ROLE_TRAMPOLINE },
	{ "asm_spurious_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "async_page_fault", FRAME_ROLE_EXCEPTION },
	{ "blkcg_maybe_throttle_current", FRAME_ROLE_EXIT_WORK },
	{ "call_function_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "call_function_single_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "call_irq_handler", FRAME_ROLE_IRQ_PATH },
	{ "call_on_irq_stack", FRAME_ROLE_IRQ_PATH },
	{ "call_on_irqstack", FRAME_ROLE_IRQ_PATH },
	{ "call_softirq", FRAME_ROLE_SOFTIRQ_PATH },
	{ "common_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "common_interrupt_return", FRAME_ROLE_TRAMPOLINE },
	{ "default_do_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "do_IRQ", FRAME_ROLE_IRQ_ENTRY },
	{ "do_SYSENTER_32", FRAME_ROLE_TRAMPOLINE },
	{ "do_fast_syscall_32", FRAME_ROLE_TRAMPOLINE },
	{ "do_interrupt_handler", FRAME_ROLE_IRQ_PATH },
	{ "do_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "do_notify_resume", FRAME_ROLE_EXIT_WORK },
	{ "do_page_fault", FRAME_ROLE_EXCEPTION },
	{ "do_signal", FRAME_ROLE_EXIT_WORK },
	{ "do_softirq", FRAME_ROLE_SOFTIRQ_PATH },
	{ "do_softirq_own_stack", FRAME_ROLE_SOFTIRQ_PATH },
	{ "do_softirq_post_smp_call_flush", FRAME_ROLE_SOFTIRQ_PATH },
	{ "do_syscall_64", FRAME_ROLE_TRAMPOLINE },
	{ "do_user_addr_fault", FRAME_ROLE_EXCEPTION },
	{ "dynamic_irqentry_exit_cond_resched", FRAME_ROLE_EXIT_WORK },
	{ "el0_bkpt32", FRAME_ROLE_EXCEPTION },
	{ "el0_breakpt", FRAME_ROLE_EXCEPTION },
	{ "el0_brk64", FRAME_ROLE_EXCEPTION },
	{ "el0_bti", FRAME_ROLE_EXCEPTION },
	{ "el0_cp15", FRAME_ROLE_EXCEPTION },
	{ "el0_da", FRAME_ROLE_EXCEPTION },
	{ "el0_dbg", FRAME_ROLE_EXCEPTION },
	{ "el0_error", FRAME_ROLE_EXCEPTION },
	{ "el0_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_fpac", FRAME_ROLE_EXCEPTION },
	{ "el0_fpsimd_acc", FRAME_ROLE_EXCEPTION },
	{ "el0_fpsimd_exc", FRAME_ROLE_EXCEPTION },
	{ "el0_gcs", FRAME_ROLE_EXCEPTION },
	{ "el0_ia", FRAME_ROLE_EXCEPTION },
	{ "el0_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_inv", FRAME_ROLE_EXCEPTION },
	{ "el0_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_irq_compat", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_irq_compat_naked", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_irq_naked", FRAME_ROLE_IRQ_ENTRY },
	{ "el0_mops", FRAME_ROLE_EXCEPTION },
	{ "el0_pc", FRAME_ROLE_EXCEPTION },
	{ "el0_sme_acc", FRAME_ROLE_EXCEPTION },
	{ "el0_softstp", FRAME_ROLE_EXCEPTION },
	{ "el0_sp", FRAME_ROLE_EXCEPTION },
	{ "el0_svc", FRAME_ROLE_TRAMPOLINE },
	{ "el0_svc_compat", FRAME_ROLE_TRAMPOLINE },
	{ "el0_sve_acc", FRAME_ROLE_EXCEPTION },
	{ "el0_sync", FRAME_ROLE_TRAMPOLINE },
	{ "el0_sync_compat", FRAME_ROLE_TRAMPOLINE },
	{ "el0_sync_compat_handler", FRAME_ROLE_TRAMPOLINE },
	{ "el0_sync_handler", FRAME_ROLE_TRAMPOLINE },
	{ "el0_sys", FRAME_ROLE_EXCEPTION },
	{ "el0_undef", FRAME_ROLE_EXCEPTION },
	{ "el0_watchpt", FRAME_ROLE_EXCEPTION },
	{ "el0t_32_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_32_fiq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_32_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_32_irq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_32_sync", FRAME_ROLE_TRAMPOLINE },
	{ "el0t_32_sync_handler", FRAME_ROLE_TRAMPOLINE },
	{ "el0t_64_error", FRAME_ROLE_EXCEPTION },
	{ "el0t_64_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_64_fiq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_64_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_64_irq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el0t_64_sync", FRAME_ROLE_TRAMPOLINE },
	{ "el0t_64_sync_handler", FRAME_ROLE_TRAMPOLINE },
	{ "el1_abort", FRAME_ROLE_EXCEPTION },
	{ "el1_error", FRAME_ROLE_EXCEPTION },
	{ "el1_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "el1_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1_sync", FRAME_ROLE_EXCEPTION },
	{ "el1_sync_handler", FRAME_ROLE_EXCEPTION },
	{ "el1h_64_error", FRAME_ROLE_EXCEPTION },
	{ "el1h_64_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1h_64_fiq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el1h_64_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1h_64_irq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el1h_64_sync", FRAME_ROLE_EXCEPTION },
	{ "el1h_64_sync_handler", FRAME_ROLE_EXCEPTION },
	{ "el1t_64_fiq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1t_64_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "el1t_64_irq_handler", FRAME_ROLE_IRQ_ENTRY },
	{ "el1t_64_sync", FRAME_ROLE_EXCEPTION },
	{ "end_repeat_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "enter_from_kernel_mode", FRAME_ROLE_IRQ_PATH },
	{ "enter_from_user_mode", FRAME_ROLE_IRQ_PATH },
	{ "entry_INT80_compat", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSCALL_64", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSCALL_64_after_hwframe", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSCALL_64_safe_stack", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSCALL_compat", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSCALL_compat_after_hwframe", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSENTER_compat", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSENTER_compat_after_hwframe", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSRETQ_end", FRAME_ROLE_TRAMPOLINE },
	{ "entry_SYSRETQ_unsafe_stack", FRAME_ROLE_TRAMPOLINE },
	{ "error_entry", FRAME_ROLE_TRAMPOLINE },
	{ "error_return", FRAME_ROLE_TRAMPOLINE },
	{ "exc_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "exc_nmi_kvm_vmx", FRAME_ROLE_NMI_ENTRY },
	{ "exc_page_fault", FRAME_ROLE_EXCEPTION },
	{ "exc_xen_hypervisor_callback", FRAME_ROLE_IRQ_ENTRY },
	{ "exc_xen_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "exit_to_kernel_mode", FRAME_ROLE_IRQ_PATH },
	{ "exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
	{ "exit_to_user_mode_loop", FRAME_ROLE_EXIT_WORK },
	{ "exit_to_user_mode_prepare", FRAME_ROLE_EXIT_WORK },
	{ "exit_to_usermode_loop", FRAME_ROLE_EXIT_WORK },
	{ "first_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "fpsimd_restore_current_state", FRAME_ROLE_EXIT_WORK },
	{ "fred_entry_from_kernel", FRAME_ROLE_TRAMPOLINE },
	{ "fred_entry_from_user", FRAME_ROLE_TRAMPOLINE },
	{ "fred_exc_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "fred_extint", FRAME_ROLE_IRQ_ENTRY },
	{ "generic_handle_arch_irq", FRAME_ROLE_IRQ_PATH },
	{ "generic_handle_domain_irq", FRAME_ROLE_IRQ_PATH },
	{ "generic_handle_irq", FRAME_ROLE_IRQ_PATH },
	{ "gic_handle_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_domain_irq", FRAME_ROLE_IRQ_ENTRY },
	{ "handle_edge_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_fasteoi_edge_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_fasteoi_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_irq_desc", FRAME_ROLE_IRQ_PATH },
	{ "handle_irq_event", FRAME_ROLE_IRQ_PATH },
	{ "handle_irq_event_percpu", FRAME_ROLE_IRQ_PATH },
	{ "handle_level_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_percpu_devid_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_percpu_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_simple_irq", FRAME_ROLE_IRQ_PATH },
	{ "handle_softirqs", FRAME_ROLE_SOFTIRQ_CORE },
	{ "invoke_softirq", FRAME_ROLE_SOFTIRQ_PATH },
	{ "irq_enter", FRAME_ROLE_IRQ_PATH },
	{ "irq_enter_rcu", FRAME_ROLE_IRQ_PATH },
	{ "irq_entries_start", FRAME_ROLE_IRQ_ENTRY },
	{ "irq_exit", FRAME_ROLE_IRQ_EXIT },
	{ "irq_exit_rcu", FRAME_ROLE_IRQ_EXIT },
	{ "irq_work_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "irqentry_enter", FRAME_ROLE_IRQ_PATH },
	{ "irqentry_enter_from_user_mode", FRAME_ROLE_IRQ_PATH },
	{ "irqentry_exit", FRAME_ROLE_EXIT_WORK },
	{ "irqentry_exit_cond_resched", FRAME_ROLE_EXIT_WORK },
	{ "irqentry_exit_to_kernel_mode", FRAME_ROLE_EXIT_WORK },
	{ "irqentry_exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
	{ "irqentry_nmi_enter", FRAME_ROLE_IRQ_PATH },
	{ "irqentry_nmi_exit", FRAME_ROLE_IRQ_PATH },
	{ "local_bh_enable", FRAME_ROLE_BH_ENABLE },
	{ "local_bh_enable_ip", FRAME_ROLE_BH_ENABLE },
	{ "mem_cgroup_handle_over_high", FRAME_ROLE_EXIT_WORK },
	{ "native_iret", FRAME_ROLE_TRAMPOLINE },
	{ "native_irq_return_iret", FRAME_ROLE_TRAMPOLINE },
	{ "native_irq_return_ldt", FRAME_ROLE_TRAMPOLINE },
	{ "nested_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "nested_nmi_out", FRAME_ROLE_NMI_ENTRY },
	{ "nmi_handle", FRAME_ROLE_NMI_ENTRY },
	{ "nmi_no_fsgsbase", FRAME_ROLE_NMI_ENTRY },
	{ "nmi_restore", FRAME_ROLE_NMI_ENTRY },
	{ "nmi_swapgs", FRAME_ROLE_NMI_ENTRY },
	{ "page_fault", FRAME_ROLE_EXCEPTION },
	{ "paranoid_entry", FRAME_ROLE_TRAMPOLINE },
	{ "paranoid_exit", FRAME_ROLE_TRAMPOLINE },
	{ "preempt_schedule_common", FRAME_ROLE_EXIT_WORK },
	{ "preempt_schedule_irq", FRAME_ROLE_EXIT_WORK },
	{ "prepare_exit_to_user_mode", FRAME_ROLE_EXIT_WORK },
	{ "prepare_exit_to_usermode", FRAME_ROLE_EXIT_WORK },
	{ "raw_irqentry_exit_cond_resched", FRAME_ROLE_EXIT_WORK },
	{ "repeat_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "reschedule_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "restore_regs_and_return_to_kernel", FRAME_ROLE_TRAMPOLINE },
	{ "ret_from_fork", FRAME_ROLE_TRAMPOLINE },
	{ "ret_from_fork_asm", FRAME_ROLE_TRAMPOLINE },
	{ "ret_to_user", FRAME_ROLE_EXIT_WORK },
	{ "run_irq_on_irqstack_cond", FRAME_ROLE_IRQ_PATH },
	{ "run_ksoftirqd", FRAME_ROLE_KSOFTIRQD },
	{ "run_ktimerd", FRAME_ROLE_KSOFTIRQD },
	{ "run_sysvec_on_irqstack_cond", FRAME_ROLE_IRQ_PATH },
	{ "schedule", FRAME_ROLE_EXIT_WORK },
	{ "smp_apic_timer_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "spurious_entries_start", FRAME_ROLE_IRQ_ENTRY },
	{ "spurious_interrupt", FRAME_ROLE_IRQ_ENTRY },
	{ "swapgs_restore_regs_and_return_to_usermode", FRAME_ROLE_TRAMPOLINE },
	{ "sync_regs", FRAME_ROLE_TRAMPOLINE },
	{ "syscall_return_via_sysret", FRAME_ROLE_TRAMPOLINE },
	{ "task_work_run", FRAME_ROLE_EXIT_WORK },
	{ "work_pending", FRAME_ROLE_EXIT_WORK },
	{ "xen_asm_exc_nmi", FRAME_ROLE_NMI_ENTRY },
	{ "xen_asm_exc_xen_hypervisor_callback", FRAME_ROLE_IRQ_ENTRY },
	{ "xen_error_entry", FRAME_ROLE_TRAMPOLINE },
	{ "xen_evtchn_do_upcall", FRAME_ROLE_IRQ_PATH },
	{ "xen_hvm_callback_vector", FRAME_ROLE_IRQ_ENTRY },
	{ "xen_pv_evtchn_do_upcall", FRAME_ROLE_IRQ_PATH },
};

/* Asked after the table, which holds the exceptions to these (asm_exc_nmi). */
static const struct named_role by_prefix[] = {
	{ "asm_sysvec_", FRAME_ROLE_IRQ_ENTRY }, { "fred_sysvec_", FRAME_ROLE_IRQ_ENTRY },
	{ "sysvec_", FRAME_ROLE_IRQ_ENTRY },	 { "__sysvec_", FRAME_ROLE_IRQ_ENTRY },
	{ "asm_exc_", FRAME_ROLE_EXCEPTION },
};

/* The words of compiler suffixes; a number may follow each: ".constprop.0.isra.1", ".llvm.123". */
static const char *const suffix_words[] = {
	"isra",	      "part",	  "cold", "constprop", "llvm",
	"localalias", "lto_priv", "warm", "__uniq",    "cfi_jt",
};

static bool segment_is_number(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return len > 0;
}

static bool segment_is_suffix(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffix_words); i++)
		if (strlen(suffix_words[i]) == len && !memcmp(s, suffix_words[i], len))
			return true;
	return false;
}

/* Length of the name without compiler suffixes; len when what follows the dot is none. */
static size_t base_length(const char *name, size_t len)
{
	const char *dot = memchr(name, '.', len);
	const char *end = name + len;

	if (!dot)
		return len;
	for (const char *s = dot; s < end;) {
		const char *next = memchr(s + 1, '.', end - s - 1);
		size_t n = (next ? next : end) - s - 1;

		if (!segment_is_suffix(s + 1, n) && (s == dot || !segment_is_number(s + 1, n)))
			return len;
		s = next ? next : end;
	}
	return dot - name;
}

static int name_compare(const char *name, size_t len, const char *entry)
{
	size_t entry_len = strlen(entry);
	int c = memcmp(name, entry, len < entry_len ? len : entry_len);

	return c ? c : (len > entry_len) - (len < entry_len);
}

enum frame_role frame_role_of_name(const char *name, size_t len)
{
	size_t lo = 0, hi = ARRAY_SIZE(by_name);

	len = base_length(name, len);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = name_compare(name, len, by_name[mid].name);

		if (!c)
			return by_name[mid].role;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(by_prefix); i++) {
		size_t n = strlen(by_prefix[i].name);

		if (len > n && !memcmp(name, by_prefix[i].name, n))
			return by_prefix[i].role;
	}
	return FRAME_ROLE_NONE;
}
