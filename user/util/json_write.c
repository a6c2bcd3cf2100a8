// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON as text: a walk that keeps the arrays and objects it stands in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

static void write_string(FILE *to, const char *s)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;

	text_escape(&plain, s, strlen(s)); /* no control characters, valid UTF-8 */
	putc('"', to);
	for (const char *c = plain.bytes; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', to);
		putc(*c, to);
	}
	putc('"', to);
}

static void write_number(FILE *to, double number)
{
	char text[32];

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
		write_number(to, json_number(j, id));
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
};

static void write_end(FILE *to, const struct json *j, json_id container, bool is_outermost)
{
	if (is_outermost && json_count(j, container))
		putc('\n', to);
	putc(json_kind(j, container) == JSON_OBJECT ? '}' : ']', to);
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
			levels[depth++] = (struct level){ id, json_first(j, id) };
		} else {
			write_scalar(to, j, id);
		}
		while (depth && levels[depth - 1].next == JSON_NONE) {
			depth--;
			write_end(to, j, levels[depth].container, !depth);
		}
		if (!depth)
			break;
		id = levels[depth - 1].next;
		levels[depth - 1].next = json_next(j, id);
		if (id != json_first(j, levels[depth - 1].container))
			fputs(depth == 1 ? "," : ", ", to);
		if (depth == 1)
			fputs("\n  ", to);
		if (json_kind(j, levels[depth - 1].container) == JSON_OBJECT) {
			write_string(to, json_name(j, id));
			fputs(": ", to);
		}
	}
	putc('\n', to);
}
