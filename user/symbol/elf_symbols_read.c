// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a file's symbols: the index is made first, then the names in it are copied. */
#include "symbol/elf_symbols_read.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf_code.h"
#include "symbol/elf_debug.h"
#include "symbol/elf_go.h"
#include "symbol/elf_plt.h"
#include "symbol/elf_roots.h"
#include "symbol/elf_symbols_table.h"
#include "util/mem.h"

#define MAX_TABLE_ENTRIES  (16u << 20) /* read, however few of them are functions */
#define CHUNK_ENTRIES	   2048
#define MAX_RESOLVED_STUBS 65536
#define VERSION_HIDDEN	   0x8000 /* in .gnu.version: not what programs are linked with */

/* A table while it is made. */
struct reading {
	struct elf_symbols *t;
	struct elf_image debug; /* all zero: none */
	struct elf_strings strings[NR_ELF_SYMBOL_SOURCES];
	const struct elf_code *code;
	struct elf_plt_stub *stubs; /* with a resolver, whose name they get */
	size_t nr_stubs, cap_stubs;
};

/* A symbol of either class. */
struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	unsigned char info;
	bool is_old; /* of a version that is not the default one */
};

static struct raw_symbol raw_symbol(const struct elf_image *img, const void *table, size_t i)
{
	if (img->is64) {
		const Elf64_Sym *s = (const Elf64_Sym *)table + i;

		return (struct raw_symbol){ s->st_value, s->st_size, s->st_name,
					    s->st_shndx, s->st_info, false };
	} else {
		const Elf32_Sym *s = (const Elf32_Sym *)table + i;

		return (struct raw_symbol){ s->st_value, s->st_size, s->st_name,
					    s->st_shndx, s->st_info, false };
	}
}

static bool is_code_section(const struct elf_image *img, uint16_t index)
{
	return index < img->nr_sections && img->sections[index].flags & SHF_EXECINSTR;
}

/* "$x" and "$d" tell code from data inside functions; their names would have to be read to know. */
static bool has_mapping_symbols(const struct elf_image *img)
{
	return img->machine == EM_ARM || img->machine == EM_AARCH64 || img->machine == EM_RISCV;
}

static bool is_function(const struct elf_image *img, const struct raw_symbol *s)
{
	if (!s->name || s->section == SHN_UNDEF || s->section == SHN_ABS)
		return false;
	switch (s->info & 0xf) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* a label in assembly */
		if (has_mapping_symbols(img) && s->info >> 4 == STB_LOCAL)
			return false;
		return is_code_section(img, s->section);
	}
	return false;
}

static enum symbol_rank rank_of(const struct raw_symbol *raw)
{
	if (raw->info >> 4 == STB_LOCAL)
		return SYMBOL_LOCAL;
	if (raw->is_old)
		return SYMBOL_OLD;
	return raw->info >> 4 == STB_WEAK ? SYMBOL_WEAK : SYMBOL_GLOBAL;
}

static void add_symbol(struct reading *r, const struct elf_image *img, struct raw_symbol raw,
		       enum elf_symbol_source source)
{
	if (!is_function(img, &raw))
		return;
	if (img->machine == EM_ARM && (raw.info & 0xf) == STT_FUNC)
		raw.value &= ~1ull; /* Thumb */
	if (!elf_code_holds(r->code, raw.value))
		return;
	symbol_index_add(&r->t->index, &(struct symbol){
					       .value = raw.value,
					       .size = raw.size,
					       .name = raw.name,
					       .rank = rank_of(&raw),
					       .source = source,
				       });
}

/* The versions of symbols of .dynsym; all 0 where there are none. */
static void read_versions(const struct elf_image *img, enum elf_symbol_source source,
			  uint64_t first, size_t nr, uint16_t *ret_versions)
{
	const struct elf_section *s =
		source == SOURCE_DYNSYM ? elf_image_section_by_type(img, SHT_GNU_versym) : NULL;
	const uint64_t at = first * sizeof(*ret_versions), len = nr * sizeof(*ret_versions);

	if (!s || at + len > s->bytes || elf_image_read(img, s->offset + at, ret_versions, len) < 0)
		memset(ret_versions, 0, len);
}

