// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows to lines. */
#include "live/live_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/mem.h"
#include "util/text_escape.h"
#include "util/text_width.h"

#define MIN_NAME   24 /* columns that names get before spare columns go */
#define MAX_INDENT 100

/* Adds as much of the text as fits, with an ellipsis for the rest; returns the columns it takes. */
static size_t add_cut(struct strbuf *to, const char *text, size_t columns)
{
	size_t len = strlen(text), width = text_width(text, len), fits;

	if (width <= columns) {
		strbuf_add(to, text, len);
		return width;
	}
	if (!columns)
		return 0;
	fits = text_fit(text, len, columns - 1, &width);
	strbuf_add(to, text, fits);
	strbuf_addstr(to, "…");
	return width + 1;
}

static void add_spaces(struct strbuf *to, size_t nr)
{
	strbuf_addf(to, "%*s", (int)nr, "");
}

/* ---- what is known of the samples ----------------------------------------------------------- */

static void add_time(struct strbuf *to, uint64_t ms)
{
	time_t s = ms / 1000;
	struct tm tm;
	char text[32];

	gmtime_r(&s, &tm);
	strftime(text, sizeof(text), "%F %TZ", &tm);
	strbuf_addstr(to, text);
}

static void status_title(const struct live_status *s, struct strbuf *to)
{
	strbuf_addstr(to, "eddy top: ");
	text_escape(to, s->source, strlen(s->source));
	if (s->sum.end_ms) {
		strbuf_addstr(to, s->is_live ? "; until " : "; ");
		if (!s->is_live) {
			add_time(to, s->sum.start_ms);
			strbuf_addstr(to, " to ");
		}
		add_time(to, s->sum.end_ms);
	}
	if (s->nr)
		strbuf_addf(to, "; window %zu of %zu", s->at, s->nr);
}

static void status_base(const struct live_status *s, struct strbuf *to)
{
	const struct live_account *a = &s->sum;

	if (s->samples)
		strbuf_addf(to, "100 %% = %" PRIu64 " ", s->samples);
	else
		strbuf_addstr(to, "no ");
	strbuf_addstr(to, s->unit ? "counts" : "samples");
	if (a->seconds > 0 && a->cpu_seconds > 0)
		strbuf_addf(to, " of %.1f CPUs x %.1f s", a->cpu_seconds / a->seconds, a->seconds);
	else if (a->seconds > 0)
		strbuf_addf(to, " of %.1f s", a->seconds);
	if (s->half_life_s > 0)
		strbuf_addf(to, "; each counts half after %.4g s", s->half_life_s);
	if (s->left_out)
		strbuf_addf(to, "; left out by passes %" PRIu64, s->left_out);
	if (s->unit) {
		strbuf_addstr(to, "; counts are ");
		text_escape(to, s->unit, strlen(s->unit));
	}
	if (s->nr_dropped)
		strbuf_addf(to, "; the oldest %" PRIu64 " intervals found no room in memory",
			    s->nr_dropped);
}

static void status_samples(const struct live_status *s, struct strbuf *to)
{
	const struct live_account *a = &s->sum;

	if (!a->is_counted) {
		strbuf_addstr(to,
			      "expected, taken, idle, lost: not known, no .json beside the stacks");
		return;
	}
	if (a->has_due)
		strbuf_addf(to, "expected %" PRIu64 "  ", a->due);
	strbuf_addf(to, "taken %" PRIu64 "  idle %" PRIu64, a->delivered, a->idle);
	if (a->filtered)
		strbuf_addf(to, "  filtered %" PRIu64, a->filtered);
	strbuf_addf(to, "  kept %" PRIu64 "  lost %" PRIu64, a->kept, a->lost);
	if (a->seconds > 0)
		strbuf_addf(to, "  eddy %.1f %% of a CPU",
			    100 * (a->own_seconds + a->bpf_seconds) / a->seconds);
}

