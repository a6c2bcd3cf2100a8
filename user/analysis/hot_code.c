// SPDX-License-Identifier: GPL-2.0-or-later
/* All samples of the functions are sorted by function, file and place, then added up. */
#include "analysis/hot_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frame_set.h"
#include "analysis/function_find.h"
#include "profile/frame_place.h"
#include "profile/frame_text.h"
#include "util/mem.h"

#define MAX_HOSTS 4 /* functions that another is inlined into, as a message names them */

struct sample {
	frame_id function;
	str_id path, build_id;
	bool has_place;
	uint64_t offset, base, samples;
};

struct samples {
	struct sample *items;
	size_t nr, cap;
};

static int compare_codes(const struct sample *a, const struct sample *b)
{
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->build_id > b->build_id) - (a->build_id < b->build_id);
}

static int compare_samples(const void *va, const void *vb)
{
	const struct sample *a = va, *b = vb;
	int order = compare_codes(a, b);

	if (order)
		return order;
	/* add_up() takes a code's base from its first sample. */
	if (a->has_place != b->has_place)
		return a->has_place ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* The node of the function whose code a stack ends in: who is inlined has none. */
static node_id code_node(const struct profile *p, node_id n)
{
	while (n != NODE_ROOT &&
	       frame_table_get(profile_frames(p), profile_frame(p, n))->origin == FRAME_INLINED)
		n = profile_parent(p, n);
	return n;
}

/* Of each stack that ends in the code of one of the functions. */
static void collect(const struct profile *p, const struct frame_set *set, struct samples *to)
{
	struct frame_table *frames = profile_frames(p);
	const size_t nr = profile_nr_nodes(p);

	for (node_id n = 1; n < nr; n++) {
		const node_id at = profile_self(p, n) ? code_node(p, n) : NODE_ROOT;
		const struct frame_place *place;
		struct sample s = { .samples = profile_self(p, n) };

		if (at == NODE_ROOT || !frame_set_has(set, profile_frame(p, at)))
			continue;
		place = frame_table_place(frames, profile_frame(p, at));
		s.function = profile_frame(p, at);
		if (place) {
			s.function = place->function;
			s.path = place->path;
			s.build_id = place->build_id;
			s.offset = place->address - place->base;
			s.base = place->base;
			s.has_place = true;
		}
		array_reserve(to->items, to->cap, to->nr + 1);
		to->items[to->nr++] = s;
	}
}

static void add(struct hot_code *code, const struct sample *s, size_t *cap)
{
	if (!s->has_place) {
		code->placeless += s->samples;
		return;
	}
	code->samples += s->samples;
	if (!code->nr || code->places[code->nr - 1].offset != s->offset) {
		array_reserve(code->places, *cap, code->nr + 1);
		code->places[code->nr++] = (struct hot_place){ .offset = s->offset };
	}
	code->places[code->nr - 1].samples += s->samples;
}

static void add_up(const struct samples *samples, struct hot_codes *to)
{
	size_t cap = 0, cap_places = 0;

	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->items[i];

		if (!i || compare_codes(s, s - 1)) {
			array_reserve(to->codes, cap, to->nr + 1);
			to->codes[to->nr++] = (struct hot_code){ .function = s->function,
								 .path = s->path,
								 .build_id = s->build_id,
								 .base = s->base };
			cap_places = 0;
		}
		add(&to->codes[to->nr - 1], s, &cap_places);
	}
}

static int compare_hot(const void *va, const void *vb, void *frames)
{
	const struct hot_code *a = va, *b = vb;
	const uint64_t of_a = a->samples + a->placeless, of_b = b->samples + b->placeless;
	int order;

	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	order = strcmp(frame_table_name(frames, a->function, NULL),
		       frame_table_name(frames, b->function, NULL));
	if (order)
		return order;
	return strcmp(frame_table_str(frames, a->path, NULL),
		      frame_table_str(frames, b->path, NULL));
}

/* Which functions have the code of those that are inlined. */
static int say_inlined(const struct profile *p, const struct frame_set *set, struct diag *ret_diag)
{
	struct frame_table *frames = profile_frames(p);
	_cleanup_frame_set_ struct frame_set *hosts = frame_set_new(frames);
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const frame_id id = profile_frame(p, n);
		const struct frame_place *place;
		frame_id host;

		if (!frame_set_has(set, id) || frame_table_get(frames, id)->origin != FRAME_INLINED)
			continue;
		host = profile_frame(p, code_node(p, n));
		place = frame_table_place(frames, host);
		host = place ? place->function : host;
		if (host == FRAME_NONE || frame_set_has(hosts, host) ||
		    frame_set_nr(hosts) == MAX_HOSTS)
			continue;
		frame_set_add_frame(hosts, host);
		if (names.len)
			strbuf_addstr(&names, ", ");
		frame_text_add_short(&names, frames, host);
	}
	if (!names.len)
		return diag_set(ret_diag, ENOENT,
				"no sample is in its own code: it only calls others");
	return diag_set(ret_diag, ENOENT, "it is inlined, its code is that of %s: annotate that",
			names.bytes);
}

static int find_in_set(const struct profile *p, const struct frame_set *set,
		       struct hot_codes *ret_codes, struct diag *ret_diag)
{
	struct samples samples = { 0 };

	collect(p, set, &samples);
	if (!samples.nr)
		return say_inlined(p, set, ret_diag);
	qsort(samples.items, samples.nr, sizeof(*samples.items), compare_samples);
	add_up(&samples, ret_codes);
	free(samples.items);
	qsort_r(ret_codes->codes, ret_codes->nr, sizeof(*ret_codes->codes), compare_hot,
		profile_frames(p));
	return 0;
}

static bool is_same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

int hot_codes_of_frame(const struct profile *p, const struct frame_table *frames, frame_id id,
		       struct hot_codes *ret_codes, struct diag *ret_diag)
{
	const struct frame_table *own = profile_frames(p);
	_cleanup_frame_set_ struct frame_set *set = frame_set_new(own);
	const struct frame *wanted = frame_table_get(frames, id);
	size_t name_len, module_len, len, in_len;
	const char *name = frame_table_name(frames, id, &name_len);
	const char *module = frame_table_str(frames, wanted->module, &module_len);

	/* By text, for the tables differ; by start too, for static functions may share a name. */
	for (frame_id at = 1; at < frame_table_nr(own); at++) {
		const struct frame *f = frame_table_get(own, at);
		const char *here = frame_table_name(own, at, &len);
		const char *in = frame_table_str(own, f->module, &in_len);

		if (f->origin == wanted->origin && f->start == wanted->start &&
		    is_same_text(name, name_len, here, len) &&
		    is_same_text(module, module_len, in, in_len))
			frame_set_add_frame(set, at);
	}
	return find_in_set(p, set, ret_codes, ret_diag);
}

int hot_codes_find(const struct profile *p, const char *pattern, struct hot_codes *ret_codes,
		   struct diag *ret_diag)
{
	_cleanup_frame_set_ struct frame_set *set = frame_set_new(profile_frames(p));
	frame_id none;

	/* Frames are instructions here: functions are what can be offered instead. */
	if (!frame_set_add(set, pattern)) {
		_cleanup_profile_ struct profile *functions = profile_without_places(p);

		return function_find(functions ? functions : p, pattern, &none, ret_diag);
	}
	return find_in_set(p, set, ret_codes, ret_diag);
}

void hot_codes_deinit(struct hot_codes *codes)
{
	for (size_t i = 0; i < codes->nr; i++)
		free(codes->codes[i].places);
	free(codes->codes);
	*codes = (struct hot_codes){ 0 };
}
