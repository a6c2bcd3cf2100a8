/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of executed files from inside: its files, their descriptors, their symbols. */
#ifndef EDDY_SYMBOL_MAPPED_FILE_TABLE_H
#define EDDY_SYMBOL_MAPPED_FILE_TABLE_H

#include "symbol/file_order.h"
#include "symbol/loaded_files.h"
#include "symbol/mapped_file.h"
#include "symbol/minute_share.h"
#include "symbol/shared_symbols.h"

struct file_slots; /* the files by key: mapped_file.c */

struct file_table {
	struct frame_table *frames;
	const char *root;
	uint64_t max_bytes; /* of symbol tables */
	uint32_t *next_space;
	struct worker_pool *pool; /* NULL: none */
	struct file_slots *files;
	struct file_order orders[NR_FILE_ORDERS];
	struct shared_symbols *symbols;
	struct loaded_files *loaded; /* those with symbols */
	size_t nr_fds, max_fds;
	size_t nr_aged; /* files that were left when they were gone through last */
	uint64_t aged_ms;
	struct minute_share unpacking; /* bytes */
	struct minute_share parsing;   /* nanoseconds of parsers */
	uint64_t end_ms;	       /* of that, for who is not the system; 0: none; atomic */
	struct limit_counts limits;
};

struct worker_key mapped_file_key(const struct mapped_file *f);
/* It was asked for: of those that have what it has, it is the last to lose it. */
void mapped_file_used(struct file_table *t, struct mapped_file *f, uint64_t now_ms);
/* What is cached of its addresses is void. */
void mapped_file_new_spaces(struct file_table *t, struct mapped_file *f);
/* To be told of by file_table_next_lost(). */
void mapped_file_note_lost(struct file_table *t, struct mapped_file *f, uint64_t now_ms);

/* ---- mapped_file_fd.c --------------------------------------------------------------------- */

/* It has a descriptor, or gets one by its path, if that still leads to the same bytes. */
bool mapped_file_reopen(struct file_table *t, struct mapped_file *f);
/* Whether it was written in place: once a second, for there are many mappings of few files. */
void mapped_file_look_again(struct file_table *t, struct mapped_file *f, uint64_t now_ms);
/* Is there nothing but a descriptor by which its bytes can be had? */
bool mapped_file_is_lone(const struct file_table *t, const struct mapped_file *f);
void mapped_file_drop_fd(struct file_table *t, struct mapped_file *f);

/* ---- mapped_file_symbols.c ---------------------------------------------------------------- */

/* Reads its symbols from its descriptor; false and the cause in f->miss. */
bool mapped_file_load(struct file_table *t, struct mapped_file *f, uint64_t now_ms);
void mapped_file_drop_symbols(struct file_table *t, struct mapped_file *f);

#endif
