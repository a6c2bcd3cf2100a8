// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix, and the verdict on each of its cells. */
#include "analysis/irq_agreement.h"

#include "util/mem.h"

const char *irq_stack_name(enum irq_stack stack)
{
	static const char *const names[] = { "task", "off", "user" };

	return names[stack];
}

static void weights_of(const struct irq_map *map, const struct irq_stack_weights *weights,
		       node_id n, uint64_t *ret_weights)
{
	uint64_t left = profile_self(map->profile, n);
	uint64_t off = weights->off_stack ? weights->off_stack[n] : 0;
	uint64_t user = weights->user_mode ? weights->user_mode[n] : 0;

	/* Counters that are read while samples still come may be ahead of the profile. */
	off = off < left ? off : left;
	left -= off;
	user = user < left ? user : left;
	ret_weights[IRQ_STACK_TASK] = left - user;
	ret_weights[IRQ_STACK_OFF] = off;
	ret_weights[IRQ_STACK_USER] = user;
}

/* Did the chain of interrupts at this node begin on user code? */
static bool has_hit_user_code(const struct irq_map *map, node_id n)
{
	const struct irq_boundary *b = &map->boundaries[map->nodes[n].boundary];

	return !map->nodes[b->victim].is_kernel;
}

/*
 * Whether this kernel has a stack for softirqs: arm64 has since 6.1.  Else a task that enables
 * bottom halves runs them on its own.
 */
static bool has_softirq_stack(const struct irq_map *map, const struct irq_stack_weights *weights)
{
	for (node_id n = 0; weights->off_stack && n < map->nr_nodes; n++)
		if (irq_class_of_node(map, n) == IRQ_SOFTIRQ_INLINE && weights->off_stack[n])
			return true;
	return false;
}

enum verdict { BOTH, NEITHER, NAME_ONLY, POINTER_ONLY, ON_USER_CODE, SILENT, NR_VERDICTS };

static enum verdict judge(const struct irq_map *map, node_id n, enum irq_stack stack,
			  bool softirq_stack)
{
	enum irq_class class = irq_class_of_node(map, n);
	bool by_name = irq_class_is_interrupt(class) || class == IRQ_SOFTIRQ_INLINE;

	/* Without a kernel chain (user mode, -U, a lost stack) there is nothing to compare. */
	if (stack == IRQ_STACK_USER || !map->nodes[n].is_kernel)
		return SILENT;
	if (stack == IRQ_STACK_OFF)
		return by_name ? BOTH : POINTER_ONLY;
	if (!by_name)
		return NEITHER;
	if (class == IRQ_SOFTIRQ_INLINE && !softirq_stack)
		return SILENT;
	return has_hit_user_code(map, n) ? ON_USER_CODE : NAME_ONLY;
}

void irq_agreement_count(const struct irq_map *map, const struct irq_stack_weights *weights,
			 struct irq_agreement *ret_agreement)
{
	bool softirq_stack = has_softirq_stack(map, weights);
	struct irq_agreement a = { 0 };
	uint64_t verdicts[NR_VERDICTS] = { 0 };

	for (node_id n = 0; n < map->nr_nodes; n++) {
		uint64_t samples[NR_IRQ_STACKS];

		weights_of(map, weights, n, samples);
		for (int stack = 0; stack < NR_IRQ_STACKS; stack++) {
			if (!samples[stack])
				continue;
			a.samples[irq_class_of_node(map, n)][stack] += samples[stack];
			verdicts[judge(map, n, stack, softirq_stack)] += samples[stack];
		}
	}
	a.both = verdicts[BOTH];
	a.neither = verdicts[NEITHER];
	a.name_only = verdicts[NAME_ONLY];
	a.pointer_only = verdicts[POINTER_ONLY];
	a.on_user_code = verdicts[ON_USER_CODE];
	a.agree = a.both + a.neither;
	a.disagree = a.name_only + a.pointer_only;
	a.silent = a.on_user_code + verdicts[SILENT];
	*ret_agreement = a;
}

static bool is_disagreement(enum verdict verdict)
{
	return verdict == NAME_ONLY || verdict == POINTER_ONLY;
}

static int compare_disagreements(const void *a, const void *b)
{
	const struct irq_disagreement *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

size_t irq_agreement_list(const struct irq_map *map, const struct irq_stack_weights *weights,
			  struct irq_disagreement **ret_list)
{
	bool softirq_stack = has_softirq_stack(map, weights);
	struct irq_disagreement *list = NULL;
	size_t nr = 0, cap = 0;

	for (node_id n = 0; n < map->nr_nodes; n++) {
		uint64_t samples[NR_IRQ_STACKS];

		weights_of(map, weights, n, samples);
		for (int stack = 0; stack < NR_IRQ_STACKS; stack++) {
			if (!samples[stack] ||
			    !is_disagreement(judge(map, n, stack, softirq_stack)))
				continue;
			array_reserve(list, cap, nr + 1);
			list[nr++] = (struct irq_disagreement){ n, irq_class_of_node(map, n), stack,
								samples[stack] };
		}
	}
	if (nr)
		qsort(list, nr, sizeof(*list), compare_disagreements);
	*ret_list = list;
	return nr;
}
