// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows to show are chosen first: which columns there are, and how wide they are, is decided by
 * what stands in them.
 */
#include "output/flat_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frame_module.h"
#include "output/graph_text.h"
#include "output/text_columns.h"
#include "profile/frame_text.h"
#include "util/bytes.h"
#include "util/mem.h"
#include "util/text_escape.h"
#include "util/text_width.h"

#define MODULE_COLUMNS 16 /* at most, on a terminal */
#define NARROW	       60 /* columns below which only percents and names are shown */
#define WIDE	       100

struct flat {
	const struct graph_view *view;
	const struct graph_opts *opts;
	const uint32_t *functions; /* shown */
	size_t nr;
	bool *is_twin; /* by row: another one that is shown reads alike */
	bool has_self, has_incl, has_module, has_frames, has_estimate, has_cycle;
	int self, incl, module, frames, estimate;
	struct strbuf line, name;
};

static const struct graph_function *function_at(const struct flat *t, size_t i)
{
	return &t->view->graph->functions[t->functions[i]];
}

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){ text, strlen(text) };
}

/* Whose the function is: as live frames say, else the .json, or a name that holds it. */
static struct bytes module_of(const struct flat *t, size_t i)
{
	const struct frame_table *frames = t->view->frames;
	const struct frame *f = frame_table_get(frames, t->functions[i]);
	const struct modules_known *known = t->opts->modules;
	str_id module = f->module;
	struct frame_module found;

	if (module || !known || !known->nr)
		return bytes_of(frame_table_str(frames, module, NULL));
	if (!frame_module_find(frames, t->functions[i], known, &found))
		return bytes_of("");
	if (found.kind == MODULE_KERNEL)
		return bytes_of("[kernel]");
	if (t->functions[i] < known->nr && known->of[t->functions[i]] == MODULES_KNOWN_SEVERAL)
		return bytes_of(MODULE_SEVERAL);
	if (found.kind == MODULE_OF_KERNEL || found.kind == MODULE_PROGRAM ||
	    found.kind == MODULE_LIBRARY)
		return (struct bytes){ found.name, found.len };
	return bytes_of("");
}

static uint32_t cycle_of(const struct flat *t, size_t i)
{
	return cycles_of(t->view->cycles, t->functions[i])->number;
}

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct flat *t = ctx;

	return strcmp(t->view->names[t->functions[*(const size_t *)a]],
		      t->view->names[t->functions[*(const size_t *)b]]);
}

static void find_twins(struct flat *t)
{
	_cleanup_free_ size_t *order = xcalloc(t->nr, sizeof(*order));

	t->is_twin = xcalloc(t->nr, sizeof(*t->is_twin));
	for (size_t i = 0; i < t->nr; i++)
		order[i] = i;
	if (t->nr)
		qsort_r(order, t->nr, sizeof(*order), compare_names, t);
	for (size_t i = 1; i < t->nr; i++)
		if (!compare_names(&order[i - 1], &order[i], t))
			t->is_twin[order[i - 1]] = t->is_twin[order[i]] = true;
}

/* Which columns say something, and have room. */
static void choose_columns(struct flat *t)
{
	size_t width = t->opts->width ? t->opts->width : SIZE_MAX, longest = 0;
	uint64_t most_frames = 0;
	bool has_cycle = false;

	for (size_t i = 0; i < t->nr; i++) {
		const struct graph_function *f = function_at(t, i);
		struct bytes module = module_of(t, i);
		size_t len = text_width(module.at, module.len);

		longest = len > longest ? len : longest;
		most_frames = f->frames > most_frames ? f->frames : most_frames;
		has_cycle |= cycle_of(t, i) != 0;
	}
	t->has_self = width >= NARROW;
	t->has_incl = width >= WIDE;
	t->has_module = longest && width >= NARROW;
	t->has_frames = t->opts->verbose;
	t->has_cycle = t->opts->verbose || (has_cycle && width >= WIDE);
	t->has_estimate = t->has_cycle && t->view->estimate.functions;
	if (t->opts->width && longest > MODULE_COLUMNS)
		longest = MODULE_COLUMNS;
	t->module = longest > strlen("module") ? (int)longest : (int)strlen("module");
	t->self = text_columns(t->view->total, "   self");
	t->incl = text_columns(t->view->total, "   incl");
	t->frames = text_columns(most_frames, " frames");
	t->estimate = text_estimate_columns(t->view->total);
}

