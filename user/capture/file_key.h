/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When two files are one, by what the kernel tells of them (struct eddy_unwind_key). */
#ifndef EDDY_CAPTURE_FILE_KEY_H
#define EDDY_CAPTURE_FILE_KEY_H

#include <stdbool.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include "unwind_abi.h"
#include "util/hash.h"

/* A key's device of the one that stat(2) tells, and back: the kernel has an encoding of its own. */
static inline uint32_t file_key_dev(dev_t st_dev)
{
	return major(st_dev) << 20 | minor(st_dev);
}

static inline dev_t file_key_st_dev(const struct eddy_unwind_key *key)
{
	return makedev(key->dev >> 20, key->dev & 0xfffff);
}

/* The same inode of the same device; it may have been given again to another file. */
static inline bool file_key_has_inode(const struct eddy_unwind_key *a,
				      const struct eddy_unwind_key *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

/* The same file: of the same generation too, and of one address where that is known. */
static inline bool file_key_equals(const struct eddy_unwind_key *a, const struct eddy_unwind_key *b)
{
	return file_key_has_inode(a, b) && a->gen == b->gen && a->inode == b->inode;
}

static inline uint64_t file_key_hash(const struct eddy_unwind_key *key)
{
	return hash_mix(hash_mix(key->ino, key->dev), hash_mix(key->inode, key->gen));
}

#endif
