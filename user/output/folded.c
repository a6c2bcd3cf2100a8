// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text without a sort of lines: frames are ranked by their text once, siblings are linked in
 * that order, and a walk over the tree meets the lines almost sorted.  The one thing to mend: where
 * a sibling's text begins with another's ("a" and "a!b"), the lines "a 1", "a!b 1" and "a;c 1"
 * interleave, because ' ' < '!' < ';'.  There, and only there, a sibling's own line and the lines
 * under it are put in order as two items.
 */
#include "output/folded.h"

#include <stdlib.h>
#include <string.h>

#include "output/frame_texts.h"
#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/text_escape.h"

struct item {
	size_t key_at, key_len;
	node_id node;
	bool is_subtree;
};

/* One node on the way down, and which of its children comes next. */
struct level {
	node_id child;	    /* next in the linked order, unless there are items */
	struct item *items; /* NULL but for the interleaved case */
	size_t nr_items, item;
	size_t path_len; /* of the node, with its ';' */
};

struct walk {
	const struct profile *p;
	const struct frame_texts *texts;
	node_id *first, *next; /* child and sibling by rank; 0: none */
	struct strbuf path;
	struct level *levels;
	size_t depth, cap;
	FILE *to;
	uint32_t *lines; /* by node: its line, from 1; NULL: nobody asks */
	uint32_t nr_lines;
};

static bool frame_text_is(const struct profile *p, frame_id frame, const char *text)
{
	size_t len;
	const char *name = frame_table_name(profile_frames(p), frame, &len);

	return len == strlen(text) && !memcmp(name, text, len);
}

/* ---- the beginning of lines ---------------------------------------------------------------- */

/*
 * The frame to stand for one at the root whose line would be a comment, "# ..." or "#" alone with
 * the space before its count; FRAME_NONE when it would not.
 */
static frame_id no_comment(const struct profile *p, frame_id frame, bool no_annotate)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;

	if (*frame_table_name(profile_frames(p), frame, NULL) != '#')
		return FRAME_NONE;
	frame_text_add(&text, profile_frames(p), frame, no_annotate);
	if (text.len > 1 && text.bytes[1] != ' ')
		return FRAME_NONE;
	strbuf_addstr(&name, "\\x23");
	strbuf_addstr(&name, text.bytes + 1);
	return frame_table_add_base(profile_frames(p), name.bytes);
}

static bool root_is_readable(const struct profile *p, bool no_annotate)
{
	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (!profile_parent(p, n) && no_comment(p, profile_frame(p, n), no_annotate))
			return false;
	return !profile_self(p, NODE_ROOT);
}

/* The profile with every stack written as a line that a reader takes for that stack. */
static struct profile *make_readable(const struct profile *p, bool no_annotate)
{
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(p), sizeof(*to));
	_cleanup_free_ node_id *ends = xcalloc(profile_nr_nodes(p), sizeof(*ends));
	struct profile *out = profile_new(profile_frames(p));
	frame_id empty = frame_table_add_base(profile_frames(p), "");

	ends[NODE_ROOT] = profile_child(out, NODE_ROOT, empty);
	profile_add(out, ends[NODE_ROOT], profile_self(p, NODE_ROOT));
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		node_id at = to[profile_parent(p, n)];
		frame_id f = profile_frame(p, n), other = FRAME_NONE;

		if (at == NODE_ROOT)
			other = no_comment(p, f, no_annotate);
		ends[n] = profile_child(out, at, other ? other : f);
		/* "#;a 1" is no comment: only what ends at "#" moves. */
		to[n] = other && frame_text_is(p, f, "#") ? profile_child(out, at, f) : ends[n];
		profile_add(out, ends[n], profile_self(p, n)); /* cannot exceed p's total */
	}
	profile_follow_to(out, p, ends);
	return out;
}

/* ---- the walk ---------------------------------------------------------------------------- */

static size_t format_count(char *to, uint64_t count)
{
	char digits[20];
	size_t nr = 0;

	do
		digits[nr++] = '0' + count % 10;
	while (count /= 10);
	for (size_t i = 0; i < nr; i++)
		to[i] = digits[nr - 1 - i];
	return nr;
}

static void add_text(struct strbuf *sb, const struct walk *w, node_id n)
{
	frame_id f = profile_frame(w->p, n);

	strbuf_add(sb, w->texts->bytes.bytes + w->texts->at[f], w->texts->len[f]);
}

/* True when some sibling's text begins with another's: then it does with its neighbour's. */
static bool is_interleaved(const struct walk *w, node_id first)
{
	for (node_id n = first; w->next[n]; n = w->next[n]) {
		frame_id f = profile_frame(w->p, w->next[n]);

		if (w->texts->has_prefix[f] &&
		    frame_texts_begins_with(w->texts, f, profile_frame(w->p, n)))
			return true;
	}
	return false;
}

