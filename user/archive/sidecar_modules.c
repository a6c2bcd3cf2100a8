// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts come from files: they are taken apart, sorted and put together again, whatever they are. */
#include "archive/sidecar_modules.h"

#include <stdlib.h>
#include <string.h>

#include "archive/sidecar.h"
#include "util/mem.h"
#include "util/strbuf.h"

struct piece {
	const char *at;
	size_t len;
};

struct pieces {
	struct piece *items;
	size_t nr, cap;
};

static void pieces_add(struct pieces *p, const char *text)
{
	for (size_t len; *text; text += len + !!text[len]) {
		len = strcspn(text, ";");
		if (!len)
			continue;
		array_reserve(p->items, p->cap, p->nr + 1);
		p->items[p->nr++] = (struct piece){ text, len };
	}
}

static int compare(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;
	size_t len = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->at, b->at, len);

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

/* Sorted, each once, as many as there is room for. */
static void pieces_join(struct pieces *p, size_t room, struct strbuf *to)
{
	if (p->nr)
		qsort(p->items, p->nr, sizeof(*p->items), compare);
	for (size_t i = 0; i < p->nr; i++) {
		if (i && !compare(&p->items[i - 1], &p->items[i]))
			continue;
		if (to->len + 1 + p->items[i].len > room)
			return;
		if (to->len)
			strbuf_addch(to, ';');
		strbuf_add(to, p->items[i].at, p->items[i].len);
	}
}

static size_t bytes_of(const struct json *j, json_id id)
{
	return strlen(json_name(j, id)) + strlen(json_string(j, id));
}

static size_t bytes_of_all(const struct json *j, json_id object)
{
	size_t bytes = 0;

	for (json_id id = json_first(j, object); id != JSON_NONE; id = json_next(j, id))
		bytes += bytes_of(j, id);
	return bytes;
}

/* Adds one module; bytes: of all. */
static void join_one(struct json *sum, json_id object, const struct json *from, json_id module,
		     size_t *bytes)
{
	const char *name = json_name(from, module);
	json_id to = json_member(sum, object, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct pieces p = { 0 };
	size_t had;

	if (json_kind(from, module) != JSON_STRING || !*json_string(from, module))
		return;
	if (to == JSON_NONE) {
		if (json_count(sum, object) >= SIDECAR_MODULES_MAX ||
		    *bytes + strlen(name) >= SIDECAR_MODULES_MAX_BYTES)
			return;
		to = json_add(sum, object, name, JSON_STRING);
		*bytes += strlen(name);
	}
	if (json_kind(sum, to) != JSON_STRING ||
	    !strcmp(json_string(sum, to), json_string(from, module)))
		return;
	had = strlen(json_string(sum, to));
	pieces_add(&p, json_string(sum, to));
	pieces_add(&p, json_string(from, module));
	pieces_join(&p, SIDECAR_MODULES_MAX_BYTES - *bytes + had, &text);
	free(p.items);
	*bytes += text.len - had;
	json_set_string(sum, to, text.len ? text.bytes : "");
}

void sidecar_modules_join(struct json *sum, const struct json *from)
{
	json_id modules = json_member(from, JSON_ROOT, SIDECAR_MODULES), object;
	size_t bytes;

	if (json_kind(from, modules) != JSON_OBJECT)
		return;
	object = sidecar_member(sum, JSON_ROOT, SIDECAR_MODULES, JSON_OBJECT);
	if (json_kind(sum, object) != JSON_OBJECT)
		return;
	json_set_style(sum, object, (struct json_style){ .lines = true });
	bytes = bytes_of_all(sum, object);
	if (bytes >= SIDECAR_MODULES_MAX_BYTES)
		return;
	for (json_id id = json_first(from, modules); id != JSON_NONE; id = json_next(from, id))
		join_one(sum, object, from, id, &bytes);
}
