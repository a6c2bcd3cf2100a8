// SPDX-License-Identifier: GPL-2.0-or-later
/* Blue and orange are told apart by colour-blind people too; the titles have the words. */
#include "output/svg_diff.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/svg.h"
#include "util/mem.h"
#include "util/text_escape.h"

enum change_paint { PAINT_MORE, PAINT_LESS, PAINT_CHANCE, PAINT_FEW, NR_CHANGE_PAINTS };

static const struct svg_paint paints[NR_CHANGE_PAINTS] = {
	[PAINT_MORE] = { "more after", "#f0a35e" },
	[PAINT_LESS] = { "less after", "#7fb3e0" },
	[PAINT_CHANCE] = { "no more than chance", "#d3d6da" },
	[PAINT_FEW] = { "too few samples to tell", "#ebecee" },
};

struct picture {
	struct diff_view view;
	struct diff_number *numbers; /* by node */
};

static size_t paint_of_change(const void *ctx, const struct flame_layout *l, node_id node)
{
	const struct picture *p = ctx;
	const struct diff_number *n = &p->numbers[node];

	(void)l;
	if (!n->is_tested)
		return PAINT_FEW;
	if (!diff_view_is_marked(&p->view, n))
		return PAINT_CHANCE;
	return diff_change(n) > 0 ? PAINT_MORE : PAINT_LESS;
}

static void put_change(FILE *to, const void *ctx, const struct flame_layout *l, node_id node)
{
	const struct picture *p = ctx;
	const struct diff_number *n = &p->numbers[node];

	fprintf(to, "before %" PRIu64 " (%.2f %%), after %" PRIu64 " (%.2f %%), %+.2f %%: %s",
		n->rates.before, diff_view_percent(&p->view, n, DIFF_BEFORE), n->rates.after,
		diff_view_percent(&p->view, n, DIFF_AFTER), diff_view_change(&p->view, n) + 0.0,
		paints[paint_of_change(ctx, l, node)].name);
}

/* By the exposure of the shorter side, so that no stack with samples is without a width. */
static struct profile *widths_of(const struct diff *d, struct diag *ret_diag)
{
	const double dues[] = { diff_due(d, DIFF_BEFORE), diff_due(d, DIFF_AFTER) };
	const double most = fmax(dues[DIFF_BEFORE], dues[DIFF_AFTER]);
	_cleanup_profile_ struct profile *widths = diff_profile(d, DIFF_BEFORE);
	size_t nr = profile_nr_nodes(widths);

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		_cleanup_profile_ struct profile *side = diff_profile(d, s);

		for (node_id n = 0; n < nr; n++) {
			uint64_t own = profile_self(side, n);
			double width = round((double)own * (most / dues[s]));

			if (s == DIFF_BEFORE)
				profile_subtract(widths, n, own);
			if (width >= 0x1p62 || profile_add(widths, n, (uint64_t)width) < 0) {
				diag_set(ret_diag, EOVERFLOW,
					 "the sides differ too much in length "
					 "for one picture");
				return NULL;
			}
		}
	}
	return take_ptr(widths);
}

static char *title_of(const struct diff_view *v)
{
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const char *name = v->opts->names[s];

		strbuf_addf(&title, "%s", s ? " and after, " : "what changed: before, ");
		text_escape(&title, name, strlen(name));
		strbuf_addf(&title, ": %" PRIu64 " samples", diff_total(v->diff, s));
		if (v->opts->base.per == DIFF_PER_DUE)
			strbuf_addf(&title, " of %.0f expected", diff_due(v->diff, s));
	}
	return strbuf_detach(&title);
}

int svg_diff_write(FILE *to, const struct diff *d, const struct diff_opts *diff_opts,
		   const struct writer_opts *opts, struct diag *ret_diag)
{
	struct picture p = { .view = { .diff = d, .opts = diff_opts } };
	_cleanup_profile_ struct profile *widths = widths_of(d, ret_diag);
	_cleanup_free_ char *title = title_of(&p.view);
	const struct svg_style style = {
		.paints = paints,
		.nr_paints = NR_CHANGE_PAINTS,
		.paint_of = paint_of_change,
		.put_facts = put_change,
		.ctx = &p,
		.title = title,
		.counted = "samples of both sides",
		.keeps_nodes = true,
	};
	struct diff_rows rows;

	if (!widths)
		return -EOVERFLOW;
	diff_paths(d, diff_opts->level, &rows);
	p.numbers = xcalloc(profile_nr_nodes(widths), sizeof(*p.numbers));
	for (size_t i = 0; i < rows.nr; i++)
		p.numbers[rows.rows[i].id] = rows.rows[i].self;
	svg_picture_write(to, widths, opts, &style);
	free(rows.rows);
	free(p.numbers);
	return 0;
}
