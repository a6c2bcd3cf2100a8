// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The view `irq`: who interrupts, what they do, whom they hit.  It reads the stacks before the
 * pass that takes interrupts off them, whatever --irq says.
 */
#include "analysis/irq_rows.h"
#include "analysis/pipeline.h"
#include "view/views.h"
#include "output/irq_view.h"
#include "util/clock_event.h"

/* Rows of each list for people; programs get all. */
#define TEXT_ROWS 10

static int render_effect(const struct view_args *args, FILE *out, struct diag *ret_diag,
			 bool is_text)
{
	_cleanup_irq_effect_ struct irq_effect effect = { 0 };
	const struct frame_table *frames = profile_frames(args->profile);
	int r = irq_effect_find(args->profile, &args->passes->irq, &effect, ret_diag);

	if (r < 0)
		return r;
	if (is_text)
		irq_effect_text_write(out, frames, &effect, args->limit ? args->limit : TEXT_ROWS);
	else
		irq_effect_tsv_write(out, frames, &effect, args->limit);
	return 0;
}

static struct irq_map *find_map(const struct view_args *args)
{
	struct irq_map *map = irq_map_new(args->profile);

	if (args->known && args->known->nr && irq_rows_complete(map, args->known))
		map->known = args->known;
	return map;
}

/* Hardware that interrupts by NMI is not late; of what is not known a timer is the likely one. */
static bool is_timer(const struct view_args *args)
{
	return !args->event || !*args->event || clock_event_is_name(args->event);
}

static int render_masked(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_masked_rows_ struct masked_rows rows = { 0 };
	int r = is_timer(args) ? masked_rows_find(args->profile, &rows, ret_diag) : 0;

	if (r >= 0)
		irq_masked_write(out, args->profile, &rows, args->limit ? args->limit : TEXT_ROWS,
				 args->width);
	return r;
}

static int render_text(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_irq_map_ struct irq_map *map = NULL;

	if (args->effect)
		return render_effect(args, out, ret_diag, true);
	map = find_map(args);
	irq_text_write(out, map, args->limit ? args->limit : TEXT_ROWS);
	return render_masked(args, out, ret_diag);
}

static int render_tsv(const struct view_args *args, FILE *out, struct diag *ret_diag)
{
	_cleanup_irq_map_ struct irq_map *map = NULL;

	if (args->effect)
		return render_effect(args, out, ret_diag, false);
	map = find_map(args);
	irq_tsv_write(out, map, args->limit);
	return 0;
}

static const struct view_format formats[] = {
	{ "text", render_text, .unused = 0 },
	{ "tsv", render_tsv, ".tsv", .unused = 0 },
	{ 0 },
};

const struct view view_irq = {
	.name = "irq",
	.summary = "interrupts: their classes, handlers and victims",
	.formats = formats,
	.options = VIEW_LIMIT | VIEW_EFFECT,
	.pipeline_flags = PIPELINE_RAW_IRQ,
	.collapse = COLLAPSE_NONE,
};
