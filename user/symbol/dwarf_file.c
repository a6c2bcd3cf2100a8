// SPDX-License-Identifier: GPL-2.0-or-later
/* The file is mapped by libelf, read only: its pages can be had again at any time. */
#include "symbol/dwarf_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>

static Dwarf *open_dwarf(int fd, Elf **ret_elf)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	*ret_elf = elf;
	return elf && elf_kind(elf) == ELF_K_ELF ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

/* Sections that only tell how to unwind are no source. */
static bool has_units(Dwarf *dw)
{
	Dwarf_CU *cu = NULL;

	return dwarf_get_units(dw, NULL, &cu, NULL, NULL, NULL, NULL) == 0;
}

int dwarf_file_open(struct dwarf_file *f, int fd, int alt_fd)
{
	*f = (struct dwarf_file){ 0 };
	elf_version(EV_CURRENT);
	f->dw = open_dwarf(fd, &f->elf);
	if (!f->dw)
		return f->elf && elf_kind(f->elf) == ELF_K_ELF ? -ENODATA : -ENOEXEC;
	if (alt_fd >= 0)
		f->alt = open_dwarf(alt_fd, &f->alt_elf);
	if (f->alt)
		dwarf_setalt(f->dw, f->alt);
	return has_units(f->dw) ? 0 : -ENODATA;
}

void dwarf_file_close(struct dwarf_file *f)
{
	dwarf_end(f->dw);
	dwarf_end(f->alt);
	elf_end(f->elf);
	elf_end(f->alt_elf);
	*f = (struct dwarf_file){ 0 };
}

bool dwarf_file_has_build_id(const struct dwarf_file *f, const uint8_t *id, size_t len)
{
	const void *own;
	ssize_t own_len;

	if (!len)
		return true;
	own_len = dwelf_elf_gnu_build_id(f->elf, &own);
	return own_len > 0 && (size_t)own_len == len && !memcmp(own, id, len);
}

static bool section_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, const char *name,
			   uint64_t *ret_value)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < nr && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *own = elf_strptr(elf, head->sh_link, symbol.st_name);

		if (own && symbol.st_shndx != SHN_UNDEF && !strcmp(own, name)) {
			*ret_value = symbol.st_value;
			return true;
		}
	}
	return false;
}

bool dwarf_file_symbol(const struct dwarf_file *f, const char *name, uint64_t *ret_value)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(f->elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
			return section_symbol(f->elf, section, &head, name, ret_value);
	return false;
}

static void drop_pages(Elf *elf)
{
	size_t len;
	char *bytes = elf ? elf_rawfile(elf, &len) : NULL;

	if (bytes)
		madvise(bytes, len, MADV_DONTNEED); /* it was never written to */
}

void dwarf_file_drop_pages(const struct dwarf_file *f)
{
	drop_pages(f->elf);
	drop_pages(f->alt_elf);
}

bool dwarf_file_forget(struct dwarf_file *f)
{
	dwarf_end(f->dw);
	dwarf_file_drop_pages(f);
	f->dw = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (f->dw && f->alt)
		dwarf_setalt(f->dw, f->alt);
	return f->dw;
}
