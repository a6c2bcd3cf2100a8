// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values stand in one array in the order of the text, linked to their first child, next sibling and
 * parent; strings stand in one buffer.
 */
#include "util/json.h"

#include <stdlib.h>
#include <string.h>

#include "util/json_values.h"
#include "util/mem.h"

struct json *json_new(void)
{
	struct json *j = xcalloc(1, sizeof(*j));

	j->text = (struct strbuf)STRBUF_INIT;
	strbuf_addch(&j->text, '\0');
	json_add(j, JSON_NONE, NULL, JSON_OBJECT);
	return j;
}

struct json *json_copy(const struct json *j)
{
	struct json *copy = xcalloc(1, sizeof(*copy));

	array_reserve(copy->values, copy->cap, j->nr);
	memcpy(copy->values, j->values, j->nr * sizeof(*j->values));
	copy->nr = j->nr;
	copy->text = (struct strbuf)STRBUF_INIT;
	strbuf_add(&copy->text, j->text.bytes, j->text.len);
	return copy;
}

size_t json_bytes(const struct json *j)
{
	return sizeof(*j) + j->cap * sizeof(*j->values) + j->text.cap;
}

void json_free(struct json *j)
{
	if (!j)
		return;
	free(j->values);
	strbuf_deinit(&j->text);
	free(j);
}

enum json_kind json_kind(const struct json *j, json_id id)
{
	return id == JSON_NONE ? JSON_NULL : j->values[id].kind;
}

bool json_bool(const struct json *j, json_id id)
{
	return json_kind(j, id) == JSON_BOOL && j->values[id].boolean;
}

uint64_t json_integer(const struct json *j, json_id id)
{
	return json_kind(j, id) == JSON_INTEGER ? j->values[id].integer : 0;
}

double json_number(const struct json *j, json_id id)
{
	if (json_kind(j, id) == JSON_NUMBER)
		return j->values[id].number;
	return (double)json_integer(j, id);
}

const char *json_string(const struct json *j, json_id id)
{
	return json_kind(j, id) == JSON_STRING ? j->text.bytes + j->values[id].string : "";
}

json_id json_first(const struct json *j, json_id id)
{
	return id == JSON_NONE ? JSON_NONE : j->values[id].first;
}

json_id json_next(const struct json *j, json_id id)
{
	return j->values[id].next;
}

size_t json_count(const struct json *j, json_id id)
{
	return id == JSON_NONE ? 0 : j->values[id].count;
}

const char *json_name(const struct json *j, json_id id)
{
	return j->text.bytes + j->values[id].name;
}

json_id json_member(const struct json *j, json_id id, const char *name)
{
	if (json_kind(j, id) != JSON_OBJECT)
		return JSON_NONE;
	for (json_id m = json_first(j, id); m != JSON_NONE; m = json_next(j, m))
		if (!strcmp(json_name(j, m), name))
			return m;
	return JSON_NONE;
}

static size_t add_text(struct json *j, const char *s)
{
	size_t at = j->text.len;

	strbuf_add(&j->text, s, strlen(s) + 1);
	return at;
}

json_id json_add(struct json *j, json_id to, const char *name, enum json_kind kind)
{
	json_id id = j->nr;

	array_reserve(j->values, j->cap, j->nr + 1);
	j->values[j->nr++] = (struct json_value){
		.kind = kind,
		.parent = to,
		.first = JSON_NONE,
		.last = JSON_NONE,
		.next = JSON_NONE,
		.name = name && *name ? add_text(j, name) : 0,
	};
	if (to == JSON_NONE)
		return id;
	if (j->values[to].last == JSON_NONE)
		j->values[to].first = id;
	else
		j->values[j->values[to].last].next = id;
	j->values[to].last = id;
	j->values[to].count++;
	return id;
}

void json_set_null(struct json *j, json_id id)
{
	j->values[id].kind = JSON_NULL;
}

void json_set_bool(struct json *j, json_id id, bool value)
{
	j->values[id].kind = JSON_BOOL;
	j->values[id].boolean = value;
}

void json_set_integer(struct json *j, json_id id, uint64_t value)
{
	j->values[id].kind = JSON_INTEGER;
	j->values[id].integer = value;
}

void json_set_number(struct json *j, json_id id, double value)
{
	j->values[id].kind = JSON_NUMBER;
	j->values[id].number = value;
}

void json_set_string(struct json *j, json_id id, const char *value)
{
	size_t old = strlen(json_string(j, id)), len = strlen(value);

	/* In its place where it fits: texts that are set again and again take no more room. */
	if (j->values[id].kind == JSON_STRING && len <= old && len)
		memmove(j->text.bytes + j->values[id].string, value, len + 1);
	else
		j->values[id].string = add_text(j, value);
	j->values[id].kind = JSON_STRING;
}

void json_set_style(struct json *j, json_id id, struct json_style style)
{
	j->values[id].style = style;
}

struct json_style json_style(const struct json *j, json_id id)
{
	return j->values[id].style;
}
