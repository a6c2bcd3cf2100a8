// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of a mapping less its start, and its offset, are those of the file. */
#include "input/pprof_code.h"

#include <string.h>

#define MAX_BUILD_ID 32

int pprof_code_find(const struct pprof_tables *t, const struct pprof_entry *location,
		    const uint8_t *sample, struct pprof_code *ret)
{
	enum { START = 2, OFFSET = 4, FILENAME = 5, BUILD_ID = 6 };
	struct protobuf m = location->message;
	const struct pprof_entry *mapping = NULL;
	uint64_t offset = 0, id = 0;
	struct protobuf_field f;

	*ret = (struct pprof_code){ .file = { "", 0 }, .build_id = { "", 0 } };
	while (protobuf_next(&m, &f) > 0) {
		if (f.number == 2)
			id = f.value;
		if (f.number == 3)
			ret->address = f.value;
	}
	if (!id)
		return 0;
	mapping = pprof_find(&t->mappings, id);
	if (!mapping)
		return pprof_fail(t, sample, "a stack names a location whose mapping is not there");
	m = mapping->message;
	while (protobuf_next(&m, &f) > 0) {
		if (f.number == START)
			ret->start = f.value;
		if (f.number == OFFSET)
			offset = f.value;
		if (f.number == FILENAME && !pprof_string(t, f.value, &ret->file))
			return pprof_fail(t, sample, "a mapping has a name that is not there");
		if (f.number == BUILD_ID && !pprof_string(t, f.value, &ret->build_id))
			return pprof_fail(t, sample, "a mapping has a build id that is not there");
	}
	ret->has_offset = ret->file.len && ret->address >= ret->start;
	ret->offset = ret->address - ret->start + offset;
	return 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0123ab" as bytes; 0: it is none of ELF's (Go has its own). */
static str_id build_id_intern(struct frame_table *frames, struct bytes hex)
{
	char bytes[MAX_BUILD_ID];
	const size_t nr = hex.len / 2;

	if (!nr || hex.len % 2 || nr > sizeof(bytes))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		int high = digit(hex.at[2 * i]), low = digit(hex.at[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		bytes[i] = (char)(high << 4 | low);
	}
	return frame_table_intern(frames, bytes, nr);
}

/* Where eddy wrote of functions alone, mappings begin at 0 and have no build id. */
static bool is_known(const struct pprof_code *code)
{
	return code->address && code->has_offset && (code->start || code->build_id.len);
}

frame_id pprof_code_frame(const struct pprof_tables *t, const struct pprof_code *code,
			  frame_id function)
{
	struct frame_table *frames = profile_frames(t->r->into);
	const enum frame_origin origin = frame_table_get(frames, function)->origin;
	struct frame_place at = { .function = function, .address = code->address };

	if (!is_known(code) || (origin != FRAME_USER && origin != FRAME_KERNEL))
		return function;
	at.build_id = build_id_intern(frames, code->build_id);
	if (origin == FRAME_USER) {
		at.base = code->address - code->offset;
		at.path = frame_table_intern(frames, code->file.at, code->file.len);
	} else {
		at.base = code->start;
	}
	return frame_table_add_place(frames, &at);
}
