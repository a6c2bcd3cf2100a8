/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library of 8 KiB and its frames: a loop, whose first bytes have a rule of unwinding each. */
#ifndef EDDY_TESTS_ATTACK_TINY_LIBRARY_H
#define EDDY_TESTS_ATTACK_TINY_LIBRARY_H

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT_AT	   4096u
#define TEXT_BYTES 4096u

struct out {
	uint8_t bytes[65536];
	size_t len;
};

static void put(struct out *o, const void *bytes, size_t len)
{
	memcpy(o->bytes + o->len, bytes, len);
	o->len += len;
}

static void put32(struct out *o, uint32_t v)
{
	put(o, &v, sizeof(v));
}

/* As .eh_frame has numbers, in five bytes. */
static void put_offset(struct out *o, uint32_t v)
{
	const uint8_t b[] = { 0x80 | (v & 0x7f), 0x80 | (v >> 7 & 0x7f), 0x80 | (v >> 14 & 0x7f),
			      0x80 | (v >> 21 & 0x7f), v >> 28 };

	put(o, b, sizeof(b));
}

/* A CIE and an FDE that changes the CFA's offset at every byte. */
static void put_frames(struct out *o, uint64_t vaddr, uint32_t first, uint32_t nr)
{
	static const uint8_t cie[] = { 0,  0, 0,    0,	  1, 'z', 'R',	0, 1, 0x78,
				       16, 1, 0x1b, 0x0c, 7, 8,	  0x90, 1, 0, 0 };
	size_t begin, fde;
	uint32_t len;

	put32(o, sizeof(cie));
	put(o, cie, sizeof(cie));
	begin = o->len;
	put32(o, 0);
	fde = o->len;
	put32(o, (uint32_t)fde);
	put32(o, (uint32_t)(TEXT_AT - (vaddr + o->len)));
	put32(o, TEXT_BYTES);
	put(o, "", 1);
	for (uint32_t i = 0; i < nr; i++) {
		put(o, "\x41\x0e", 2); /* one byte further; DW_CFA_def_cfa_offset */
		put_offset(o, 16 + (first + i) * 8);
	}
	while (o->len % 4)
		put(o, "", 1);
	len = o->len - fde;
	memcpy(o->bytes + begin, &len, sizeof(len));
	put32(o, 0);
}

/* Its rules are those from number `first` on. */
static void library_write(const char *path, uint32_t first, uint32_t nr)
{
	/* mov $100000, %ecx; 1: dec %ecx; jnz 1b; ret */
	static const uint8_t text[TEXT_BYTES] = { 0xb9, 0xa0, 0x86, 0x01, 0x00,
						  0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	static struct out frames;
	const uint64_t frames_at = TEXT_AT + TEXT_BYTES;
	const char names[] = "\0.eh_frame\0.text\0.shstrtab";
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(e),
			 .e_ehsize = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4,
			 .e_shstrndx = 3 };
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = TEXT_AT,
			    .p_vaddr = TEXT_AT,
			    .p_paddr = TEXT_AT,
			    .p_filesz = TEXT_BYTES,
			    .p_memsz = TEXT_BYTES,
			    .p_align = 4096 };
	Elf64_Shdr sections[4] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addr = frames_at,
		  .sh_offset = frames_at },
		{ .sh_name = 11,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = TEXT_AT,
		  .sh_offset = TEXT_AT,
		  .sh_size = TEXT_BYTES },
		{ .sh_name = 17, .sh_type = SHT_STRTAB, .sh_size = sizeof(names) },
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	frames.len = 0;
	put_frames(&frames, frames_at, first, nr);
	sections[1].sh_size = frames.len;
	sections[3].sh_offset = frames_at + frames.len;
	e.e_shoff = sections[3].sh_offset + sizeof(names);
	if (fd < 0 || pwrite(fd, &e, sizeof(e), 0) < 0 ||
	    pwrite(fd, &load, sizeof(load), sizeof(e)) < 0 ||
	    pwrite(fd, text, TEXT_BYTES, TEXT_AT) < 0 ||
	    pwrite(fd, frames.bytes, frames.len, frames_at) < 0 ||
	    pwrite(fd, names, sizeof(names), sections[3].sh_offset) < 0 ||
	    pwrite(fd, sections, sizeof(sections), e.e_shoff) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* Writes the library there and maps its code. */
static void *library_map(const char *path, uint32_t first, uint32_t nr)
{
	void *at;
	int fd;

	library_write(path, first, nr);
	fd = open(path, O_RDONLY);
	at = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, TEXT_AT);
	close(fd);
	if (at != MAP_FAILED)
		return at;
	perror(path);
	exit(1);
}

#endif
