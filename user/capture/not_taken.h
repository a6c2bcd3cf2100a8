/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where samples are that were due and that the sampler was not run for, one CPU at a time:
 *
 *	due = delivered + idle + throttled + stolen + busy
 *
 * A perf event whose program the kernel skips leaves no trace, so what is left when all causes that
 * can be measured are taken away is the last: the CPU was at work, and the kernel did not run the
 * sampler since another BPF program or a bpf() call was on it, or the timer was late.
 */
#ifndef EDDY_CAPTURE_NOT_TAKEN_H
#define EDDY_CAPTURE_NOT_TAKEN_H

#include <stdint.h>

/* Samples. */
struct not_taken {
	uint64_t idle;	    /* an idle CPU's clock need not tick */
	uint64_t throttled; /* the kernel held the event back */
	uint64_t stolen;    /* the hypervisor ran others */
	uint64_t busy;
};

/* One CPU, since the start. */
struct cpu_samples {
	uint64_t due, delivered;
	/* What would be due in the time it was idle, and what was delivered of the idle task. */
	uint64_t idle_due, idle_delivered;
	uint64_t throttled_due, stolen_due;
	uint64_t slack; /* of idle_due and stolen_due, that are known in ticks */
};

/* Zeroed at the start. */
struct not_taken_cpu {
	struct cpu_samples then;
	/*
	 * What a window leaves to the next, which begins amid a tick: samples that came before they
	 * were due (negative), and causes that nothing was missing for, either by slack at most.
	 */
	int64_t missing, idle, throttled, stolen;
};

/* Adds what is new since the last call to *sums. */
void not_taken_judge(struct not_taken_cpu *cpu, const struct cpu_samples *now,
		     struct not_taken *sums);

uint64_t not_taken_total(const struct not_taken *n);

#endif
