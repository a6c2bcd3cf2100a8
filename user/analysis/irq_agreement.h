/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often two independent methods agree on what is an interrupt: the functions of the kernel
 * chain, and the stack pointer at the time of the sample, which stands off the task's stack while
 * an interrupt or softirq runs on a stack of its own.
 *
 * The second method has nothing to say of samples in user mode, nor of interrupts that hit user
 * code and run on the task's stack (x86-64): there the kernel chain simply starts at the entry;
 * nor of softirqs that a task runs on its own stack, where no such sample of the capture stands off
 * one (arm64 before 6.1).
 */
#ifndef EDDY_ANALYSIS_IRQ_AGREEMENT_H
#define EDDY_ANALYSIS_IRQ_AGREEMENT_H

#include "analysis/irq.h"

enum irq_stack {
	IRQ_STACK_TASK, /* kernel mode, on the task's stack */
	IRQ_STACK_OFF,	/* kernel mode, off it */
	IRQ_STACK_USER, /* user mode */
	NR_IRQ_STACKS
};

/* "task", "off", "user" */
const char *irq_stack_name(enum irq_stack stack);

struct irq_agreement {
	uint64_t samples[NR_IRQ_CLASSES][NR_IRQ_STACKS]; /* rows by names, columns by pointer */
	uint64_t both, neither; /* an interrupt by both methods, by neither */
	uint64_t name_only, pointer_only;
	uint64_t on_user_code;	  /* by name; it hit user code, where the pointer says nothing */
	uint64_t agree, disagree; /* both + neither; name_only + pointer_only */
	uint64_t silent;	  /* one method says nothing; the three add up to all samples */
};

struct irq_disagreement {
	node_id node; /* the stack */
	uint8_t class;
	uint8_t stack; /* enum irq_stack */
	uint64_t samples;
};

/*
 * Of each node's weight, how much was sampled off the task's stack and how much in user mode:
 * arrays of map->nr_nodes that whoever collects the samples keeps beside the profile (NULL: all
 * 0).  The map is of the profile as collected, before any pass.
 */
struct irq_stack_weights {
	const uint64_t *off_stack;
	const uint64_t *user_mode;
};

void irq_agreement_count(const struct irq_map *map, const struct irq_stack_weights *weights,
			 struct irq_agreement *ret_agreement);

/* The stacks on which they disagree, most samples first; *ret_list is for free(). Their number. */
size_t irq_agreement_list(const struct irq_map *map, const struct irq_stack_weights *weights,
			  struct irq_disagreement **ret_list);

#endif
