/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes small ELF files of either class, so that tests need no compiler.  Sections: 1 .text (at
 * text_vaddr, file offset 0x1000), 2 .note.gnu.build-id, 3 .symtab, 4 .strtab, 5 .dynsym,
 * 6 .dynstr, 7 .gnu_debugdata, 8 .shstrtab, 9 .rodata (not executable), 10 .gnu_debuglink; those
 * without content are SHT_NULL.
 */
#ifndef EDDY_TESTS_ELF_MAKER_H
#define EDDY_TESTS_ELF_MAKER_H

#include <elf.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "unit/unit.h"
#include "util/strbuf.h"

#define MADE_TEXT_OFFSET 0x1000
#define MADE_SECTIONS	 11

struct made_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char type, bind;
	uint16_t section; /* 0: .text */
};

struct made_elf {
	bool is32;
	uint16_t machine; /* 0: x86 */
	uint64_t text_vaddr, text_bytes;
	const struct made_symbol *symtab, *dynsym;
	size_t nr_symtab, nr_dynsym;
	const char *build_id; /* raw bytes */
	const void *debugdata;
	size_t debugdata_bytes;
	const void *debuglink;
	size_t debuglink_bytes;
};

struct made_section {
	uint32_t name, type, link;
	uint64_t flags, addr, offset, bytes, entry_bytes;
};

static inline void made_put_symbols(struct strbuf *out, const struct made_elf *m,
				    const struct made_symbol *symbols, size_t nr,
				    struct strbuf *strings)
{
	strbuf_add(strings, "", 1);
	for (size_t i = 0; i <= nr; i++) { /* the first entry of a table is empty */
		const struct made_symbol none = { .name = "" }, *s = i ? &symbols[i - 1] : &none;
		uint16_t section = !i ? 0 : s->section ? s->section : 1;
		unsigned char info = ELF64_ST_INFO(s->bind, s->type);
		uint32_t name = i ? strings->len : 0;

		if (i)
			strbuf_add(strings, s->name, strlen(s->name) + 1);
		if (m->is32)
			strbuf_add(out, &(Elf32_Sym){ name, s->value, s->size, info, 0, section },
				   sizeof(Elf32_Sym));
		else
			strbuf_add(out, &(Elf64_Sym){ name, info, 0, section, s->value, s->size },
				   sizeof(Elf64_Sym));
	}
}

static inline void made_pad(struct strbuf *out, size_t to)
{
	while (out->len < to)
		strbuf_addch(out, '\0');
}

static inline void made_align(struct strbuf *out)
{
	made_pad(out, (out->len + 7) & ~(size_t)7);
}

static inline void made_table(struct strbuf *out, const struct made_elf *m,
			      struct made_section *sections, size_t at,
			      const struct made_symbol *symbols, size_t nr, uint32_t type)
{
	struct strbuf strings = STRBUF_INIT;

	if (!symbols)
		return;
	made_align(out);
	sections[at] = (struct made_section){
		.type = type,
		.link = at + 1,
		.offset = out->len,
		.entry_bytes = m->is32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym),
	};
	made_put_symbols(out, m, symbols, nr, &strings);
	sections[at].bytes = out->len - sections[at].offset;
	sections[at + 1] = (struct made_section){ .type = SHT_STRTAB,
						  .offset = out->len,
						  .bytes = strings.len };
	strbuf_add(out, strings.bytes, strings.len);
	strbuf_deinit(&strings);
}

static inline void made_note(struct strbuf *out, const struct made_elf *m,
			     struct made_section *sections)
{
	Elf64_Nhdr n = { 4, 0, NT_GNU_BUILD_ID };

	if (!m->build_id)
		return;
	made_align(out);
	n.n_descsz = strlen(m->build_id);
	sections[2] = (struct made_section){ .type = SHT_NOTE, .offset = out->len };
	strbuf_add(out, &n, sizeof(n));
	strbuf_add(out, "GNU", 4);
	strbuf_add(out, m->build_id, n.n_descsz);
	made_align(out);
	sections[2].bytes = out->len - sections[2].offset;
}

static inline void made_section_headers(struct strbuf *out, const struct made_elf *m,
					struct made_section *sections)
{
	static const char *const names[MADE_SECTIONS] = {
		"",	   ".text",	     ".note.gnu.build-id",
		".symtab", ".strtab",	     ".dynsym",
		".dynstr", ".gnu_debugdata", ".shstrtab",
		".rodata", ".gnu_debuglink",
	};

