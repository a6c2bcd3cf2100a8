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

int dwarf_file_open(struct dwarf_file *f, int fd)
{
	*f = (struct dwarf_file){ 0 };
	elf_version(EV_CURRENT);
	f->dw = open_dwarf(fd, &f->elf);
	if (!f->dw)
		return f->elf && elf_kind(f->elf) == ELF_K_ELF ? -ENODATA : -ENOEXEC;
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

static bool has_build_id(Elf *elf, const uint8_t *id, size_t len)
{
	const void *own;
	ssize_t own_len = dwelf_elf_gnu_build_id(elf, &own);

	return own_len > 0 && (size_t)own_len == len && !memcmp(own, id, len);
}

bool dwarf_file_has_build_id(const struct dwarf_file *f, const uint8_t *id, size_t len)
{
	return !len || has_build_id(f->elf, id, len);
}

/* ---- the file that has what several have in common ---------------------------------------- */

bool dwarf_alt_is_sound(const struct dwarf_alt *alt)
{
	return *alt->name && memchr(alt->name, '\0', sizeof(alt->name)) && alt->build_id_len >= 2 &&
	       alt->build_id_len <= sizeof(alt->build_id);
}

bool dwarf_file_alt(const struct dwarf_file *f, struct dwarf_alt *ret_alt)
{
	const char *name;
	const void *id;
	const ssize_t id_len = dwelf_dwarf_gnu_debugaltlink(f->dw, &name, &id);
	size_t len;

	*ret_alt = (struct dwarf_alt){ 0 };
	if (id_len <= 0 || (size_t)id_len > sizeof(ret_alt->build_id))
		return false;
	len = strnlen(name, sizeof(ret_alt->name));
	if (len == sizeof(ret_alt->name))
		return false;
	memcpy(ret_alt->name, name, len);
	memcpy(ret_alt->build_id, id, id_len);
	ret_alt->build_id_len = id_len;
	return dwarf_alt_is_sound(ret_alt);
}

int dwarf_file_use_alt(struct dwarf_file *f, const struct dwarf_alt *alt, int alt_fd)
{
	f->alt = open_dwarf(alt_fd, &f->alt_elf);
	if (!f->alt || !has_build_id(f->alt_elf, alt->build_id, alt->build_id_len))
		return -EBADMSG;
	dwarf_setalt(f->dw, f->alt);
	return 0;
}

/* ---- symbols, memory ---------------------------------------------------------------------- */

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
	const bool has_alt = f->alt;

	dwarf_end(f->dw);
	dwarf_end(f->alt);
	dwarf_file_drop_pages(f);
	f->dw = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	f->alt = has_alt ? dwarf_begin_elf(f->alt_elf, DWARF_C_READ, NULL) : NULL;
	if (f->dw && f->alt)
		dwarf_setalt(f->dw, f->alt);
	return f->dw && (f->alt || !has_alt);
}