/* "busy by CPU ▁█  0: 3 %  1: 99 %": a character each, and words as far as there is room. */
static void status_cpus(const struct live_status *s, struct strbuf *to)
{
	enum { BYTES = 3 }; /* of one of them in UTF-8 */
	static const char levels[] = "▁▂▃▄▅▆▇█";
	const size_t nr = sizeof(levels) / BYTES;

	if (!s->nr_cpus)
		return;
	strbuf_addstr(to, "busy by CPU ");
	for (size_t i = 0; i < s->nr_cpus; i++) {
		double busy = s->cpus[i].busy_percent;
		size_t level = busy < 0 ? 0 : (size_t)(busy / 100 * nr);

		if (busy < 0)
			strbuf_addstr(to, "?");
		else
			strbuf_addf(to, "%.3s", levels + (level < nr ? level : nr - 1) * BYTES);
	}
	for (size_t i = 0; i < s->nr_cpus; i++)
		if (s->cpus[i].busy_percent >= 0)
			strbuf_addf(to, "  %u: %.0f %%", s->cpus[i].cpu, s->cpus[i].busy_percent);
}

static void status_blind(const struct live_status *s, struct strbuf *to)
{
	if (!s->blind)
		return;
	strbuf_addstr(to, "blind: ");
	text_escape(to, s->blind, strlen(s->blind));
}

void live_status_line(const struct live_status *s, size_t i, size_t width, struct strbuf *to)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	static void (*const makers[LIVE_MORE_STATUS_LINES])(const struct live_status *,
							    struct strbuf *) = {
		status_title, status_base, status_samples, status_cpus, status_blind,
	};

	if (i < ARRAY_SIZE(makers))
		makers[i](s, &line);
	add_cut(to, line.bytes, width ? width : SIZE_MAX);
}

/* ---- columns -------------------------------------------------------------------------------- */

static int value_width(const struct live_table *t, size_t column)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	int width = t->columns[column].width;

	for (size_t i = 0; i < t->nr; i++) {
		strbuf_reset(&sb);
		live_table_value(t, &t->rows[i], column, &sb);
		if ((int)sb.len > width)
			width = sb.len;
	}
	return width;
}

static size_t find_name_at(const struct live_table *t, const struct live_layout *l)
{
	size_t at = 0;

	for (size_t c = 0; c < t->nr_columns; c++)
		at += l->columns[c] ? l->widths[c] + 2 : 0;
	for (size_t c = 0; c < t->nr_texts; c++)
		at += l->texts[c] ? l->text_widths[c] + 2 : 0;
	return at;
}

/* Leaves out the columns that can be spared first; false: there is none any more. */
static bool spare_some(const struct live_table *t, struct live_layout *l)
{
	uint8_t most = 0;

	for (size_t c = 0; c < t->nr_columns; c++)
		if (l->columns[c] && t->columns[c].spare > most)
			most = t->columns[c].spare;
	for (size_t c = 0; c < t->nr_texts; c++)
		if (l->texts[c] && t->texts[c].spare > most)
			most = t->texts[c].spare;
	for (size_t c = 0; c < t->nr_columns; c++)
		l->columns[c] &= !most || t->columns[c].spare != most;
	for (size_t c = 0; c < t->nr_texts; c++)
		l->texts[c] &= !most || t->texts[c].spare != most;
	return most;
}

void live_layout_find(const struct live_table *t, size_t width, struct live_layout *ret_layout)
{
	struct live_layout l = { .width = width };

	for (size_t c = 0; c < t->nr_columns; c++) {
		l.columns[c] = true;
		l.widths[c] = value_width(t, c);
	}
	for (size_t c = 0; c < t->nr_texts; c++) {
		l.texts[c] = true;
		l.text_widths[c] = t->texts[c].width;
	}
	do
		l.name_at = find_name_at(t, &l);
	while (width && l.name_at + MIN_NAME > width && spare_some(t, &l));
	*ret_layout = l;
}

static size_t name_room(const struct live_layout *l)
{
	if (!l->width)
		return SIZE_MAX;
	return l->width > l->name_at ? l->width - l->name_at : 0;
}

