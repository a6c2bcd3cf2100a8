// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The glue of this layer.  Three levels of one bounded cache (frame_cache.h) stand before the
 * work, each keyed by (space, address):
 *
 *   space of a process    + address          -> frame    nearly every frame of every sample
 *   space of a file       + ELF address      -> frame    a new process runs known code
 *   space of a file + 1   + function's start -> frame    another address of a known function
 *
 * Behind them: bisection of mappings and symbols, one pread(2) for the name, the demangler.
 * Processes stand in symbolizer_user.c.
 */
#include "symbol/symbolizer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf_source.h"
#include "symbol/symbolizer_table.h"
#include "util/mem.h"

#define CACHE_ENTRIES 131072

/* ---- kernel ------------------------------------------------------------------------------- */

frame_id symbolizer_kernel_at(struct symbolizer *s, uint64_t addr,
			      const struct symbolizer_moment *when)
{
	uint32_t space = kernel_names_space(s->kernel, addr, when, SYMBOLIZER_SPACE_KERNEL);
	frame_id id = space ? frame_cache_get(s->cache, space, addr) : 0;
	struct kernel_symbol symbol;
	bool holds, is_named;

	if (id)
		return id;
	is_named = kernel_names_find(s->kernel, addr, when, &symbol, &holds);
	if (is_named)
		id = frame_maker_kernel(&s->maker, &symbol);
	else
		id = frame_maker_unnamed(&s->maker, s->maker.kernel_module, addr, FRAME_KERNEL,
					 kernel_names_kallsyms(s->kernel)
						 ? SYMBOL_MISS_NO_SYMBOL
						 : SYMBOL_MISS_NO_KALLSYMS);
	if (s->places && is_named)
		id = frame_places_kernel(s->places, s->maker.frames,
					 &(struct frame_place){ .function = id, .address = addr },
					 &symbol);
	if (s->kernel_source && addr >= s->kernel_start && addr < s->kernel_end)
		id = call_sites_kernel_frame(s->sites, addr, id);
	if (space && holds)
		frame_cache_put(s->cache, space, addr, id);
	return id;
}

frame_id symbolizer_kernel(struct symbolizer *s, uint64_t addr)
{
	return symbolizer_kernel_at(s, addr, NULL);
}

void symbolizer_follow_kernel(struct symbolizer *s, const struct symbolizer_follower *follower)
{
	kernel_names_follow(s->kernel, follower);
}

void symbolizer_kernel_change(struct symbolizer *s, const struct kernel_code_change *change)
{
	kernel_names_change(s->kernel, change);
}

void symbolizer_kernel_lost(struct symbolizer *s)
{
	kernel_names_lost(s->kernel);
}

uint64_t symbolizer_kernel_address(struct symbolizer *s, const char *name, uint64_t *ret_size)
{
	const struct kallsyms *k = kernel_names_kallsyms(s->kernel);
	uint64_t addr, end;

	addr = k ? kallsyms_address(k, name, &end) : 0;
	if (addr && ret_size)
		*ret_size = end - addr;
	return addr;
}

/* ---- files -------------------------------------------------------------------------------- */

/* The frame of the function that starts there; without a symbol it is known by that address. */
static frame_id function_frame(struct symbolizer *s, struct mapped_file *f,
			       const struct elf_symbols *symbols, uint64_t start)
{
	frame_id id = frame_cache_get(s->cache, f->space + 1, start);
	int err;

	if (id)
		return id;
	strbuf_reset(&s->name);
	err = elf_symbols_name(symbols, start, &s->name);
	if (err < 0)
		id = frame_maker_unnamed(&s->maker, f->module, start, FRAME_USER,
					 err == -ENOENT ? SYMBOL_MISS_NO_SYMBOL
							: SYMBOL_MISS_BAD_ELF);
	else
		id = frame_maker_named(&s->maker,
				       &(struct frame){ .module = f->module,
							.start = start,
							.origin = FRAME_USER },
				       &s->name, f->owner);
	frame_cache_put(s->cache, f->space + 1, start, id);
	return id;
}

