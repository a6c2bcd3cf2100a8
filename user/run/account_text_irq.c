// SPDX-License-Identifier: GPL-2.0-or-later
/* Interrupts in the summary of a capture: by the names of functions, and by the stack pointer. */
#include "run/account_text.h"

#include <inttypes.h>

/* The whole matrix, class by class. */
static void print_classes(FILE *to, const struct irq_agreement *a)
{
	fprintf(to, "%-15s %12s %12s %12s\n", "by name", "task's stack", "off it", "user mode");
	for (int k = 0; k < NR_IRQ_CLASSES; k++) {
		const uint64_t *s = a->samples[k];

		if (!s[IRQ_STACK_TASK] && !s[IRQ_STACK_OFF] && !s[IRQ_STACK_USER])
			continue;
		fprintf(to, "%-15s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", irq_class_name(k),
			s[IRQ_STACK_TASK], s[IRQ_STACK_OFF], s[IRQ_STACK_USER]);
	}
}

/* Interrupt or not, by two methods: four cells. */
static void print_matrix(FILE *to, const struct irq_agreement *a)
{
	uint64_t compared = a->agree + a->disagree;

	fprintf(to,
		"interrupts by name and by stack pointer: %" PRIu64 " both, %" PRIu64
		" name only, %" PRIu64 " pointer only, %" PRIu64 " neither: %.1f %% of %" PRIu64
		" kernel samples agree",
		a->both, a->name_only, a->pointer_only, a->neither,
		100.0 * (double)a->agree / (double)compared, compared);
	if (a->on_user_code)
		fprintf(to, "; %" PRIu64 " interrupted user code, which the pointer cannot tell",
			a->on_user_code);
	putc('\n', to);
}

void account_text_irq(FILE *to, const struct irq_account *account)
{
	const struct irq_agreement *a = &account->agreement;
	const struct irq_counts *c = &account->counts;

	fprintf(to,
		"interrupts: %" PRIu64 " hardirq, %" PRIu64 " softirq (%" PRIu64
		" inline), %" PRIu64 " nmi; %" PRIu64 " return-to-user work\n",
		c->samples[IRQ_HARDIRQ], irq_counts_softirq(c), c->samples[IRQ_SOFTIRQ_INLINE],
		c->samples[IRQ_NMI], c->samples[IRQ_EXIT_WORK]);
	if (a->agree + a->disagree)
		print_matrix(to, a);
	print_classes(to, a);
	for (size_t i = 0; i < account->nr_disagreements; i++)
		fprintf(to, "disagreement: %s\n", account->disagreements[i]);
	if (account->nr_disagreements < account->nr_disagreeing_stacks)
		fprintf(to, "disagreement: and %zu more stacks\n",
			account->nr_disagreeing_stacks - account->nr_disagreements);
}
