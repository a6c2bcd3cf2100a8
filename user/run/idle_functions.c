// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A halted CPU is sampled at the instruction behind hlt, mwait or wfi, or, where the driver waits
 * with interrupts off, at the one that enables them again: these are the functions that hold such
 * an instruction (arch/x86, arch/arm64, drivers/idle and drivers/cpuidle, 5.10 to 6.18).
 */
#include "run/idle_functions.h"

#include "util/mem.h"

static const char *const names[] = {
	"default_idle",
	"pv_native_safe_halt",
	"native_safe_halt",
	"default_idle_call",
	"mwait_idle",
	"amd_e400_idle",
	"acpi_safe_halt",
	"acpi_idle_do_entry",
	"acpi_idle_enter",
	"io_idle",
	"intel_idle",
	"intel_idle_irq",
	"intel_idle_ibrs",
	"intel_idle_xstate",
	"intel_idle_hlt",
	"cpuidle_enter_state",
	"poll_idle",
	"cpu_idle_poll.isra.0",
	"cpu_idle_poll",
	"arch_cpu_idle",
	"cpu_do_idle",
	"psci_cpu_suspend_enter",
	"default_enter_idle",
	"xen_safe_halt",
	"tdx_safe_halt",
	"tdx_halt",
	"mwait_idle_with_hints.constprop.0",
	"kvm_safe_halt",
};

size_t idle_functions_find(struct symbolizer *s, struct eddy_range *ranges)
{
	uint64_t start = symbolizer_kernel_address(s, "__cpuidle_text_start", NULL);
	uint64_t end = symbolizer_kernel_address(s, "__cpuidle_text_end", NULL);
	size_t nr = 0;

	if (start && end > start)
		ranges[nr++] = (struct eddy_range){ start, end };
	for (size_t i = 0; i < ARRAY_SIZE(names) && nr < EDDY_MAX_IDLE_RANGES; i++) {
		uint64_t size, at = symbolizer_kernel_address(s, names[i], &size);

		if (at && size)
			ranges[nr++] = (struct eddy_range){ at, at + size };
	}
	return nr;
}
