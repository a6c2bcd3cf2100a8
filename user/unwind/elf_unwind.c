// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads what a table needs out of an ELF64 file, with a handful of preads: headers, section names,
 * .eh_frame.  Nothing the file says about itself is believed beyond the bytes it has.
 */
#include "unwind/elf_unwind.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "unwind/byte_reader.h"
#include "unwind/go_pclntab.h"
#include "unwind/cfi_arm64.h"
#include "unwind/vdso_arm64.h"
#include "util/mem.h"

#define MAX_PHDRS	4096
#define MAX_NAMES_BYTES (1u << 20)
#define MAX_FRAME_BYTES (64ull << 20) /* cc1plus has 3 MB, chromium 17 MB */
#define MIN_EH_FDES	8	      /* with fewer, .debug_frame is asked too */
#define MAX_ROOT_BYTES	(4ull << 20)  /* code of a file in which is_start_context() looks */

struct elf_file {
	const struct elf_source *source;
	const struct cfi_machine *machine;
	struct unwind_table *table;
	Elf64_Ehdr ehdr;
	Elf64_Phdr *phdr; /* ehdr.e_phnum of them */
	bool has_interp, is_vdso;
	struct address_range range[EDDY_UNWIND_MAX_SEGMENTS];
};

/* A section of CFI and where its bytes are. */
struct frame_bytes {
	struct cfi_section section;
	uint8_t *bytes;
};

static void count(struct elf_file *elf, enum unwind_defect defect)
{
	elf->table->defects.count[defect]++;
}

static bool read_at(struct elf_file *elf, void *dst, uint64_t len, uint64_t offset)
{
	if (elf_source_read(elf->source, dst, len, offset) >= 0)
		return true;
	count(elf, UNWIND_DEFECT_READ);
	return false;
}

/* The file offset of an ELF address, and how many bytes of its segment follow there. */
static bool offset_of(const struct elf_file *elf, uint64_t addr, uint64_t *ret_offset,
		      uint64_t *ret_len)
{
	for (unsigned int i = 0; i < elf->ehdr.e_phnum; i++) {
		const Elf64_Phdr *p = &elf->phdr[i];
		uint64_t into = addr - p->p_vaddr, len = elf->source->len;

		if (p->p_type != PT_LOAD || addr < p->p_vaddr || into >= p->p_filesz)
			continue;
		if (p->p_offset > len || into >= len - p->p_offset)
			return false;
		*ret_offset = p->p_offset + into;
		len -= *ret_offset;
		*ret_len = p->p_filesz - into < len ? p->p_filesz - into : len;
		return true;
	}
	return false;
}

static void add_segment(struct elf_file *elf, const Elf64_Phdr *p)
{
	struct unwind_table *t = elf->table;
	uint64_t delta = p->p_vaddr - p->p_offset, end;

	if (__builtin_add_overflow(p->p_offset, p->p_filesz, &end) || end > elf->source->len)
		end = elf->source->len;
	if (p->p_offset >= end || p->p_vaddr + (end - p->p_offset) < p->p_vaddr)
		return;
	if (t->nr_segments == EDDY_UNWIND_MAX_SEGMENTS) {
		count(elf, UNWIND_DEFECT_SEGMENT);
		return;
	}
	elf->range[t->nr_segments] = (struct address_range){ p->p_vaddr, end + delta };
	t->segment[t->nr_segments++] = (struct eddy_unwind_segment){ p->p_offset, end, delta };
}

/* Reads the headers; false when this is no ELF file of a machine that we know. */
static bool read_headers(struct elf_file *elf)
{
	Elf64_Ehdr *ehdr = &elf->ehdr;

	if (elf_source_read(elf->source, ehdr, sizeof(*ehdr), 0) < 0 ||
	    memcmp(ehdr->e_ident, ELFMAG, SELFMAG) || ehdr->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr->e_ident[EI_DATA] != ELFDATA2LSB ||
	    (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN))
		return false;
	elf->table->elf_machine = ehdr->e_machine;
	elf->machine = cfi_machine_find(ehdr->e_machine);
	if (!elf->machine || ehdr->e_phentsize != sizeof(Elf64_Phdr))
		return false;
	if (ehdr->e_phnum > MAX_PHDRS) {
		count(elf, UNWIND_DEFECT_TOO_LARGE);
		return false;
	}
	elf->phdr = xcalloc(ehdr->e_phnum, sizeof(Elf64_Phdr));
	if (!read_at(elf, elf->phdr, ehdr->e_phnum * sizeof(Elf64_Phdr), ehdr->e_phoff))
		return false;
	for (unsigned int i = 0; i < ehdr->e_phnum; i++) {
		elf->has_interp |= elf->phdr[i].p_type == PT_INTERP;
		if (elf->phdr[i].p_type == PT_LOAD && elf->phdr[i].p_flags & PF_X)
			add_segment(elf, &elf->phdr[i]);
	}
	return elf->table->nr_segments > 0;
}

