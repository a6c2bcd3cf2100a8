/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text to profile and back, for the tests of interrupt separation. */
#ifndef EDDY_TESTS_IRQ_STACKS_H
#define EDDY_TESTS_IRQ_STACKS_H

#include "profile/profile.h"
#include "unit/unit.h"
#include "util/mem.h"
#include "util/strbuf.h"

/* The node of "a;b;c", made if it is not there. */
static inline node_id irq_stack(struct profile *p, const char *text, size_t len)
{
	const char *end = text + len;
	node_id n = NODE_ROOT;

	while (text < end) {
		const char *stop = memchr(text, ';', end - text);
		size_t frame_len = (stop ? stop : end) - text;

		n = profile_child(p, n, frame_table_add_text(profile_frames(p), text, frame_len));
		text += frame_len + 1;
	}
	return n;
}

/* Lines "a;b;c 3\n". */
static inline struct profile *irq_stacks_parse(const char *text)
{
	struct profile *p = profile_new(NULL);

	while (*text) {
		const char *end = strchr(text, '\n');
		size_t len = end ? (size_t)(end - text) : strlen(text);
		const char *blank = text + len;

		while (*blank != ' ')
			blank--;
		assert_int_equal(
			profile_add(p, irq_stack(p, text, blank - text), strtoull(blank, NULL, 10)),
			0);
		text += len + (end != NULL);
	}
	return p;
}

static inline void irq_stack_print(struct strbuf *sb, const struct profile *p, node_id n)
{
	_cleanup_free_ node_id *path = xcalloc(profile_nr_nodes(p), sizeof(*path));
	size_t nr = 0;

	for (; n; n = profile_parent(p, n))
		path[nr++] = n;
	while (nr--) {
		const struct frame *f =
			frame_table_get(profile_frames(p), profile_frame(p, path[nr]));

		strbuf_addf(sb, "%s%s%s", frame_table_str(profile_frames(p), f->name, NULL),
			    frame_origin_suffix(f->origin), nr ? ";" : "");
	}
}

static inline int irq_line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted lines; two nodes that print alike are two lines, so that tests notice. */
static inline char *irq_stacks_print(const struct profile *p)
{
	_cleanup_free_ char **lines = xcalloc(profile_nr_nodes(p), sizeof(*lines));
	struct strbuf all = STRBUF_INIT;
	size_t nr = 0;

	for (node_id n = 0; n < profile_nr_nodes(p); n++) {
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

		if (!profile_self(p, n))
			continue;
		irq_stack_print(&sb, p, n);
		strbuf_addf(&sb, " %llu\n", (unsigned long long)profile_self(p, n));
		lines[nr++] = strbuf_detach(&sb);
	}
	qsort(lines, nr, sizeof(*lines), irq_line_compare);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addstr(&all, lines[i]);
		free(lines[i]);
	}
	return strbuf_detach(&all);
}

#endif
