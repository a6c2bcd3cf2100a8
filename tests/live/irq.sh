# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests of interrupts: what their frames are called, on x86-64 and arm64.
# shellcheck disable=SC2034
interrupt='(asm_sysvec_|sysvec_|asm_common_interrupt|common_interrupt_\[k\]|(__)?irq_exit_rcu|el[01][th]_(64|32)_(irq|fiq)|el1_irq|el0_irq|gic_handle_irq|__handle_domain_irq|asm_exc_nmi|end_repeat_nmi)'
core='(handle_softirqs|__do_softirq|__softirqentry_text_start)[^;]*_\[k\]'