/* Reads `len` bytes of CFI; an empty result when they cannot be had. */
static void read_frame(struct elf_file *elf, uint64_t offset, uint64_t len, struct frame_bytes *f)
{
	if (len > MAX_FRAME_BYTES) {
		count(elf, UNWIND_DEFECT_TOO_LARGE);
		if (!f->section.is_open_ended)
			return;
		len = MAX_FRAME_BYTES;
	}
	if (offset > elf->source->len || len > elf->source->len - offset) {
		count(elf, UNWIND_DEFECT_READ);
		return;
	}
	f->bytes = xmalloc(len);
	if (!read_at(elf, f->bytes, len, offset))
		return;
	f->section.bytes = f->bytes;
	f->section.len = len;
}

/* The CFI sections among the section headers, and the one that has none on arm64. */
struct frame_sections {
	Elf64_Shdr eh_frame;
	Elf64_Shdr debug_frame;
	Elf64_Shdr plt;
	Elf64_Shdr go_lines;
	uint64_t text; /* address of .text */
	bool has_eh_frame, has_debug_frame, has_plt, has_go_lines;
};

static bool is_named(const char *name, uint64_t len, const char *want)
{
	return len > strlen(want) && !memcmp(name, want, strlen(want) + 1);
}

static void match_section(struct frame_sections *found, const Elf64_Shdr *s, const char *names,
			  uint64_t len)
{
	if (s->sh_type == SHT_NOBITS || s->sh_size == 0 || s->sh_name >= len)
		return;
	len -= s->sh_name;
	names += s->sh_name;
	if (is_named(names, len, ".eh_frame")) {
		found->eh_frame = *s;
		found->has_eh_frame = true;
	} else if (is_named(names, len, ".debug_frame")) {
		found->debug_frame = *s;
		found->has_debug_frame = true;
	} else if (is_named(names, len, ".plt")) {
		found->plt = *s;
		found->has_plt = true;
	} else if (is_named(names, len, ".gopclntab") ||
		   is_named(names, len, ".data.rel.ro.gopclntab")) {
		found->go_lines = *s;
		found->has_go_lines = true;
	} else if (is_named(names, len, ".text")) {
		found->text = s->sh_addr;
	}
}

static void find_sections(struct elf_file *elf, struct frame_sections *found)
{
	const Elf64_Ehdr *ehdr = &elf->ehdr;
	_cleanup_free_ Elf64_Shdr *shdr = NULL;
	_cleanup_free_ char *names = NULL;
	uint64_t len;

	if (!ehdr->e_shoff || !ehdr->e_shnum || ehdr->e_shstrndx >= ehdr->e_shnum ||
	    ehdr->e_shentsize != sizeof(*shdr))
		return;
	shdr = xcalloc(ehdr->e_shnum, sizeof(*shdr));
	if (!read_at(elf, shdr, ehdr->e_shnum * sizeof(*shdr), ehdr->e_shoff))
		return;
	len = shdr[ehdr->e_shstrndx].sh_size;
	if (len > MAX_NAMES_BYTES) {
		count(elf, UNWIND_DEFECT_TOO_LARGE);
		return;
	}
	names = xmalloc(len);
	if (!read_at(elf, names, len, shdr[ehdr->e_shstrndx].sh_offset))
		return;
	for (unsigned int i = 0; i < ehdr->e_shnum; i++)
		match_section(found, &shdr[i], names, len);
}

