/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that mean something to somebody: what every format has to write as plain text. */
#ifndef EDDY_TESTS_HOSTILE_NAMES_H
#define EDDY_TESTS_HOSTILE_NAMES_H

#include <stdio.h>

#include "output/writer.h"
#include "util/mem.h"

static const char *const hostile_names[] = {
	"<script>alert(1)</script>",
	"</script><!--",
	"]]>&lt;&amp;&#x3c;",
	"\"quoted\" 'single' \\ \\u0041 \\\"",
	"\x1b[31mred\x1b]0;title\x07",
	"line\nbreak\ttab\r\x01",
	"\xff\xfe invalid \xc3( \xed\xa0\x80 \xf4\x90\x80\x80",
	"\xe2\x80\xaertl override \xe2\x81\xa6",
	"\xef\xbf\xbe noncharacters \xef\xbf\xbf",
	"semi;colon",
	"",
	" ",
	"[hardirq]",
	"\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x94\xa5",
};

#define HOSTILE_LONG_BYTES 65536

/* A stack of all of them, one of each alone, and one name of 64 KiB; every stack once. */
static inline struct profile *hostile_profile(void)
{
	struct profile *p = profile_new(NULL);
	char *name = xmalloc(HOSTILE_LONG_BYTES + 1);
	node_id deep = NODE_ROOT;

	memset(name, '"', HOSTILE_LONG_BYTES);
	name[HOSTILE_LONG_BYTES] = '\0';
	for (size_t i = 0; i <= ARRAY_SIZE(hostile_names); i++) {
		const char *s = i < ARRAY_SIZE(hostile_names) ? hostile_names[i] : name;
		struct frame f = { .name = frame_table_intern0(profile_frames(p), s),
				   .module = frame_table_intern0(profile_frames(p), s) };
		frame_id id = frame_table_add(profile_frames(p), &f);

		deep = profile_child(p, deep, id);
		profile_add(p, profile_child(p, NODE_ROOT, id), 1);
	}
	profile_add(p, deep, 1);
	free(name);
	return p;
}

/* What a writer writes; free() it. */
static inline char *written(const struct writer *writer, const struct profile *p,
			    const struct writer_opts *opts, size_t *ret_len)
{
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, ret_len);

	assert_int_equal(writer->write(f, p, opts, NULL), 0);
	assert_int_equal(fclose(f), 0);
	return bytes;
}

#endif
