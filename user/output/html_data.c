// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Siblings come into the order of their texts without a sort of nodes: nodes are put into one list
 * for each function, and from the last rank to the first each is pushed before its siblings.
 */
#include "output/html_data.h"

#include <stdlib.h>
#include <string.h>

#include "output/html_prune.h"
#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/text_escape.h"

void html_number_add(struct strbuf *sb, uint64_t value)
{
	while (value > 127) {
		strbuf_addch(sb, (char)(value | 128));
		value >>= 7;
	}
	strbuf_addch(sb, (char)value);
}

/* ---- functions ------------------------------------------------------------------------------ */

struct text {
	size_t at, len;
	frame_id frame;
};

struct texts {
	struct strbuf bytes;
	struct text *texts;
	size_t nr, cap;
};

static int text_cmp(const void *a, const void *b, void *ctx)
{
	const char *bytes = ctx;
	const struct text *x = a, *y = b;
	int c = memcmp(bytes + x->at, bytes + y->at, x->len < y->len ? x->len : y->len);

	if (c)
		return c;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static void texts_collect(struct texts *t, const struct profile *p, const uint64_t *sums,
			  bool no_annotate)
{
	const struct frame_table *frames = profile_frames(p);
	const frame_id *frame = profile_node_frames(p);
	_cleanup_free_ bool *seen = xcalloc(frame_table_nr(frames), sizeof(*seen));

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		size_t at = t->bytes.len;

		if (!sums[n] || seen[frame[n]])
			continue;
		seen[frame[n]] = true;
		frame_text_add(&t->bytes, frames, frame[n], no_annotate);
		array_reserve(t->texts, t->cap, t->nr + 1);
		t->texts[t->nr++] = (struct text){ at, t->bytes.len - at, frame[n] };
	}
	if (t->nr)
		qsort_r(t->texts, t->nr, sizeof(*t->texts), text_cmp, t->bytes.bytes);
}

static enum html_kind kind_of(const struct frame_table *frames, frame_id id)
{
	switch ((enum frame_origin)frame_table_get(frames, id)->origin) {
	case FRAME_KERNEL:
		return HTML_KERNEL;
	case FRAME_JIT:
		return HTML_JIT;
	case FRAME_INLINED:
		return HTML_INLINED;
	case FRAME_BASE:
		return html_is_left_out(frames, id) ? HTML_LEFT_OUT : HTML_BASE;
	case FRAME_USER:
	case FRAME_SITE: /* none is left */
		break;
	}
	return HTML_USER;
}

/* The module's number, given when it is first met. */
static void add_module(struct html_tree *t, uint32_t **numbers, size_t *cap, uint32_t *nr,
		       str_id module)
{
	const struct frame_table *frames = profile_frames(t->profile);
	size_t old = *cap, len;
	const char *text;

	array_reserve(*numbers, *cap, (size_t)module + 1);
	memset(*numbers + old, 0, (*cap - old) * sizeof(**numbers));
	if (module && !(*numbers)[module]) {
		text = frame_table_str(frames, module, &len);
		text_escape(&t->sections[HTML_MODULES], text, len);
		strbuf_addch(&t->sections[HTML_MODULES], '\n');
		(*numbers)[module] = ++*nr;
	}
	html_number_add(&t->sections[HTML_NAME_MODULES], (*numbers)[module]);
}

