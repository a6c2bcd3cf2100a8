/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes execute, each once however many processes map it, and their symbol
 * tables, once for copies that are the same to the last byte.  A file is opened when it is first
 * met, while the process that maps it is there; its symbols are read, names and all, when an
 * address of it is asked for.
 *
 * An open file keeps its file system from being unmounted, and a deleted one its space.  So it is
 * closed three seconds after it was opened, or when the last process that is known to map it has
 * gone (process_table.h).  Where the path leads to the same file it is opened again when need be;
 * of others file_table_next_lost() tells, and their tables are kept longer.
 *
 * Bounds: symbol tables by bytes, shared by owner (loaded_files.h), descriptors by half of
 * RLIMIT_NOFILE; least recently used go first.  One table may be larger than the bound: while it is
 * the last that was read, it stays beside what others may have.  What has to be unpacked first
 * (.gnu_debugdata) may take half of the bytes, and is unpacked once a minute for a file, and of all
 * files of a user no more than his share: one that had to go, or was too large, is without it for
 * so long.  So it is with the time that parsers take
 * (elf_symbols_parse.h): a file that one did not survive is without symbols for a minute, and all
 * files of a user whose share of their time is used up.  Files that no process maps are
 * forgotten after a minute; symbol tables of others are read again after a minute without a
 * question.
 */
#ifndef EDDY_SYMBOL_MAPPED_FILE_H
#define EDDY_SYMBOL_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/frame.h"
#include "symbol/elf_symbols.h"
#include "symbol/file_order.h"
#include "symbol/symbolizer.h"
#include "util/far_file.h"
#include "util/process_root.h"

struct file_table;
struct source_table;

struct mapped_file {
	str_id module;	       /* last component of the path */
	uint32_t space;	       /* of its addresses in the frame cache; space + 1: of its symbols */
	enum symbol_miss miss; /* why mapped_file_symbols() failed */

	uint32_t number; /* of numbered_files.c: the last one that it was given; 0: none */

	/* of mapped_file_table.h */
	uint64_t dev, ino;
	char *path;
	size_t path_len;
	unsigned int refs;
	unsigned int nr_numbers;   /* of refs: numbers of the sampler, which are no process */
	int fd;			   /* -1: none */
	struct process_root *root; /* while it has a descriptor; NULL: ours, see process_root.h */
	uint64_t fd_ms;		   /* when it came */
	struct file_link links[NR_FILE_ORDERS];
	uint64_t told_ms;	  /* when that was found last; 0: never */
	uint64_t kept_ms;	  /* its table is kept until then though nobody asks for it */
	uint64_t mtime_ns, bytes; /* of what was last seen of it: stamps */
	uint32_t uid;		  /* whose it is */
	bool has_stamps;
	owner_id owner; /* on whose account it is read */
	struct elf_symbols *symbols;
	bool tried;	       /* to read symbols from this fd, in vain */
	uint64_t unpacked_ms;  /* when .gnu_debugdata was, or was too large for it; 0: never */
	uint64_t functions_ms; /* when unwind entries were asked for in vain; 0: never */
	uint64_t stalled_ms;   /* when its file system did not answer last; 0: never */
	uint64_t unparsed_ms;  /* when a parser did not read it last; 0: never */
	uint64_t used_ms, checked_ms;
	uint32_t nr_sites;	   /* addresses that wait for mapped_file_source() */
	uint32_t sourceless_space; /* of the addresses about which it has no source; 0: none */
	uint64_t source_failed_ms; /* when that could not be read last; 0: never */
	uint32_t altless_space;	   /* of those about which another file, not found, has more */
	uint32_t split_space;	   /* the same, .dwo files */
};

/* What a file is known by; the path also keeps btrfs subvolumes apart, which share dev and ino. */
struct file_key {
	uint64_t dev, ino;
	const char *path;
	size_t path_len;
};

/* root stands before paths; *next_space numbers spaces; both must outlive the table. */
struct file_table *file_table_new(struct frame_table *frames, const char *root, uint64_t max_bytes,
				  uint32_t *next_space);
