// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts in the summary of a capture.  The stacks are classified by the functions of their
 * kernel chains; the sampler has noted the stack pointer; here the two are laid side by side.
 */
#include "run/irq_account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/irq_rows.h"
#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

#define DISAGREEMENTS_SHOWN 20
#define FRAMES_SHOWN	    12
#define ROWS_KEPT	    100

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
		frame_text_add(sb, profile_frames(p), frames[nr], false);
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

static void add_name(struct strbuf *sb, const struct frame_table *table, str_id name)
{
	size_t len, from;
	const char *text = frame_table_str(table, name, &len);

	strbuf_addch(sb, ';');
	from = sb->len;
	text_escape(sb, text, len);
	for (char *c = sb->bytes + from; (c = strchr(c, ';'));)
		*c = ':';
}

static void take_rows(struct irq_account *a, const struct irq_map *map)
{
	const struct frame_table *table = profile_frames(map->profile);
	_cleanup_irq_rows_ struct irq_rows rows = { 0 };

	irq_rows_collect(map, IRQ_BY_ALL | IRQ_INLINE_APART, &rows);
	a->nr_rows = rows.nr < ROWS_KEPT ? rows.nr : ROWS_KEPT;
	a->rows = xcalloc(a->nr_rows, sizeof(*a->rows));
	for (size_t i = 0; i < a->nr_rows; i++) {
		const struct irq_row *row = &rows.rows[i];
		struct strbuf text = STRBUF_INIT;

		strbuf_addstr(&text, irq_class_name(row->class));
		add_name(&text, table, row->entry);
		add_name(&text, table, row->handler);
		add_name(&text, table, row->victim);
		a->rows[i] =
			(struct irq_account_row){ row->class, strbuf_detach(&text), row->samples };
	}
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
	take_rows(account, map);
}

void irq_account_deinit(struct irq_account *account)
{
	for (size_t i = 0; i < account->nr_disagreements; i++)
		free(account->disagreements[i]);
	free(account->disagreements);
	for (size_t i = 0; i < account->nr_rows; i++)
		free(account->rows[i].text);
	free(account->rows);
	*account = (struct irq_account){ 0 };
}