/* 0, or negative when the table cannot be (wholly) read; what was read stays. */
static int add_table(struct reading *r, const struct elf_image *img,
		     const struct elf_section *table, enum elf_symbol_source source)
{
	const struct elf_section *strings = elf_image_section_link(img, table);
	size_t size = img->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t nr = table->bytes / size;
	uint16_t versions[CHUNK_ENTRIES];
	_cleanup_free_ char *chunk = NULL;

	if (!strings || strings->type != SHT_STRTAB || table->entry_bytes != size ||
	    nr > MAX_TABLE_ENTRIES)
		return -EBADMSG;
	r->strings[source] = (struct elf_strings){ img, strings->offset, strings->bytes };
	chunk = xmalloc(CHUNK_ENTRIES * size);
	for (uint64_t at = 0; at < nr; at += CHUNK_ENTRIES) {
		size_t n = nr - at < CHUNK_ENTRIES ? nr - at : CHUNK_ENTRIES;
		int err = elf_image_read(img, table->offset + at * size, chunk, n * size);

		if (err < 0)
			return err;
		read_versions(img, source, at, n, versions);
		for (size_t i = 0; i < n; i++) {
			struct raw_symbol raw = raw_symbol(img, chunk, i);

			raw.is_old = versions[i] & VERSION_HIDDEN;
			add_symbol(r, img, raw, source);
		}
	}
	return 0;
}

/* Adds the image's table of that type if it has one; true when it has. */
static bool add_table_of_type(struct reading *r, const struct elf_image *img, uint32_t type,
			      enum elf_symbol_source source)
{
	const struct elf_section *table = elf_image_section_by_type(img, type);

	if (!table)
		return false;
	if (add_table(r, img, table, source) < 0)
		r->t->damaged = true;
	return true;
}

/* Is it of this program, by what they say of themselves?  Where one says nothing: `unsaid`. */
static bool has_same_build_id(const struct elf_image *a, const struct elf_image *b, bool unsaid)
{
	if (!a->build_id_len || !b->build_id_len)
		return unsaid;
	return a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

/* The debug file that fd is, when it belongs to this program: `unsaid`, see has_same_build_id(). */
static bool add_debug(struct reading *r, int fd, bool unsaid)
{
	if (fd < 0 || elf_image_open(fd, &r->debug) < 0 ||
	    !has_same_build_id(&r->t->img, &r->debug, unsaid))
		return false;
	return add_table_of_type(r, &r->debug, SHT_SYMTAB, SOURCE_DEBUG);
}

static void drop_debug(struct reading *r)
{
	elf_image_deinit(&r->debug);
	r->debug = (struct elf_image){ 0 };
}

static void add_plt(void *ctx, const struct elf_plt_stub *stub)
{
	struct reading *r = ctx;

	if (stub->name) {
		symbol_index_add(&r->t->index, &(struct symbol){ .value = stub->addr,
								 .size = stub->bytes,
								 .name = stub->name,
								 .source = SOURCE_PLT });
		return;
	}
	function_table_add(&r->t->functions, stub->addr, stub->bytes);
	if (!stub->resolver || r->nr_stubs == MAX_RESOLVED_STUBS)
		return;
	array_reserve(r->stubs, r->cap_stubs, r->nr_stubs + 1);
	r->stubs[r->nr_stubs++] = *stub;
}

static void add_go_function(void *ctx, const struct elf_go_function *f)
{
	struct reading *r = ctx;

	if (elf_code_holds(r->code, f->addr))
		symbol_index_add(&r->t->index, &(struct symbol){ .value = f->addr,
								 .size = f->bytes,
								 .name = f->name,
								 .source = SOURCE_GO });
}

static void add_go(struct reading *r)
{
	struct elf_strings *strings = &r->strings[SOURCE_GO];

	if (elf_go_walk(&r->t->img, add_go_function, r, &strings->offset, &strings->bytes) < 0)
		r->t->damaged = true;
	if (strings->bytes)
		strings->img = &r->t->img;
}

/* Of a program that has no symbols of its own: what is known by its place. */
static void add_roots(struct reading *r, struct elf_image *names)
{
	static const char text[] = "\0_start\0main\0_init\0_fini";
	struct elf_roots roots;

	elf_roots_find(&r->t->img, &roots);
	const struct {
		uint64_t addr, bytes;
		uint32_t name;
	} known[] = { { roots.start, roots.start_bytes, 1 },
		      { roots.main, 0, 8 },
		      { roots.init, 0, 13 },
		      { roots.fini, 0, 19 } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].addr)
			symbol_index_add(&r->t->index, &(struct symbol){ .value = known[i].addr,
									 .size = known[i].bytes,
									 .name = known[i].name,
									 .rank = SYMBOL_LOCAL,
									 .source = SOURCE_ROOTS });
	names->source = elf_source_from_bytes(text, sizeof(text));
	r->strings[SOURCE_ROOTS] = (struct elf_strings){ names, 0, sizeof(text) };
}

static int read_functions(struct elf_symbols *t, const struct elf_symbols_input *in,
			  const struct elf_code *code)
{
	uint64_t bytes;

	if (!elf_code_functions(&t->img, code, &t->functions))
		t->damaged = true;
	function_table_finish(&t->functions);
	t->wants_functions = false;
	if (!elf_code_is_uncovered(code, &t->functions, &bytes))
		return 0;
	if (in->max_code_bytes && bytes > in->max_code_bytes)
		return -EFBIG;
	elf_code_proved_functions(&t->img, code, &t->functions);
	function_table_finish(&t->functions);
	return 0;
}