void file_table_free(struct file_table *t);
/* By whom files are opened and read; NULL, as at first: at once by the caller. */
void file_table_use_pool(struct file_table *t, struct worker_pool *pool);
struct worker_pool *file_table_pool(const struct file_table *t);

/*
 * From that time on, as now_ms tells it, no more symbols are read of files that are not the
 * system's: as if no parser had read them.  Any thread may call it.
 */
void file_table_end_by(struct file_table *t, uint64_t ms);

/*
 * The file of that key, with a reference for the caller; made when it is not known.
 * *ret_wants_fd: it has no descriptor (never had one, or gave it up): open it and hand it to
 * mapped_file_set_fd().  One that was written in place is noticed here, at most once a second.
 */
struct mapped_file *mapped_file_get(struct file_table *t, const struct file_key *key,
				    uint64_t now_ms, bool *ret_wants_fd);
void mapped_file_put(struct mapped_file *f);
/* The reference is one of a number that the sampler gave, not of a process; or was. */
void mapped_file_number(struct mapped_file *f, bool is_added);
/*
 * Takes fd over, a descriptor of the file.  One that was written in place is noticed here at once;
 * fd is closed when the file has one.
 */
/* It could not be opened in time. */
void mapped_file_stalled(struct mapped_file *f, uint64_t now_ms);
void mapped_file_set_fd(struct file_table *t, struct mapped_file *f, int fd,
			const struct far_stat *stat);
/*
 * It was met in that root, of which a reference is taken if the file has a descriptor; NULL: ours.
 */
void mapped_file_set_root(struct file_table *t, struct mapped_file *f, struct process_root *root);

/*
 * Its symbols, read now if need be; NULL and f->miss when there are none to be had.  Good until the
 * next call: one that was written in place is noticed here too, at most once a second.
 */
const struct elf_symbols *mapped_file_symbols(struct file_table *t, struct mapped_file *f,
					      uint64_t now_ms);

/*
 * Of a file whose symbols were got just now: reads its unwind entries too, if they were not and the
 * file can be had, asked for at most once a second.  True when there are some now.
 */
bool mapped_file_add_functions(struct file_table *t, struct mapped_file *f, uint64_t now_ms);

struct source_ask {
	const uint64_t *addresses;
	size_t nr;
	bool with_lines;
};

/*
 * Where addresses of the file, rising, stand in the source, by itself or its debug file: of as many
 * as go together, from the first on.  How many, and their table; 0: it says nothing of any address;
 * or, counted, negative: it could not be read, and is not tried again for a minute.
 */
int mapped_file_source(struct file_table *t, struct mapped_file *f, const struct source_ask *ask,
		       uint64_t now_ms, struct source_table **ret_table);
/* So many addresses more, or fewer, wait for that: until then the file is kept, and open. */
void mapped_file_wait(struct mapped_file *f, int nr);

/*
 * Forgets files that nobody maps and nobody asked for, and symbol tables that nobody asked for:
 * what a burst of compilers left behind would stay for as long as their files are known.  Cheap
 * when called often.
 */
void file_table_age(struct file_table *t, uint64_t now_ms);
/*
 * A file that only its number is known of, that has no table, and that cannot be opened by its
 * path: it can be named only when somebody hands in a descriptor again.  It is told of before the
 * one that it has is closed, and again when its symbols were asked for in vain, every ten seconds
 * at most.  NULL: no (other) such file.  To be asked when file_table_age() was called.
 */
const struct mapped_file *file_table_next_lost(struct file_table *t);
/* Numbers all spaces anew (the counter ran out and the caches were cleared). */
void file_table_renumber(struct file_table *t);

/* Names of modules go into another table, which must outlive this one. */
void file_table_use_frames(struct file_table *t, struct frame_table *frames);

/* Adds the bounds that were met. */
void file_table_add_limits(const struct file_table *t, struct limit_counts *to);

size_t file_table_nr(const struct file_table *t);
size_t file_table_bytes(const struct file_table *t);

#endif