static void add_cycle(struct flat *t, size_t i)
{
	uint32_t number = cycle_of(t, i);
	double estimate = NAN;

	if (t->has_estimate) {
		if (number)
			estimate = t->view->estimate.functions[t->functions[i]];
		text_estimate_add(&t->line, estimate, t->estimate);
		text_estimate_add(&t->line, estimate - function_at(t, i)->inclusive,
				  t->estimate + 1);
	}
	if (number)
		strbuf_addf(&t->line, "%5u  ", number);
	else
		strbuf_addf(&t->line, "%5s  ", "");
}

/* Cut to the column, and padded. */
static void add_module(struct flat *t, struct bytes module)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t from = t->line.len, width;

	text_escape(&text, module.at, module.len);
	text_fit_add(&t->line, text.bytes, text.len, t->module, t->opts->ascii);
	width = text_width(t->line.bytes + from, t->line.len - from);
	strbuf_addf(&t->line, "%*s  ", t->module - (int)width, "");
}

/* A name, and where the function is when another one reads alike. */
static void make_name(struct flat *t, size_t i)
{
	const struct frame *f = frame_table_get(t->view->frames, t->functions[i]);
	struct bytes module = t->has_module ? bytes_of("") : module_of(t, i);
	bool has_start = f->start && !f->is_raw;

	strbuf_reset(&t->name);
	strbuf_addstr(&t->name, t->view->names[t->functions[i]]);
	if (!t->is_twin[i] || (!module.len && !has_start))
		return;
	strbuf_addstr(&t->name, " (");
	text_escape(&t->name, module.at, module.len);
	if (has_start)
		strbuf_addf(&t->name, "+0x%" PRIx64, f->start);
	strbuf_addch(&t->name, ')');
}

/* Columns that are left; what is cut has eight of them at least. */
static size_t room_after(size_t width, size_t taken)
{
	if (!width)
		return SIZE_MAX;
	return width > taken + 8 ? width - taken : 8;
}

static void write_row(FILE *out, struct flat *t, size_t i)
{
	const struct graph_function *f = function_at(t, i);

	strbuf_reset(&t->line);
	strbuf_addf(&t->line, "%6.2f  %6.2f  ", graph_view_percent(t->view, f->self),
		    graph_view_percent(t->view, f->inclusive));
	if (t->has_self)
		strbuf_addf(&t->line, "%*" PRIu64 "  ", t->self, f->self);
	if (t->has_incl)
		strbuf_addf(&t->line, "%*" PRIu64 "  ", t->incl, f->inclusive);
	if (t->has_frames)
		strbuf_addf(&t->line, "%*" PRIu64 "  %5u  ", t->frames, f->frames, f->depth);
	if (t->has_cycle)
		add_cycle(t, i);
	if (t->has_module)
		add_module(t, module_of(t, i));
	make_name(t, i);
	text_fit_add(&t->line, t->name.bytes, t->name.len, room_after(t->opts->width, t->line.len),
		     t->opts->ascii);
	fprintf(out, "%s\n", t->line.bytes);
}

static void write_head(FILE *out, const struct flat *t)
{
	fputs("self %  incl %  ", out);
	if (t->has_self)
		fprintf(out, "%*s  ", t->self, "self");
	if (t->has_incl)
		fprintf(out, "%*s  ", t->incl, "incl");
	if (t->has_frames)
		fprintf(out, "%*s  depth  ", t->frames, "frames");
	if (t->has_estimate)
		fprintf(out, "%*s  %*s  ", t->estimate, "est", t->estimate + 1, "err");
	if (t->has_cycle)
		fputs("cycle  ", out);
	if (t->has_module)
		fprintf(out, "%-*s  ", t->module, "module");
	fputs("function\n", out);
}

