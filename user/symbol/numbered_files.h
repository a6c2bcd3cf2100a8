/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the sampler names by number: each number holds a reference of the table of files.
 */
#ifndef EDDY_SYMBOL_NUMBERED_FILES_H
#define EDDY_SYMBOL_NUMBERED_FILES_H

#include <stdint.h>

#include "symbol/mapped_file.h"
#include "util/process_root.h"

struct numbered_files;

/* `files` must outlive it. */
struct numbered_files *numbered_files_new(struct file_table *files);
void numbered_files_free(struct numbered_files *n);

/* The descriptor is taken over.  The same number again replaces the file. */
void numbered_files_add(struct numbered_files *n, uint32_t number, const struct met_file *source,
			uint64_t now_ms);
void numbered_files_remove(struct numbered_files *n, uint32_t number);
/* NULL: the number is nobody's. */
struct mapped_file *numbered_files_find(const struct numbered_files *n, uint32_t number);
/* The number of a lost file (see file_table_next_lost()) that has one; 0: no (other) such file. */
uint32_t numbered_files_next_lost(struct numbered_files *n);
/* Gives back the room that is not needed. */
void numbered_files_age(struct numbered_files *n);

#endif
