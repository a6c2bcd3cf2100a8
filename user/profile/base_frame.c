// SPDX-License-Identifier: GPL-2.0-or-later
/* One list for the option, the collector and the pass that makes base frames coarser. */
#include "profile/base_frame.h"

#include <ctype.h>
#include <string.h>

#include "profile/foreign_name.h"

const char *const base_frame_names[NR_BASE_FRAMES] = {
	[BASE_FRAME_COMM] = "comm",	      [BASE_FRAME_PROCESS] = "process",
	[BASE_FRAME_THREAD] = "thread",	      [BASE_FRAME_CPU] = "cpu",
	[BASE_FRAME_CGROUP] = "cgroup",	      [BASE_FRAME_UNIT] = "unit",
	[BASE_FRAME_CONTAINER] = "container", [BASE_FRAME_PROGRAM] = "program",
	[BASE_FRAME_HOST] = "host",	      [BASE_FRAME_NONE] = "none",
};

bool base_frame_is_none(const char *text)
{
	return !strcmp(text, BASE_FRAME_NO_UNIT) || !strcmp(text, BASE_FRAME_NO_CONTAINER) ||
	       !strcmp(text, BASE_FRAME_NO_NAME);
}

bool base_frames_are_equal(const struct base_frames *a, const struct base_frames *b)
{
	if (base_frames_nr(a) != base_frames_nr(b))
		return false;
	for (size_t i = 0; i < base_frames_nr(a); i++)
		if (base_frames_kind(a, i) != base_frames_kind(b, i))
			return false;
	return true;
}

struct base_frames base_frames_common(const struct base_frames *a, const struct base_frames *b)
{
	return base_frames_are_equal(a, b) ? *a
					   : (struct base_frames)BASE_FRAMES_OF(NR_BASE_FRAMES);
}

struct base_frames base_frames_under_host(const struct base_frames *b)
{
	struct base_frames made = BASE_FRAMES_OF(BASE_FRAME_HOST);

	for (size_t i = 0; i < base_frames_nr(b); i++)
		base_frames_add(&made, base_frames_kind(b, i));
	return made;
}

bool base_frames_add(struct base_frames *b, enum base_frame kind)
{
	if (b->nr == BASE_FRAMES_MAX || memchr(b->kinds, kind, b->nr) ||
	    memchr(b->kinds, BASE_FRAME_NONE, b->nr) || (kind == BASE_FRAME_NONE && b->nr))
		return false;
	b->kinds[b->nr++] = kind;
	return true;
}

/*
 * Where the digits begin that a text's first len bytes end in; len when there are none.  A lone "?"
 * stands for a number that is not known.
 */
static size_t digits_at(const char *text, size_t len)
{
	if (len && text[len - 1] == '?')
		return len - 1;
	while (len && isdigit((unsigned char)text[len - 1]))
		len--;
	return len;
}

struct base_frame_task base_frame_split(const char *text, size_t len)
{
	struct base_frame_task t = { .comm = { text, len } };
	size_t at = digits_at(text, len), end = len;
	struct bytes tid = { 0 };

	if (at < len && at > 1 && text[at - 1] == '/' && digits_at(text, at - 1) < at - 1) {
		tid = (struct bytes){ text + at, len - at };
		end = at - 1;
		at = digits_at(text, end);
	}
	if (at == end || at < 2 || text[at - 1] != '-')
		return t;
	t.comm.len = at - 1;
	t.pid = (struct bytes){ text + at, end - at };
	t.tid = tid;
	return t;
}

static void add_number(struct strbuf *sb, char before, struct bytes number)
{
	strbuf_addch(sb, before);
	if (number.len)
		strbuf_add(sb, number.at, number.len);
	else
		strbuf_addch(sb, '?');
}

void base_frame_add_task(struct strbuf *sb, enum base_frame kind, const struct base_frame_task *t)
{
	foreign_name_add(sb, t->comm.at, t->comm.len);
	if (kind == BASE_FRAME_PROCESS || kind == BASE_FRAME_THREAD)
		add_number(sb, '-', t->pid);
	if (kind == BASE_FRAME_THREAD)
		add_number(sb, '/', t->tid);
}

bool base_frame_number(struct bytes part, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (!part.len || *part.at == '?')
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, part.at[i] - '0', &number)) {
			number = UINT64_MAX;
			break;
		}
	*ret_number = number;
	return true;
}

bool base_frames_parse(const char *text, struct base_frames *ret_frames)
{
	struct base_frames made = { 0 };

	for (;; text++) {
		size_t len = strcspn(text, ","), kind = 0;

		while (kind < NR_BASE_FRAMES && (strlen(base_frame_names[kind]) != len ||
						 memcmp(base_frame_names[kind], text, len) != 0))
			kind++;
		if (kind == NR_BASE_FRAMES || !base_frames_add(&made, kind))
			return false;
		text += len;
		if (!*text)
			break;
	}
	*ret_frames = made;
	return true;
}

void base_frames_print(struct strbuf *sb, const struct base_frames *b)
{
	size_t nr = base_frames_nr(b);

	if (!nr)
		strbuf_addstr(sb, base_frame_names[BASE_FRAME_NONE]);
	for (size_t i = 0; i < nr; i++) {
		enum base_frame kind = base_frames_kind(b, i);

		strbuf_addf(sb, "%s%s", i ? "," : "",
			    kind < NR_BASE_FRAMES ? base_frame_names[kind] : "?");
	}
}