static bool is_above(const struct graph_opts *opts, uint64_t samples, uint64_t total)
{
	double least = opts->min_percent < 0 ? GRAPH_TEXT_MIN_PERCENT : opts->min_percent;

	return total && 100.0 * samples / total >= least;
}

static void write_more(FILE *out, const struct graph_opts *opts, size_t nr_small, size_t nr_cut,
		       const char *what)
{
	double least = opts->min_percent < 0 ? GRAPH_TEXT_MIN_PERCENT : opts->min_percent;

	if (nr_cut)
		fprintf(out, "+ %zu more %s\n", nr_cut + nr_small, what);
	else if (nr_small && opts->width && opts->width < NARROW)
		fprintf(out, "+ %zu more %s below %.4g %%\n", nr_small, what, least);
	else if (nr_small)
		fprintf(out, "+ %zu more %s below %.4g %% (--min-percent 0 shows all)\n", nr_small,
			what, least);
}

void flat_text_write(FILE *out, const struct graph_view *v, const struct function_rows *rows,
		     const struct graph_opts *opts)
{
	_cleanup_free_ uint32_t *shown = xcalloc(rows->nr, sizeof(*shown));
	struct flat t = { .view = v,
			  .opts = opts,
			  .functions = shown,
			  .line = STRBUF_INIT,
			  .name = STRBUF_INIT };
	size_t nr_small = 0, nr_cut = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		uint64_t most = v->graph->functions[rows->functions[i]].inclusive;

		if (!is_above(opts, most, v->total))
			nr_small++;
		else if (opts->limit && t.nr == opts->limit)
			nr_cut++;
		else
			shown[t.nr++] = rows->functions[i];
	}
	find_twins(&t);
	choose_columns(&t);
	if (t.nr)
		write_head(out, &t);
	for (size_t i = 0; i < t.nr; i++)
		write_row(out, &t, i);
	write_more(out, opts, nr_small, nr_cut, "functions");
	free(t.is_twin);
	strbuf_deinit(&t.line);
	strbuf_deinit(&t.name);
}

void flat_text_foot(FILE *out, const struct graph_view *v, const struct function_rows *rows,
		    const struct graph_opts *opts)
{
	uint32_t nr_cycles = v->cycles->nr_cycles;

	fprintf(out, "%" PRIu64 " samples, %zu functions, %u cycle%s", v->total, rows->nr,
		nr_cycles, nr_cycles == 1 ? "" : "s");
	if (nr_cycles && (!opts->width || opts->width >= NARROW))
		fputs(" (--view cycles)", out);
	putc('\n', out);
	if (rows->nowhere)
		fprintf(out, "%" PRIu64 " sample%s in no function\n", rows->nowhere,
			rows->nowhere == 1 ? " is" : "s are");
	if (nr_cycles && (!opts->width || opts->width >= WIDE))
		fputs("est: gprof2dot's estimate, err = est - incl; inside cycles, elsewhere it is "
		      "exact\n",
		      out);
}

/* ---- processes ------------------------------------------------------------------------------- */

struct process_table {
	const struct profile *profile;
	const struct graph_opts *opts;
	int samples, name;
	bool has_samples, has_path;
	struct strbuf line, path;
};

static void add_name(struct strbuf *sb, const struct profile *p, frame_id frame)
{
	size_t len;
	const char *name = frame_table_name(profile_frames(p), frame, &len);

	text_escape(sb, name, len);
	frame_text_add_place(sb, profile_frames(p), frame);
}

