// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbol tables of an ELF file.  Only ranges are held in memory; a name is one pread(2) when a
 * symbol is met for the first time, so half a million symbols cost 6 MB, not their 40 MB of names.
 */
#include "symbol/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf_debug.h"
#include "symbol/elf_plt.h"
#include "symbol/symbol_index.h"
#include "symbol/symbol_name.h"
#include "util/mem.h"

#define MAX_TABLE_ENTRIES (16u << 20) /* read, however few of them are functions */
#define CHUNK_ENTRIES	  2048
#define MAX_NAME_BYTES	  4096 /* longer names are cut */
#define NAME_READ_BYTES	  256  /* enough for nearly every name */
#define MAX_ALIASES	  32   /* looked at for one address */
#define MAX_CODE_RANGES	  64   /* sections, and segments; looked through for each symbol */

enum source { SOURCE_SYMTAB, SOURCE_DYNSYM, SOURCE_DEBUG, SOURCE_PLT, NR_SOURCES };

/* The strings that names of one source are offsets into. */
struct strings {
	const struct elf_image *img; /* NULL: none */
	uint64_t offset, bytes;
};

struct range {
	uint64_t start, end;
};

/* Where an ELF file has code. */
struct code {
	struct range sections[MAX_CODE_RANGES], segments[MAX_CODE_RANGES];
	size_t nr_sections, nr_segments;
};

struct elf_symbols {
	unsigned int refs;
	struct elf_image img;
	struct elf_image debug; /* fd -1 when there is none; owned like img's */
	bool debug_in_memory;	/* unpacked, and there as long as its descriptor */
	struct strings strings[NR_SOURCES];
	struct symbol_index index;
	const struct code *code; /* while the index is built */
	bool full, damaged;
};

/* A symbol of either class. */
struct raw_symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	unsigned char info;
};

