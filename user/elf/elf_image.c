// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF headers of either class, widened to 64 bits on the way in, so that nothing behind this file
 * knows the class (but for the readers of symbols and relocations).
 */
#include "elf/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_SEGMENTS   4096 /* the kernel runs programs with some 1100, linkers make a dozen */
#define MAX_SECTIONS   65536
#define MAX_NAME_BYTES (1u << 20) /* of section names */
#define MAX_NOTE_BYTES (64u << 10)
#define MAX_NOTES      64 /* sections and segments of them */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

/* The fields of the ELF header that are needed to go on. */
struct header {
	uint32_t phentsize, shentsize, shnum, shstrndx;
	bool wants_build_id;
	uint32_t nr_notes; /* looked through so far */
};

int elf_image_read(const struct elf_image *img, uint64_t offset, void *buf, size_t len)
{
	int r = elf_source_read(&img->source, buf, len, offset);

	return r == -ENODATA ? -EBADMSG : r;
}

static int read_header(struct elf_image *img, struct header *ret)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} u;
	int r = elf_image_read(img, 0, u.ident, sizeof(u.ident));

	if (r < 0)
		return r == -EBADMSG ? -ENOEXEC : r;
	if (memcmp(u.ident, ELFMAG, SELFMAG) || u.ident[EI_DATA] != NATIVE_DATA ||
	    (u.ident[EI_CLASS] != ELFCLASS64 && u.ident[EI_CLASS] != ELFCLASS32))
		return -ENOEXEC;
	img->is64 = u.ident[EI_CLASS] == ELFCLASS64;
	r = elf_image_read(img, 0, &u, img->is64 ? sizeof(u.e64) : sizeof(u.e32));
	if (r < 0)
		return r;
#define TAKE(e)                                   \
	do {                                      \
		img->type = (e).e_type;           \
		img->machine = (e).e_machine;     \
		img->entry = (e).e_entry;         \
		img->phoff = (e).e_phoff;         \
		img->shoff = (e).e_shoff;         \
		img->phnum = (e).e_phnum;         \
		ret->phentsize = (e).e_phentsize; \
		ret->shentsize = (e).e_shentsize; \
		ret->shnum = (e).e_shnum;         \
		ret->shstrndx = (e).e_shstrndx;   \
	} while (0)
	if (img->is64)
		TAKE(u.e64);
	else
		TAKE(u.e32);
#undef TAKE
	return 0;
}

/* Reads a table of nr entries of `size` bytes each; the caller frees *ret_table. */
static int read_table(const struct elf_image *img, uint64_t offset, size_t nr, size_t size,
		      void **ret_table)
{
	_cleanup_free_ void *table = NULL;
	int r;

	if (offset > img->source.len || nr > (img->source.len - offset) / size)
		return -EBADMSG;
	table = xreallocarray(NULL, nr, size);
	r = elf_image_read(img, offset, table, nr * size);
	if (r < 0)
		return r;
	*ret_table = take_ptr(table);
	return 0;
}

size_t elf_notes_build_id(const unsigned char *notes, size_t len,
			  uint8_t ret_build_id[ELF_IMAGE_MAX_BUILD_ID])
{
	size_t at = 0;

	while (len - at >= sizeof(Elf32_Nhdr)) {
		Elf32_Nhdr n;
		uint64_t name = at + sizeof(n), desc;

		memcpy(&n, notes + at, sizeof(n));
		desc = name + (((uint64_t)n.n_namesz + 3) & ~3ull);
		if (desc > len || n.n_descsz > len - desc)
			return 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && n.n_descsz <= ELF_IMAGE_MAX_BUILD_ID) {
			memcpy(ret_build_id, notes + desc, n.n_descsz);
			return n.n_descsz;
		}
		at = desc + (((uint64_t)n.n_descsz + 3) & ~3ull);
		if (at > len)
			return 0;
	}
	return 0;
}

/* The build id in a run of notes, if one is there. */
static void find_build_id(struct elf_image *img, struct header *h, uint64_t offset, uint64_t len)
{
	_cleanup_free_ unsigned char *notes = NULL;

	if (!h->wants_build_id || img->build_id_len || !len || len > MAX_NOTE_BYTES ||
	    h->nr_notes == MAX_NOTES)
		return;
	h->nr_notes++;
	notes = xmalloc(len);
	if (elf_image_read(img, offset, notes, len) >= 0)
		img->build_id_len = elf_notes_build_id(notes, len, img->build_id);
}