/* The frame of an ELF address. */
static frame_id file_frame(struct symbolizer *s, struct mapped_file *f,
			   const struct elf_symbols *symbols, uint64_t vaddr)
{
	frame_id id = frame_cache_get(s->cache, f->space, vaddr);
	uint64_t start;

	if (id)
		return id;
	if (!elf_symbols_find(symbols, vaddr, &start) ||
	    (mapped_file_add_functions(s->files, f, s->now_ms) &&
	     !elf_symbols_find(symbols, vaddr, &start)))
		id = function_frame(s, f, symbols, start);
	else
		id = frame_maker_unnamed(&s->maker, f->module, vaddr, FRAME_USER,
					 elf_symbols_is_damaged(symbols) ? SYMBOL_MISS_BAD_ELF
									 : SYMBOL_MISS_NO_SYMBOL);
	if (s->places)
		id = frame_places_file(s->maker.frames, f, elf_symbols_image(symbols),
				       &(struct frame_place){ .function = id, .address = vaddr });
	if (s->sites)
		id = call_sites_frame(s->sites, f, vaddr, id);
	frame_cache_put(s->cache, f->space, vaddr, id);
	return id;
}

frame_id symbolizer_offset_frame(struct symbolizer *s, struct mapped_file *f, uint64_t offset,
				 uint64_t now)
{
	const struct elf_symbols *symbols = mapped_file_symbols(s->files, f, now);
	uint64_t vaddr;

	if (!symbols)
		return frame_maker_unnamed(&s->maker, f->module, offset, FRAME_USER, f->miss);
	if (!elf_image_vaddr(elf_symbols_image(symbols), offset, &vaddr))
		return frame_maker_unnamed(&s->maker, f->module, offset, FRAME_USER,
					   SYMBOL_MISS_NO_SYMBOL);
	return file_frame(s, f, symbols, vaddr);
}

void symbolizer_add_file(struct symbolizer *s, uint32_t file, const struct met_file *met)
{
	numbered_files_add(s->numbers, file, met, symbolizer_now_ms(s));
}

void symbolizer_remove_file(struct symbolizer *s, uint32_t file)
{
	numbered_files_remove(s->numbers, file);
}

uint32_t symbolizer_next_lost(struct symbolizer *s)
{
	return numbered_files_next_lost(s->numbers);
}

frame_id symbolizer_file(struct symbolizer *s, uint32_t file, uint64_t elf_addr)
{
	struct mapped_file *f = numbered_files_find(s->numbers, file);
	const struct elf_symbols *symbols;
	frame_id id;

	if (!f)
		return frame_maker_unnamed(&s->maker, 0, elf_addr, FRAME_USER, SYMBOL_MISS_NO_FILE);
	id = frame_cache_get(s->cache, f->space, elf_addr);
	if (id)
		return id;
	symbols = mapped_file_symbols(s->files, f, symbolizer_now_ms(s));
	if (!symbols)
		return frame_maker_unnamed(&s->maker, f->module, elf_addr, FRAME_USER, f->miss);
	return file_frame(s, f, symbols, elf_addr);
}

/* ---- the whole ---------------------------------------------------------------------------- */

void symbolizer_use_frames(struct symbolizer *s, struct frame_table *frames)
{
	process_table_use_frames(s->processes, frames);
	file_table_use_frames(s->files, frames);
	frame_cache_clear(s->cache);
	frame_maker_use_frames(&s->maker, frames);
	if (s->sites)
		call_sites_use_frames(s->sites);
}

void symbolizer_use_places(struct symbolizer *s, bool places)
{
	if (places == (s->places != NULL))
		return;
	frame_cache_clear(s->cache);
	frame_places_free(s->places);
	s->places = places ? frame_places_new(s->root) : NULL;
	if (s->sites)
		call_sites_forget(s->sites);
}

void symbolizer_settle(struct symbolizer *s)
{
	frame_maker_settle(&s->maker);
	if (!s->sites)
		return;
	call_sites_settle(s->sites, symbolizer_now_ms(s));
	frame_maker_settle(&s->maker);
}

