/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an ELF file that are read here, in memory: a sparse copy, sealed, of the file's
 * length, in which they stand at their own offsets and all else is zero.  Whoever reads it finds
 * what it would find in the file, and can neither be delayed nor see it change.
 *
 * Which parts these are is found by a parser: who copies looks at no byte.
 */
#ifndef EDDY_ELF_ELF_COPY_H
#define EDDY_ELF_ELF_COPY_H

#include "elf/elf_parts.h"
#include "util/worker_parser.h"

/*
 * Of an open file: a descriptor, or -errno as elf_parts_find() and worker_parse().
 * elf_copy_here() reads at once and needs fd to be open for reading; elf_copy() has a worker do it,
 * for which O_PATH will do; it fails as worker_pool_run() does, and by -ECHILD when the parser did
 * not survive the file.
 */
int elf_copy_here(struct worker_parser *parser, int fd, enum elf_parts_for use);
int elf_copy(struct worker_pool *p, const struct worker_key *key, int fd, enum elf_parts_for use);

/*
 * Of a file of that length: copies the parts that a parser's answer lists (struct elf_part, one
 * behind the other; it is not to be trusted) to the same offsets of `to`.  0; -EPIPE: some are not
 * in the file, or there are more than elf_parts.h allows, and nothing was copied; or -errno.
 */
int elf_copy_parts(int from, int to, uint64_t file_bytes, const void *list, size_t len);

#endif
