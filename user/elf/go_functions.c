// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	header -> functions: entry, offset of _func -> _func: name, flags, pcsp
 */
#include "elf/go_functions.h"

#include <elf.h>
#include <string.h>

#include "elf/byte_reader.h"
#include "util/mem.h"

/* What differs between versions: sizes and places. */
struct go_layout {
	uint32_t magic;
	uint8_t text_at, names_at, pctab_at, funcs_at; /* in the header; text_at 0: absolute */
	uint8_t entry_bytes;			       /* in the list of functions and in _func */
	uint8_t name_at, pcsp_at, flag_at;	       /* in _func */
	uint8_t version;
};

static const struct go_layout layouts[] = {
	{ 0xfffffff1, 24, 32, 56, 64, 4, 4, 16, 41, 20 },
	{ 0xfffffff0, 24, 32, 56, 64, 4, 4, 16, 37, 18 },
	{ 0xfffffffa, 0, 24, 48, 56, 8, 8, 20, 41, 16 },
};

static uint64_t number_at(const struct go_functions *t, uint64_t at, unsigned int size, bool *ok)
{
	/* Without bytes there may be no pointer to count from. */
	const uint8_t *end = t->len ? t->bytes + t->len : t->bytes;
	struct byte_reader r = { .at = at < t->len ? t->bytes + at : end, .end = end };
	uint64_t value = size == 8   ? byte_reader_u64(&r)
			 : size == 4 ? byte_reader_u32(&r)
				     : byte_reader_u8(&r);

	*ok &= !r.failed;
	return value;
}

const struct elf_section *go_functions_section(const struct elf_image *img)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; img->machine == EM_X86_64 && i < ARRAY_SIZE(names); i++) {
		const struct elf_section *s = elf_image_section_by_name(img, names[i]);

		if (s && s->bytes)
			return s;
	}
	return NULL;
}

bool go_functions_open(struct go_functions *t, const uint8_t *bytes, size_t len, uint64_t text)
{
	bool ok = true;
	uint64_t magic;

	*t = (struct go_functions){ .bytes = bytes, .len = len };
	magic = number_at(t, 0, 4, &ok);

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == magic)
			t->layout = &layouts[i];
	/* Padding, the size of instructions, the size of pointers. */
	if (!ok || !t->layout || number_at(t, 4, 4, &ok) != 0x08010000)
		return false;
	t->nr = number_at(t, 8, 8, &ok);
	t->names = number_at(t, t->layout->names_at, 8, &ok);
	t->units = number_at(t, t->layout->names_at + 8u, 8, &ok);
	t->files = number_at(t, t->layout->names_at + 16u, 8, &ok);
	t->version = t->layout->version;
	t->pctab = number_at(t, t->layout->pctab_at, 8, &ok);
	t->funcs = number_at(t, t->layout->funcs_at, 8, &ok);
	if (t->layout->text_at) {
		t->text = number_at(t, t->layout->text_at, 8, &ok);
		if (!t->text)
			t->text = text;
	}
	return ok && t->names < t->len && t->units < t->len && t->files < t->len &&
	       t->pctab < t->len && t->funcs < t->len &&
	       t->nr <= t->len / (2u * t->layout->entry_bytes);
}

bool go_functions_get(const struct go_functions *t, uint64_t i, struct go_function *ret_function)
{
	const struct go_layout *l = t->layout;
	uint64_t at = t->funcs + i * 2 * l->entry_bytes, info;
	struct go_function f;
	bool ok = true;

	f.start = t->text + number_at(t, at, l->entry_bytes, &ok);
	f.end = t->text + number_at(t, at + 2u * l->entry_bytes, l->entry_bytes, &ok);
	info = number_at(t, at + l->entry_bytes, l->entry_bytes, &ok);
	if (!ok || f.end <= f.start || info > t->len)
		return false;
	info += t->funcs;
	f.pcsp = number_at(t, info + l->pcsp_at, 4, &ok);
	f.pcsp_at = info + l->pcsp_at;
	f.flags = (uint8_t)number_at(t, info + l->flag_at, 1, &ok);
	f.nr_funcdata = (uint8_t)number_at(t, info + l->flag_at + 2u, 1, &ok);
	f.tables = info + l->flag_at + 3u;
	f.name = t->names + number_at(t, info + l->name_at, 4, &ok);
	*ret_function = f;
	return ok;
}

bool go_function_is(const struct go_functions *t, const struct go_function *f, const char *name)
{
	size_t len = strlen(name);

	return f->name < t->len && len < t->len - f->name &&
	       !memcmp(t->bytes + f->name, name, len + 1);
}
