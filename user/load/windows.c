// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A window is read into a profile of its own, with names of its own, which is gone before the next
 * one comes; but for the sum of all, which other outputs may want.
 */
#include "load/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline.h"
#include "archive/sidecar_read.h"
#include "load/file_facts.h"
#include "profile/base_frame.h"
#include "profile/frame_text.h"
#include "util/mem.h"

void windows_deinit(struct windows *w)
{
	for (size_t i = 0; i < w->nr; i++)
		for (size_t k = 0; k < WINDOW_HOTTEST; k++)
			free(w->rows[i].hottest[k].name);
	free(w->rows);
	html_windows_free(w->page);
}

/* ---- what the .json says ------------------------------------------------------------------ */

/* Busy is what ran something, whether it was to be kept or not. */
static void describe(struct window_row *row, const struct json *j)
{
	const json_id samples = json_member(j, JSON_ROOT, "samples");
	const uint64_t delivered = json_integer(j, json_member(j, samples, "delivered"));
	const uint64_t idle = json_integer(j, json_member(j, samples, "idle"));
	const uint64_t start_ms = sidecar_time_ms(j, "start"), end_ms = sidecar_time_ms(j, "end");

	row->has_json = sidecar_due(j, &row->due);
	row->kept = json_integer(j, json_member(j, samples, "kept"));
	row->lost = json_integer(j, json_member(j, samples, "lost"));
	row->busy = delivered >= idle ? delivered - idle : 0;
	if (row->has_json && row->due && delivered >= idle)
		row->busy_percent = 100.0 * (double)(delivered - idle) / (double)row->due;
	if (!row->start_s && start_ms) {
		row->start_s = (int64_t)(start_ms / 1000);
		row->seconds = end_ms > start_ms ? (end_ms - start_ms + 500) / 1000 : 0;
	}
}

/* What the stacks of the window begin with; a file without a `.json` does not say. */
static struct base_frames find_root(const struct json *j, const struct stack_files_opts *opts)
{
	struct base_frames root = BASE_FRAMES_OF(NR_BASE_FRAMES);

	if (j)
		file_facts_base_frames(j, &root);
	return opts->with_host ? base_frames_under_host(&root) : root;
}

/* ---- what the stacks say ------------------------------------------------------------------ */

/* Is it one of the first frames of a stack? */
static bool is_within(const struct profile *p, node_id n, size_t nr)
{
	for (; nr && n != NODE_ROOT; nr--)
		n = profile_parent(p, n);
	return n == NODE_ROOT;
}

/* First frames that say whose a stack is, and marks, are no functions. */
static bool is_function(const struct profile *p, node_id n, size_t nr_bases)
{
	const struct frame *f = frame_table_get(profile_frames(p), profile_frame(p, n));
	size_t len;
	const char *name = frame_table_name(profile_frames(p), profile_frame(p, n), &len);

	if (f->origin == FRAME_BASE)
		return false;
	if (f->origin != FRAME_USER)
		return true;
	return !is_within(p, n, nr_bases) &&
	       !(profile_parent(p, n) == NODE_ROOT && len && *name == '[');
}

static void put_hottest(struct window_row *row, const struct profile *p, frame_id frame,
			uint64_t self)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t at = WINDOW_HOTTEST;

	while (at && (!row->hottest[at - 1].name || self > row->hottest[at - 1].self))
		at--;
	if (at == WINDOW_HOTTEST)
		return;
	free(row->hottest[WINDOW_HOTTEST - 1].name);
	memmove(row->hottest + at + 1, row->hottest + at,
		(WINDOW_HOTTEST - 1 - at) * sizeof(*row->hottest));
	frame_text_add(&text, profile_frames(p), frame, false);
	row->hottest[at] = (struct window_function){ strbuf_detach(&text), self };
}

static void find_hottest(struct window_row *row, const struct profile *p, size_t nr_bases)
{
	const size_t nr = frame_table_nr(profile_frames(p));
	_cleanup_free_ uint64_t *self = xcalloc(nr, sizeof(*self));

	row->total = profile_total(p);
	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		if (profile_self(p, n) && is_function(p, n, nr_bases))
			self[profile_frame(p, n)] += profile_self(p, n);
	for (frame_id f = 1; f < nr; f++)
		if (self[f])
			put_hottest(row, p, f, self[f]);
}