static struct raw_symbol raw_symbol(const struct elf_image *img, const void *table, size_t i)
{
	if (img->is64) {
		const Elf64_Sym *s = (const Elf64_Sym *)table + i;

		return (struct raw_symbol){ s->st_value, s->st_size, s->st_name, s->st_shndx,
					    s->st_info };
	} else {
		const Elf32_Sym *s = (const Elf32_Sym *)table + i;

		return (struct raw_symbol){ s->st_value, s->st_size, s->st_name, s->st_shndx,
					    s->st_info };
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

static const struct range *range_find(const struct range *ranges, size_t nr, uint64_t vaddr)
{
	for (size_t i = 0; i < nr; i++)
		if (vaddr >= ranges[i].start && vaddr < ranges[i].end)
			return &ranges[i];
	return NULL;
}

static void add_symbol(struct elf_symbols *t, const struct elf_image *img, struct raw_symbol raw,
		       enum source source)
{
	if (!is_function(img, &raw))
		return;
	if (img->machine == EM_ARM && (raw.info & 0xf) == STT_FUNC)
		raw.value &= ~1ull; /* Thumb */
	if (!range_find(t->code->segments, t->code->nr_segments, raw.value))
		return;
	symbol_index_add(&t->index, &(struct symbol){
					    .value = raw.value,
					    .size = raw.size,
					    .name = raw.name,
					    .rank = raw.info >> 4 == STB_LOCAL	? 2
						    : raw.info >> 4 == STB_WEAK ? 1
										: 0,
					    .source = source,
				    });
}

/* 0, or negative when the table cannot be (wholly) read; what was read stays. */
static int add_table(struct elf_symbols *t, const struct elf_image *img,
		     const struct elf_section *table, enum source source)
{
	const struct elf_section *strings = elf_image_section_link(img, table);
	size_t size = img->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t nr = table->bytes / size;
	_cleanup_free_ char *chunk = NULL;

	if (!strings || strings->type != SHT_STRTAB || table->entry_bytes != size ||
	    nr > MAX_TABLE_ENTRIES)
		return -EBADMSG;
	t->strings[source] = (struct strings){ img, strings->offset, strings->bytes };
	chunk = xmalloc(CHUNK_ENTRIES * size);
	for (uint64_t at = 0; at < nr; at += CHUNK_ENTRIES) {
		size_t n = nr - at < CHUNK_ENTRIES ? nr - at : CHUNK_ENTRIES;
		int r = elf_image_read(img, table->offset + at * size, chunk, n * size);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			add_symbol(t, img, raw_symbol(img, chunk, i), source);
	}
	return 0;
}

/* Adds the image's table of that type if it has one; true when it has. */
static bool add_table_of_type(struct elf_symbols *t, const struct elf_image *img, uint32_t type,
			      enum source source)
{
	const struct elf_section *table = elf_image_section_by_type(img, type);

	if (!table)
		return false;
	if (add_table(t, img, table, source) < 0)
		t->damaged = true;
	return true;
}

/* The debug file that fd is (taken over), when it belongs to this program. */
static bool add_debug(struct elf_symbols *t, int fd, bool check_build_id)
{
	if (fd < 0)
		return false;
	if (elf_image_open(fd, &t->debug) < 0) {
		close(fd);
		t->debug.fd = -1;
		return false;
	}
	if (check_build_id && (t->debug.build_id_len != t->img.build_id_len ||
			       memcmp(t->debug.build_id, t->img.build_id, t->img.build_id_len)))
		return false;
	return add_table_of_type(t, &t->debug, SHT_SYMTAB, SOURCE_DEBUG);
}

static void drop_debug(struct elf_symbols *t)
{
	if (t->debug.fd >= 0)
		close(t->debug.fd);
	elf_image_deinit(&t->debug);
	t->debug = (struct elf_image){ .fd = -1 };
}

static void add_plt(void *ctx, uint64_t addr, uint64_t size, uint32_t name)
{
	struct elf_symbols *t = ctx;

	symbol_index_add(&t->index,
			 &(struct symbol){
				 .value = addr, .size = size, .name = name, .source = SOURCE_PLT });
}

static void add_all(struct elf_symbols *t, const char *debug_root)
{
	t->full = add_table_of_type(t, &t->img, SHT_SYMTAB, SOURCE_SYMTAB);
	if (!t->full && debug_root) {
		t->full = add_debug(t, elf_debug_open_separate(&t->img, debug_root), true);
		if (!t->full)
			drop_debug(t);
	}
	if (!t->full) {
		t->full = t->debug_in_memory =
			add_debug(t, elf_debug_open_embedded(&t->img), false);
		if (!t->full)
			drop_debug(t);
		add_table_of_type(t, &t->img, SHT_DYNSYM, SOURCE_DYNSYM);
	}
	if (elf_plt_walk(&t->img, add_plt, t, &t->strings[SOURCE_PLT].offset,
			 &t->strings[SOURCE_PLT].bytes) > 0)
		t->strings[SOURCE_PLT].img = &t->img;
}

/* False when there are more than can be held: symbols in those are left out. */
static bool code_read(struct code *c, const struct elf_image *img)
{
	bool is_whole = true;

	for (size_t i = 0; i < img->nr_sections && c->nr_sections < MAX_CODE_RANGES; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->flags & SHF_EXECINSTR && s->bytes <= UINT64_MAX - s->addr)
			c->sections[c->nr_sections++] =
				(struct range){ s->addr, s->addr + s->bytes };
	}
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];
		uint64_t left = UINT64_MAX - s->vaddr;

		if (!s->executable)
			continue;
		if (c->nr_segments == MAX_CODE_RANGES) {
			is_whole = false;
			break;
		}
		c->segments[c->nr_segments++] = (struct range){
			s->vaddr, s->vaddr + (s->memory_bytes < left ? s->memory_bytes : left)
		};
	}
	return is_whole;
}

/* Where code stops: symbols without a size do not reach into the next section. */
static uint64_t code_end(void *ctx, uint64_t vaddr)
{
	const struct code *c = ctx;
	const struct range *r = range_find(c->sections, c->nr_sections, vaddr);

	if (!r)
		r = range_find(c->segments, c->nr_segments, vaddr);
	return r ? r->end : vaddr;
}

static uint64_t lowest_code(const struct code *c)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < c->nr_segments; i++)
		if (c->segments[i].start < lowest)
			lowest = c->segments[i].start;
	return lowest;
}

int elf_symbols_open(int fd, const char *debug_root, struct elf_symbols **ret_table)
{
	struct elf_symbols *t = xcalloc(1, sizeof(*t));
	_cleanup_free_ struct code *code = xcalloc(1, sizeof(*code));
	int r;

	t->refs = 1;
	t->debug.fd = -1;
	r = elf_image_open(fd, &t->img);
	if (r < 0) {
		free(t);
		return r;
	}
	t->damaged = !code_read(code, &t->img);
	t->code = code;
	t->index.base = lowest_code(code);
	add_all(t, debug_root);
	symbol_index_finish(&t->index, code_end, code);
	t->code = NULL;
	elf_image_drop_sections(&t->img);
	elf_image_drop_sections(&t->debug);
	*ret_table = t;
	return 0;
}

