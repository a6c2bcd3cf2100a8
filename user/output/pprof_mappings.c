// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One mapping a file, as if it were mapped where ELF has it: where that was in memory differs by
 * process.  Of a file whose segments differ in what lies between address and offset it is one each.
 */
#include "output/pprof_mappings.h"

#include <stdlib.h>
#include <string.h>

#include "output/protobuf.h"
#include "util/mem.h"
#include "util/text_escape.h"

#define KERNEL	      "[kernel]"
#define KERNEL_PPROF  "[kernel.kallsyms]_text"
#define MAX_HEX_BYTES 16

#define PAGE UINT64_C(4096) /* segments begin and end with one, whatever the machine's */

enum {
	MAPPING_ID = 1,
	MAPPING_MEMORY_START = 2,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILE_OFFSET = 4,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
};

/* A frame's file and address as far as they are known: module 0, address 0. */
struct origin {
	str_id module, build_id;
	uint64_t address, base;
	bool is_kernel, is_kernel_module, has_place;
};

void pprof_mappings_deinit(struct pprof_mappings *m)
{
	free(m->mappings);
	free(m->of_name);
}

/* "[libc.so.6+0x2a3f0]" */
static bool parse_unnamed(const char *name, size_t len, size_t *ret_file_len, uint64_t *ret_address)
{
	const char *plus = len ? memrchr(name, '+', len) : NULL;
	size_t digits;

	if (!plus || name[0] != '[' || name[len - 1] != ']' || plus == name + 1 ||
	    strncmp(plus, "+0x", 3) != 0)
		return false;
	digits = strspn(plus + 3, "0123456789abcdef");
	if (!digits || digits > MAX_HEX_BYTES || plus + 3 + digits != name + len - 1)
		return false;
	*ret_file_len = plus - name - 1;
	*ret_address = strtoull(plus + 3, NULL, 16);
	return true;
}

static struct origin origin_of_text(struct frame_table *frames, const struct frame *f)
{
	struct origin o = { 0 };
	size_t len, file_len;
	const char *name = frame_table_str(frames, f->name, &len);

	if (f->origin == FRAME_KERNEL)
		o.module = frame_table_intern0(frames, KERNEL);
	else if (f->origin == FRAME_JIT)
		o.module = frame_table_intern0(frames, "[jit]");
	else if (parse_unnamed(name, len, &file_len, &o.address))
		o.module = frame_table_intern(frames, name + 1, file_len);
	return o;
}

static struct origin origin_of_place(struct frame_table *frames, const struct frame *f,
				     const struct frame_place *place)
{
	const bool is_kernel = !place->path;

	return (struct origin){
		.module = is_kernel ? f->module : place->path,
		.build_id = place->build_id,
		.address = place->address,
		.base = place->base,
		.is_kernel = is_kernel,
		.is_kernel_module = is_kernel && *frame_table_str(frames, f->module, NULL) != '[',
		.has_place = true,
	};
}

/* A function of the kernel or of a JIT is at another address each time, as a function. */
static struct origin origin_of(struct frame_table *frames, frame_id frame)
{
	const struct frame f = *frame_table_get(frames, frame);
	struct origin o = { .module = f.module };

	if (frame == FRAME_NONE || f.origin == FRAME_BASE)
		return (struct origin){ 0 };
	if (f.place)
		return origin_of_place(frames, &f, frame_table_place(frames, frame));
	if (!f.module)
		return origin_of_text(frames, &f);
	if (f.origin == FRAME_KERNEL)
		o.is_kernel_module = *frame_table_str(frames, f.module, NULL) != '[';
	else if (f.origin != FRAME_JIT && !f.is_raw)
		o.address = f.start;
	return o;
}

/* Where the number of a name's mapping stands. */
static uint32_t *slot_of(struct pprof_mappings *m, str_id name)
{
	size_t had = m->cap_names;

	array_reserve(m->of_name, m->cap_names, (size_t)name + 1);
	memset(m->of_name + had, 0, (m->cap_names - had) * sizeof(*m->of_name));
	return &m->of_name[name];
}

