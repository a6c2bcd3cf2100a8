// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * big_symbols FILE NR: makes a copy of itself with a symbol table of so many functions, one byte
 * each, in no order.  big_symbols: computes for ever.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static volatile unsigned long sink;

static char *read_self(size_t *ret_len)
{
	FILE *f = fopen("/proc/self/exe", "r");
	char *bytes = malloc(1 << 22);

	*ret_len = f && bytes ? fread(bytes, 1, 1 << 22, f) : 0;
	return bytes;
}

static const Elf64_Phdr *code_of(const char *bytes)
{
	const Elf64_Ehdr *e = (const void *)bytes;
	const Elf64_Phdr *p = (const void *)(bytes + e->e_phoff);

	for (int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			return &p[i];
	return NULL;
}

static void write_symbols(FILE *f, const Elf64_Phdr *code, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		const Elf64_Sym sym = {
			.st_name = 1 + i % 5,
			.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = code->p_vaddr + i * 7919 % code->p_memsz,
			.st_size = 1,
		};

		fwrite(&sym, sizeof(sym), 1, f);
	}
}

/* Sections: none, the code, symbols, names of symbols (and of sections). */
static int copy_write(const char *to, uint64_t nr)
{
	size_t len;
	char *bytes = read_self(&len);
	const Elf64_Phdr *code = len ? code_of(bytes) : NULL;
	Elf64_Ehdr *e = (void *)bytes;
	const char names[] = "\0abcdef";
	FILE *f = fopen(to, "w");
	const uint64_t at = (len + 15) / 16 * 16, end = at + nr * sizeof(Elf64_Sym);
	const Elf64_Shdr sections[] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = code ? code->p_vaddr : 0,
		  .sh_offset = code ? code->p_offset : 0,
		  .sh_size = code ? code->p_memsz : 0 },
		{ .sh_name = 2,
		  .sh_type = SHT_SYMTAB,
		  .sh_offset = at,
		  .sh_size = end - at,
		  .sh_link = 3,
		  .sh_info = (uint32_t)nr,
		  .sh_entsize = sizeof(Elf64_Sym),
		  .sh_addralign = 8 },
		{ .sh_name = 3, .sh_type = SHT_STRTAB, .sh_offset = end, .sh_size = sizeof(names) },
	};

	if (!code || !f)
		return 1;
	e->e_shoff = end + 16;
	e->e_shnum = 4;
	e->e_shstrndx = 3;
	fwrite(bytes, 1, len, f);
	fseek(f, (long)at, SEEK_SET);
	write_symbols(f, code, nr);
	fwrite(names, 1, sizeof(names), f);
	fseek(f, (long)e->e_shoff, SEEK_SET);
	fwrite(sections, sizeof(sections), 1, f);
	return fclose(f) || chmod(to, 0755);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return copy_write(argv[1], strtoull(argv[2], NULL, 10));
	for (;;)
		sink++;
}