static void read_section(struct elf_file *elf, const Elf64_Shdr *s, struct frame_bytes *f)
{
	if (s->sh_flags & SHF_COMPRESSED) {
		count(elf, UNWIND_DEFECT_COMPRESSED);
		return;
	}
	f->section.addr = s->sh_addr;
	read_frame(elf, s->sh_offset, s->sh_size, f);
}

/*
 * .eh_frame of a file without section headers.
 *	.eh_frame_hdr: version 1 | encoding of eh_frame_ptr | 2 more encodings | eh_frame_ptr
 */
static void read_by_header(struct elf_file *elf, struct frame_bytes *f)
{
	uint64_t addr = 0, offset, len;
	uint8_t hdr[8];

	for (unsigned int i = 0; i < elf->ehdr.e_phnum; i++)
		if (elf->phdr[i].p_type == PT_GNU_EH_FRAME)
			addr = elf->phdr[i].p_vaddr;
	if (!addr || !offset_of(elf, addr, &offset, &len) || len < sizeof(hdr) ||
	    !read_at(elf, hdr, sizeof(hdr), offset))
		return;
	if (hdr[0] != 1 || hdr[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4)) {
		count(elf, UNWIND_DEFECT_ENCODING);
		return;
	}
	struct byte_reader r = { .at = hdr + 4, .end = hdr + sizeof(hdr) };

	f->section.addr = addr + 4 + (uint64_t)(int32_t)byte_reader_u32(&r);
	f->section.is_open_ended = true;
	if (!offset_of(elf, f->section.addr, &offset, &len)) {
		count(elf, UNWIND_DEFECT_READ);
		return;
	}
	read_frame(elf, offset, len, f);
}

/* Whether bytes at an ELF address begin like this. */
static bool code_begins(const struct elf_file *elf, uint64_t addr, const void *code, size_t len)
{
	uint8_t bytes[16];
	uint64_t offset, left;

	return len <= sizeof(bytes) && offset_of(elf, addr, &offset, &left) && left >= len &&
	       elf_source_read(elf->source, bytes, len, offset) >= 0 && !memcmp(bytes, code, len);
}

/*
 * glibc's __start_context, where a coroutine made by makecontext() begins: mov %rbx,%rsp; then
 * pop %rdi or mov (%rsp),%rdi; test %rdi,%rdi.  Its CFI (glibc 2.36 on x86-64) names a caller that
 * does not exist.
 */
static bool is_start_context(void *ctx, const struct cfi_fde *fde)
{
	static const uint8_t by_pop[] = { 0x48, 0x89, 0xdc, 0x5f, 0x48, 0x85, 0xff };
	static const uint8_t by_mov[] = {
		0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff
	};

	return code_begins(ctx, fde->start, by_pop, sizeof(by_pop)) ||
	       code_begins(ctx, fde->start, by_mov, sizeof(by_mov));
}

/*
 * The entry point, when it can be a root.  Old linkers write the begin of .text into shared
 * objects too; those are only believed when the code looks like ld.so's: mov %rsp,%rdi, with or
 * without endbr64; on arm64 mov x0,sp, with or without bti c.
 */
static uint64_t entry_of(const struct elf_file *elf)
{
	static const uint8_t x86_64[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xe7 };
	static const uint8_t arm64[] = { 0x5f, 0x24, 0x03, 0xd5, 0xe0, 0x03, 0x00, 0x91 };
	const uint8_t *code = elf->machine->elf_machine == EM_X86_64 ? x86_64 : arm64;
	size_t len = code == x86_64 ? sizeof(x86_64) : sizeof(arm64);
	uint64_t entry = elf->ehdr.e_entry;

	if (!entry || elf->has_interp || elf->ehdr.e_type == ET_EXEC ||
	    code_begins(elf, entry, code, len) || code_begins(elf, entry, code + 4, len - 4))
		return entry;
	return 0;
}

static struct unwind_table_hints hints_of(struct elf_file *elf)
{
	struct unwind_table_hints hints = { .entry = entry_of(elf), .ctx = elf };
	uint64_t code_bytes = 0;

	for (uint32_t i = 0; i < elf->table->nr_segments; i++)
		code_bytes += elf->table->segment[i].end - elf->table->segment[i].begin;
	if (elf->machine->elf_machine == EM_X86_64 && code_bytes <= MAX_ROOT_BYTES)
		hints.is_root = is_start_context;
	return hints;
}