static bool is_of(const struct pprof_mapping *m, const struct origin *o)
{
	return m->build_id == o->build_id && m->base == o->base && m->has_places == o->has_place &&
	       m->is_kernel == o->is_kernel;
}

/* The number + 1 of an origin's mapping; 0: there is none yet. */
static uint32_t find(struct pprof_mappings *m, const struct origin *o)
{
	uint32_t i = *slot_of(m, o->module);

	while (i && !is_of(&m->mappings[i - 1], o))
		i = m->mappings[i - 1].next;
	return i;
}

static uint32_t add(struct pprof_mappings *m, const struct origin *o)
{
	uint32_t *slot = slot_of(m, o->module);

	array_reserve(m->mappings, m->cap, m->nr + 1);
	m->mappings[m->nr++] = (struct pprof_mapping){
		.name = o->module,
		.is_kernel = o->is_kernel,
		.is_kernel_module = o->is_kernel_module,
		.has_places = o->has_place,
		.build_id = o->build_id,
		.base = o->base,
		.start = o->has_place ? o->address & ~(PAGE - 1) : 0,
		.next = *slot,
	};
	if (o->is_kernel && o->base && o->base <= o->address)
		m->mappings[m->nr - 1].start = o->base;
	return *slot = m->nr;
}

void pprof_mappings_use(struct pprof_mappings *m, struct frame_table *frames, frame_id frame)
{
	struct origin o = origin_of(frames, frame);
	struct pprof_mapping *mapping;
	uint32_t i;

	if (!o.module)
		return;
	i = find(m, &o);
	if (!i)
		i = add(m, &o);
	mapping = &m->mappings[i - 1];
	if (o.has_place && o.address < mapping->start)
		mapping->start = o.address & ~(PAGE - 1);
	if (o.address < mapping->limit)
		return;
	if (o.has_place && o.address < UINT64_MAX - PAGE)
		mapping->limit = (o.address & ~(PAGE - 1)) + PAGE;
	else
		mapping->limit = o.address + (o.address && o.address != UINT64_MAX);
}

struct pprof_place pprof_mappings_place(struct pprof_mappings *m, struct frame_table *frames,
					frame_id frame)
{
	struct origin o = origin_of(frames, frame);

	return (struct pprof_place){ o.module ? find(m, &o) : 0, o.address };
}

void pprof_mappings_name(const struct pprof_mappings *m, size_t i, const struct frame_table *frames,
			 struct strbuf *sb)
{
	const struct pprof_mapping *mapping = &m->mappings[i];
	size_t len;
	const char *name = frame_table_str(frames, mapping->name, &len);

	strbuf_reset(sb);
	if (!strcmp(name, KERNEL)) {
		strbuf_addstr(sb, KERNEL_PPROF);
		return;
	}
	if (mapping->is_kernel_module)
		strbuf_addch(sb, '[');
	text_escape(sb, name, len);
	if (mapping->is_kernel_module)
		strbuf_addch(sb, ']');
}

bool pprof_mappings_build_id(const struct pprof_mappings *m, size_t i,
			     const struct frame_table *frames, struct strbuf *sb)
{
	size_t len;
	const char *bytes = frame_table_str(frames, m->mappings[i].build_id, &len);

	strbuf_reset(sb);
	for (size_t k = 0; k < len; k++)
		strbuf_addf(sb, "%02x", (unsigned char)bytes[k]);
	return len > 0;
}

void pprof_mappings_add(const struct pprof_mappings *m, size_t i, uint64_t name, uint64_t build_id,
			struct strbuf *sb)
{
	const struct pprof_mapping *mapping = &m->mappings[i];

	protobuf_add_number(sb, MAPPING_ID, i + 1);
	protobuf_add_number(sb, MAPPING_MEMORY_START, mapping->start);
	protobuf_add_number(sb, MAPPING_MEMORY_LIMIT, mapping->limit);
	if (mapping->has_places && !mapping->is_kernel)
		protobuf_add_number(sb, MAPPING_FILE_OFFSET, mapping->start - mapping->base);
	protobuf_add_number(sb, MAPPING_FILENAME, name);
	protobuf_add_number(sb, MAPPING_BUILD_ID, build_id);
	protobuf_add_number(sb, MAPPING_HAS_FUNCTIONS, true);
}
