// SPDX-License-Identifier: GPL-2.0-or-later
/* Text to values, one after the other: what is nested is kept by each value's parent. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_values.h"
#include "util/mem.h"

struct parser {
	struct json *json;
	const char *at, *start, *end;
	struct diag *ret_diag;
};

static int fail(const struct parser *p, const char *what)
{
	return diag_set(p->ret_diag, EINVAL, "at byte %zu: %s", (size_t)(p->at - p->start), what);
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
		p->at++;
}

static bool take(struct parser *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static int take_hex4(struct parser *p, uint32_t *ret)
{
	uint32_t v = 0;

	if (p->end - p->at < 4)
		return fail(p, "an escape is cut off");
	for (int i = 0; i < 4; i++, p->at++) {
		const char *digits = "0123456789abcdef", *d;

		/* Of a NUL strchr() finds the end. */
		d = *p->at ? strchr(digits, *p->at >= 'A' && *p->at <= 'F' ? *p->at + 32 : *p->at)
			   : NULL;
		if (!d)
			return fail(p, "not a hexadecimal digit");
		v = v << 4 | (uint32_t)(d - digits);
	}
	*ret = v;
	return 0;
}

static void add_utf8(struct strbuf *sb, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(sb, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addch(sb, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addch(sb, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addch(sb, (char)(0xf0 | c >> 18));
			strbuf_addch(sb, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addch(sb, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addch(sb, (char)(0x80 | (c & 0x3f)));
}

/* \uXXXX, or the two of a character beyond U+FFFF. */
static int take_unicode(struct parser *p, struct strbuf *sb)
{
	uint32_t c = 0, low = 0;
	int r = take_hex4(p, &c);

	if (r < 0)
		return r;
	if (!c)
		return fail(p, "NUL in a string");
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || !take(p, '\\') || !take(p, 'u'))
			return fail(p, "half of a surrogate pair");
		r = take_hex4(p, &low);
		if (r < 0)
			return r;
		if (low < 0xdc00 || low >= 0xe000)
			return fail(p, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(sb, c);
	return 0;
}

static int take_escape(struct parser *p, struct strbuf *sb)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;

	if (p->at == p->end)
		return fail(p, "an escape is cut off");
	if (take(p, 'u'))
		return take_unicode(p, sb);
	which = *p->at ? strchr(from, *p->at) : NULL;
	if (!which)
		return fail(p, "no such escape");
	p->at++;
	strbuf_addch(sb, to[which - from]);
	return 0;
}

/* A string behind its opening quote, into the text buffer. */
static int take_string(struct parser *p, size_t *ret_offset)
{
	struct strbuf *sb = &p->json->text;
	size_t offset = sb->len;

	for (;;) {
		unsigned char c;
		int r = 0;

		if (p->at == p->end)
			return fail(p, "a string is cut off");
		c = *p->at++;
		if (c == '"')
			break;
		if (c < 0x20)
			return fail(p, "a control character in a string");
		if (c == '\\')
			r = take_escape(p, sb);
		else
			strbuf_addch(sb, (char)c);
		if (r < 0)
			return r;
	}
	strbuf_addch(sb, '\0');
	*ret_offset = offset;
	return 0;
}

static size_t count_digits(struct parser *p)
{
	const char *from = p->at;

	while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
		p->at++;
	return p->at - from;
}

static int take_number(struct parser *p, json_id id)
{
	const char *from = p->at;
	bool is_integer = true;
	char copy[64];
	uint64_t v = 0;
	size_t nr;

	if (take(p, '-'))
		is_integer = false; /* integers are counts, without a sign */
	nr = count_digits(p);
	if (!nr || (nr > 1 && p->at[-(ssize_t)nr] == '0'))
		return fail(p, "not a number");
	if (take(p, '.')) {
		is_integer = false;
		if (!count_digits(p))
			return fail(p, "not a number");
	}
	if (take(p, 'e') || take(p, 'E')) {
		is_integer = false;
		if (!take(p, '+'))
			take(p, '-');
		if (!count_digits(p))
			return fail(p, "not a number");
	}
	for (const char *s = from; is_integer && s < p->at; s++)
		is_integer = !__builtin_mul_overflow(v, 10, &v) &&
			     !__builtin_add_overflow(v, *s - '0', &v);
	if (is_integer) {
		json_set_integer(p->json, id, v);
		return 0;
	}
	if ((size_t)(p->at - from) >= sizeof(copy))
		return fail(p, "a number of too many digits");
	memcpy(copy, from, p->at - from);
	copy[p->at - from] = '\0';
	json_set_number(p->json, id, strtod(copy, NULL));
	return isfinite(p->json->values[id].number) ? 0 : fail(p, "a number too large");
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

/* A value that is no array and no object, or the beginning of one. */
static int take_value(struct parser *p, json_id id)
{
	struct json_value *v = &p->json->values[id];

	if (take(p, '{')) {
		v->kind = JSON_OBJECT;
	} else if (take(p, '[')) {
		v->kind = JSON_ARRAY;
	} else if (take(p, '"')) {
		v->kind = JSON_STRING;
		return take_string(p, &v->string);
	} else if (take_word(p, "true")) {
		json_set_bool(p->json, id, true);
	} else if (take_word(p, "false")) {
		json_set_bool(p->json, id, false);
	} else if (take_word(p, "null")) {
		v->kind = JSON_NULL;
	} else {
		return take_number(p, id);
	}
	return 0;
}

/* `"name":` of a member of an object; elements of an array have none. */
static int take_name(struct parser *p, json_id parent, size_t *ret_name)
{
	const struct json *j = p->json;
	int r;

	*ret_name = 0;
	if (j->values[parent].kind != JSON_OBJECT)
		return 0;
	if (!take(p, '"'))
		return fail(p, "a name in quotes is missing");
	r = take_string(p, ret_name);
	if (r < 0)
		return r;
	if (json_count(j, parent) > JSON_MAX_MEMBERS)
		return fail(p, "an object of too many members");
	if (json_member(j, parent, j->text.bytes + *ret_name) != JSON_NONE)
		return fail(p, "two members of one name");
	skip_blanks(p);
	return take(p, ':') ? 0 : fail(p, "a colon is missing");
}

/* Leaves arrays and objects that end here; *at becomes JSON_NONE behind the last. */
static int take_ends(struct parser *p, json_id *at, size_t *depth)
{
	while (*at != JSON_NONE) {
		const struct json_value *v = &p->json->values[*at];

		skip_blanks(p);
		if (take(p, v->kind == JSON_OBJECT ? '}' : ']')) {
			*at = v->parent;
			--*depth;
			continue;
		}
		if (v->count && !take(p, ','))
			return fail(p, "a comma is missing");
		break;
	}
	return 0;
}

static int parse_values(struct parser *p)
{
	json_id at = JSON_NONE; /* the array or object that we are in */
	size_t depth = 0;
	int r;

	do {
		size_t name = 0;
		json_id id;

		skip_blanks(p);
		if (at != JSON_NONE) {
			r = take_name(p, at, &name);
			if (r < 0)
				return r;
			skip_blanks(p);
		}
		id = json_add(p->json, at, NULL, JSON_NULL);
		p->json->values[id].name = name;
		r = take_value(p, id);
		if (r < 0)
			return r;
		if (p->json->values[id].kind >= JSON_ARRAY) {
			if (++depth > JSON_MAX_DEPTH)
				return fail(p, "nested too deep");
			at = id;
		}
		r = take_ends(p, &at, &depth);
		if (r < 0)
			return r;
	} while (at != JSON_NONE);
	skip_blanks(p);
	return p->at == p->end ? 0 : fail(p, "something follows the value");
}

int json_parse(const char *bytes, size_t len, struct json **ret_json, struct diag *ret_diag)
{
	_cleanup_json_ struct json *j = json_new();
	struct parser p = { j, bytes, bytes, bytes + len, ret_diag };
	int r;

	/* A value takes a byte at least, and ids have 32 bits. */
	if (len >= UINT32_MAX / 2)
		return diag_set(ret_diag, EINVAL, "too long");
	j->nr = 0; /* the empty object makes way */
	r = parse_values(&p);
	if (r < 0)
		return r;
	*ret_json = take_ptr(j);
	return 0;
}