static void add_segment(struct elf_image *img, struct header *h, uint32_t type, uint32_t flags,
			struct elf_segment segment)
{
	if (type == PT_NOTE) {
		array_reserve(img->notes, img->cap_notes, img->nr_notes + 1);
		img->notes[img->nr_notes++] =
			(struct elf_notes){ segment.offset, segment.file_bytes };
		find_build_id(img, h, segment.offset, segment.file_bytes);
	}
	img->has_interp |= type == PT_INTERP;
	if (type == PT_GNU_EH_FRAME)
		img->eh_frame_hdr = segment.vaddr;
	if (type != PT_LOAD)
		return;
	/* Debug files keep the segments of the program without their bytes: ends may lie outside.
	 */
	segment.executable = flags & PF_X;
	img->segments[img->nr_segments++] = segment;
}

static int read_segments(struct elf_image *img, struct header *h)
{
	_cleanup_free_ void *table = NULL;
	size_t size = img->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	int r;

	if (!img->phnum)
		return 0;
	if (h->phentsize != size)
		return -EBADMSG;
	if (img->phnum > MAX_SEGMENTS)
		return -E2BIG;
	r = read_table(img, img->phoff, img->phnum, size, &table);
	if (r < 0)
		return r;
	img->segments = xcalloc(img->phnum, sizeof(*img->segments));
#define TAKE(p)                                                                       \
	add_segment(img, h, (p)->p_type, (p)->p_flags,                                \
		    (struct elf_segment){ (p)->p_offset, (p)->p_filesz, (p)->p_vaddr, \
					  (p)->p_memsz, false })
	for (size_t i = 0; i < img->phnum; i++) {
		if (img->is64)
			TAKE((Elf64_Phdr *)table + i);
		else
			TAKE((Elf32_Phdr *)table + i);
	}
#undef TAKE
	return 0;
}

static void take_section(struct elf_image *img, const void *table, size_t i)
{
	struct elf_section *to = &img->sections[i];
	bool inside;

#define TAKE(s)                                                                             \
	*to = (struct elf_section)                                                          \
	{                                                                                   \
		(s)->sh_flags, (s)->sh_addr, (s)->sh_offset, (s)->sh_size, (s)->sh_entsize, \
			(s)->sh_name, (s)->sh_type, (s)->sh_link, (s)->sh_info              \
	}
	if (img->is64)
		TAKE((const Elf64_Shdr *)table + i);
	else
		TAKE((const Elf32_Shdr *)table + i);
#undef TAKE
	inside = to->offset <= img->source.len && to->bytes <= img->source.len - to->offset;
	if (to->type != SHT_NOBITS && !inside)
		to->type = SHT_NULL; /* it cannot be read, so it is not there */
}

/* More than 65 279 sections: the real numbers stand in section 0. */
static int extended_numbers(const struct elf_image *img, struct header *h)
{
	_cleanup_free_ void *first = NULL;
	int r;

	if (!img->shoff || (h->shnum && h->shstrndx != SHN_XINDEX))
		return 0;
	r = read_table(img, img->shoff, 1, h->shentsize, &first);
	if (r < 0)
		return r;
	if (!h->shnum)
		h->shnum =
			img->is64 ? ((Elf64_Shdr *)first)->sh_size : ((Elf32_Shdr *)first)->sh_size;
	if (h->shstrndx == SHN_XINDEX)
		h->shstrndx =
			img->is64 ? ((Elf64_Shdr *)first)->sh_link : ((Elf32_Shdr *)first)->sh_link;
	return h->shnum > MAX_SECTIONS ? -EBADMSG : 0;
}

static void read_section_names(struct elf_image *img, uint32_t index)
{
	_cleanup_free_ char *names = NULL;
	const struct elf_section *s;

	if (index >= img->nr_sections)
		return;
	s = &img->sections[index];
	if (s->type != SHT_STRTAB || s->bytes > MAX_NAME_BYTES)
		return;
	names = xmalloc(s->bytes + 1);
	if (elf_image_read(img, s->offset, names, s->bytes) < 0)
		return;
	names[s->bytes] = '\0';
	img->section_names = take_ptr(names);
	img->section_names_len = s->bytes;
}