static void add_text(struct strbuf *to, const char *text, size_t width)
{
	size_t taken = add_cut(to, text, width);

	add_spaces(to, width - taken + 2);
}

void live_layout_titles(const struct live_table *t, const struct live_layout *l,
			struct strbuf *before, struct strbuf *name)
{
	for (size_t c = 0; c < t->nr_columns; c++)
		if (l->columns[c])
			strbuf_addf(before, "%*s  ", l->widths[c], t->columns[c].title);
	for (size_t c = 0; c < t->nr_texts; c++)
		if (l->texts[c])
			add_text(before, t->texts[c].title, l->text_widths[c]);
	add_cut(name, t->name_title, name_room(l));
}

void live_layout_row(const struct live_table *t, const struct live_layout *l, size_t row,
		     struct strbuf *before, struct strbuf *name)
{
	const struct live_row *r = &t->rows[row];
	size_t indent, room = name_room(l), most = MAX_INDENT;
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT;

	for (size_t c = 0; c < t->nr_columns; c++) {
		_cleanup_strbuf_ struct strbuf value = STRBUF_INIT;

		if (!l->columns[c])
			continue;
		live_table_value(t, r, c, &value);
		strbuf_addf(before, "%*s%s", l->widths[c], value.bytes,
			    c == t->sorted && r->is_noise ? "~ " : "  ");
	}
	for (size_t c = 0; c < t->nr_texts; c++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (!l->texts[c])
			continue;
		live_table_text(t, r, c, &text);
		add_text(before, text.bytes, l->text_widths[c]);
	}
	if (l->width)
		most = room > MIN_NAME ? room - MIN_NAME : 0;
	indent = r->level < most ? r->level : most;
	add_spaces(name, indent);
	live_table_name(t, r, &whole);
	add_cut(name, whole.bytes, room == SIZE_MAX ? room : room - indent);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Of what a terminal without UTF-8 does not know nothing but the ellipsis is in a plain table. */
static void put_text(FILE *out, const char *text, size_t len, bool is_ascii)
{
	static const char cut[] = "…";
	const size_t cut_len = sizeof(cut) - 1;

	for (const char *end = text + len; text < end;) {
		const char *at = is_ascii ? memmem(text, end - text, cut, cut_len) : NULL;

		fwrite(text, 1, (at ? at : end) - text, out);
		if (at)
			putc('~', out);
		text = at ? at + cut_len : end;
	}
}

static void put_line(FILE *out, struct strbuf *before, struct strbuf *name, bool is_ascii)
{
	size_t len;

	strbuf_addstr(before, name->bytes);
	for (len = before->len; len && before->bytes[len - 1] == ' ';)
		len--;
	put_text(out, before->bytes, len, is_ascii);
	putc('\n', out);
	strbuf_reset(before);
	strbuf_reset(name);
}

void live_text_write(FILE *out, const struct live_status *s, const struct live_table *t,
		     size_t width, bool is_ascii)
{
	_cleanup_strbuf_ struct strbuf before = STRBUF_INIT, name = STRBUF_INIT,
				       title = STRBUF_INIT;
	struct live_layout l;

	for (size_t i = 0; i < LIVE_STATUS_LINES; i++) {
		live_status_line(s, i, width, &before);
		put_line(out, &before, &name, is_ascii);
	}
	live_layout_find(t, width, &l);
	strbuf_addf(&title, "%s%s%s", live_view_names[t->view], t->title ? ": " : "",
		    t->title ? t->title : "");
	add_cut(&before, title.bytes, width ? width : SIZE_MAX);
	put_line(out, &before, &name, is_ascii);
	putc('\n', out);
	live_layout_titles(t, &l, &before, &name);
	put_line(out, &before, &name, is_ascii);
	for (size_t i = 0; i < t->nr; i++) {
		live_layout_row(t, &l, i, &before, &name);
		put_line(out, &before, &name, is_ascii);
	}
	if (t->nr < t->nr_all)
		fprintf(out, "+ %zu more\n", t->nr_all - t->nr);
}