struct elf_symbols *elf_symbols_ref(struct elf_symbols *t)
{
	t->refs++;
	return t;
}

bool elf_symbols_is_shared(const struct elf_symbols *t)
{
	return t->refs > 1;
}

void elf_symbols_unref(struct elf_symbols *t)
{
	if (!t || --t->refs)
		return;
	drop_debug(t);
	close(t->img.fd);
	elf_image_deinit(&t->img);
	symbol_index_deinit(&t->index);
	free(t);
}

int elf_symbols_find(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start)
{
	return symbol_index_find(&t->index, vaddr, ret_start);
}

/* The string at an offset of a source, without its version, NUL-terminated in buf. */
static int read_name(const struct elf_symbols *t, const struct index_entry *e,
		     char buf[static MAX_NAME_BYTES + 1], size_t *ret_len)
{
	const struct strings *s = &t->strings[e->source];
	size_t want = NAME_READ_BYTES, len;
	char *at;

	if (!s->img || e->name >= s->bytes)
		return -EBADMSG;
	for (;; want = MAX_NAME_BYTES) {
		int r;

		if (want > s->bytes - e->name)
			want = s->bytes - e->name;
		r = elf_image_read(s->img, s->offset + e->name, buf, want);
		if (r < 0)
			return r;
		len = strnlen(buf, want);
		if (len < want || want == s->bytes - e->name || want == MAX_NAME_BYTES)
			break;
	}
	buf[len] = '\0';
	at = memchr(buf, '@', len);
	if (at && at > buf)
		len = at - buf;
	buf[len] = '\0';
	*ret_len = len;
	return len ? 0 : -EBADMSG;
}

struct candidate {
	const struct index_entry *entry;
	size_t len;
	char name[MAX_NAME_BYTES + 1];
};

static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (!b->entry)
		return true;
	if (a->entry->no_size != b->entry->no_size)
		return b->entry->no_size;
	if ((a->entry->source == SOURCE_PLT) != (b->entry->source == SOURCE_PLT))
		return b->entry->source == SOURCE_PLT;
	if (a->entry->rank != b->entry->rank)
		return a->entry->rank < b->entry->rank;
	return symbol_name_compare(a->name, a->len, b->name, b->len) < 0;
}

int elf_symbols_name(const struct elf_symbols *t, uint64_t start, struct strbuf *to)
{
	struct candidate two[2] = { 0 }, *best = &two[0], *next = &two[1];
	size_t nr;
	const struct index_entry *e = symbol_index_at(&t->index, start, &nr);
	int r = -ENOENT;

	for (size_t i = 0; i < nr && i < MAX_ALIASES; i++) {
		int err;

		next->entry = &e[i];
		err = read_name(t, next->entry, next->name, &next->len);
		if (err < 0)
			r = err;
		else if (is_better(next, best)) {
			struct candidate *t2 = best;

			best = next;
			next = t2;
		}
	}
	if (!best->entry)
		return r;
	strbuf_add(to, best->name, best->len);
	if (best->entry->source == SOURCE_PLT)
		strbuf_addstr(to, "@plt");
	return 0;
}

const struct elf_image *elf_symbols_image(const struct elf_symbols *t)
{
	return &t->img;
}

bool elf_symbols_is_full(const struct elf_symbols *t)
{
	return t->full;
}

bool elf_symbols_is_damaged(const struct elf_symbols *t)
{
	return t->damaged;
}

size_t elf_symbols_nr_fds(const struct elf_symbols *t)
{
	return 1 + (t->debug.fd >= 0);
}

size_t elf_symbols_nr(const struct elf_symbols *t)
{
	return t->index.nr;
}

size_t elf_symbols_bytes(const struct elf_symbols *t)
{
	return sizeof(*t) + t->index.cap * sizeof(*t->index.entries) +
	       (t->img.nr_segments + t->debug.nr_segments) * sizeof(struct elf_segment) +
	       (t->debug_in_memory ? t->debug.bytes : 0);
}
