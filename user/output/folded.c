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

#include "util/mem.h"
#include "util/text_escape.h"

#define EMPTY_TEXT "[empty]"

/* The texts of the frames that a profile uses, by frame_id. */
struct texts {
	struct strbuf bytes;
	size_t *at; /* where a frame's text begins in bytes; SIZE_MAX: not used */
	uint32_t *len;
	frame_id *by_rank; /* used frames, sorted by text */
	size_t nr_used;
	frame_id *same;	  /* the first frame by rank that has the same text */
	bool *has_prefix; /* by frame: another text is a proper prefix of this one */
	bool has_equal;	  /* some frames have one text */
};

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
	const struct texts *texts;
	node_id *first, *next; /* child and sibling by rank; 0: none */
	struct strbuf path;
	struct level *levels;
	size_t depth, cap;
	FILE *to;
};

void folded_frame(struct strbuf *sb, const struct frame_table *frames, frame_id frame,
		  bool no_annotate)
{
	size_t from = sb->len, len;
	const char *name = frame_table_name(frames, frame, &len);

	text_escape(sb, len ? name : EMPTY_TEXT, len ? len : strlen(EMPTY_TEXT));
	if (!no_annotate)
		strbuf_addstr(sb, frame_origin_suffix(frame_table_get(frames, frame)->origin));
	for (char *p = sb->bytes + from; (p = memchr(p, ';', sb->bytes + sb->len - p));)
		*p = ':';
}

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
	folded_frame(&text, profile_frames(p), frame, no_annotate);
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
	struct profile *out = profile_new(profile_frames(p));
	frame_id empty = frame_table_add_base(profile_frames(p), "");

	profile_add(out, profile_child(out, NODE_ROOT, empty), profile_self(p, NODE_ROOT));
	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		node_id at = to[profile_parent(p, n)], self;
		frame_id f = profile_frame(p, n), other = FRAME_NONE;

		if (at == NODE_ROOT)
			other = no_comment(p, f, no_annotate);
		self = profile_child(out, at, other ? other : f);
		/* "#;a 1" is no comment: only what ends at "#" moves. */
		to[n] = other && frame_text_is(p, f, "#") ? profile_child(out, at, f) : self;
		profile_add(out, self, profile_self(p, n)); /* cannot exceed p's total */
	}
	return out;
}

/* ---- texts ------------------------------------------------------------------------------- */

static int text_cmp(const void *a, const void *b, void *ctx)
{
	const struct texts *t = ctx;
	frame_id x = *(const frame_id *)a, y = *(const frame_id *)b;
	uint32_t min = t->len[x] < t->len[y] ? t->len[x] : t->len[y];
	int c = memcmp(t->bytes.bytes + t->at[x], t->bytes.bytes + t->at[y], min);

	return c ? c : (t->len[x] > t->len[y]) - (t->len[x] < t->len[y]);
}

static bool text_begins_with(const struct texts *t, frame_id x, frame_id prefix)
{
	return t->len[x] > t->len[prefix] &&
	       !memcmp(t->bytes.bytes + t->at[x], t->bytes.bytes + t->at[prefix], t->len[prefix]);
}

static void texts_collect(struct texts *t, const struct profile *p, bool no_annotate)
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
		folded_frame(&t->bytes, frames, f, no_annotate);
		t->len[f] = t->bytes.len - t->at[f];
		t->by_rank[t->nr_used++] = f;
	}
}

/* Sorts the texts and marks equal ones and those that have another one as prefix. */
static void texts_rank(struct texts *t)
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
		while (nr_prefixes && !text_begins_with(t, f, prefixes[nr_prefixes - 1]))
			nr_prefixes--;
		t->has_prefix[f] = nr_prefixes > 0;
		prefixes[nr_prefixes++] = f;
	}
}

static void texts_deinit(struct texts *t)
{
	strbuf_deinit(&t->bytes);
	free(t->at);
	free(t->len);
	free(t->by_rank);
	free(t->same);
	free(t->has_prefix);
}

/* The profile with one frame a text. */
static struct profile *merge_equal(const struct profile *p, const struct texts *t)
{
	_cleanup_free_ node_id *to = xcalloc(profile_nr_nodes(p), sizeof(*to));
	struct profile *out = profile_new(profile_frames(p));

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		to[n] = profile_child(out, to[profile_parent(p, n)], t->same[profile_frame(p, n)]);
		profile_add(out, to[n], profile_self(p, n)); /* cannot exceed p's total */
	}
	return out;
}

/* ---- the walk ---------------------------------------------------------------------------- */

/*
 * Links siblings by rank: nodes are put into one list for each frame, then the lists are taken
 * from the last rank to the first and each node is pushed to the front of its parent's children.
 * Both lists use `next`: a node leaves the one when it enters the other.
 */
static void link_children(struct walk *w)
{
	size_t nr_nodes = profile_nr_nodes(w->p);
	const frame_id *frame = profile_node_frames(w->p);
	const node_id *parent = profile_parents(w->p);
	_cleanup_free_ node_id *of_frame =
		xcalloc(frame_table_nr(profile_frames(w->p)), sizeof(*of_frame));

	w->first = xcalloc(nr_nodes, sizeof(*w->first));
	w->next = xcalloc(nr_nodes, sizeof(*w->next));
	for (node_id n = nr_nodes - 1; n > 0; n--) {
		w->next[n] = of_frame[frame[n]];
		of_frame[frame[n]] = n;
	}
	for (size_t i = w->texts->nr_used; i-- > 0;)
		for (node_id n = of_frame[w->texts->by_rank[i]], rest; n; n = rest) {
			rest = w->next[n];
			w->next[n] = w->first[parent[n]];
			w->first[parent[n]] = n;
		}
}

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
		    text_begins_with(w->texts, f, profile_frame(w->p, n)))
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

static int folded_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
			struct diag *ret_diag)
{
	struct texts texts = { .bytes = STRBUF_INIT };
	struct walk w = { .texts = &texts, .path = STRBUF_INIT, .to = to };
	bool no_annotate = opts && opts->no_annotate;
	_cleanup_profile_ struct profile *readable = NULL;
	_cleanup_profile_ struct profile *merged = NULL;

	if (!root_is_readable(p, no_annotate))
		p = readable = make_readable(p, no_annotate);
	texts_collect(&texts, p, no_annotate);
	texts_rank(&texts);
	if (texts.has_equal)
		p = merged = merge_equal(p, &texts);
	w.p = p;
	link_children(&w);
	walk_lines(&w);
	free(w.first);
	free(w.next);
	free(w.levels);
	strbuf_deinit(&w.path);
	texts_deinit(&texts);
	return 0;
}

const struct writer folded_writer = { "folded", ".folded .txt", folded_write };
