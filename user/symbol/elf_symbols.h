/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file: an index of 12 bytes a symbol, names read from the file when
 * they are asked for.  Sources, best first: .symtab; .symtab of the separate debug file that the
 * build id names; .gnu_debugdata with .dynsym; .dynsym.  PLT stubs are named "function@plt".
 */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_H
#define EDDY_SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/elf_image.h"
#include "util/cleanup.h"
#include "util/strbuf.h"

struct elf_symbols;

/*
 * Builds the index; debug_root ("" for the running system, NULL for none) stands before
 * /usr/lib/debug.  Takes fd over on success and keeps it open for the names.  Fails as
 * elf_image_open() does; a file without any symbol is no failure.
 */
int elf_symbols_open(int fd, const char *debug_root, struct elf_symbols **ret_table);
struct elf_symbols *elf_symbols_ref(struct elf_symbols *t); /* returns t */
void elf_symbols_unref(struct elf_symbols *t);		    /* NULL is fine */
bool elf_symbols_is_shared(const struct elf_symbols *t);    /* more than one reference */
DEFINE_FREE(elf_symbols, struct elf_symbols *, elf_symbols_unref)

/*
 * The start of the symbol that covers the address, or -ENOENT.  Where symbols overlap: the
 * innermost one that has a size; else one without a size (assembly), which reaches up to the next
 * symbol or the end of its section.
 */
int elf_symbols_find(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start);

/*
 * Adds the name of the symbol that starts there to `to` (raw bytes; a version behind '@' is left
 * off): of several, one with a size, then global, weak, local, then the plainest.  -ENOENT when
 * there is none, -EBADMSG or -errno when the file no longer holds it.
 */
int elf_symbols_name(const struct elf_symbols *t, uint64_t start, struct strbuf *to);

/* Segments and build id; sections are gone.  Lives as long as the table. */
const struct elf_image *elf_symbols_image(const struct elf_symbols *t);
bool elf_symbols_is_full(const struct elf_symbols *t); /* some .symtab, not only .dynsym */
/* A table was there but unreadable, or code is in more than 64 segments: symbols are missing. */
bool elf_symbols_is_damaged(const struct elf_symbols *t);
size_t elf_symbols_nr_fds(const struct elf_symbols *t); /* descriptors held: 1 or 2 */
size_t elf_symbols_nr(const struct elf_symbols *t);
/* Memory held, unpacked files that only their descriptor keeps among it. */
size_t elf_symbols_bytes(const struct elf_symbols *t);

#endif
