// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of one file come one after the other: the file that was opened last is kept.  Code of
 * the kernel is read from its memory, and is that of samples only where the build id is the same:
 * of what has none, where the function of that name has the place.  It is shown where samples are
 * said to be (profile/kernel_place.h), which is not where it is in memory.
 */
#include "annotate/annotate_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/kernel_memory.h"
#include "profile/kernel_place.h"
#include "symbol/code_file.h"
#include "symbol/dwarf_source.h"
#include "symbol/frame_places.h"
#include "symbol/kernel_names.h"
#include "symbol/kernel_source.h"
#include "util/mem.h"

struct code_finder {
	struct worker_pool *pool;
	struct code_file *file; /* NULL: none, `file_why` says it */
	str_id path, build_id;	/* of that */
	struct diag file_why;

	bool has_kernel; /* what follows was looked for */
	uint32_t space;
	struct kernel_names *names;
	struct frame_places *places;
	struct kernel_source *source;
	uint64_t shift;		      /* of the function that was found last */
	struct kernel_memory *memory; /* NULL: none, `memory_why` says it */
	struct diag memory_why;
};

struct code_finder *code_finder_new(struct worker_pool *pool)
{
	struct code_finder *c = xcalloc(1, sizeof(*c));

	c->pool = pool;
	return c;
}

void code_finder_free(struct code_finder *c)
{
	if (!c)
		return;
	code_file_free(c->file);
	kernel_source_free(c->source);
	frame_places_free(c->places);
	kernel_names_free(c->names);
	kernel_memory_free(c->memory);
	free(c);
}

void found_code_deinit(struct found_code *found)
{
	function_code_deinit(&found->code);
	free(found->addresses);
}

/* Places from `first` on that are in the code that was found; without any, all of them. */
static void take_places(const struct hot_code *hot, size_t first, struct found_code *found)
{
	found->nr = hot->nr - first;
	if (!found->code.code)
		return;
	found->nr = 0;
	while (first + found->nr < hot->nr &&
	       found->addresses[first + found->nr] < found->code.end &&
	       found->addresses[first + found->nr] >= found->code.start)
		found->nr++;
}

static void as_written(const struct hot_code *hot, struct found_code *ret)
{
	for (size_t i = 0; i < hot->nr; i++)
		ret->addresses[i] = hot->places[i].offset + hot->base;
}

/* ---- files -------------------------------------------------------------------------------- */

static void open_file(struct code_finder *c, const struct frame_table *frames,
		      const struct hot_code *hot)
{
	size_t len;
	const char *build_id = frame_table_str(frames, hot->build_id, &len);
	const struct code_file_name name = { .path = frame_table_str(frames, hot->path, NULL),
					     .build_id = (const uint8_t *)build_id,
					     .build_id_len = len };

	if (c->path == hot->path && c->build_id == hot->build_id)
		return;
	code_file_free(c->file);
	c->file = NULL;
	c->path = hot->path;
	c->build_id = hot->build_id;
	code_file_open(c->pool, &name, &c->file, &c->file_why);
}

static void find_in_file(struct code_finder *c, const struct hot_code *hot, size_t first,
			 struct found_code *ret)
{
	if (!c->file) {
		ret->why = c->file_why;
		return;
	}
	for (size_t i = 0; i < hot->nr; i++)
		if (!code_file_address(c->file, hot->places[i].offset, &ret->addresses[i])) {
			diag_set(&ret->why, EBADMSG, "the file has no code at offset 0x%llx",
				 (unsigned long long)hot->places[i].offset);
			return;
		}
	code_file_function(c->file, ret->addresses[first], ret->addresses[hot->nr - 1], &ret->code,
			   &ret->why);
}

/* ---- the kernel --------------------------------------------------------------------------- */

