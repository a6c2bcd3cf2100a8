// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three ways to match, the strictest that finds something counts; several finds are an error that
 * lists them, none an error that lists neighbours by edit distance or as a part of the name.
 */
#include "analysis/function_find.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base_marks.h"
#include "profile/frame_text.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/text_escape.h"

#define MAX_LISTED 8 /* names in a message */

struct candidates {
	const struct frame_table *frames;
	frame_id *ids; /* functions that stand in a stack */
	size_t nr;
};

static void candidates_init(struct candidates *c, const struct profile *p)
{
	size_t nr_frames = frame_table_nr(profile_frames(p)), cap = 0;
	_cleanup_free_ bool *used = xcalloc(nr_frames, sizeof(*used));

	*c = (struct candidates){ .frames = profile_frames(p) };
	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		used[profile_frame(p, n)] = true;
	for (frame_id f = 1; f < nr_frames; f++)
		if (used[f]) {
			array_reserve(c->ids, cap, c->nr + 1);
			c->ids[c->nr++] = f;
		}
}

static void candidates_deinit(struct candidates *c)
{
	free(c->ids);
}

static void add_text(struct strbuf *sb, const struct frame_table *frames, frame_id id)
{
	frame_text_add(sb, frames, id, false);
}

static void add_text_and_place(struct strbuf *sb, const struct frame_table *frames, frame_id id)
{
	const struct frame *f = frame_table_get(frames, id);
	size_t len;
	const char *module = frame_table_str(frames, f->module, &len);

	add_text(sb, frames, id);
	if (!len && !f->start)
		return;
	strbuf_addstr(sb, " (");
	text_escape(sb, module, len);
	if (f->is_raw)
		strbuf_addf(sb, " #%u)", id);
	else
		strbuf_addf(sb, "+0x%" PRIx64 ")", f->start);
}

enum match { MATCH_PLACE, MATCH_TEXT, MATCH_NAME, MATCH_GLOB, NR_MATCHES };

static bool matches(const struct candidates *c, frame_id id, enum match how, const char *pattern,
		    struct strbuf *scratch)
{
	const char *name = frame_table_name(c->frames, id, NULL);

	strbuf_reset(scratch);
	switch (how) {
	case MATCH_PLACE:
		add_text_and_place(scratch, c->frames, id);
		return !strcmp(scratch->bytes, pattern);
	case MATCH_TEXT:
		add_text(scratch, c->frames, id);
		if (!strcmp(scratch->bytes, pattern))
			return true;
		strbuf_reset(scratch);
		frame_text_add_short(scratch, c->frames, id);
		return !strcmp(scratch->bytes, pattern);
	case MATCH_NAME:
		return !strcmp(name, pattern);
	case MATCH_GLOB:
	case NR_MATCHES:
		break;
	}
	return strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0);
}

/* A process that is called like a function is not what is meant, unless there is nothing else. */
static size_t drop_bases(const struct candidates *c, frame_id *found, size_t nr)
{
	size_t nr_functions = 0;

	for (size_t i = 0; i < nr; i++)
		if (!frame_is_base(c->frames, found[i]))
			found[nr_functions++] = found[i];
	return nr_functions ? nr_functions : nr;
}

/* The matches in `found` (a new array, free it), by the strictest way that has one. */
static size_t find_all(const struct candidates *c, const char *pattern, frame_id **ret_found)
{
	_cleanup_strbuf_ struct strbuf scratch = STRBUF_INIT;
	frame_id *found = NULL;
	size_t nr = 0, cap = 0;

	for (enum match how = 0; how < NR_MATCHES && !nr; how++)
		for (size_t i = 0; i < c->nr; i++)
			if (matches(c, c->ids[i], how, pattern, &scratch)) {
				array_reserve(found, cap, nr + 1);
				found[nr++] = c->ids[i];
			}
	*ret_found = found;
	return drop_bases(c, found, nr);
}

/* Do two of the found read alike?  Then only their places tell them apart. */
static bool any_alike(const struct candidates *c, const frame_id *found, size_t nr)
{
	for (size_t i = 1; i < nr && i < MAX_LISTED; i++) {
		const struct frame *a = frame_table_get(c->frames, found[i - 1]);
		const struct frame *b = frame_table_get(c->frames, found[i]);

		if (frame_shown(a) == frame_shown(b) && a->origin == b->origin &&
		    a->line == b->line && a->file == b->file)
			return true;
	}
	return false;
}

static int fail_ambiguous(const struct candidates *c, const frame_id *found, size_t nr,
			  struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	bool with_place = any_alike(c, found, nr);
	size_t listed = 0;

	for (; listed < nr && listed < MAX_LISTED && list.len < 300; listed++) {
		strbuf_addstr(&list, listed ? ", " : "");
		if (with_place)
			add_text_and_place(&list, c->frames, found[listed]);
		else
			add_text(&list, c->frames, found[listed]);
	}
	if (listed < nr)
		strbuf_addf(&list, " and %zu more", nr - listed);
	return diag_set(ret_diag, ENOTUNIQ, "matches %zu functions, name one: %s", nr, list.bytes);
}

