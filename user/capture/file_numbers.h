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
#include "util/owner.h"

struct file_numbers;

struct file_numbers *file_numbers_new(void);
void file_numbers_free(struct file_numbers *n); /* NULL is fine */

/*
 * The number of a file, > 0, the same until it is forgotten; *ret_is_new: it got it now.  0 when
 * all numbers are taken.  Keys whose ino is 0 (the vdso) are never forgotten.  A file that comes
 * stands for its inode, as one that is met does.
 */
uint32_t file_numbers_get(struct file_numbers *n, const struct eddy_unwind_key *key, uint64_t now_s,
			  bool *ret_is_new);
/*
 * Gives a file that was written again in place another number, since frames of before must keep
 * their names; the old one rests.  Nothing happens when the file is not known, or no number is
 * left.
 */
void file_numbers_renew(struct file_numbers *n, const struct eddy_unwind_key *key);
/* Its number, 0 when it is not known. */
uint32_t file_numbers_number(const struct file_numbers *n, const struct eddy_unwind_key *key);
/* Has the file that number still? */
bool file_numbers_has(const struct file_numbers *n, const struct eddy_unwind_key *key,
		      uint32_t number);
/*
 * The file of that device and inode, whatever its generation, for one who met it at `moment`
 * (file_numbers_moment()).  NULL when there is none, and when it is not certain: an inode's number
 * is given again soon, and a file of another generation has come since.  Valid until the next call.
 */
const struct eddy_unwind_key *file_numbers_find(const struct file_numbers *n,
						const struct eddy_unwind_key *key, uint64_t moment);
/* Now, counted in files that came; rises. */
uint64_t file_numbers_moment(const struct file_numbers *n);
/*
 * The file has been met, with a number or without: those of its inode and of other generations are
 * gone.  Not so where the inode's address is part of the key: they are there side by side.
 */
void file_numbers_meet(struct file_numbers *n, const struct eddy_unwind_key *key);
/* The file of a number; NULL.  Valid until the next call. */
const struct eddy_unwind_key *file_numbers_key(const struct file_numbers *n, uint32_t number);
size_t file_numbers_nr(const struct file_numbers *n);
/* How often a number was wanted, for a file that has none or is to have another, and none left. */
uint64_t file_numbers_nr_refused(const struct file_numbers *n);

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

/*
 * Tells whose the file is.  Each owner has a share of the files that the sampler can know
 * (util/fair_share.h); with one too many about half of his, the first that came, are forgotten: how
 * many were.
 */
size_t file_numbers_own(struct file_numbers *n, const struct eddy_unwind_key *key, owner_id owner,
			const struct file_numbers_ops *ops);

/* When a round is worth its time, asks for all files; cheap when called often. */
bool file_numbers_is_due(const struct file_numbers *n, uint64_t now_s);
void file_numbers_age(struct file_numbers *n, uint64_t now_s, const struct file_numbers_ops *ops);
/* A window is over: numbers that were released in it may be given again. */
void file_numbers_end_window(struct file_numbers *n);

#endif
