// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions are chosen by their samples, then sorted by module and text. */
#include "run/account_modules.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frame_module.h"
#include "archive/sidecar.h"
#include "archive/sidecar_modules.h"
#include "profile/frame_text.h"
#include "util/mem.h"

struct owned {
	uint64_t self;
	frame_id frame;
	const char *module;
	char *text;
};

struct functions {
	struct owned *items;
	size_t nr, cap;
};

static void functions_deinit(struct functions *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->items[i].text);
	free(f->items);
}

/* Does nothing but the frame itself say whose it is? */
static bool is_told(const struct frame_table *frames, frame_id id, bool no_annotate)
{
	const struct frame *f = frame_table_get(frames, id);
	struct frame_module module;

	if (!f->module || f->unnamed || (f->origin == FRAME_KERNEL && no_annotate) ||
	    (f->origin != FRAME_KERNEL && f->origin != FRAME_USER))
		return false;
	if (!frame_module_find(frames, id, NULL, &module))
		return false;
	return module.kind == MODULE_OF_KERNEL || module.kind == MODULE_PROGRAM ||
	       module.kind == MODULE_LIBRARY;
}

static int by_self(const void *va, const void *vb)
{
	const struct owned *a = va, *b = vb;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

static int by_module(const void *va, const void *vb)
{
	const struct owned *a = va, *b = vb;
	int c = strcmp(a->module, b->module);

	return c ? c : strcmp(a->text, b->text);
}

static void functions_find(const struct profile *p, bool no_annotate, struct functions *f)
{
	const struct frame_table *frames = profile_frames(p);
	size_t nr = frame_table_nr(frames);
	_cleanup_free_ uint64_t *self = xcalloc(nr, sizeof(*self));
	_cleanup_free_ bool *is_seen = xcalloc(nr, sizeof(*is_seen));

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		self[profile_frame(p, n)] += profile_self(p, n);
		is_seen[profile_frame(p, n)] = true;
	}
	for (frame_id id = 1; id < nr; id++) {
		if (!is_seen[id] || !is_told(frames, id, no_annotate))
			continue;
		array_reserve(f->items, f->cap, f->nr + 1);
		f->items[f->nr++] = (struct owned){
			.self = self[id],
			.frame = id,
			.module =
				frame_table_str(frames, frame_table_get(frames, id)->module, NULL),
		};
	}
	if (f->nr)
		qsort(f->items, f->nr, sizeof(*f->items), by_self);
}

/* The texts of as many as there is room for; how many have one. */
static size_t texts_make(const struct frame_table *frames, struct functions *f, bool no_annotate)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->nr; i++) {
		struct strbuf text = STRBUF_INIT;

		frame_text_add_function(&text, frames, f->items[i].frame, no_annotate);
		bytes += text.len + 1;
		f->items[i].text = strbuf_detach(&text);
		if (bytes > SIDECAR_MODULES_MAX_BYTES / 2)
			return i;
	}
	return f->nr;
}

static void modules_write(struct json *sidecar, json_id to, const struct functions *f, size_t nr)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		const struct owned *o = &f->items[i], *next = i + 1 < nr ? o + 1 : NULL;
		bool is_last = !next || strcmp(next->module, o->module) != 0;

		if (!is_last && !strcmp(next->text, o->text)) /* static ones of one name */
			continue;
		if (text.len)
			strbuf_addch(&text, ';');
		strbuf_addstr(&text, o->text);
		if (!is_last)
			continue;
		json_add_string(sidecar, to, o->module, text.bytes);
		strbuf_reset(&text);
		if (json_count(sidecar, to) >= SIDECAR_MODULES_MAX)
			return;
	}
}

void account_modules_add(struct json *sidecar, const struct profile *p, bool no_annotate)
{
	__attribute__((cleanup(functions_deinit))) struct functions f = { 0 };
	json_id object;
	size_t nr;

	functions_find(p, no_annotate, &f);
	nr = texts_make(profile_frames(p), &f, no_annotate);
	if (nr)
		qsort(f.items, nr, sizeof(*f.items), by_module);
	object = json_add(sidecar, JSON_ROOT, SIDECAR_MODULES, JSON_OBJECT);
	json_set_style(sidecar, object, (struct json_style){ .lines = true });
	modules_write(sidecar, object, &f, nr);
	if (nr < f.nr)
		sidecar_note(sidecar,
			     "modules: of %zu of %zu functions it is not kept whose they are",
			     f.nr - nr, f.nr);
}
