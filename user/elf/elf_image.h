/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The skeleton of an ELF file: headers, loaded segments, sections, build id; 32 and 64 bit, this
 * machine's byte order.  Every offset is checked against the bytes that the file had when it was
 * opened, and every read may still come up short.
 */
#ifndef EDDY_ELF_ELF_IMAGE_H
#define EDDY_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_source.h"
#include "util/cleanup.h"

#define ELF_IMAGE_MAX_BUILD_ID 32

struct elf_segment { /* PT_LOAD */
	uint64_t offset, file_bytes;
	uint64_t vaddr, memory_bytes;
	bool executable;
};

struct elf_notes { /* PT_NOTE */
	uint64_t offset, bytes;
};

struct elf_section {
	uint64_t flags, addr, offset, bytes, entry_bytes;
	uint32_t name, type, link, info;
};

struct elf_image {
	struct elf_source source;
	bool is64;
	uint16_t type, machine;
	uint64_t entry;
	uint64_t phoff, shoff; /* where the tables of headers stand, as the file says */
	uint32_t phnum;
	bool has_interp;       /* PT_INTERP */
	uint64_t eh_frame_hdr; /* address that PT_GNU_EH_FRAME names; 0: none */
	struct elf_segment *segments;
	size_t nr_segments;
	struct elf_notes *notes;
	size_t nr_notes, cap_notes;
	struct elf_section *sections; /* none in some files */
	size_t nr_sections;
	char *section_names; /* NUL-terminated, section_names_len bytes before that */
	size_t section_names_len;
	uint8_t build_id[ELF_IMAGE_MAX_BUILD_ID];
	size_t build_id_len; /* 0: none, or not in the first 64 places that have notes */
};

/*
 * Reads the skeleton.  0; -ENOEXEC when it is not ELF of this byte order; -EBADMSG when headers
 * lie outside of the file; -E2BIG when there are more than 4096 segments; or the error of a read.
 * Broken sections are no failure as long as the segments stand: there are then none.
 *
 * What the source reads from (the descriptor, the bytes) stays the caller's and must outlive
 * *ret_image.  The build id is looked for by elf_image_open() and elf_image_open_known(), which
 * takes some more reads.
 */
int elf_image_open(int fd, struct elf_image *ret_image);
int elf_image_open_source(const struct elf_source *source, struct elf_image *ret_image);
int elf_image_open_known(const struct elf_source *source, struct elf_image *ret_image);
void elf_image_deinit(struct elf_image *img);
#define _cleanup_elf_image_ _cleanup_(elf_image_deinit)

/* The build id in a run of notes of any bytes: how long it is, 0: there is none. */
size_t elf_notes_build_id(const unsigned char *notes, size_t len,
			  uint8_t ret_build_id[ELF_IMAGE_MAX_BUILD_ID]);

/* Frees what only building needs (sections, notes); segments and build id stay. */
void elf_image_drop_sections(struct elf_image *img);

/* Exactly len bytes, or -EBADMSG (outside of the file, or cut off since), or -errno. */
int elf_image_read(const struct elf_image *img, uint64_t offset, void *buf, size_t len);

/* The first section of that type (SHT_...) or name, or NULL; its bytes lie inside the file. */
const struct elf_section *elf_image_section_by_type(const struct elf_image *img, uint32_t type);
const struct elf_section *elf_image_section_by_name(const struct elf_image *img, const char *name);
/* The section that `section` links to (a symbol table's strings), or NULL. */
const struct elf_section *elf_image_section_link(const struct elf_image *img,
						 const struct elf_section *section);

/* File offset to virtual address and back, executable segments first; false: in no segment. */
bool elf_image_vaddr(const struct elf_image *img, uint64_t offset, uint64_t *ret_vaddr);
bool elf_image_offset(const struct elf_image *img, uint64_t vaddr, uint64_t *ret_offset);
/* Where the bytes at an address stand in the file, and how many of its segment follow there. */
bool elf_image_bytes_at(const struct elf_image *img, uint64_t vaddr, uint64_t *ret_offset,
			uint64_t *ret_len);

#endif
