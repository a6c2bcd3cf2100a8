// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts in the summary of a capture.  The stacks are classified by the functions of their
 * kernel chains; the sampler has noted the stack pointer; here the two are laid side by side.
 */
#include "cli/irq_account.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output/folded.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define DISAGREEMENTS_SHOWN 20
#define FRAMES_SHOWN	    12

/* The innermost frames of a stack, outermost of them first. */
static void add_stack(struct strbuf *sb, const struct profile *p, node_id n)
{
	frame_id frames[FRAMES_SHOWN];
	size_t nr = 0;

	for (; n != NODE_ROOT && nr < FRAMES_SHOWN; n = profile_parent(p, n))
		frames[nr++] = profile_frame(p, n);
	if (n != NODE_ROOT)
		strbuf_addstr(sb, "...;");
	while (nr--) {
		folded_frame(sb, profile_frames(p), frames[nr], false);
		if (nr)
			strbuf_addch(sb, ';');
	}
}

static char *describe(const struct profile *p, const struct irq_disagreement *d)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%" PRIu64 " by name %s, %s the task's stack: ", d->samples,
		    irq_class_name(d->class), d->stack == IRQ_STACK_OFF ? "off" : "on");
	add_stack(&sb, p, d->node);
	return strbuf_detach(&sb);
}

static void take_disagreements(struct irq_account *a, const struct irq_map *map,
			       const struct irq_stack_weights *weights)
{
	_cleanup_free_ struct irq_disagreement *list = NULL;
	size_t nr = irq_agreement_list(map, weights, &list);

	a->nr_disagreeing_stacks = nr;
	a->nr_disagreements = nr < DISAGREEMENTS_SHOWN ? nr : DISAGREEMENTS_SHOWN;
	a->disagreements = xcalloc(a->nr_disagreements, sizeof(*a->disagreements));
	for (size_t i = 0; i < a->nr_disagreements; i++)
		a->disagreements[i] = describe(map->profile, &list[i]);
}

void irq_account_take(struct irq_account *account, const struct collector *collector)
{
	const struct profile *p = collector_profile(collector);
	_cleanup_free_ uint64_t *off_stack = xcalloc(profile_nr_nodes(p), sizeof(*off_stack));
	_cleanup_free_ uint64_t *user_mode = xcalloc(profile_nr_nodes(p), sizeof(*user_mode));
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
	struct irq_stack_weights weights = { off_stack, user_mode };

	irq_account_deinit(account);
	collector_get_modes(collector, off_stack, user_mode);
	irq_count(map, &account->counts);
	irq_agreement_count(map, &weights, &account->agreement);
	take_disagreements(account, map, &weights);
}

void irq_account_deinit(struct irq_account *account)
{
	for (size_t i = 0; i < account->nr_disagreements; i++)
		free(account->disagreements[i]);
	free(account->disagreements);
	*account = (struct irq_account){ 0 };
}

/* The whole matrix, class by class. */
static void print_classes(FILE *to, const struct irq_agreement *a)
{
	fprintf(to, "eddy: %-15s %12s %12s %12s\n", "by name", "task's stack", "off it",
		"user mode");
	for (int k = 0; k < NR_IRQ_CLASSES; k++) {
		const uint64_t *s = a->samples[k];

		if (!s[IRQ_STACK_TASK] && !s[IRQ_STACK_OFF] && !s[IRQ_STACK_USER])
			continue;
		fprintf(to, "eddy: %-15s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
			irq_class_name(k), s[IRQ_STACK_TASK], s[IRQ_STACK_OFF], s[IRQ_STACK_USER]);
	}
}

/* Interrupt or not, by two methods: four cells. */
static void print_matrix(FILE *to, const struct irq_agreement *a)
{
	uint64_t compared = a->agree + a->disagree;

	fprintf(to,
		"eddy: interrupts by name and by stack pointer: %" PRIu64 " both, %" PRIu64
		" name only, %" PRIu64 " pointer only, %" PRIu64 " neither: %.1f %% of %" PRIu64
		" kernel samples agree",
		a->both, a->name_only, a->pointer_only, a->neither,
		100.0 * (double)a->agree / (double)compared, compared);
	if (a->on_user_code)
		fprintf(to, "; %" PRIu64 " hit user code, where the pointer says nothing",
			a->on_user_code);
	putc('\n', to);
}

void irq_account_print(FILE *to, const struct irq_account *account, bool verbose)
{
	const struct irq_agreement *a = &account->agreement;
	const struct irq_counts *c = &account->counts;

	fprintf(to,
		"eddy: interrupts: %" PRIu64 " hardirq, %" PRIu64 " softirq (%" PRIu64
		" inline), %" PRIu64 " nmi; %" PRIu64 " exit work\n",
		c->samples[IRQ_HARDIRQ], irq_counts_softirq(c), c->samples[IRQ_SOFTIRQ_INLINE],
		c->samples[IRQ_NMI], c->samples[IRQ_EXIT_WORK]);
	if (a->agree + a->disagree)
		print_matrix(to, a);
	if (!verbose)
		return;
	print_classes(to, a);
	for (size_t i = 0; i < account->nr_disagreements; i++)
		fprintf(to, "eddy: disagreement: %s\n", account->disagreements[i]);
	if (account->nr_disagreements < account->nr_disagreeing_stacks)
		fprintf(to, "eddy: disagreement: and %zu more stacks\n",
			account->nr_disagreeing_stacks - account->nr_disagreements);
}
