/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file: an index of 12 bytes a symbol and the names, copied, so that the
 * file need not stay open.  Code without a symbol belongs to the function that its unwind entry
 * begins; those are read at once where there is no .symtab, else when somebody wants them.
 * elf_symbols_read.h makes tables of files, elf_symbols_parse.h has that done by a parser.
 */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_H
#define EDDY_SYMBOL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"
#include "util/cleanup.h"
#include "util/strbuf.h"

struct elf_symbols;

struct elf_symbols *elf_symbols_ref(struct elf_symbols *t); /* returns t */
void elf_symbols_unref(struct elf_symbols *t);		    /* NULL is fine */
bool elf_symbols_is_shared(const struct elf_symbols *t);    /* more than one reference */
DEFINE_FREE(elf_symbols, struct elf_symbols *, elf_symbols_unref)

/*
 * Where the function begins that the address belongs to, or -ENOENT.  That is the innermost symbol
 * which has a size and covers it; else an unwind entry that covers it; else a symbol without a size
 * (assembly), which reaches up to the next symbol or unwind entry or the end of its section, and
 * which goes before an unwind entry that begins no later.  Where nothing covers it, the function
 * that ends right before it: one whose last instruction is a system call waits for that there.
 */
int elf_symbols_find(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start);
/* The same, but for what is right behind a function. */
int elf_symbols_cover(const struct elf_symbols *t, uint64_t vaddr, uint64_t *ret_start);

/* Unwind entries were not read yet; and adds those that were, which another table has. */
bool elf_symbols_wants_functions(const struct elf_symbols *t);
void elf_symbols_add_functions(struct elf_symbols *t, const struct elf_symbols *functions);

/*
 * Adds the name of the symbol that starts there to `to` (raw bytes; a version behind '@' is left
 * off): of several, one with a size, then as symbol_name.h says.  -ENOENT when
 * there is none (only an unwind entry), -EBADMSG when the file did not hold it.
 */
int elf_symbols_name(const struct elf_symbols *t, uint64_t start, struct strbuf *to);

/* Segments and build id; sections and descriptor are gone.  Lives as long as the table. */
const struct elf_image *elf_symbols_image(const struct elf_symbols *t);
bool elf_symbols_is_full(const struct elf_symbols *t);	    /* some .symtab, not only .dynsym */
bool elf_symbols_has_left_out(const struct elf_symbols *t); /* .gnu_debugdata, by a bound of 0 */
/* What .gnu_debugdata unpacked to, or the bound that it was larger than. */
uint64_t elf_symbols_unpacked_bytes(const struct elf_symbols *t);
/* Debug files that were found for it and are not to be believed, see debug_files.h. */
uint64_t elf_symbols_nr_refused(const struct elf_symbols *t);
/* Do both say the same of every address?  Then they are of files with the same code and names. */
bool elf_symbols_are_equal(const struct elf_symbols *a, const struct elf_symbols *b);
/* Of what is compared there, the build id too; computed once. */
uint64_t elf_symbols_hash(struct elf_symbols *t);
/*
 * A table was there but unreadable, code is in more than 64 segments, or there are more than
 * 256 MiB of strings: symbols or names are missing.
 */
bool elf_symbols_is_damaged(const struct elf_symbols *t);
size_t elf_symbols_nr(const struct elf_symbols *t);
/* Memory held. */
size_t elf_symbols_bytes(const struct elf_symbols *t);

#endif
