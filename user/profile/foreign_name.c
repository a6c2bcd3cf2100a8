// SPDX-License-Identifier: GPL-2.0-or-later
/* One byte is what makes a form: the bracket that opens it.  It alone is escaped. */
#include "profile/foreign_name.h"

#define MAX_SUFFIX_LETTERS 8
#define BRACKET		   "\\x5b"

/*
 * Where the bracket of a suffix "_[k]" stands that the text ends in; len when there is none.  Any
 * short word counts: what is no suffix today may be one to who reads the file.
 */
static size_t suffix_bracket(const char *text, size_t len)
{
	size_t at = len;

	if (len < 4 || text[len - 1] != ']')
		return len;
	for (at = len - 1; at && text[at - 1] >= 'a' && text[at - 1] <= 'z';)
		at--;
	if (at < 2 || at == len - 1 || len - 1 - at > MAX_SUFFIX_LETTERS || text[at - 1] != '[' ||
	    text[at - 2] != '_')
		return len;
	return at - 1;
}

static bool is_mark(const char *name, size_t len)
{
	return len > 1 && name[0] == '[' && name[len - 1] == ']';
}

/* All forms end in a bracket, and hardly any other name does. */
static bool is_plain(const char *name, size_t len)
{
	return !len || name[len - 1] != ']' ||
	       (!is_mark(name, len) && suffix_bracket(name, len) == len);
}

void foreign_name_add(struct strbuf *sb, const char *name, size_t len)
{
	size_t bracket;

	if (is_mark(name, len)) {
		strbuf_addstr(sb, BRACKET);
		name++;
		len--;
	}
	bracket = suffix_bracket(name, len);
	strbuf_add(sb, name, bracket);
	if (bracket == len)
		return;
	strbuf_addstr(sb, BRACKET);
	strbuf_add(sb, name + bracket + 1, len - bracket - 1);
}

str_id foreign_name_intern(struct frame_table *t, const char *name, size_t len)
{
	_cleanup_strbuf_ struct strbuf safe = STRBUF_INIT;

	if (is_plain(name, len))
		return frame_table_intern(t, name, len);
	foreign_name_add(&safe, name, len);
	return frame_table_intern(t, safe.bytes, safe.len);
}

void foreign_name_guard_end(struct strbuf *sb, size_t from)
{
	size_t len = sb->len - from, bracket = suffix_bracket(sb->bytes + from, len);
	_cleanup_strbuf_ struct strbuf rest = STRBUF_INIT;

	if (bracket == len)
		return;
	strbuf_add(&rest, sb->bytes + from + bracket + 1, len - bracket - 1);
	sb->len = from + bracket;
	strbuf_addstr(sb, BRACKET);
	strbuf_add(sb, rest.bytes, rest.len);
}
