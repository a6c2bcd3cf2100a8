// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patterns to sets of frames.  An exact name goes before the glob, because names hold `*`, `?` and
 * `[` of their own (`operator[]`, `vfs_read_[k]`, `foo(char*)`).
 */
#include "analysis/frame_set.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

struct frame_set {
	const struct frame_table *frames;
	size_t nr_frames; /* elements of has */
	size_t nr;
	bool has[];
};

struct frame_set *frame_set_new(const struct frame_table *frames)
{
	size_t nr = frame_table_nr(frames);
	struct frame_set *s = xcalloc(1, sizeof(*s) + nr * sizeof(s->has[0]));

	s->frames = frames;
	s->nr_frames = nr;
	return s;
}

void frame_set_free(struct frame_set *s)
{
	free(s);
}

static bool name_is(const struct frame_set *s, frame_id id, const char *pattern, size_t len)
{
	const struct frame *f = frame_table_get(s->frames, id);
	const char *suffix = frame_origin_suffix(f->origin);
	size_t name_len, suffix_len = strlen(suffix);
	const char *name = frame_table_name(s->frames, id, &name_len);

	if (len < name_len || memcmp(pattern, name, name_len))
		return false;
	return len == name_len ||
	       (len == name_len + suffix_len && !memcmp(pattern + name_len, suffix, suffix_len));
}

size_t frame_set_add(struct frame_set *s, const char *pattern)
{
	size_t len = strlen(pattern), found = 0;

	for (frame_id id = 1; id < s->nr_frames; id++)
		if (name_is(s, id, pattern, len)) {
			frame_set_add_frame(s, id);
			found++;
		}
	if (found || !strpbrk(pattern, "*?["))
		return found;
	for (frame_id id = 1; id < s->nr_frames; id++)
		if (!fnmatch(pattern, frame_table_name(s->frames, id, NULL), 0)) {
			frame_set_add_frame(s, id);
			found++;
		}
	return found;
}

void frame_set_add_frame(struct frame_set *s, frame_id frame)
{
	s->nr += !s->has[frame];
	s->has[frame] = true;
}

bool frame_set_has(const struct frame_set *s, frame_id frame)
{
	return frame < s->nr_frames && s->has[frame];
}

size_t frame_set_nr(const struct frame_set *s)
{
	return s->nr;
}
