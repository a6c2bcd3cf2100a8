// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places are added up in a profile of their own: a node a place of the function, one for what is of
 * it at no known place, and one for all that is not of it.
 */
#include "top/top_annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hot_code.h"
#include "annotate/annotate_code.h"
#include "profile/frame_text.h"
#include "util/mem.h"

struct top_annotation {
	struct frame_table *frames; /* that `function` is of */
	frame_id function;
	bool is_clock; /* the samples are a timer's */
	struct profile *sums;
	struct diag why; /* there are no samples in it */
	struct worker_pool *pool;
	struct code_finder *finder;
	char *text;
	const char **lines;
	size_t nr, cap;
};

struct top_annotation *top_annotation_new(struct frame_table *frames, frame_id function,
					  bool is_clock)
{
	struct top_annotation *a = xcalloc(1, sizeof(*a));

	a->frames = frame_table_ref(frames);
	a->function = function;
	a->is_clock = is_clock;
	a->sums = profile_new(NULL);
	return a;
}

void top_annotation_free(struct top_annotation *a)
{
	if (!a)
		return;
	code_finder_free(a->finder);
	worker_pool_free(a->pool);
	profile_free(a->sums);
	frame_table_unref(a->frames);
	free(a->text);
	free(a->lines);
	free(a);
}

/* ---- samples -------------------------------------------------------------------------------- */

static str_id carry(struct frame_table *to, const struct frame_table *from, str_id id)
{
	size_t len;
	const char *s = frame_table_str(from, id, &len);

	return id ? frame_table_intern(to, s, len) : 0;
}

static void add_code(struct profile *sums, const struct frame_table *from,
		     const struct hot_code *code)
{
	struct frame_table *to = profile_frames(sums);
	struct frame f = *frame_table_get(from, code->function);
	struct frame_place place = {
		.path = carry(to, from, code->path),
		.build_id = carry(to, from, code->build_id),
		.base = code->base,
	};
	size_t len;
	const char *name = frame_table_name(from, code->function, &len);

	f.name = frame_table_intern(to, name, len);
	f.shown = 0;
	f.module = carry(to, from, f.module);
	f.file = 0;
	f.line = 0;
	f.place = 0;
	place.function = frame_table_add(to, &f);
	profile_add(sums, profile_child(sums, NODE_ROOT, place.function), code->placeless);
	for (size_t i = 0; i < code->nr; i++) {
		place.address = code->places[i].offset + code->base;
		profile_add(sums, profile_child(sums, NODE_ROOT, frame_table_add_place(to, &place)),
			    code->places[i].samples);
	}
}

int top_annotation_add(struct top_annotation *a, const struct profile *stacks,
		       const struct pipeline_request *request, struct diag *ret_diag)
{
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	uint64_t rest;
	int r = pipeline_run(request, stacks, &result, ret_diag);

	if (r < 0)
		return r;
	rest = profile_total(result.profile);
	if (hot_codes_of_frame(result.profile, a->frames, a->function, &codes, &a->why) >= 0)
		for (size_t i = 0; i < codes.nr; i++) {
			add_code(a->sums, profile_frames(result.profile), &codes.codes[i]);
			rest -= codes.codes[i].samples + codes.codes[i].placeless;
		}
	profile_add(a->sums,
		    profile_child(a->sums, NODE_ROOT,
				  frame_table_add_base(profile_frames(a->sums), "[others]")),
		    rest);
	return 0;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void write_text(struct top_annotation *a, FILE *out)
{
	const struct annotate_write_opts opts = { .is_clock = a->is_clock };
	_cleanup_hot_codes_ struct hot_codes codes = { 0 };
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	int r = 0;

	frame_text_add_short(&name, a->frames, a->function);
	if (!profile_total(a->sums)) {
		fprintf(out, "%s\n\nno samples yet: addresses are kept from now on\n", name.bytes);
		return;
	}
	if (hot_codes_of_frame(a->sums, a->frames, a->function, &codes, &(struct diag){ "" }) < 0) {
		fprintf(out, "%s\n\nof %" PRIu64 " samples: %s\n", name.bytes,
			profile_total(a->sums), a->why.text);
		return;
	}
	if (!a->pool)
		r = worker_pool_new(&a->pool);
	if (r < 0) {
		fprintf(out, "no process to read files: %s\n", strerror(-r));
		return;
	}
	if (!a->finder)
		a->finder = code_finder_new(a->pool);
	annotate_write(out, a->finder, a->sums, &codes, &opts);
}

const char *const *top_annotation_lines(struct top_annotation *a, size_t *ret_nr)
{
	size_t bytes = 0;
	FILE *out;

	free(take_ptr(a->text));
	a->nr = 0;
	*ret_nr = 0;
	out = open_memstream(&a->text, &bytes);
	if (!out)
		return a->lines;
	write_text(a, out);
	fclose(out);
	for (char *at = a->text, *end; at && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		array_reserve(a->lines, a->cap, a->nr + 1);
		a->lines[a->nr++] = at;
	}
	*ret_nr = a->nr;
	return a->lines;
}
