// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gprof's call graph as gprof prints it: callers above the line of the function, callees below.
 *
 * The entry of a cycle of hundreds of members, or of a function with hundreds of callers, would
 * be a wall of lines; the small ones are counted in one line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gprof.h"
#include "output/graph_text.h"
#include "util/mem.h"
#include "util/text_width.h"

struct gprof_text {
	FILE *out;
	const struct graph_view *view;
	const struct graph_opts *opts;
	uint32_t units_per_second;
	bool has_inclusive;
	bool is_narrow;	  /* index, total and name are all that there is room for */
	int times, calls; /* widths */
	struct strbuf line;
	uint32_t *shown_index;	   /* by the table's: processes and marks have none */
	struct gprof_line *merged; /* of an entry, without those */
	size_t cap_merged;
	/* Lines of one role left out so far. */
	enum gprof_role left_out_role;
	uint32_t left_out;
};

enum { INDEX_WIDTH = 7, PERCENT_WIDTH = 6, NARROW = 60, RULE_WIDTH = 47 };

static int digits_of(uint64_t value)
{
	return snprintf(NULL, 0, "%" PRIu64, value);
}

static size_t least_name(const struct gprof_text *t)
{
	return t->is_narrow ? 8 : 16;
}

static void add_time(struct gprof_text *t, bool is_there, uint64_t value)
{
	if (!is_there)
		strbuf_addf(&t->line, "  %*s", t->times, "");
	else if (!value || !t->units_per_second)
		strbuf_addf(&t->line, "  %*" PRIu64, t->times, value);
	else
		strbuf_addf(&t->line, "  %*.2f", t->times, (double)value / t->units_per_second);
}

/* "3/6", the sign of all lines in one column. */
static void add_called(struct gprof_text *t, const struct gprof_line *line)
{
	char more[32] = "";

	if (line->called == GPROF_CALLED_OF)
		snprintf(more, sizeof(more), "/%" PRIu64, line->more);
	else if (line->called == GPROF_CALLED_PLUS)
		snprintf(more, sizeof(more), "+%" PRIu64, line->more);
	if (line->called == GPROF_CALLED_NOT)
		strbuf_addf(&t->line, "  %*s%-*s", t->calls, "", t->calls + 1, "");
	else
		strbuf_addf(&t->line, "  %*" PRIu64 "%-*s", t->calls, line->calls, t->calls + 1,
			    more);
}

static void add_name(struct gprof_text *t, const struct gprof_line *line)
{
	const struct cycles *c = t->view->cycles;
	char tail[64] = "";
	const char *name;
	size_t room;

	strbuf_addstr(&t->line, line->role == GPROF_PRIMARY ? "  " : "      ");
	if (line->role == GPROF_SPONTANEOUS) {
		strbuf_addstr(&t->line, "<spontaneous>");
		return;
	}
	if (!line->function) {
		strbuf_addf(&t->line,
			    t->is_narrow ? "<cycle %u> [%u]" : "<cycle %u as a whole> [%u]",
			    line->cycle, t->shown_index[line->index]);
		if (!t->has_inclusive || t->is_narrow)
			return;
		strbuf_addstr(&t->line, "  ");
		for (uint32_t i = 0; i < c->nr_cycles; i++)
			if (c->components[c->printed[i]].number == line->cycle)
				cycle_text_facts(&t->line, t->view, &c->components[c->printed[i]]);
		return;
	}
	if (line->cycle && !t->is_narrow)
		snprintf(tail, sizeof(tail), " <cycle %u> [%u]", line->cycle,
			 t->shown_index[line->index]);
	else
		snprintf(tail, sizeof(tail), " [%u]", t->shown_index[line->index]);
	room = t->line.len + strlen(tail) + least_name(t);
	room = least_name(t) + (t->opts->width > room ? t->opts->width - room : 0);
	name = t->view->names[line->function];
	text_fit_add(&t->line, name, strlen(name), t->opts->width ? room : SIZE_MAX,
		     t->opts->ascii);
	strbuf_addstr(&t->line, tail);
}

static void end_line(struct gprof_text *t)
{
	while (t->line.len && t->line.bytes[t->line.len - 1] == ' ')
		t->line.len--;
	strbuf_addch(&t->line, '\n');
	fwrite(t->line.bytes, 1, t->line.len, t->out);
	strbuf_reset(&t->line);
}

