# SPDX-License-Identifier: GPL-2.0-or-later
# What --irq split makes of folded text, stack by stack, for x86-64 6.x without NMIs: an oracle that
# shares nothing with the program.  Frames are read from the root; `stack` is what stands so far.
function is(frame, names) { return frame ~ "^(" names ")(\\.(isra|part|cold|constprop)(\\.[0-9]+)?)*_\\[k\\]$" }
{
	count = $NF; sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	stack = ""; depth = 0; class = "task"; in_entry = 0; core = ""
	for (i = 1; i <= n; i++) {
		f = frame[i]
		entry = is(f, "asm_sysvec_[a-z0-9_]+|asm_common_interrupt|sysvec_[a-z0-9_]+|common_interrupt")
		if (entry && !(class == "hardirq" && in_entry)) {
			depth++; victim[depth] = stack; was[depth] = class; victim_core[depth] = core
			stack = "[hardirq];" f; class = "hardirq"; in_entry = 1; core = ""
			continue
		}
		in_entry = entry
		if (class == "hardirq" && is(f, "handle_softirqs|__do_softirq")) {
			stack = "[softirq]"; class = "softirq"; core = f
			continue
		}
		if (class == "hardirq" && is(f, "irqentry_exit|irqentry_exit_to_user_mode|exit_to_user_mode_loop|preempt_schedule_irq|schedule|__schedule")) {
			stack = victim[depth]; class = was[depth]; core = victim_core[depth]; depth--
			core = ""
		}
		stack = stack == "" ? f : stack ";" f
		core = ""
	}
	if (core != "")
		stack = stack ";" core # taken in the core itself
	sum[stack] += count
}
END { for (s in sum) print s, sum[s] }