	sections[8] = (struct made_section){ .type = SHT_STRTAB, .offset = out->len };
	for (size_t i = 0; i < MADE_SECTIONS; i++) {
		sections[i].name = out->len - sections[8].offset;
		strbuf_add(out, names[i], strlen(names[i]) + 1);
	}
	sections[8].bytes = out->len - sections[8].offset;
	made_align(out);
	for (size_t i = 0; i < MADE_SECTIONS; i++) {
		const struct made_section *s = &sections[i];

		if (m->is32)
			strbuf_add(out,
				   &(Elf32_Shdr){ s->name, s->type, s->flags, s->addr, s->offset,
						  s->bytes, s->link, 0, 1, s->entry_bytes },
				   sizeof(Elf32_Shdr));
		else
			strbuf_add(out,
				   &(Elf64_Shdr){ s->name, s->type, s->flags, s->addr, s->offset,
						  s->bytes, s->link, 0, 1, s->entry_bytes },
				   sizeof(Elf64_Shdr));
	}
}

static inline void made_header32(struct strbuf *out, const struct made_elf *m, uint64_t shoff)
{
	Elf32_Ehdr e = { .e_type = ET_DYN,
			 .e_machine = m->machine ? m->machine : EM_386,
			 .e_version = 1,
			 .e_phoff = sizeof(e),
			 .e_shoff = shoff,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf32_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf32_Shdr),
			 .e_shnum = MADE_SECTIONS,
			 .e_shstrndx = 8 };
	Elf32_Phdr p = { .p_type = PT_LOAD,
			 .p_offset = MADE_TEXT_OFFSET,
			 .p_vaddr = m->text_vaddr,
			 .p_filesz = m->text_bytes,
			 .p_memsz = m->text_bytes,
			 .p_flags = PF_R | PF_X };

	memcpy(e.e_ident, ELFMAG "\1\1\1", 7);
	memcpy(out->bytes, &e, sizeof(e));
	memcpy(out->bytes + sizeof(e), &p, sizeof(p));
}

static inline void made_header64(struct strbuf *out, const struct made_elf *m, uint64_t shoff)
{
	Elf64_Ehdr e = { .e_type = ET_DYN,
			 .e_machine = m->machine ? m->machine : EM_X86_64,
			 .e_version = 1,
			 .e_phoff = sizeof(e),
			 .e_shoff = shoff,
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = MADE_SECTIONS,
			 .e_shstrndx = 8 };
	Elf64_Phdr p = { .p_type = PT_LOAD,
			 .p_offset = MADE_TEXT_OFFSET,
			 .p_vaddr = m->text_vaddr,
			 .p_filesz = m->text_bytes,
			 .p_memsz = m->text_bytes,
			 .p_flags = PF_R | PF_X };

	memcpy(e.e_ident, ELFMAG "\2\1\1", 7);
	memcpy(out->bytes, &e, sizeof(e));
	memcpy(out->bytes + sizeof(e), &p, sizeof(p));
}

/* The bytes of the file; strbuf_deinit() them. */
static inline struct strbuf elf_make(const struct made_elf *m)
{
	struct made_section sections[MADE_SECTIONS] = { 0 };
	struct strbuf out = STRBUF_INIT;

	made_pad(&out, MADE_TEXT_OFFSET + m->text_bytes);
	sections[1] = (struct made_section){ .type = SHT_PROGBITS,
					     .flags = SHF_ALLOC | SHF_EXECINSTR,
					     .addr = m->text_vaddr,
					     .offset = MADE_TEXT_OFFSET,
					     .bytes = m->text_bytes };
	sections[9] = (struct made_section){ .type = SHT_PROGBITS, .flags = SHF_ALLOC };
	made_note(&out, m, sections);
	made_table(&out, m, sections, 3, m->symtab, m->nr_symtab, SHT_SYMTAB);
	made_table(&out, m, sections, 5, m->dynsym, m->nr_dynsym, SHT_DYNSYM);
	if (m->debugdata) {
		sections[7] = (struct made_section){ .type = SHT_PROGBITS,
						     .offset = out.len,
						     .bytes = m->debugdata_bytes };
		strbuf_add(&out, m->debugdata, m->debugdata_bytes);
	}
	if (m->debuglink) {
		sections[10] = (struct made_section){ .type = SHT_PROGBITS,
						      .offset = out.len,
						      .bytes = m->debuglink_bytes };
		strbuf_add(&out, m->debuglink, m->debuglink_bytes);
	}
	made_section_headers(&out, m, sections);
	(m->is32 ? made_header32 : made_header64)(
		&out, m,
		out.len - MADE_SECTIONS * (m->is32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr)));
	return out;
}

/* Bytes as an open file. */
static inline int fd_of(const void *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	return fd;
}

static inline int elf_make_fd(const struct made_elf *m)
{
	struct strbuf bytes = elf_make(m);
	int fd = fd_of(bytes.bytes, bytes.len);

	strbuf_deinit(&bytes);
	return fd;
}

#endif
