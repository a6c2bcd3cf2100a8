// SPDX-License-Identifier: GPL-2.0-or-later
/* A caller has a smaller number than what it calls, so one loop forward knows where it stands. */
#include "output/flame_layout.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define ROOT_TEXT "all"

static void place_nodes(struct flame_layout *l)
{
	size_t nr = profile_nr_nodes(l->p);
	_cleanup_free_ node_id *first = NULL, *next = NULL;

	l->at = xcalloc(nr, sizeof(*l->at));
	l->sum = xcalloc(nr, sizeof(*l->sum));
	l->depth = xcalloc(nr, sizeof(*l->depth));
	profile_sum(l->p, l->sum);
	frame_texts_link(l->p, &l->texts, &first, &next);
	for (node_id n = 0; n < nr; n++) {
		uint64_t at = l->at[n];

		for (node_id child = first[n]; child; child = next[child]) {
			l->at[child] = at;
			l->depth[child] = l->depth[n] + 1;
			at += l->sum[child];
		}
	}
}

const char *flame_layout_text(const struct flame_layout *l, node_id node, size_t *ret_len)
{
	frame_id f = profile_frame(l->p, node);

	*ret_len = node == NODE_ROOT ? strlen(ROOT_TEXT) : l->texts.len[f];
	return node == NODE_ROOT ? ROOT_TEXT : l->texts.bytes.bytes + l->texts.at[f];
}

static bool text_is_one_of(const struct flame_layout *l, node_id node, const char *const *texts,
			   size_t nr)
{
	size_t len;
	const char *text = flame_layout_text(l, node, &len);

	for (size_t i = 0; i < nr; i++)
		if (strlen(texts[i]) == len && !memcmp(texts[i], text, len))
			return true;
	return false;
}

/* Is it one of the first frames of a stack, as many as there are base frames? */
static bool is_within(const struct flame_layout *l, node_id n, size_t nr_bases)
{
	while (nr_bases && n != NODE_ROOT) {
		n = profile_parent(l->p, n);
		nr_bases--;
	}
	return n == NODE_ROOT;
}

static enum flame_paint paint_of(const struct flame_layout *l, node_id n, size_t nr_bases)
{
	static const char *const interrupts[] = { "[hardirq]", "[softirq]", "[nmi]" };
	static const char *const marks[] = { "[truncated]", "[cut]", "[empty]" };
	node_id parent = profile_parent(l->p, n);
	bool is_first = parent == NODE_ROOT;
	enum flame_paint under = is_first ? FLAME_BASE : l->paint[parent];
	size_t len;
	const char *text = flame_layout_text(l, n, &len);

	switch ((enum frame_origin)frame_table_get(profile_frames(l->p), profile_frame(l->p, n))
			->origin) {
	case FRAME_KERNEL:
		return under == FLAME_INTERRUPT ? FLAME_INTERRUPT : FLAME_KERNEL;
	case FRAME_JIT:
		return FLAME_JIT;
	case FRAME_INLINED:
		return FLAME_INLINED;
	case FRAME_BASE:
	case FRAME_USER:
	case FRAME_SITE: /* none is left */
		break;
	}
	if (under == FLAME_BASE && text_is_one_of(l, n, interrupts, ARRAY_SIZE(interrupts)))
		return FLAME_INTERRUPT;
	if (under != FLAME_BASE)
		return FLAME_USER;
	/* A base frame and a function of one name may have become one frame: the place tells. */
	if (frame_table_get(profile_frames(l->p), profile_frame(l->p, n))->origin == FRAME_BASE ||
	    is_within(l, n, nr_bases) || (is_first && len > 6 && !memcmp(text, "[lost:", 6)) ||
	    text_is_one_of(l, n, marks, ARRAY_SIZE(marks)))
		return FLAME_BASE;
	return FLAME_USER;
}

void flame_layout_init(struct flame_layout *l, const struct profile *p,
		       const struct writer_opts *opts, bool keeps_nodes)
{
	*l = (struct flame_layout){ .p = p };
	frame_texts_init(&l->texts, p, opts->no_annotate);
	if (l->texts.has_equal && !keeps_nodes)
		l->p = l->merged = frame_texts_merge(p, &l->texts);
	place_nodes(l);
	l->paint = xcalloc(profile_nr_nodes(l->p), sizeof(*l->paint));
	l->paint[NODE_ROOT] = FLAME_BASE;
	for (node_id n = 1; n < profile_nr_nodes(l->p); n++)
		l->paint[n] = paint_of(l, n, opts->nr_bases);
}

void flame_layout_deinit(struct flame_layout *l)
{
	frame_texts_deinit(&l->texts);
	profile_free(l->merged);
	free(l->at);
	free(l->sum);
	free(l->depth);
	free(l->paint);
}