/* Of a packed table that fd has come of, or the reason why it did not. */
static uint64_t unpacked_bytes(int fd, uint64_t max_bytes)
{
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (fd == -EFBIG)
		return max_bytes;
	return end > 0 ? (uint64_t)end : 0;
}

/* *embedded_fd is open for as long as names are read. */
static void add_all(struct reading *r, const struct elf_symbols_input *in, int *embedded_fd)
{
	struct elf_symbols *t = r->t;

	elf_debug_link_read(&t->img, &t->link);
	t->full = add_table_of_type(r, &t->img, SHT_SYMTAB, SOURCE_SYMTAB);
	if (!t->full && in->debug_fd >= 0) {
		t->full = add_debug(r, in->debug_fd, in->debug_is_checked);
		if (!t->full)
			drop_debug(r);
	}
	if (!t->full) {
		*embedded_fd = elf_debug_open_embedded(&t->img, in->max_unpacked_bytes);
		t->left_out = !in->max_unpacked_bytes && *embedded_fd == -EFBIG;
		t->unpacked_bytes = unpacked_bytes(*embedded_fd, in->max_unpacked_bytes);
		t->full = add_debug(r, *embedded_fd, true);
		if (!t->full)
			drop_debug(r);
		add_table_of_type(r, &t->img, SHT_DYNSYM, SOURCE_DYNSYM);
	}
	if (elf_plt_walk(&t->img, add_plt, r, &r->strings[SOURCE_PLT].offset,
			 &r->strings[SOURCE_PLT].bytes) > 0)
		r->strings[SOURCE_PLT].img = &t->img;
}

static uint64_t code_end(void *ctx, uint64_t vaddr)
{
	return elf_code_end(ctx, vaddr);
}

/* Stubs of functions that are chosen at the start are named by those who choose. */
static void name_stubs(struct reading *r)
{
	struct symbol_index *index = &r->t->index;
	size_t nr, before = index->nr;

	for (size_t i = 0; i < r->nr_stubs; i++) {
		const struct index_entry *e = elf_symbols_best_at(r->t, r->stubs[i].resolver, &nr);

		r->stubs[i].name = e && e->source != SOURCE_PLT ? e->name : 0;
	}
	for (size_t i = 0; i < r->nr_stubs; i++)
		if (r->stubs[i].name)
			symbol_index_add(index, &(struct symbol){ .value = r->stubs[i].addr,
								  .size = r->stubs[i].bytes,
								  .name = r->stubs[i].name,
								  .source = SOURCE_PLT });
	if (index->nr > before)
		symbol_index_finish(index, code_end, (void *)r->code);
	free(take_ptr(r->stubs));
	r->nr_stubs = r->cap_stubs = 0;
}

static int image_open(const struct elf_symbols_input *in, struct elf_image *ret_image)
{
	return in->source ? elf_image_open_known(in->source, ret_image)
			  : elf_image_open(in->fd, ret_image);
}

int elf_symbols_read(const struct elf_symbols_input *in, struct elf_symbols **ret_table)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = elf_symbols_new();
	_cleanup_free_ struct elf_code *code = xcalloc(1, sizeof(*code));
	_cleanup_close_ int embedded_fd = -1;
	struct reading reading = { .t = t, .code = code };
	struct elf_image roots = { 0 };
	int r = image_open(in, &t->img);

	if (r < 0)
		return r;
	t->damaged = !elf_code_read(&t->img, code);
	t->index.base = t->functions.base = elf_code_lowest(code);
	add_all(&reading, in, &embedded_fd);
	t->wants_functions = true;
	if (!t->full) {
		add_go(&reading);
		add_roots(&reading, &roots);
		r = read_functions(t, in, code);
	}
	symbol_index_finish(&t->index, code_end, code);
	if (!elf_names_copy(reading.strings, NR_ELF_SYMBOL_SOURCES, &t->index, &t->names))
		t->damaged = true;
	name_stubs(&reading);
	function_table_finish(&t->functions);
	drop_debug(&reading);
	elf_image_drop_sections(&t->img);
	t->img.source = (struct elf_source){ .fd = -1 };
	if (r >= 0)
		*ret_table = take_ptr(t);
	return r;
}

int elf_symbols_read_functions(const struct elf_symbols_input *in, struct elf_symbols **ret_table)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = elf_symbols_new();
	_cleanup_free_ struct elf_code *code = xcalloc(1, sizeof(*code));
	int r = image_open(in, &t->img);

	if (r < 0)
		return r;
	elf_code_read(&t->img, code);
	t->functions.base = elf_code_lowest(code);
	r = read_functions(t, in, code);
	elf_image_drop_sections(&t->img);
	t->img.source = (struct elf_source){ .fd = -1 };
	if (r >= 0)
		*ret_table = take_ptr(t);
	return r;
}