static void look_at_kernel(struct code_finder *c)
{
	const struct kallsyms *k;
	uint64_t end;

	if (c->has_kernel)
		return;
	c->has_kernel = true;
	c->names = kernel_names_new("", &c->space);
	k = kernel_names_kallsyms(c->names);
	c->places = frame_places_new("");
	c->source =
		kernel_source_new("", k ? kallsyms_address(k, SOURCE_ANCHOR, &end) : 0, c->pool);
	kernel_memory_open(&c->memory, &c->memory_why);
}

static int ask_kernel(void *ctx, const uint64_t *addresses, size_t nr,
		      struct source_table **ret_table)
{
	struct code_finder *c = ctx;
	_cleanup_free_ uint64_t *in_memory = xcalloc(nr, sizeof(*in_memory));
	const struct source_ask ask = { .addresses = in_memory, .nr = nr, .with_lines = true };

	for (size_t i = 0; i < nr; i++)
		in_memory[i] = addresses[i] + c->shift;
	return kernel_source_ask(c->source, &ask, 0, ret_table);
}

/* A function outside the kernel itself that may be the one which has the samples. */
struct wanted {
	const struct code_finder *finder;
	const struct hot_code *hot;
	const char *build_id;
	size_t build_id_len;
	uint64_t offset;
	bool is_other; /* there is one of another build */
	size_t nr;     /* that have the place */
	struct kernel_symbol symbol;
};

static void look_at_symbol(void *ctx, const struct kernel_symbol *symbol)
{
	struct wanted *w = ctx;
	const uint64_t start = symbol->start - symbol->base;

	if (symbol->shown != w->hot->base || w->offset < start ||
	    w->offset >= symbol->end - symbol->base)
		return;
	if (w->build_id_len && !frame_places_is_build_id(w->finder->places, symbol->module,
							 w->build_id, w->build_id_len)) {
		w->is_other = true;
		return;
	}
	w->symbol = *symbol;
	w->nr++;
}

static int place_beside_kernel(const struct kallsyms *k, const char *name, struct wanted *w,
			       struct found_code *ret, struct kernel_symbol *symbol)
{
	kallsyms_each_named(k, name, look_at_symbol, w);
	if (!w->nr)
		return diag_set(&ret->why, ESTALE, "%s",
				w->is_other
					? "another build of its module is loaded: "
					  "the build id differs"
					: "no module or BPF program that is loaded has it there");
	if (w->nr > 1)
		return diag_set(
			&ret->why, ESTALE,
			"several modules or BPF programs have a function of that name there");
	*symbol = w->symbol;
	return 0;
}

static int place_in_text(const struct kallsyms *k, const char *name, const struct wanted *w,
			 struct found_code *ret, struct kernel_symbol *symbol)
{
	const uint64_t text = kallsyms_text(k);

	if (w->build_id_len &&
	    !frame_places_is_build_id(w->finder->places, "", w->build_id, w->build_id_len))
		return diag_set(&ret->why, ESTALE,
				"another kernel runs here: its build id differs");
	if (kallsyms_find(k, text + w->offset, symbol) < 0 || symbol->base != text)
		return diag_set(&ret->why, ENOENT, "the kernel has nothing there");
	if (!w->build_id_len && strcmp(symbol->name, name) != 0)
		return diag_set(&ret->why, ESTALE, "the kernel has another function there");
	return 0;
}

/* Where the function is now; -errno with a diag: it is not known. */
static int place_in_kernel(const struct code_finder *c, const struct frame_table *frames,
			   const struct hot_code *hot, size_t first, struct found_code *ret,
			   struct kernel_symbol *symbol)
{
	const struct kallsyms *k = kernel_names_kallsyms(c->names);
	const char *name = frame_table_name(frames, hot->function, NULL);
	struct wanted w = { .finder = c, .hot = hot, .offset = hot->places[first].offset };
	const bool is_beside =
		hot->base == KERNEL_PLACE_MODULE || hot->base == KERNEL_PLACE_PASSING;
	int r;