static void add_functions(struct html_tree *t, const uint64_t *sums, bool no_annotate)
{
	const struct frame_table *frames = profile_frames(t->profile);
	struct html_functions *f = &t->functions;
	struct texts texts = { .bytes = STRBUF_INIT };
	_cleanup_free_ uint32_t *modules = NULL;
	uint32_t nr_modules = 0;
	size_t cap_modules = 0;

	texts_collect(&texts, t->profile, sums, no_annotate);
	f->nr = texts.nr;
	f->by_rank = xcalloc(f->nr, sizeof(*f->by_rank));
	f->rank = xmalloc(frame_table_nr(frames) * sizeof(*f->rank));
	memset(f->rank, 0xff, frame_table_nr(frames) * sizeof(*f->rank));
	for (size_t i = 0; i < texts.nr; i++) {
		const struct text *text = &texts.texts[i];

		f->by_rank[i] = text->frame;
		f->rank[text->frame] = i;
		strbuf_add(&t->sections[HTML_NAMES], texts.bytes.bytes + text->at, text->len);
		strbuf_addch(&t->sections[HTML_NAMES], '\n');
		strbuf_addch(&t->sections[HTML_KINDS], (char)kind_of(frames, text->frame));
		add_module(t, &modules, &cap_modules, &nr_modules,
			   frame_table_get(frames, text->frame)->module);
	}
	strbuf_deinit(&texts.bytes);
	free(texts.texts);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Children by rank; both lists of a node use `next`: it leaves the one when it enters the other. */
static void link_children(const struct html_tree *t, const uint64_t *sums, node_id *first,
			  node_id *next)
{
	const frame_id *frame = profile_node_frames(t->profile);
	const node_id *parent = profile_parents(t->profile);
	_cleanup_free_ node_id *of_rank = xcalloc(t->functions.nr, sizeof(*of_rank));

	for (node_id n = profile_nr_nodes(t->profile) - 1; n > 0; n--) {
		if (!sums[n])
			continue;
		next[n] = of_rank[t->functions.rank[frame[n]]];
		of_rank[t->functions.rank[frame[n]]] = n;
	}
	for (size_t i = t->functions.nr; i-- > 0;)
		for (node_id n = of_rank[i], rest; n; n = rest) {
			rest = next[n];
			next[n] = first[parent[n]];
			first[parent[n]] = n;
		}
}

static void add_nodes(struct html_tree *t, const uint64_t *sums)
{
	size_t nr = profile_nr_nodes(t->profile);
	const node_id *parent = profile_parents(t->profile);
	_cleanup_free_ node_id *first = xcalloc(nr, sizeof(*first));
	_cleanup_free_ node_id *next = xcalloc(nr, sizeof(*next));
	uint64_t level = 1, before = 0;
	node_id n;

	link_children(t, sums, first, next);
	t->order = xcalloc(nr, sizeof(*t->order));
	for (n = first[NODE_ROOT]; n;) {
		t->order[t->nr++] = n;
		html_number_add(&t->sections[HTML_LEVELS], before + 1 - level);
		html_number_add(&t->sections[HTML_FUNCTIONS],
				t->functions.rank[profile_frame(t->profile, n)]);
		before = level;
		if (first[n]) {
			n = first[n];
			level++;
			continue;
		}
		while (n && !next[n]) {
			n = parent[n];
			level--;
		}
		n = n ? next[n] : 0;
	}
}

void html_tree_init(struct html_tree *t, const struct profile *p, const uint64_t *sums,
		    bool no_annotate)
{
	*t = (struct html_tree){ .profile = p };
	for (int i = 0; i < HTML_NR_SECTIONS; i++)
		t->sections[i] = (struct strbuf)STRBUF_INIT;
	add_functions(t, sums, no_annotate);
	add_nodes(t, sums);
}

void html_tree_deinit(struct html_tree *t)
{
	for (int i = 0; i < HTML_NR_SECTIONS; i++)
		strbuf_deinit(&t->sections[i]);
	free(t->order);
	free(t->functions.by_rank);
	free(t->functions.rank);
}

void html_tree_add_values(struct html_tree *t, enum html_section to, const uint64_t *values)
{
	for (size_t i = 0; i < t->nr; i++)
		html_number_add(&t->sections[to], values[t->order[i]]);
}

void html_tree_add_bytes(struct html_tree *t, enum html_section to, const uint8_t *values)
{
	for (size_t i = 0; i < t->nr; i++)
		strbuf_addch(&t->sections[to], (char)values[t->order[i]]);
}
