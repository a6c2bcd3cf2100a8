// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	(space, address) -> site -> the frames that were told of it, by name
 *
 * Frames belong to a frame table and go with it, names stay: so a site says of which table (by a
 * number that counts them) its frame is.
 */
#include "symbol/call_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kernel_source.h"
#include "symbol/source_table.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"

#define FIRST_SITES    1024
#define MAX_SITES      (1u << 20)
#define MAX_KEPT_SITES (1u << 16) /* from one frame table to the next */

enum site_state {
	SITE_WAITS, /* to be asked about */
	SITE_TOLD,
	SITE_FAILED, /* it could not be asked about; not to be tried again in this table */
};

struct site {
	uint64_t vaddr;
	struct mapped_file *file; /* while it waits; NULL: the kernel's */
	uint32_t space;
	uint32_t table;		  /* of frame and function */
	frame_id frame, function; /* the one that stands for it, and that of the code */
	uint32_t first, nr;	  /* of the told */
	enum site_state state;
	owner_id owner; /* on whose account names are read */
};

/* A function at an address: what was told of it. */
struct told {
	str_id name, file; /* in the table of names here; name 0: the one that has the code */
	uint32_t line;
	uint32_t table; /* of frame */
	frame_id frame;
};

struct site_key {
	uint64_t vaddr;
	uint32_t space;
};

DEFINE_ID_TABLE(site_ids, struct site_key, struct call_sites)

struct call_sites {
	struct file_table *files;
	struct frame_maker *maker;
	struct kernel_source *kernel; /* NULL: none */
	uint32_t kernel_space;
	bool inlines, lines;
	struct frame_table *names;
	struct site *sites; /* 0 is none */
	size_t nr, cap;
	struct site_ids by_address;
	uint32_t *waiting; /* sites */
	size_t nr_waiting, cap_waiting;
	struct told *told;
	size_t nr_told, cap_told;
	uint32_t table; /* the number of the maker's */
	size_t nr_live; /* sites whose frame is of that table */
};

static uint64_t site_ids_hash(const struct call_sites *c, const uint32_t *id)
{
	return hash_mix(c->sites[*id].vaddr, c->sites[*id].space);
}

static bool site_ids_equals(const struct call_sites *c, const uint32_t *id,
			    const struct site_key *key)
{
	return c->sites[*id].vaddr == key->vaddr && c->sites[*id].space == key->space;
}

static void file_wait(struct mapped_file *f, int nr)
{
	if (f)
		mapped_file_wait(f, nr);
}

static void sites_init(struct call_sites *c)
{
	c->names = frame_table_new();
	site_ids_init(&c->by_address, FIRST_SITES);
	array_reserve(c->sites, c->cap, 1);
	c->sites[0] = (struct site){ 0 };
	c->nr = 1;
	c->nr_told = c->nr_waiting = c->nr_live = 0;
}

static void sites_deinit(struct call_sites *c)
{
	for (size_t i = 0; i < c->nr_waiting; i++)
		file_wait(c->sites[c->waiting[i]].file, -1);
	frame_table_unref(c->names);
	site_ids_deinit(&c->by_address);
	free(take_ptr(c->sites));
	free(take_ptr(c->waiting));
	free(take_ptr(c->told));
	c->cap = c->cap_waiting = c->cap_told = 0;
}

struct call_sites *call_sites_new(struct file_table *files, struct frame_maker *maker, bool inlines,
				  bool lines)
{
	struct call_sites *c = xcalloc(1, sizeof(*c));

	c->files = files;
	c->maker = maker;
	c->inlines = inlines;
	c->lines = lines;
	c->table = 1;
	sites_init(c);
	return c;
}

void call_sites_free(struct call_sites *c)
{
	if (!c)
		return;
	sites_deinit(c);
	free(c);
}

void call_sites_forget(struct call_sites *c)
{
	sites_deinit(c);
	sites_init(c);
	c->table++;
}

void call_sites_use_frames(struct call_sites *c)
{
	c->table++;
	c->nr_live = 0;
	if (c->nr > MAX_KEPT_SITES)
		call_sites_forget(c);
}

bool call_sites_any(const struct call_sites *c)
{
	return c->nr_live > 0;
}

size_t call_sites_bytes(const struct call_sites *c)
{
	return sizeof(*c) + c->cap * sizeof(*c->sites) + c->cap_waiting * sizeof(*c->waiting) +
	       c->cap_told * sizeof(*c->told) + site_ids_bytes(&c->by_address) +
	       frame_table_bytes(c->names);
}

