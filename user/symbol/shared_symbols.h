/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol tables of files, those of copies once: what a user's files of one build id say the
 * same of every address is held for all of them.  A build id alone proves nothing, since whoever
 * makes a file chooses it; and what is read of a table's file later, its functions, is not
 * compared.
 */
#ifndef EDDY_SYMBOL_SHARED_SYMBOLS_H
#define EDDY_SYMBOL_SHARED_SYMBOLS_H

#include <stdint.h>

#include "symbol/elf_symbols.h"
#include "util/cleanup.h"
#include "util/fair_share.h"

struct shared_symbols;

struct shared_symbols *shared_symbols_new(uint64_t max_bytes); /* a bound for who asks below */
void shared_symbols_free(struct shared_symbols *s); /* when all tables were dropped; NULL is fine */

/* Takes the table of a user's file over: the table that is held for it, with a reference. */
struct elf_symbols *shared_symbols_take(struct shared_symbols *s, uint32_t uid,
					struct elf_symbols *table);
/* Gives that reference back; uid as before. */
void shared_symbols_drop(struct shared_symbols *s, uint32_t uid, struct elf_symbols *table);
/* A table that is held of that user has grown by so much. */
void shared_symbols_grew(struct shared_symbols *s, uint32_t uid, uint64_t bytes);
/* Gives back room that is not needed: to be called now and then. */
void shared_symbols_fit(struct shared_symbols *s);

uint64_t shared_symbols_bytes(const struct shared_symbols *s); /* of all tables, each once */
/* The same bytes by owner, charged whatever his share is; *s's. */
const struct fair_share *shared_symbols_share(const struct shared_symbols *s);

#endif