	w.build_id = frame_table_str(frames, hot->build_id, &w.build_id_len);
	if (!k || !kallsyms_text(k))
		return diag_set(&ret->why, EPERM,
				"addresses of the kernel are hidden here (CAP_SYSLOG)");
	r = is_beside ? place_beside_kernel(k, name, &w, ret, symbol)
		      : place_in_text(k, name, &w, ret, symbol);
	if (r < 0)
		return r;
	as_written(hot, ret);
	ret->shift = symbol->base - hot->base;
	return 0;
}

/* What stands between functions. */
static void trim(struct function_code *code, uint64_t last)
{
	struct disassembly *d = code->code;

	while (d->nr && d->insns[d->nr - 1].address > last &&
	       (d->insns[d->nr - 1].kind == CODE_PADDING || d->insns[d->nr - 1].kind == CODE_BAD))
		d->nr--;
}

static void find_in_kernel(struct code_finder *c, const struct frame_table *frames,
			   const struct hot_code *hot, size_t first, struct found_code *ret)
{
	_cleanup_free_ char *bytes = NULL;
	struct kernel_symbol symbol = { 0 };
	size_t len;
	int r;

	look_at_kernel(c);
	if (place_in_kernel(c, frames, hot, first, ret, &symbol) < 0)
		return;
	if (!c->memory) {
		ret->why = c->memory_why;
		return;
	}
	len = symbol.end - symbol.start;
	if (len > DISASSEMBLY_MAX_BYTES)
		len = DISASSEMBLY_MAX_BYTES;
	bytes = xmalloc(len);
	r = kernel_memory_read(c->memory, symbol.start, bytes, len);
	if (r >= 0)
		r = function_code_read(c->pool, symbol.start - ret->shift, bytes, len, &ret->code);
	if (r < 0) {
		diag_set(&ret->why, -r, "the kernel's memory cannot be read there: %s",
			 strerror(-r));
		return;
	}
	take_places(hot, first, ret);
	trim(&ret->code, ret->nr ? ret->addresses[first + ret->nr - 1] : 0);
	c->shift = ret->shift;
	function_code_find_lines(&ret->code, ask_kernel, c);
}

/* ---- both --------------------------------------------------------------------------------- */

void code_finder_find(struct code_finder *c, const struct frame_table *frames,
		      const struct hot_code *hot, size_t first, struct found_code *ret)
{
	*ret = (struct found_code){ .code = FUNCTION_CODE_INIT, .is_kernel = !hot->path };
	ret->addresses = xcalloc(hot->nr, sizeof(*ret->addresses));
	if (first == hot->nr)
		diag_set(&ret->why, ENOENT, "addresses of instructions were not kept");
	else if (hot->path) {
		open_file(c, frames, hot);
		find_in_file(c, hot, first, ret);
	} else {
		find_in_kernel(c, frames, hot, first, ret);
	}
	if (!ret->code.code)
		as_written(hot, ret);
	take_places(hot, first, ret);
	if (ret->nr || first == hot->nr)
		return;
	function_code_deinit(&ret->code); /* it is longer than anybody reads */
	ret->nr = hot->nr - first;
	diag_set(&ret->why, E2BIG, "samples are beyond the code that is read of a function");
}

static void name_in_kernel(const struct code_finder *c, uint64_t address, struct strbuf *to)
{
	const struct kallsyms *k = kernel_names_kallsyms(c->names);
	struct kernel_symbol symbol;

	if (!k || kallsyms_find(k, address, &symbol) < 0)
		return;
	strbuf_addstr(to, symbol.name);
	if (address != symbol.start)
		strbuf_addf(to, "+0x%llx", (unsigned long long)(address - symbol.start));
}

void code_finder_name(struct code_finder *c, const struct found_code *found, uint64_t address,
		      struct strbuf *to)
{
	if (found->is_kernel)
		name_in_kernel(c, address + found->shift, to);
	else if (c->file)
		code_file_name_address(c->file, address, to);
}
