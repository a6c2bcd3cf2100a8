// SPDX-License-Identifier: GPL-2.0-or-later
/* What all tables are made with; each view has a maker of its own. */
#include "live/live_table.h"

#include <inttypes.h>
#include <string.h>

#include "live/live_flame.h"
#include "live/live_rows.h"
#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/text_escape.h"

const char *const live_view_names[NR_LIVE_VIEWS] = {
	"functions", "tree", "calls", "cycles", "irq", "processes", "flame", "modules", "threads",
};

struct live_analysis *live_analysis_new(void)
{
	struct live_analysis *a = xcalloc(1, sizeof(*a));

	a->callgraph = callgraph_new();
	return a;
}

void live_analysis_free(struct live_analysis *a)
{
	if (!a)
		return;
	callgraph_free(a->callgraph);
	calltree_free(a->tree);
	free(a);
}

/* What was made of other nodes is of no use. */
static void forget(struct live_analysis *a)
{
	callgraph_free(a->callgraph);
	a->callgraph = callgraph_new();
	calltree_free(take_ptr(a->tree));
}

void live_table_deinit(struct live_table *t)
{
	free(t->rows);
	free(t->title);
	frame_table_unref(t->frames);
	strbuf_deinit(&t->text);
	*t = (struct live_table){ .text = STRBUF_INIT };
}

unsigned int live_view_pipeline_flags(enum live_view view)
{
	return view == LIVE_TREE ? PIPELINE_OWN_COLLAPSE : 0;
}

bool live_view_is_of_tasks(enum live_view view)
{
	return view == LIVE_PROCESSES || view == LIVE_THREADS;
}

bool live_views_share_passes(enum live_view a, enum live_view b)
{
	return live_view_pipeline_flags(a) == live_view_pipeline_flags(b) &&
	       live_view_is_of_tasks(a) == live_view_is_of_tasks(b);
}

void live_table_value(const struct live_table *t, const struct live_row *row, size_t column,
		      struct strbuf *to)
{
	uint64_t value = row->values[column];

	if (value == LIVE_NO_VALUE)
		return;
	switch ((enum live_kind)t->columns[column].kind) {
	case LIVE_COUNT:
	case LIVE_NUMBER:
		strbuf_addf(to, "%" PRIu64, value);
		break;
	case LIVE_SAMPLES:
		if (t->parts > 1)
			strbuf_addf(to, "%.1f", (double)value / t->parts);
		else
			strbuf_addf(to, "%" PRIu64, value);
		break;
	case LIVE_PERCENT:
		strbuf_addf(to, "%.2f", t->total ? 100.0 * value / t->total : 0);
		break;
	case LIVE_CENTI:
		strbuf_addf(to, "%.2f", value / 100.0);
		break;
	}
}

/* ---- what all tables are made with ---------------------------------------------------------- */

struct live_row *live_row_add(struct live_table *t, uint64_t key)
{
	struct live_row *row;

	array_reserve(t->rows, t->cap, t->nr + 1);
	row = &t->rows[t->nr++];
	*row = (struct live_row){ .key = key };
	for (size_t i = 0; i < LIVE_MAX_VALUES; i++)
		row->values[i] = LIVE_NO_VALUE;
	return row;
}

size_t live_text_add(struct live_table *t, const char *bytes, size_t len)
{
	size_t at = t->text.len;

	text_escape(&t->text, bytes, len);
	strbuf_add(&t->text, "", 1);
	return at;
}

static void add_name(struct strbuf *to, const struct frame_table *frames, frame_id id)
{
	size_t len;
	const char *name = frame_table_name(frames, id, &len);
	enum frame_origin origin = frame_table_get(frames, id)->origin;
	const char *mark = origin == FRAME_USER ? "[.]" : frame_origin_mark(origin);

	if (*mark)
		strbuf_addf(to, "%s ", mark);
	text_escape(to, name, len);
	frame_text_add_place(to, frames, id);
}

static void add_module(struct strbuf *to, const struct frame_table *frames, frame_id id)
{
	const struct frame *f = frame_table_get(frames, id);
	size_t len;
	const char *module = frame_table_str(frames, f->module, &len);
	const char *slash = memrchr(module, '/', len);

	if (slash && slash + 1 < module + len) {
		len -= slash + 1 - module;
		module = slash + 1;
	}
	text_escape(to, module, len);
}

size_t live_name_add(struct live_table *t, frame_id id)
{
	size_t at = t->text.len;

	add_name(&t->text, t->frames, id);
	strbuf_add(&t->text, "", 1);
	return at;
}

void live_table_name(const struct live_table *t, const struct live_row *row, struct strbuf *to)
{
	if (row->is_folded)
		strbuf_addstr(to, "+ ");
	if (row->name)
		strbuf_addstr(to, t->text.bytes + row->name);
	else if (row->frame)
		add_name(to, t->frames, row->frame);
}

void live_table_text(const struct live_table *t, const struct live_row *row, size_t text,
		     struct strbuf *to)
{
	if (row->texts[text])
		strbuf_addstr(to, t->text.bytes + row->texts[text]);
	else if (row->frame && t->view == LIVE_FUNCTIONS)
		add_module(to, t->frames, row->frame);
}

/* Is the table made of the call graph? */
static bool has_callgraph(enum live_view view)
{
	return view != LIVE_TREE && view != LIVE_IRQ && view != LIVE_FLAME && view != LIVE_MODULES;
}

int live_table_make(struct live_analysis *a, const struct live_window *w,
		    const struct live_choice *choice, struct live_table *ret_table,
		    struct diag *ret_diag)
{
	const struct profile *shown = live_window_shown(w);
	const struct frame_table *frames = profile_frames(shown);
	_cleanup_live_table_ struct live_table t = { .view = choice->view,
						     .total = profile_total(shown),
						     .text = STRBUF_INIT };
	int r = 0;

	if (a->generation != live_window_generation(w))
		forget(a);
	a->generation = live_window_generation(w);
	if (has_callgraph(choice->view))
		r = callgraph_update(a->callgraph, shown, ret_diag);
	if (r < 0)
		return forget(a), r;
	t.frames = frame_table_ref(profile_frames(shown));
	t.generation = a->generation;
	t.is_inverted = choice->is_inverted;
	t.parts = live_window_parts(w);
	strbuf_add(&t.text, "", 1); /* text 0 is none */
	switch (choice->view) {
	case LIVE_FUNCTIONS:
		live_functions_rows(a, frames, choice, &t);
		break;
	case LIVE_TREE:
		live_tree_rows(a, shown, choice, &t);
		break;
	case LIVE_CALLS:
		r = live_calls_rows(a, shown, choice, &t, ret_diag);
		break;
	case LIVE_CYCLES:
		live_cycles_rows(a, &t);
		break;
	case LIVE_IRQ:
		live_irq_rows(live_window_raw(w), &t);
		break;
	case LIVE_PROCESSES:
	case LIVE_THREADS:
		live_processes_rows(a, frames, choice, &t);
		break;
	case LIVE_FLAME:
		live_flame_rows(shown, choice, &t);
		break;
	case LIVE_MODULES:
		r = live_modules_rows(shown, choice, &t, ret_diag);
		break;
	case NR_LIVE_VIEWS:
		break;
	}
	if (r < 0)
		return r;
	live_table_sort(&t, choice);
	if (choice->view != LIVE_TREE && choice->view != LIVE_FLAME) /* they have cut already */
		live_rows_cut(&t, choice->limit);
	*ret_table = t;
	t = (struct live_table){ .text = STRBUF_INIT };
	return 0;
}