static int item_cmp(const void *a, const void *b, void *ctx)
{
	const struct item *x = a, *y = b;
	const char *keys = ctx;
	size_t min = x->key_len < y->key_len ? x->key_len : y->key_len;
	int c = memcmp(keys + x->key_at, keys + y->key_at, min);

	return c ? c : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

static void add_item(struct level *level, struct strbuf *keys, const struct walk *w,
		     struct item item)
{
	char count[20];

	item.key_at = keys->len;
	add_text(keys, w, item.node);
	strbuf_addch(keys, item.is_subtree ? ';' : ' ');
	if (!item.is_subtree)
		strbuf_add(keys, count, format_count(count, profile_self(w->p, item.node)));
	item.key_len = keys->len - item.key_at;
	level->items[level->nr_items++] = item;
}

/* The sibling's own lines by their whole rest, what is under them by "text;": no key is twice. */
static void order_items(struct walk *w, struct level *level)
{
	_cleanup_strbuf_ struct strbuf keys = STRBUF_INIT;
	size_t nr = 0;

	for (node_id n = level->child; n; n = w->next[n])
		nr += 2;
	level->items = xcalloc(nr, sizeof(*level->items));
	for (node_id n = level->child; n; n = w->next[n]) {
		if (profile_self(w->p, n))
			add_item(level, &keys, w, (struct item){ .node = n });
		if (w->first[n])
			add_item(level, &keys, w, (struct item){ .node = n, .is_subtree = true });
	}
	qsort_r(level->items, level->nr_items, sizeof(*level->items), item_cmp, keys.bytes);
}

static void enter(struct walk *w, node_id n)
{
	struct level *level;

	array_reserve(w->levels, w->cap, w->depth + 1);
	level = &w->levels[w->depth++];
	*level = (struct level){ .child = w->first[n], .path_len = w->path.len };
	if (is_interleaved(w, level->child))
		order_items(w, level);
}

/* The path ends with n's text: its line, which leaves the path as it was. */
static void write_line(struct walk *w, node_id n)
{
	size_t len = w->path.len;
	char count[22];
	size_t nr;

	count[0] = ' ';
	nr = 1 + format_count(count + 1, profile_self(w->p, n));
	count[nr++] = '\n';
	strbuf_add(&w->path, count, nr);
	fwrite_unlocked(w->path.bytes, 1, w->path.len, w->to);
	w->path.len = len;
	w->nr_lines++;
	if (w->lines)
		w->lines[n] = w->nr_lines;
}

/* The next child of the level: its line, its subtree, or both; false: there is none. */
static bool next_child(struct walk *w, struct level *level, node_id *ret_node, bool *ret_line,
		       bool *ret_subtree)
{
	if (level->items) {
		const struct item *item = &level->items[level->item];

		if (level->item == level->nr_items)
			return false;
		level->item++;
		*ret_node = item->node;
		*ret_line = !item->is_subtree;
		*ret_subtree = item->is_subtree;
		return true;
	}
	if (!level->child)
		return false;
	*ret_node = level->child;
	*ret_line = profile_self(w->p, level->child) > 0;
	*ret_subtree = w->first[level->child] > 0;
	level->child = w->next[level->child];
	return true;
}

static void walk_lines(struct walk *w)
{
	if (w->first[NODE_ROOT])
		enter(w, NODE_ROOT);
	while (w->depth) {
		struct level *level = &w->levels[w->depth - 1];
		bool line, subtree;
		node_id n;

		w->path.len = level->path_len;
		if (!next_child(w, level, &n, &line, &subtree)) {
			free(level->items);
			w->depth--;
			continue;
		}
		add_text(&w->path, w, n);
		if (line)
			write_line(w, n);
		if (subtree) {
			strbuf_addch(&w->path, ';');
			enter(w, n);
		}
	}
}

/* By the nodes that were followed. */
static void lines_tell(const struct walk *w, struct writer_lines *ret_lines)
{
	const node_id *followed = profile_followed(w->p);

	for (size_t i = 0; i < ret_lines->nr_nodes; i++)
		ret_lines->line[i] =
			followed && followed[i] != NODE_DROP ? w->lines[followed[i]] : 0;
	ret_lines->nr_lines = w->nr_lines;
	ret_lines->total = profile_total(w->p);
}

static int folded_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
			struct diag *ret_diag)
{
	struct frame_texts texts;
	struct walk w = { .texts = &texts, .path = STRBUF_INIT, .to = to };
	bool no_annotate = opts && opts->no_annotate;
	_cleanup_profile_ struct profile *readable = NULL;
	_cleanup_profile_ struct profile *merged = NULL;

	if (!root_is_readable(p, no_annotate))
		p = readable = make_readable(p, no_annotate);
	frame_texts_init(&texts, p, no_annotate);
	if (texts.has_equal)
		p = merged = frame_texts_merge(p, &texts);
	w.p = p;
	frame_texts_link(p, &texts, &w.first, &w.next);
	if (opts && opts->ret_lines)
		w.lines = xcalloc(profile_nr_nodes(p), sizeof(*w.lines));
	walk_lines(&w);
	if (opts && opts->ret_lines)
		lines_tell(&w, opts->ret_lines);
	free(w.lines);
	free(w.first);
	free(w.next);
	free(w.levels);
	strbuf_deinit(&w.path);
	frame_texts_deinit(&texts);
	return 0;
}

const struct writer folded_writer = { "folded", ".folded .txt", folded_write };
