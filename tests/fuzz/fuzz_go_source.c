// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the table of a Go program and as its tree of inlined calls: what is said of
 * addresses is a table of places.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_source.h"
#include "symbol/go_source.h"

#define BASE 0x400000u
#define TEXT 0x401000u

/* A program of one segment: what its headers, moduledata and the table need, in this order. */
struct program {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Shdr sections[5];
	char names[48];
	uint64_t moduledata[40];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Elf64_Shdr section(uint32_t name, uint64_t offset, uint64_t len)
{
	return (Elf64_Shdr){ .sh_name = name,
			     .sh_type = SHT_PROGBITS,
			     .sh_flags = SHF_ALLOC,
			     .sh_addr = BASE + offset,
			     .sh_offset = offset,
			     .sh_size = len };
}

static struct program program_of(const uint8_t *data, size_t size)
{
	static const char names[] = "\0.text\0.gopclntab\0.noptrdata\0.shstrtab";
	const uint64_t table = sizeof(struct program);
	uint64_t first_name = 0;
	struct program p = { 0 };

	p.head = (Elf64_Ehdr){ .e_type = ET_EXEC,
			       .e_machine = EM_X86_64,
			       .e_version = EV_CURRENT,
			       .e_phoff = offsetof(struct program, segment),
			       .e_shoff = offsetof(struct program, sections),
			       .e_ehsize = sizeof(p.head),
			       .e_phentsize = sizeof(p.segment),
			       .e_phnum = 1,
			       .e_shentsize = sizeof(p.sections[0]),
			       .e_shnum = 5,
			       .e_shstrndx = 4 };
	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] = ELFCLASS64;
	p.head.e_ident[EI_DATA] = ELFDATA2LSB;
	p.head.e_ident[EI_VERSION] = EV_CURRENT;
	p.segment = (Elf64_Phdr){ .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_vaddr = BASE,
				  .p_filesz = table + size,
				  .p_memsz = table + size };
	memcpy(p.names, names, sizeof(names));
	p.sections[1] = section(1, 0, 16);
	p.sections[1].sh_addr = TEXT;
	p.sections[2] = section(7, table, size);
	p.sections[3] = section(18, offsetof(struct program, moduledata), sizeof(p.moduledata));
	p.sections[4] = section(29, offsetof(struct program, names), sizeof(names));
	p.sections[4].sh_type = SHT_STRTAB;
	if (size >= 40)
		memcpy(&first_name, data + 32, sizeof(first_name));
	p.moduledata[0] = BASE + table;
	p.moduledata[1] = BASE + table + first_name;
	p.moduledata[38] = BASE + table; /* where trees are counted from */
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct program p = program_of(data, size);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, &p, sizeof(p)) != sizeof(p) ||
	    write(fd, data, size) != (ssize_t)size)
		abort();
	fuzz_source(go_source_read, fd, TEXT);
	return 0;
}