static void print_line(struct gprof_text *t, const struct gprof_line *line)
{
	char index[16] = "";

	if (line->role == GPROF_PRIMARY)
		snprintf(index, sizeof(index), "[%u]", t->shown_index[line->index]);
	strbuf_addf(&t->line, "%-*s", INDEX_WIDTH, index);
	if (t->is_narrow) {
		add_time(t, line->has_inclusive || line->has_time,
			 line->has_inclusive ? line->inclusive : line->self + line->children);
		add_name(t, line);
		end_line(t);
		return;
	}
	if (line->role == GPROF_PRIMARY)
		strbuf_addf(&t->line, " %*.2f", PERCENT_WIDTH,
			    graph_view_percent(t->view, line->self + line->children));
	else
		strbuf_addf(&t->line, " %*s", PERCENT_WIDTH, "");
	add_time(t, line->has_time, line->self);
	add_time(t, line->has_time, line->children);
	if (t->has_inclusive)
		add_time(t, line->has_inclusive, line->inclusive);
	add_called(t, line);
	add_name(t, line);
	end_line(t);
}

static void print_left_out(struct gprof_text *t)
{
	static const char *const roles[] = {
		[GPROF_SPONTANEOUS] = "callers", [GPROF_CALLER] = "callers", [GPROF_PRIMARY] = "",
		[GPROF_MEMBER] = "members",	 [GPROF_CALLEE] = "callees",
	};
	int columns = INDEX_WIDTH + 1 + PERCENT_WIDTH + 2 * (t->times + 2) + 2 * t->calls + 3;

	if (t->has_inclusive)
		columns += t->times + 2;
	if (t->is_narrow)
		columns = INDEX_WIDTH + t->times + 2;
	if (t->left_out)
		fprintf(t->out, "%*s      + %u more %s\n", columns, "", t->left_out,
			roles[t->left_out_role]);
	t->left_out = 0;
}

/*
 * Lines that are only counted: below the minimum, and in a function's entry below a twentieth of
 * that function too, so that a small one still shows where its time comes from.
 */
static bool is_small(const struct gprof_text *t, const struct gprof_line *line, uint64_t entry)
{
	uint64_t samples = line->has_inclusive ? line->inclusive : line->self + line->children;

	if (!t->view->graph->is_sampled || line->role == GPROF_PRIMARY)
		return false;
	return samples <= entry / 20 &&
	       !graph_view_is_above(t->view, samples, t->opts->min_percent, GRAPH_TEXT_MIN_PERCENT);
}

static void print_entry(struct gprof_text *t, const struct gprof_entry *entry,
			const struct gprof_line *lines, size_t nr)
{
	const struct component *x = &t->view->cycles->components[entry->component];
	uint64_t samples =
		entry->function ? t->view->graph->functions[entry->function].inclusive : UINT64_MAX;

	for (size_t i = 0; i < nr; i++) {
		const struct gprof_line *line = &lines[i];
		bool is_left_out = is_small(t, line, samples);

		/* Small callers come first, other small lines last. */
		if (t->left_out && (line->role != t->left_out_role ||
				    (!is_left_out && line->role == GPROF_CALLER)))
			print_left_out(t);
		if (is_left_out) {
			t->left_out_role = line->role;
			t->left_out++;
		} else {
			print_line(t, line);
		}
	}
	print_left_out(t);
	if (!entry->function && t->has_inclusive)
		cycle_text_hint(t->out, t->view, x, t->opts);
	fprintf(t->out, "%.*s\n", t->is_narrow ? (int)t->opts->width : RULE_WIDTH,
		"-----------------------------------------------");
}

static void measure(struct gprof_text *t)
{
	const struct graph_view *v = t->view;
	uint64_t calls = v->total;
	int least;

	for (uint32_t a = 0; a < v->graph->nr_arcs; a++)
		if (v->graph->arcs[a].frames > calls)
			calls = v->graph->arcs[a].frames;
	for (uint32_t i = 0; i < v->cycles->nr_cycles; i++)
		if (v->cycles->components[v->cycles->printed[i]].inner > calls)
			calls = v->cycles->components[v->cycles->printed[i]].inner;
	t->calls = digits_of(calls);
	if (t->calls < 3)
		t->calls = 3; /* "called" stands over "3/6" */
	t->times = digits_of(v->total);
	least = strlen(t->is_narrow ? "total" : "children");
	if (t->times < least)
		t->times = least;
}

static void print_head(struct gprof_text *t)
{
	int called = 2 * t->calls + 1;

	if (t->is_narrow) {
		fprintf(t->out, "%-*s  %*s  name\n", INDEX_WIDTH, "index", t->times, "total");
		return;
	}
	fprintf(t->out, "%-*s %*s  %*s  %*s", INDEX_WIDTH, "index", PERCENT_WIDTH, "% time",
		t->times, "self", t->times, "children");
	if (t->has_inclusive)
		fprintf(t->out, "  %*s", t->times, "incl");
	fprintf(t->out, "  %*s%*s  name\n", called / 2 + 3, "called",
		called > called / 2 + 3 ? called - called / 2 - 3 : 0, "");
}

