/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON (RFC 8259) as a table of values: small objects such as the `.json` beside a file.  Parsing
 * is strict and bounded by the bytes there are; no program recursion, nesting up to
 * JSON_MAX_DEPTH.  Values are numbers into the table, 0 is the whole.
 */
#ifndef EDDY_UTIL_JSON_H
#define EDDY_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/cleanup.h"
#include "util/diag.h"

#define JSON_MAX_DEPTH	 32
#define JSON_MAX_MEMBERS 1024 /* of one object */

typedef uint32_t json_id;

#define JSON_ROOT ((json_id)0)
#define JSON_NONE ((json_id)UINT32_MAX)

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_INTEGER, /* digits only, at most 2^64-1 */
	JSON_NUMBER,  /* any other number */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json;

/*
 * The value that the bytes are.  0, or -EINVAL with a diag ("at byte 17: ..."); NUL in a string,
 * numbers beyond a double, and two members of one name are refused.
 */
int json_parse(const char *bytes, size_t len, struct json **ret_json, struct diag *ret_diag);
/* An empty object. */
struct json *json_new(void);
struct json *json_copy(const struct json *j);
void json_free(struct json *j); /* NULL is fine */
DEFINE_FREE(json, struct json *, json_free)
#define _cleanup_json_ _cleanup_(json_freep)

enum json_kind json_kind(const struct json *j, json_id id);
bool json_bool(const struct json *j, json_id id);	 /* false of other kinds */
uint64_t json_integer(const struct json *j, json_id id); /* 0 of other kinds */
double json_number(const struct json *j, json_id id);	 /* of integers too; 0 of other kinds */
/* NUL-terminated UTF-8 as it stood, escapes resolved; "" of other kinds; valid until one is added.
 */
const char *json_string(const struct json *j, json_id id);

/* Members of an object, elements of an array, in order; JSON_NONE at the end. */
json_id json_first(const struct json *j, json_id id);
json_id json_next(const struct json *j, json_id id);
size_t json_count(const struct json *j, json_id id);
/* The name of a member, "" of an element; valid until a value is added. */
const char *json_name(const struct json *j, json_id id);
/* The member of that name: JSON_NONE when there is none, or id is no object or JSON_NONE. */
json_id json_member(const struct json *j, json_id id, const char *name);

/*
 * Adds a value to an object (name) or array (name NULL), of a kind, null, false, 0 or empty. Values
 * nested deeper than JSON_MAX_DEPTH would be written as null.
 */
json_id json_add(struct json *j, json_id to, const char *name, enum json_kind kind);
void json_set_null(struct json *j, json_id id);
void json_set_bool(struct json *j, json_id id, bool value);
void json_set_integer(struct json *j, json_id id, uint64_t value);
void json_set_number(struct json *j, json_id id, double value); /* finite */
void json_set_string(struct json *j, json_id id, const char *value);

static inline json_id json_add_integer(struct json *j, json_id to, const char *name, uint64_t value)
{
	json_id id = json_add(j, to, name, JSON_INTEGER);

	json_set_integer(j, id, value);
	return id;
}

static inline json_id json_add_string(struct json *j, json_id to, const char *name,
				      const char *value)
{
	json_id id = json_add(j, to, name, JSON_STRING);

	json_set_string(j, id, value);
	return id;
}

/* How a value is written; zeroed: behind the one before, and with as few digits as it takes. */
struct json_style {
	uint8_t decimals; /* of a number; 0: as few as it takes */
	bool on_line;	  /* begins a line */
	bool lines;	  /* each of its elements does */
	bool hide_zero;	  /* left out where it is 0 or null */
};
void json_set_style(struct json *j, json_id id, struct json_style style);
struct json_style json_style(const struct json *j, json_id id);

/* Writes it, one top-level member a line, and a newline.  Invalid UTF-8 becomes \xNN text. */
void json_write(FILE *to, const struct json *j);
/* Text in quotes, for those who write JSON as they go; text_escape() makes it plain UTF-8 first. */
void json_write_string(FILE *to, const char *bytes, size_t len);
/* Memory held. */
size_t json_bytes(const struct json *j);

#endif