static int add_to_page(struct html_windows *page, const struct window_row *row,
		       const struct profile *p, size_t nr_bases, struct diag *ret_diag)
{
	_cleanup_free_ bool *is_base = xcalloc(profile_nr_nodes(p), sizeof(*is_base));
	const struct html_slot about = {
		.start_s = row->start_s,
		.seconds = row->seconds,
		.nr_windows = 1,
		.nr_untold = !row->has_json,
		.due = row->has_json ? row->due : 0,
		.busy = row->has_json ? row->busy : 0,
		.kept = row->kept,
		.lost = row->lost,
	};

	for (node_id n = 1; n < profile_nr_nodes(p); n++)
		is_base[n] = !is_function(p, n, nr_bases);
	if (html_windows_add(page, &about, p, is_base) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"the counts add up to more than 9223372036854775807");
	return 0;
}

static int read_stacks(struct window_row *row, const struct profile *raw,
		       const struct passes *passes, const struct base_frames *had,
		       struct html_windows *page, struct diag *ret_diag)
{
	struct passes own = *passes;
	const struct pipeline_request request = {
		.passes = &own,
		.flags = PIPELINE_FILES | PIPELINE_TEXT_BASES | PIPELINE_JOIN_INLINED,
		.had = *had,
	};
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	int r = pipeline_run(&request, raw, &result, ret_diag);
	size_t nr_bases;

	/* A window without what --root asks for: a page has its stacks as they are. */
	if (r == -ENODATA && page) {
		own.root_given = false;
		r = pipeline_run(&request, raw, &result, ret_diag);
	}
	if (r < 0)
		return r;
	if (own.root_given)
		had = &own.root;
	nr_bases = base_frames_kind(had, 0) == NR_BASE_FRAMES ? 0 : base_frames_nr(had);
	find_hottest(row, result.profile, nr_bases);
	return page ? add_to_page(page, row, result.profile, nr_bases, ret_diag) : 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

struct reading_windows {
	struct stack_files *files;
	const struct stack_files_opts *opts;
	const struct passes *passes;
	struct windows *windows;
};

/* 0; 1: it is gone. */
static int read_window(struct reading_windows *w, size_t i, struct profile *into,
		       struct diag *ret_diag)
{
	const struct stack_file *file = &w->files->files[i];
	struct windows *windows = w->windows;
	_cleanup_profile_ struct profile *raw =
		profile_new(windows->page ? profile_frames(windows->page->stacks) : NULL);
	_cleanup_json_ struct json *sidecar = NULL;
	struct base_frames had;
	struct window_row *row;
	int r = stack_files_read(w->files, i, w->opts, raw, ret_diag);

	if (r)
		return r;
	if (profile_merge(into, raw) < 0)
		return diag_set(ret_diag, EOVERFLOW,
				"%s: the counts add up to more than 9223372036854775807",
				file->path);
	r = stack_files_sidecar(w->files, i, &sidecar, ret_diag);
	if (r < 0 && r != -ENOENT && r != -ESTALE)
		return r;
	array_reserve(windows->rows, windows->cap, windows->nr + 1);
	row = &windows->rows[windows->nr++];
	*row = (struct window_row){
		.start_s = file->is_snapshot ? file->name.start_s : 0,
		.seconds = file->is_snapshot ? (uint64_t)file->name.seconds : 0,
		.host = file->host,
		.busy_percent = -1,
	};
	if (sidecar)
		describe(row, sidecar);
	had = find_root(sidecar, w->opts);
	return read_stacks(row, raw, w->passes, &had, windows->page, ret_diag);
}

int windows_read(struct stack_files *files, const struct stack_files_opts *opts,
		 const struct passes *passes, struct profile *into, struct windows *ret_windows,
		 struct diag *ret_diag)
{
	struct reading_windows w = { files, opts, passes, ret_windows };
	const char *host = NULL;

	for (size_t i = 0; i < files->nr; i++) {
		int r = read_window(&w, i, into, ret_diag);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < ret_windows->nr; i++) {
		const char *own = ret_windows->rows[i].host;

		if (own && (!host || strcmp(host, own)))
			ret_windows->nr_hosts++;
		host = own ? own : host;
	}
	stack_files_say_vanished(files);
	return 0;
}