/* "… > caller > callee": the innermost functions that fit, one at least. */
static void add_path(struct process_table *t, const struct process_row *row, size_t room)
{
	const char *cut = t->opts->ascii ? "... > " : "\u2026 > ";
	_cleanup_free_ node_id *chain = NULL;
	size_t nr = profile_chain(t->profile, row->hottest, &chain), first = nr, width = 0;

	while (first > 1) {
		size_t before = first > 2 ? strlen("... > ") : 0, more;

		strbuf_reset(&t->path);
		add_name(&t->path, t->profile, profile_frame(t->profile, chain[first - 1]));
		more = text_width(t->path.bytes, t->path.len) + (first < nr ? 3 : 0);
		if (first < nr && width + more + before > room)
			break;
		width += more;
		first--;
	}
	strbuf_reset(&t->path);
	if (first > 1 && first < nr)
		strbuf_addstr(&t->path, cut);
	for (size_t i = first; i < nr; i++) {
		strbuf_addstr(&t->path, i > first ? " > " : "");
		add_name(&t->path, t->profile, profile_frame(t->profile, chain[i]));
	}
	text_fit_add(&t->line, t->path.bytes, t->path.len, room, t->opts->ascii);
}

static void write_process(FILE *out, struct process_table *t, const struct process_row *row)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t total = profile_total(t->profile);
	size_t from, width = t->opts->width, used;

	strbuf_reset(&t->line);
	strbuf_addf(&t->line, "%6.2f  ", total ? 100.0 * row->samples / total : 0);
	if (t->has_samples)
		strbuf_addf(&t->line, "%*" PRIu64 "  ", t->samples, row->samples);
	add_name(&name, t->profile, row->base);
	from = t->line.len;
	text_fit_add(&t->line, name.bytes, name.len,
		     t->has_path ? (size_t)t->name : room_after(width, t->line.len),
		     t->opts->ascii);
	used = text_width(t->line.bytes + from, t->line.len - from);
	if (t->has_path) {
		strbuf_addf(&t->line, "%*s  ", t->name - (int)used, "");
		used = from + t->name + 2;
		add_path(t, row, room_after(width, used));
	}
	while (t->line.len && t->line.bytes[t->line.len - 1] == ' ')
		t->line.bytes[--t->line.len] = '\0';
	fprintf(out, "%s\n", t->line.bytes);
}

static void measure(struct process_table *t, const struct process_rows *rows)
{
	size_t width = t->opts->width ? t->opts->width : SIZE_MAX, longest = strlen("process");

	for (size_t i = 0; i < rows->nr; i++) {
		size_t len;
		const char *name;

		if (!is_above(t->opts, rows->rows[i].samples, profile_total(t->profile)))
			continue;
		name = frame_table_name(profile_frames(t->profile), rows->rows[i].base, &len);
		len = text_width(name, len);
		longest = len > longest ? len : longest;
	}
	t->has_samples = width >= NARROW;
	t->has_path = width >= NARROW;
	t->samples = text_columns(profile_total(t->profile), "samples");
	t->name = longest > 24 ? 24 : (int)longest;
}

void process_text_write(FILE *out, const struct profile *p, const struct process_rows *rows,
			const struct graph_opts *opts)
{
	struct process_table t = {
		.profile = p, .opts = opts, .line = STRBUF_INIT, .path = STRBUF_INIT
	};
	size_t nr = 0, nr_small = 0, nr_cut = 0;

	if (!rows->nr)
		return;
	measure(&t, rows);
	fputs("\n     %  ", out);
	if (t.has_samples)
		fprintf(out, "%*s  ", t.samples, "samples");
	if (t.has_path)
		fprintf(out, "%-*s  hottest path\n", t.name, "process");
	else
		fputs("process\n", out);
	for (size_t i = 0; i < rows->nr; i++) {
		if (!is_above(opts, rows->rows[i].samples, profile_total(p))) {
			nr_small++;
		} else if (opts->limit && nr == opts->limit) {
			nr_cut++;
		} else {
			write_process(out, &t, &rows->rows[i]);
			nr++;
		}
	}
	write_more(out, opts, nr_small, nr_cut, "processes");
	strbuf_deinit(&t.line);
	strbuf_deinit(&t.path);
}
