/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes execute, each once however many processes map it, and their symbol
 * tables, each once for a build id.  A file is opened when it is first met, while the process that
 * maps it is there; its symbols are read when an address of it is asked for.
 *
 * Bounds: symbol tables by bytes, descriptors by half of RLIMIT_NOFILE; least recently used go
 * first and come back when needed, as long as the path still leads to the same file.  Files that
 * no process maps are forgotten after a minute, so that file systems can be unmounted; symbol
 * tables of others are read again after a minute without a question.
 */
#ifndef EDDY_SYMBOL_MAPPED_FILE_H
#define EDDY_SYMBOL_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/frame.h"
#include "symbol/elf_symbols.h"
#include "symbol/symbolizer.h"

struct file_table;

struct mapped_file {
	str_id module;	       /* last component of the path */
	uint32_t space;	       /* of its addresses in the frame cache; space + 1: of its symbols */
	enum symbol_miss miss; /* why mapped_file_symbols() failed */

	/* of mapped_file.c */
	struct mapped_file *next;
	uint64_t dev, ino;
	char *path;
	size_t path_len;
	unsigned int refs;
	int fd;			  /* -1: none, or the symbol table has it */
	uint64_t mtime_ns, bytes; /* of what was last seen of it: stamps */
	bool has_stamps;
	struct elf_symbols *symbols;
	bool tried; /* to read symbols from this fd, in vain */
	uint64_t used_ms, checked_ms;
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

/*
 * The file of that key, with a reference for the caller; made when it is not known.
 * *ret_wants_fd: it has no descriptor (never had one, or gave it up): open it and hand it to
 * mapped_file_set_fd().  One that was written in place is noticed here, at most once a second.
 */
struct mapped_file *mapped_file_get(struct file_table *t, const struct file_key *key,
				    uint64_t now_ms, bool *ret_wants_fd);
void mapped_file_put(struct mapped_file *f);
/*
 * Takes fd over, a descriptor of the file.  One that was written in place is noticed here at once;
 * fd is closed when the file has one.
 */
void mapped_file_set_fd(struct file_table *t, struct mapped_file *f, int fd);

/*
 * Its symbols, read now if need be; NULL and f->miss when there are none to be had.  Good until the
 * next call: one that was written in place is noticed here too, at most once a second.
 */
const struct elf_symbols *mapped_file_symbols(struct file_table *t, struct mapped_file *f,
					      uint64_t now_ms);

/*
 * Forgets files that nobody maps and nobody asked for, and symbol tables that nobody asked for:
 * what a burst of compilers left behind would stay for as long as their files are known.  Cheap
 * when called often.
 */
void file_table_age(struct file_table *t, uint64_t now_ms);
/* Numbers all spaces anew (the counter ran out and the caches were cleared). */
void file_table_renumber(struct file_table *t);

/* Names of modules go into another table, which must outlive this one. */
void file_table_use_frames(struct file_table *t, struct frame_table *frames);

size_t file_table_nr(const struct file_table *t);
size_t file_table_bytes(const struct file_table *t);

/*
 * Opens a regular file for reading without ever opening anything else (a foreign path may lead to
 * a device or a pipe); flags: 0 or O_NOFOLLOW.  -ESTALE when it is not the file dev:ino (dev 0:
 * any), -EINVAL when it is no regular file.
 */
int open_regular(const char *path, int flags, uint64_t dev, uint64_t ino);

#endif