static void read_sections(struct elf_image *img, struct header *h)
{
	_cleanup_free_ void *table = NULL;
	size_t size = img->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);

	if (!img->shoff || h->shentsize != size || extended_numbers(img, h) < 0 || !h->shnum)
		return;
	if (read_table(img, img->shoff, h->shnum, size, &table) < 0)
		return;
	img->sections = xcalloc(h->shnum, sizeof(*img->sections));
	img->nr_sections = h->shnum;
	for (size_t i = 0; i < img->nr_sections; i++)
		take_section(img, table, i);
	read_section_names(img, h->shstrndx);
	for (size_t i = 0; i < img->nr_sections; i++)
		if (img->sections[i].type == SHT_NOTE)
			find_build_id(img, h, img->sections[i].offset, img->sections[i].bytes);
}

static int read_skeleton(const struct elf_source *source, bool wants_build_id,
			 struct elf_image *ret_image)
{
	_cleanup_elf_image_ struct elf_image img = { .source = *source };
	struct header h = { .wants_build_id = wants_build_id };
	int r = read_header(&img, &h);

	if (r >= 0)
		r = read_segments(&img, &h);
	if (r < 0)
		return r;
	read_sections(&img, &h);
	*ret_image = img;
	img = (struct elf_image){ 0 };
	return 0;
}

int elf_image_open_source(const struct elf_source *source, struct elf_image *ret_image)
{
	return read_skeleton(source, false, ret_image);
}

int elf_image_open_known(const struct elf_source *source, struct elf_image *ret_image)
{
	return read_skeleton(source, true, ret_image);
}

int elf_image_open(int fd, struct elf_image *ret_image)
{
	struct elf_source source;
	int r = elf_source_from_fd(fd, &source);

	if (r < 0)
		return r == -EINVAL ? -ENOEXEC : r;
	return elf_image_open_known(&source, ret_image);
}

void elf_image_drop_sections(struct elf_image *img)
{
	free(img->sections);
	free(img->section_names);
	free(img->notes);
	img->sections = NULL;
	img->section_names = NULL;
	img->notes = NULL;
	img->nr_sections = img->section_names_len = img->nr_notes = img->cap_notes = 0;
}

void elf_image_deinit(struct elf_image *img)
{
	elf_image_drop_sections(img);
	free(img->segments);
	img->segments = NULL;
	img->nr_segments = 0;
}

const struct elf_section *elf_image_section_by_type(const struct elf_image *img, uint32_t type)
{
	for (size_t i = 0; i < img->nr_sections; i++)
		if (img->sections[i].type == type)
			return &img->sections[i];
	return NULL;
}

const struct elf_section *elf_image_section_by_name(const struct elf_image *img, const char *name)
{
	for (size_t i = 0; i < img->nr_sections; i++) {
		const struct elf_section *s = &img->sections[i];

		if (s->type != SHT_NULL && s->type != SHT_NOBITS &&
		    s->name < img->section_names_len && !strcmp(img->section_names + s->name, name))
			return s;
	}
	return NULL;
}

const struct elf_section *elf_image_section_link(const struct elf_image *img,
						 const struct elf_section *section)
{
	return section->link < img->nr_sections ? &img->sections[section->link] : NULL;
}

bool elf_image_vaddr(const struct elf_image *img, uint64_t offset, uint64_t *ret_vaddr)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < img->nr_segments; i++) {
			const struct elf_segment *s = &img->segments[i];

			if (s->executable == pass || offset < s->offset ||
			    offset - s->offset >= s->file_bytes)
				continue;
			*ret_vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	return false;
}

bool elf_image_offset(const struct elf_image *img, uint64_t vaddr, uint64_t *ret_offset)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < img->nr_segments; i++) {
			const struct elf_segment *s = &img->segments[i];

			if (s->executable == pass || vaddr < s->vaddr ||
			    vaddr - s->vaddr >= s->file_bytes)
				continue;
			*ret_offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	return false;
}

bool elf_image_bytes_at(const struct elf_image *img, uint64_t vaddr, uint64_t *ret_offset,
			uint64_t *ret_len)
{
	for (size_t i = 0; i < img->nr_segments; i++) {
		const struct elf_segment *s = &img->segments[i];
		uint64_t into = vaddr - s->vaddr, len = img->source.len;

		if (vaddr < s->vaddr || into >= s->file_bytes)
			continue;
		if (s->offset > len || into >= len - s->offset)
			return false;
		*ret_offset = s->offset + into;
		len -= *ret_offset;
		*ret_len = s->file_bytes - into < len ? s->file_bytes - into : len;
		return true;
	}
	return false;
}