/* ---- processes and marks ----------------------------------------------------------------- */

static bool is_spontaneous(const struct gprof_text *t, const struct gprof_line *line)
{
	return line->role == GPROF_SPONTANEOUS || (line->role == GPROF_CALLER && line->function &&
						   graph_view_is_base(t->view, line->function));
}

static void add_line(struct gprof_line *sum, const struct gprof_line *line)
{
	if (sum->role != GPROF_SPONTANEOUS) {
		*sum = *line;
		sum->role = GPROF_SPONTANEOUS;
		return;
	}
	sum->has_time |= line->has_time;
	sum->has_inclusive |= line->has_inclusive;
	sum->self += line->self;
	sum->children += line->children;
	sum->inclusive += line->inclusive;
	sum->calls += line->calls;
	if (sum->called == GPROF_CALLED_NOT) {
		sum->called = line->called;
		sum->more = line->more;
	}
}

/*
 * A process calls nothing: what it begins with has no caller that is a function.  The sum of them
 * stands first, as gprof's own line does.
 */
static const struct gprof_line *merge_bases(struct gprof_text *t, const struct gprof_line *lines,
					    size_t *nr)
{
	struct gprof_line sum = { .role = GPROF_PRIMARY };
	size_t n = 1;

	array_reserve(t->merged, t->cap_merged, *nr + 1);
	for (size_t i = 0; i < *nr; i++) {
		if (is_spontaneous(t, &lines[i]))
			add_line(&sum, &lines[i]);
		else if (!lines[i].function || !graph_view_is_base(t->view, lines[i].function))
			t->merged[n++] = lines[i];
	}
	t->merged[0] = sum;
	*nr = sum.role == GPROF_SPONTANEOUS ? n : n - 1;
	return sum.role == GPROF_SPONTANEOUS ? t->merged : t->merged + 1;
}

static bool is_base_entry(const struct gprof_text *t, const struct gprof_entry *entry)
{
	return entry->function && graph_view_is_base(t->view, entry->function);
}

/* How many entries are those of functions and cycles. */
static size_t number_entries(struct gprof_text *t, const struct gprof *gp)
{
	size_t nr = 0;

	t->shown_index = xcalloc(gp->nr_entries + 1, sizeof(*t->shown_index));
	for (size_t i = 0; i < gp->nr_entries; i++)
		if (!is_base_entry(t, &gp->entries[i]))
			t->shown_index[i + 1] = (uint32_t)++nr;
	return nr;
}

/* A member's entry has little time of its own; it is there for its inclusive time. */
static bool is_shown(const struct gprof_text *t, const struct gprof_entry *entry)
{
	const struct graph *g = t->view->graph;
	uint64_t samples = entry->self + entry->children;

	if (entry->function && g->functions[entry->function].inclusive > samples)
		samples = g->functions[entry->function].inclusive;
	return !g->is_sampled ||
	       graph_view_is_above(t->view, samples, t->opts->min_percent, GRAPH_TEXT_MIN_PERCENT);
}

void gprof_text_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts,
		      uint32_t units_per_second)
{
	_cleanup_gprof_ struct gprof *gp = gprof_new(v->graph, v->cycles);
	struct gprof_text t = {
		.out = out,
		.view = v,
		.opts = opts,
		.units_per_second = units_per_second,
		.has_inclusive = v->graph->is_sampled && !opts->gprof_blank,
		.line = STRBUF_INIT,
	};
	size_t nr_printed = 0, nr_entries = number_entries(&t, gp);

	t.is_narrow = opts->width && opts->width < NARROW && t.has_inclusive;
	measure(&t);
	print_head(&t);
	for (size_t i = 0; i < gp->nr_entries; i++) {
		const struct gprof_entry *entry = &gp->entries[i];
		const struct gprof_line *lines;
		size_t nr;

		if ((opts->limit && nr_printed == opts->limit) || is_base_entry(&t, entry) ||
		    !is_shown(&t, entry))
			continue;
		nr_printed++;
		lines = gprof_lines(gp, i, &nr);
		lines = merge_bases(&t, lines, &nr);
		print_entry(&t, entry, lines, nr);
	}
	strbuf_deinit(&t.line);
	free(t.shown_index);
	free(t.merged);
	if (nr_printed < nr_entries)
		fprintf(out, "+ %zu more entries (%s)\n", nr_entries - nr_printed,
			opts->limit ? "--limit" : "--min-percent 0 shows all");
}