size_t symbolizer_expand(struct symbolizer *s, frame_id frame,
			 frame_id ret_frames[SYMBOLIZER_MAX_FRAMES])
{
	ret_frames[0] = frame;
	return s->sites ? call_sites_expand(s->sites, frame, ret_frames) : 1;
}

bool symbolizer_has_sites(const struct symbolizer *s)
{
	return s->sites && call_sites_any(s->sites);
}

void symbolizer_age(struct symbolizer *s)
{
	uint64_t now = symbolizer_now_ms(s);

	frame_maker_settle(&s->maker);
	process_table_age(s->processes, now);
	if (s->sites)
		call_sites_age(s->sites, now);
	file_table_age(s->files, now);
	numbered_files_age(s->numbers);
	kernel_names_age(s->kernel);
}

void symbolizer_end_by(struct symbolizer *s, uint64_t mono_ns)
{
	file_table_end_by(s->files, mono_ns / 1000000);
}

/* The lines of the kernel, whose own text stays where it is. */
static void use_kernel_source(struct symbolizer *s, const struct symbolizer_opts *opts)
{
	s->kernel_start = symbolizer_kernel_address(s, SOURCE_ANCHOR, NULL);
	s->kernel_end = symbolizer_kernel_address(s, "_etext", NULL);
	if (!s->kernel_start)
		return;
	s->kernel_source = kernel_source_new(s->root, s->kernel_start, opts->pool);
	call_sites_use_kernel(s->sites, s->kernel_source, SYMBOLIZER_SPACE_KERNEL);
}

struct symbolizer *symbolizer_new(struct frame_table *frames, const struct symbolizer_opts *opts)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	frame_maker_init(&s->maker, frames, opts->no_demangle);
	frame_maker_use_pool(&s->maker, opts->pool);
	s->root = xstrdup(opts->root ? opts->root : "");
	s->next_space = SYMBOLIZER_SPACE_FIRST;
	s->files = file_table_new(frames, s->root, opts->max_bytes, &s->next_space);
	file_table_use_pool(s->files, opts->pool);
	s->processes = process_table_new(frames, s->root, s->files, &s->next_space);
	s->cache = frame_cache_new(CACHE_ENTRIES);
	if (opts->inlines || opts->lines)
		s->sites = call_sites_new(s->files, &s->maker, opts->inlines, opts->lines);
	s->numbers = numbered_files_new(s->files);
	s->name = (struct strbuf)STRBUF_INIT;
	s->kernel = kernel_names_new(s->root, &s->next_space);
	if (opts->places)
		s->places = frame_places_new(s->root);
	if (opts->lines)
		use_kernel_source(s, opts);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	call_sites_free(s->sites);
	kernel_source_free(s->kernel_source);
	process_table_free(s->processes);
	numbered_files_free(s->numbers);
	file_table_free(s->files);
	frame_cache_free(s->cache);
	frame_places_free(s->places);
	kernel_names_free(s->kernel);
	strbuf_deinit(&s->name);
	frame_maker_deinit(&s->maker);
	free(s->root);
	free(s);
}

void symbolizer_get_stats(const struct symbolizer *s, struct symbolizer_stats *ret_stats)
{
	struct symbolizer_stats st = { .nr_processes = process_table_nr(s->processes),
				       .nr_files = file_table_nr(s->files) };

	memcpy(st.misses, s->maker.misses, sizeof(st.misses));
	frame_maker_add_limits(&s->maker, &st.limits);
	file_table_add_limits(s->files, &st.limits);
	process_table_add_limits(s->processes, &st.limits);
	if (s->kernel_source)
		kernel_source_add_limits(s->kernel_source, &st.limits);
	st.bytes = sizeof(*s) + frame_cache_bytes(s->cache) + file_table_bytes(s->files);
	st.bytes += kernel_names_bytes(s->kernel);
	st.bytes += process_table_bytes(s->processes);
	st.bytes += s->sites ? call_sites_bytes(s->sites) : 0;
	*ret_stats = st;
}