/* ---- frames that stand for addresses ------------------------------------------------------ */

static void site_waits(struct call_sites *c, uint32_t id, struct mapped_file *f)
{
	c->sites[id].state = SITE_WAITS;
	c->sites[id].file = f;
	file_wait(f, 1);
	array_reserve(c->waiting, c->cap_waiting, c->nr_waiting + 1);
	c->waiting[c->nr_waiting++] = id;
}

static uint32_t site_get(struct call_sites *c, struct mapped_file *f, uint64_t vaddr)
{
	const struct site_key key = { vaddr, f ? f->space : c->kernel_space };
	const uint64_t hash = hash_mix(key.vaddr, key.space);
	const uint32_t *id = site_ids_find(&c->by_address, c, hash, &key);

	if (id)
		return *id;
	if (c->nr > MAX_SITES)
		return 0;
	site_ids_reserve_all(&c->by_address, c, 1);
	array_reserve(c->sites, c->cap, c->nr + 1);
	c->sites[c->nr] = (struct site){ .vaddr = vaddr,
					 .space = key.space,
					 .owner = f ? f->owner : OWNER_SYSTEM };
	*site_ids_put(&c->by_address, hash) = c->nr;
	site_waits(c, c->nr, f);
	return c->nr++;
}

frame_id call_sites_frame(struct call_sites *c, struct mapped_file *f, uint64_t vaddr,
			  frame_id function)
{
	const uint32_t id = site_get(c, f, vaddr);
	struct site *s = &c->sites[id];
	struct frame frame;

	if (!id)
		return function;
	if (s->table == c->table)
		return s->frame;
	if (s->state == SITE_FAILED)
		site_waits(c, id, f);
	frame = *frame_table_get(c->maker->frames, function);
	frame.origin = FRAME_SITE;
	frame.line = id;
	s->frame = frame_table_add(c->maker->frames, &frame);
	s->function = function;
	s->table = c->table;
	c->nr_live++;
	return s->frame;
}

void call_sites_use_kernel(struct call_sites *c, struct kernel_source *kernel, uint32_t space)
{
	c->kernel = kernel;
	c->kernel_space = space;
}

frame_id call_sites_kernel_frame(struct call_sites *c, uint64_t addr, frame_id function)
{
	return c->kernel && c->lines ? call_sites_frame(c, NULL, addr, function) : function;
}

/* ---- asking ------------------------------------------------------------------------------- */

