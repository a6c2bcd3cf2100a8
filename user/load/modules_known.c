// SPDX-License-Identifier: GPL-2.0-or-later
/* "modules": {"libc.so.6": "malloc;free", ...}; what has another form is left aside. */
#include "load/modules_known.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

struct known {
	struct modules_known *known;
	struct frame_table *frames;
	size_t cap;
};

static void add_function(struct known *k, str_id module, const char *text, size_t len)
{
	frame_id id = frame_table_add_text(k->frames, text, len);
	size_t cap = k->cap;
	str_id *of;

	array_reserve(k->known->of, k->cap, (size_t)id + 1);
	memset(k->known->of + cap, 0, (k->cap - cap) * sizeof(*of));
	if (k->known->nr <= id)
		k->known->nr = (size_t)id + 1;
	of = &k->known->of[id];
	*of = !*of || *of == module ? module : MODULES_KNOWN_SEVERAL;
}

static void add_file(struct known *k, const struct json *j)
{
	json_id object = json_member(j, JSON_ROOT, "modules");

	if (json_kind(j, object) != JSON_OBJECT)
		return;
	for (json_id id = json_first(j, object); id != JSON_NONE; id = json_next(j, id)) {
		const char *text = json_string(j, id);
		str_id module = frame_table_intern0(k->frames, json_name(j, id));

		for (size_t len; *text; text += len + !!text[len]) {
			len = strcspn(text, ";");
			if (len && module)
				add_function(k, module, text, len);
		}
	}
}

void modules_known_find(const struct stack_files *files, struct frame_table *frames,
			struct modules_known *ret_known)
{
	struct known k = { ret_known, frames, 0 };

	*ret_known = (struct modules_known){ 0 };
	for (size_t i = 0; i < files->nr; i++) {
		_cleanup_json_ struct json *sidecar = NULL;

		if (stack_files_sidecar(files, i, &sidecar, NULL) >= 0)
			add_file(&k, sidecar);
	}
}

void modules_known_deinit(struct modules_known *known)
{
	free(known->of);
	*known = (struct modules_known){ 0 };
}