/* ---- names that are near ----------------------------------------------------------------- */

struct near {
	frame_id id;
	size_t distance;
	const char *name;
};

/* How far a name is from what was typed; SIZE_MAX: not near. */
static size_t name_distance(const char *typed, size_t typed_len, const char *name, size_t len)
{
	size_t limit = typed_len / 3 + 1, distance;

	if (typed_len >= 3 && strcasestr(name, typed))
		return limit; /* behind every misspelling */
	if ((len > typed_len ? len - typed_len : typed_len - len) > limit)
		return SIZE_MAX;
	distance = near_name_distance(typed, typed_len, name, len);
	return distance <= limit && distance < typed_len ? distance : SIZE_MAX;
}

static int near_cmp(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int fail_unknown(const struct candidates *c, const char *pattern, struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	_cleanup_free_ struct near *near = xcalloc(c->nr, sizeof(*near));
	/* What was typed, without a suffix that it may have. */
	size_t len = strlen(pattern), typed_len = len;
	_cleanup_free_ char *typed = NULL;
	size_t nr = 0;

	if (len > 4 && !strncmp(pattern + len - 4, "_[", 2) && pattern[len - 1] == ']')
		typed_len -= 4;
	typed = xmemdup0(pattern, typed_len);
	for (size_t i = 0; i < c->nr; i++) {
		size_t name_len;
		const char *name = frame_table_name(c->frames, c->ids[i], &name_len);
		size_t distance = name_distance(typed, typed_len, name, name_len);

		if (distance != SIZE_MAX)
			near[nr++] = (struct near){ c->ids[i], distance, name };
	}
	qsort(near, nr, sizeof(*near), near_cmp);
	for (size_t i = 0; i < nr && i < 5 && list.len < 300; i++) {
		strbuf_addstr(&list, i ? ", " : "");
		add_text(&list, c->frames, near[i].id);
	}
	if (!nr)
		return diag_set(ret_diag, ENOENT, "no stack contains such a function");
	return diag_set(ret_diag, ENOENT, "no stack contains such a function; similar: %s",
			list.bytes);
}

int function_find(const struct profile *profile, const char *pattern, frame_id *ret_frame,
		  struct diag *ret_diag)
{
	__attribute__((cleanup(candidates_deinit))) struct candidates c;
	_cleanup_free_ frame_id *found = NULL;
	size_t nr;

	candidates_init(&c, profile);
	nr = find_all(&c, pattern, &found);
	if (nr > 1)
		return fail_ambiguous(&c, found, nr, ret_diag);
	if (!nr)
		return fail_unknown(&c, pattern, ret_diag);
	*ret_frame = found[0];
	return 0;
}

/* ---- functions of a pattern as one ---------------------------------------------------------- */

struct summing {
	const bool *is_found; /* by frame */
	frame_id sum;
};

static node_id place_sum(void *ctx, struct profile *out, node_id at, node_id in_node,
			 frame_id frame)
{
	const struct summing *s = ctx;

	(void)in_node;
	return profile_child(out, at, s->is_found[frame] ? s->sum : frame);
}

static void list_functions(const struct candidates *c, const frame_id *found, size_t nr,
			   struct strbuf *ret_list)
{
	size_t listed = 0;

	for (; listed < nr && listed < MAX_LISTED; listed++) {
		strbuf_addstr(ret_list, listed ? ", " : "");
		add_text(ret_list, c->frames, found[listed]);
	}
	if (listed < nr)
		strbuf_addf(ret_list, " and %zu more", nr - listed);
}

struct profile *functions_sum(const struct profile *in, const char *pattern, frame_id *ret_sum,
			      struct strbuf *ret_list)
{
	__attribute__((cleanup(candidates_deinit))) struct candidates c;
	_cleanup_free_ frame_id *found = NULL;
	_cleanup_free_ bool *is_found = xcalloc(frame_table_nr(profile_frames(in)), sizeof(bool));
	struct summing s = { .is_found = is_found };
	size_t nr, nr_functions = 0;

	candidates_init(&c, in);
	nr = strpbrk(pattern, "*?[") ? find_all(&c, pattern, &found) : 0;
	for (size_t i = 0; i < nr; i++)
		if (!frame_is_base(c.frames, found[i])) {
			is_found[found[i]] = true;
			found[nr_functions++] = found[i];
		}
	if (nr_functions < 2)
		return NULL;
	strbuf_addf(ret_list, "%s is the sum of %zu functions: ", pattern, nr_functions);
	list_functions(&c, found, nr_functions, ret_list);
	s.sum = frame_table_add(
		profile_frames(in),
		&(struct frame){ .name = frame_table_intern0(profile_frames(in), pattern) });
	*ret_sum = s.sum;
	return profile_remap(in, place_sum, &s, NULL);
}