/* To a file of arm64 that has CFI, what that leaves out. */
static void add_uncovered(struct elf_file *elf, struct eh_frame *eh,
			  const struct frame_sections *found)
{
	const struct eddy_unwind_segment *code = &elf->table->segment[0];
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t head[2];

	if (elf->machine->elf_machine != EM_AARCH64 || !eh->nr_fdes)
		return;
	if (found->has_plt && read_at(elf, head, sizeof(head), found->plt.sh_offset))
		cfi_arm64_add_plt(eh, found->plt.sh_addr, found->plt.sh_size, head);
	if (!elf->is_vdso || code->end - code->begin > VDSO_ARM64_MAX_BYTES)
		return;
	bytes = xmalloc(code->end - code->begin);
	if (read_at(elf, bytes, code->end - code->begin, code->begin))
		cfi_arm64_add_trampoline(eh, code->begin + code->delta, bytes,
					 code->end - code->begin);
}

/* Of a Go program; the answer is the bytes that must outlive eh. */
static uint8_t *add_go(struct elf_file *elf, struct eh_frame *eh,
		       const struct frame_sections *found)
{
	struct frame_bytes lines = { 0 };
	struct cfi_section section = { 0 };
	struct go_cfi cfi;

	if (elf->machine->elf_machine != EM_X86_64 || !found->has_go_lines)
		return NULL;
	read_section(elf, &found->go_lines, &lines);
	cfi = go_pclntab_read(lines.section.bytes, lines.section.len, found->text);
	free(lines.bytes);
	section.bytes = cfi.bytes;
	section.len = cfi.len;
	if (cfi.is_cut)
		count(elf, UNWIND_DEFECT_TOO_LARGE);
	if (cfi.len)
		eh_frame_add(eh, &section);
	return cfi.bytes;
}

static void build(struct elf_file *elf, struct unwind_rules *rules)
{
	struct frame_bytes eh_frame = { 0 }, debug_frame = { .section.is_debug_frame = true };
	struct unwind_table_hints hints = hints_of(elf);
	struct frame_sections found = { 0 };
	_cleanup_free_ uint8_t *go = NULL;
	struct eh_frame eh;

	eh_frame_init(&eh, elf->machine, elf->range, elf->table->nr_segments);
	find_sections(elf, &found);
	if (found.has_eh_frame)
		read_section(elf, &found.eh_frame, &eh_frame);
	else
		read_by_header(elf, &eh_frame);
	if (eh_frame.section.len)
		eh_frame_add(&eh, &eh_frame.section);
	go = add_go(elf, &eh, &found);
	if (eh.nr_fdes < MIN_EH_FDES && found.has_debug_frame) {
		read_section(elf, &found.debug_frame, &debug_frame);
		if (debug_frame.section.len)
			eh_frame_add(&eh, &debug_frame.section);
	}
	add_uncovered(elf, &eh, &found);
	eh_frame_sort(&eh);
	unwind_table_build(elf->table, &eh, rules, &hints);
	eh_frame_deinit(&eh);
	free(eh_frame.bytes);
	free(debug_frame.bytes);
}

static struct unwind_table *read_table(const struct elf_source *source, struct unwind_rules *rules,
				       bool is_vdso)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct elf_file elf = { .source = source, .table = table, .is_vdso = is_vdso };

	table->kind = EDDY_FILE_NOTABLE;
	if (read_headers(&elf)) {
		build(&elf, rules);
		if (is_vdso && table->kind == EDDY_FILE_NOTABLE && table->elf_machine == EM_AARCH64)
			vdso_arm64_build(table, source, rules);
	}
	if (!table->nr_segments) {
		table->nr_segments = 1;
		table->segment[0] = (struct eddy_unwind_segment){ .end = UINT64_MAX };
	}
	free(elf.phdr);
	return table;
}

struct unwind_table *elf_unwind_read(const struct elf_source *source, struct unwind_rules *rules)
{
	return read_table(source, rules, false);
}

struct unwind_table *elf_unwind_read_vdso(const struct elf_source *source,
					  struct unwind_rules *rules)
{
	return read_table(source, rules, true);
}
