/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file has which number in frames.  Numbers are 23 bits and files come without end, so files
 * that were not used for a while are forgotten, sooner when there are many; their numbers are given
 * again, but not before everything that named them has passed by, and not in the same window: two
 * stacks that differ in the file of a number only would be one there.
 */
#ifndef EDDY_CAPTURE_FILE_NUMBERS_H
#define EDDY_CAPTURE_FILE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind_abi.h"

struct file_numbers;

struct file_numbers *file_numbers_new(void);
void file_numbers_free(struct file_numbers *n); /* NULL is fine */

/*
 * The number of a file, > 0, the same until it is forgotten; *ret_is_new: it got it now.  0 when
 * all numbers are taken.  Keys whose ino is 0 (the vdso) are never forgotten.
 */
uint32_t file_numbers_get(struct file_numbers *n, const struct eddy_unwind_key *key, uint64_t now_s,
			  bool *ret_is_new);
/*
 * Gives a file that was written again in place another number, since frames of before must keep
 * their names; the old one rests.  Nothing happens when the file is not known, or no number is
 * left.
 */
void file_numbers_renew(struct file_numbers *n, const struct eddy_unwind_key *key);
/* Has the file that number still? */
bool file_numbers_has(const struct file_numbers *n, const struct eddy_unwind_key *key,
		      uint32_t number);
/* A file of that device and inode, whatever its generation; NULL.  Valid until the next call. */
const struct eddy_unwind_key *file_numbers_find(const struct file_numbers *n,
						const struct eddy_unwind_key *key);
size_t file_numbers_nr(const struct file_numbers *n);

struct file_numbers_ops {
	/* Was the file used since this was asked last? */
	bool (*was_used)(void *ctx, const struct eddy_unwind_key *key);
	/* Nothing may name the file from now on. */
	void (*forget)(void *ctx, const struct eddy_unwind_key *key);
	/* Nothing does any more; the number may be given to another file when the window is over.
	 */
	void (*release)(void *ctx, uint32_t number);
	void *ctx;
};

/* When a round is worth its time, asks for all files; cheap when called often. */
bool file_numbers_is_due(const struct file_numbers *n, uint64_t now_s);
void file_numbers_age(struct file_numbers *n, uint64_t now_s, const struct file_numbers_ops *ops);
/* A window is over: numbers that were released in it may be given again. */
void file_numbers_end_window(struct file_numbers *n);

#endif
