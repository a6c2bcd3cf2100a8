/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's symbols as bytes: for the parser that reads them, which hands them to the program.  Both
 * are the same program, so numbers stand in this machine's order.
 */
#ifndef EDDY_SYMBOL_ELF_SYMBOLS_PACK_H
#define EDDY_SYMBOL_ELF_SYMBOLS_PACK_H

#include <stddef.h>

#include "symbol/elf_symbols.h"
#include "util/strbuf.h"
#include "util/worker_parser.h"

/* Adds them behind what stands in `to`; elf_symbols_unpack() wants them from the first byte on. */
void elf_symbols_pack(const struct elf_symbols *t, struct strbuf *to);
/* As the file of an answer. */
void elf_symbols_give(const struct elf_symbols *t, struct worker_answer *answer);

/* The table of bytes that are not to be trusted; NULL: they are none. */
struct elf_symbols *elf_symbols_unpack(const char *bytes, size_t len);
/* The same of an answer; a large one stays mapped for as long as the table lives. */
struct elf_symbols *elf_symbols_taken(const struct worker_answer *answer);

#endif
