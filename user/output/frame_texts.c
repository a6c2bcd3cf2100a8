// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames are ranked by their text once; siblings are put in that order without a sort of each. */
#include "output/frame_texts.h"

#include <stdlib.h>
#include <string.h>

#include "profile/frame_text.h"
#include "util/mem.h"

static int text_cmp(const void *a, const void *b, void *ctx)
{
	const struct frame_texts *t = ctx;
	frame_id x = *(const frame_id *)a, y = *(const frame_id *)b;
	uint32_t min = t->len[x] < t->len[y] ? t->len[x] : t->len[y];
	int c = memcmp(t->bytes.bytes + t->at[x], t->bytes.bytes + t->at[y], min);

	return c ? c : (t->len[x] > t->len[y]) - (t->len[x] < t->len[y]);
}

bool frame_texts_begins_with(const struct frame_texts *t, frame_id x, frame_id prefix)
{
	return t->len[x] > t->len[prefix] &&
	       !memcmp(t->bytes.bytes + t->at[x], t->bytes.bytes + t->at[prefix], t->len[prefix]);
}

static void collect(struct frame_texts *t, const struct profile *p, bool no_annotate)
{
	const struct frame_table *frames = profile_frames(p);
	const frame_id *frame = profile_node_frames(p);
	size_t nr = frame_table_nr(frames);

	t->at = xmalloc(nr * sizeof(*t->at));
	memset(t->at, 0xff, nr * sizeof(*t->at));
	t->len = xcalloc(nr, sizeof(*t->len));
	t->by_rank = xcalloc(nr, sizeof(*t->by_rank));
	t->same = xcalloc(nr, sizeof(*t->same));
	t->has_prefix = xcalloc(nr, sizeof(*t->has_prefix));
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		frame_id f = frame[n];

		if (t->at[f] != SIZE_MAX)
			continue;
		t->at[f] = t->bytes.len;
		frame_text_add(&t->bytes, frames, f, no_annotate);
		t->len[f] = t->bytes.len - t->at[f];
		t->by_rank[t->nr_used++] = f;
	}
}

/* Sorts the texts and marks equal ones and those that have another one as prefix. */
static void rank_texts(struct frame_texts *t)
{
	_cleanup_free_ frame_id *prefixes = xcalloc(t->nr_used, sizeof(*prefixes));
	size_t nr_prefixes = 0;

	qsort_r(t->by_rank, t->nr_used, sizeof(*t->by_rank), text_cmp, t);
	for (size_t i = 0; i < t->nr_used; i++) {
		frame_id f = t->by_rank[i];

		t->same[f] = f;
		if (i && !text_cmp(&f, &t->by_rank[i - 1], t)) {
			t->same[f] = t->same[t->by_rank[i - 1]];
			t->has_prefix[f] = t->has_prefix[t->by_rank[i - 1]];
			t->has_equal = true;
			continue;
		}
		/* What f begins with stands before it, and each of those begins with the next. */
		while (nr_prefixes && !frame_texts_begins_with(t, f, prefixes[nr_prefixes - 1]))
			nr_prefixes--;
		t->has_prefix[f] = nr_prefixes > 0;
		prefixes[nr_prefixes++] = f;
	}
}

void frame_texts_init(struct frame_texts *t, const struct profile *p, bool no_annotate)
{
	*t = (struct frame_texts){ .bytes = STRBUF_INIT };
	collect(t, p, no_annotate);
	rank_texts(t);
}

void frame_texts_deinit(struct frame_texts *t)
{
	strbuf_deinit(&t->bytes);
	free(t->at);
	free(t->len);
	free(t->by_rank);
	free(t->same);
	free(t->has_prefix);
}

struct profile *frame_texts_merge(const struct profile *p, const struct frame_texts *t)
{
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(p), sizeof(*to));
	struct profile *out = profile_new(profile_frames(p));

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		to[n] = profile_child(out, to[profile_parent(p, n)], t->same[profile_frame(p, n)]);
		profile_add(out, to[n], profile_self(p, n)); /* cannot exceed p's total */
	}
	profile_follow_to(out, p, to);
	return out;
}

/*
 * Links siblings by rank: nodes are put into one list for each frame, then the lists are taken
 * from the last rank to the first and each node is pushed to the front of its parent's children.
 * Both lists use `next`: a node leaves the one when it enters the other.
 */
void frame_texts_link(const struct profile *p, const struct frame_texts *t, node_id **ret_first,
		      node_id **ret_next)
{
	size_t nr_nodes = profile_nr_nodes(p);
	const frame_id *frame = profile_node_frames(p);
	const node_id *parent = profile_parents(p);
	_cleanup_free_ node_id *of_frame =
		xcalloc(frame_table_nr(profile_frames(p)), sizeof(*of_frame));
	node_id *first = xcalloc(nr_nodes, sizeof(*first));
	node_id *next = xcalloc(nr_nodes, sizeof(*next));

	for (node_id n = nr_nodes - 1; n > 0; n--) {
		next[n] = of_frame[frame[n]];
		of_frame[frame[n]] = n;
	}
	for (size_t i = t->nr_used; i-- > 0;)
		for (node_id n = of_frame[t->by_rank[i]], rest; n; n = rest) {
			rest = next[n];
			next[n] = first[parent[n]];
			first[parent[n]] = n;
		}
	*ret_first = first;
	*ret_next = next;
}
