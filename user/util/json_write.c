// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON as text: a walk that keeps the arrays and objects it stands in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

void json_write_string(FILE *to, const char *bytes, size_t len)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;

	text_escape(&plain, bytes, len); /* so that two characters are left to be escaped */
	putc('"', to);
	for (size_t i = 0; i < plain.len; i++) {
		if (plain.bytes[i] == '"' || plain.bytes[i] == '\\')
			putc('\\', to);
		putc(plain.bytes[i], to);
	}
	putc('"', to);
}

static void write_string(FILE *to, const char *s)
{
	json_write_string(to, s, strlen(s));
}

static void write_number(FILE *to, double number, int decimals)
{
	char text[32];

	if (decimals) {
		fprintf(to, "%.*f", decimals, number);
		return;
	}
	/* The shortest that reads back as the same. */
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	fputs(text, to);
}

static void write_scalar(FILE *to, const struct json *j, json_id id)
{
	switch (json_kind(j, id)) {
	case JSON_BOOL:
		fputs(json_bool(j, id) ? "true" : "false", to);
		break;
	case JSON_INTEGER:
		fprintf(to, "%" PRIu64, json_integer(j, id));
		break;
	case JSON_NUMBER:
		write_number(to, json_number(j, id), json_style(j, id).decimals);
		break;
	case JSON_STRING:
		write_string(to, json_string(j, id));
		break;
	default:
		fputs("null", to);
	}
}

/* Where the walk is: a container, and the value of it that comes next. */
struct level {
	json_id container, next;
	bool is_begun; /* one has been written */
};

/* The value, or the first one behind it that is not left out. */
static json_id shown(const struct json *j, json_id id)
{
	while (id != JSON_NONE && json_style(j, id).hide_zero &&
	       (json_kind(j, id) == JSON_NULL ||
		(json_kind(j, id) == JSON_INTEGER && !json_integer(j, id))))
		id = json_next(j, id);
	return id;
}

static void write_line(FILE *to, size_t depth)
{
	fprintf(to, "\n%*s", (int)(2 * depth), "");
}

/* What stands before the next value of the innermost container. */
static void write_begin(FILE *to, const struct json *j, const struct level *l, size_t depth)
{
	bool on_line =
		depth == 1 || json_style(j, l->next).on_line || json_style(j, l->container).lines;

	if (l->is_begun)
		fputs(on_line ? "," : ", ", to);
	if (on_line)
		write_line(to, depth);
	if (json_kind(j, l->container) == JSON_OBJECT) {
		write_string(to, json_name(j, l->next));
		fputs(": ", to);
	}
}

static void write_end(FILE *to, const struct json *j, const struct level *l, size_t depth)
{
	if (l->is_begun && (!depth || json_style(j, l->container).lines))
		write_line(to, depth);
	putc(json_kind(j, l->container) == JSON_OBJECT ? '}' : ']', to);
}

void json_write(FILE *to, const struct json *j)
{
	struct level levels[JSON_MAX_DEPTH];
	size_t depth = 0;
	json_id id = JSON_ROOT;

	for (;;) {
		bool is_container = json_kind(j, id) >= JSON_ARRAY;

		if (is_container && depth < JSON_MAX_DEPTH) {
			putc(json_kind(j, id) == JSON_OBJECT ? '{' : '[', to);
			levels[depth++] = (struct level){ id, shown(j, json_first(j, id)), false };
		} else {
			write_scalar(to, j, id);
		}
		while (depth && levels[depth - 1].next == JSON_NONE) {
			depth--;
			write_end(to, j, &levels[depth], depth);
		}
		if (!depth)
			break;
		id = levels[depth - 1].next;
		write_begin(to, j, &levels[depth - 1], depth);
		levels[depth - 1].next = shown(j, json_next(j, id));
		levels[depth - 1].is_begun = true;
	}
	putc('\n', to);
}