static int site_cmp(const void *a, const void *b, void *ctx)
{
	const struct call_sites *c = ctx;
	const struct site *x = &c->sites[*(const uint32_t *)a];
	const struct site *y = &c->sites[*(const uint32_t *)b];

	if (x->space != y->space)
		return (x->space > y->space) - (x->space < y->space);
	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static str_id name_keep(struct call_sites *c, const struct source_table *t, uint32_t at)
{
	return frame_table_intern0(c->names, source_table_string(t, at));
}

static void site_told(struct call_sites *c, struct site *s, const struct source_table *t,
		      const struct source_place *place)
{
	const bool takes_all = c->inlines && s->space != c->kernel_space;
	const size_t nr = takes_all || !place->nr ? place->nr : 1;

	s->state = SITE_TOLD;
	s->first = c->nr_told;
	s->nr = nr;
	array_reserve(c->told, c->cap_told, c->nr_told + nr);
	for (size_t i = 0; i < nr; i++) {
		const struct source_frame *f = &t->frames[place->first + i];

		c->told[c->nr_told++] = (struct told){
			.name = i ? name_keep(c, t, f->name) : 0,
			.file = c->lines ? name_keep(c, t, f->file) : 0,
			.line = c->lines ? f->line : 0,
		};
	}
}

/* As mapped_file_source(), of the sites' file; `f` is that of their addresses no more: -ESTALE. */
static int source_ask(struct call_sites *c, const struct site *s, const struct source_ask *asked,
		      uint64_t now_ms, struct source_table **ret_table)
{
	if (!s->file)
		return kernel_source_ask(c->kernel, asked, now_ms, ret_table);
	return s->file->space == s->space
		       ? mapped_file_source(c->files, s->file, asked, now_ms, ret_table)
		       : -ESTALE;
}

/* About some sites of one file, which rise; how many were dealt with. */
static size_t sites_ask(struct call_sites *c, const uint32_t *ids, size_t nr, uint64_t now_ms)
{
	_cleanup_source_table_ struct source_table *t = NULL;
	_cleanup_free_ uint64_t *addresses = xcalloc(nr, sizeof(*addresses));
	const struct source_ask asked = { addresses, nr, c->lines };
	int told;

	for (size_t i = 0; i < nr; i++)
		addresses[i] = c->sites[ids[i]].vaddr;
	told = source_ask(c, &c->sites[ids[0]], &asked, now_ms, &t);
	for (int i = 0; i < told; i++)
		site_told(c, &c->sites[ids[i]], t, &t->places[i]);
	if (told > 0)
		return told;
	for (size_t i = 0; i < nr; i++)
		c->sites[ids[i]].state = told ? SITE_FAILED : SITE_TOLD;
	return nr;
}

static void file_ask(struct call_sites *c, const uint32_t *ids, size_t nr, uint64_t now_ms)
{
	struct mapped_file *f = c->sites[ids[0]].file;

	for (size_t done = 0; done < nr;)
		done += sites_ask(c, ids + done, nr - done, now_ms);
	for (size_t i = 0; i < nr; i++)
		c->sites[ids[i]].file = NULL;
	file_wait(f, -(int)nr);
}

static bool is_idle(const struct site *s)
{
	return s->file && s->file->refs <= s->file->nr_numbers + 1;
}

/* Asks about those sites that wait; only_idle: of files that no process maps. */
static void waiting_ask(struct call_sites *c, bool only_idle, uint64_t now_ms)
{
	size_t left = 0, next;

	if (!c->nr_waiting)
		return;
	qsort_r(c->waiting, c->nr_waiting, sizeof(*c->waiting), site_cmp, c);
	for (size_t i = 0; i < c->nr_waiting; i = next) {
		const struct site *s = &c->sites[c->waiting[i]];
		const bool can_wait = only_idle && !is_idle(s);

		for (next = i + 1; next < c->nr_waiting; next++)
			if (c->sites[c->waiting[next]].space != s->space)
				break;
		if (can_wait) {
			memmove(c->waiting + left, c->waiting + i,
				(next - i) * sizeof(*c->waiting));
			left += next - i;
			continue;
		}
		file_ask(c, c->waiting + i, next - i, now_ms);
	}
	c->nr_waiting = left;
}

void call_sites_age(struct call_sites *c, uint64_t now_ms)
{
	waiting_ask(c, true, now_ms);
}

/* ---- what they stand for ------------------------------------------------------------------ */

/* An inlined function is known by its name and the module that its code is in. */
static void told_name(struct call_sites *c, const struct site *s, struct told *t)
{
	const struct frame *function = frame_table_get(c->maker->frames, s->function);
	struct frame f = { .module = function->module, .origin = FRAME_INLINED };
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const char *bytes;
	size_t len;

	if (t->table == c->table)
		return;
	bytes = frame_table_str(c->names, t->name, &len);
	strbuf_add(&name, bytes, len);
	t->frame = frame_maker_named(c->maker, &f, &name, s->owner);
	t->table = c->table;
}

void call_sites_settle(struct call_sites *c, uint64_t now_ms)
{
	waiting_ask(c, false, now_ms);
	for (size_t i = 1; i < c->nr; i++) {
		const struct site *s = &c->sites[i];

		if (s->table != c->table || s->state != SITE_TOLD)
			continue;
		for (size_t n = 1; n < s->nr; n++)
			told_name(c, s, &c->told[s->first + n]);
	}
}

static frame_id at_line(struct call_sites *c, frame_id function, const struct told *t)
{
	struct frame f = *frame_table_get(c->maker->frames, function);
	const char *file;
	size_t len;

	if (!t->line || !t->file)
		return function;
	file = frame_table_str(c->names, t->file, &len);
	f.file = frame_table_intern(c->maker->frames, file, len);
	f.line = t->line;
	return frame_table_add(c->maker->frames, &f);
}

size_t call_sites_expand(struct call_sites *c, frame_id frame, frame_id *ret_frames)
{
	const struct frame *f = frame_table_get(c->maker->frames, frame);
	const struct site *s;

	ret_frames[0] = frame;
	if (f->origin != FRAME_SITE)
		return 1;
	s = &c->sites[f->line];
	ret_frames[0] = s->function;
	if (s->state != SITE_TOLD || !s->nr)
		return 1;
	for (size_t i = 0; i < s->nr; i++) {
		const struct told *t = &c->told[s->first + i];

		ret_frames[i] = at_line(c, i ? t->frame : s->function, t);
	}
	return s->nr;
}
