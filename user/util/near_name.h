/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name that somebody meant who typed another one. */
#ifndef EDDY_UTIL_NEAR_NAME_H
#define EDDY_UTIL_NEAR_NAME_H

#include <stddef.h>

#include "util/diag.h"

/* Longer names are near nothing: that bounds the work. */
#define NEAR_NAME_MAX_BYTES 128

/* Letters to insert, delete or replace (Levenshtein); SIZE_MAX when one is too long. */
size_t near_name_distance(const char *a, size_t a_len, const char *b, size_t b_len);

/*
 * A choice of the nearest, made name by name: those that differ in at most a third of what was
 * typed (and one letter; one letter alone where the first is another), or that it begins, or that
 * of at least four letters begin it.
 */
struct near_name {
	const char *typed;
	const char *best; /* NULL: none is near */
	size_t distance;
};
void near_name_offer(struct near_name *n, const char *name);

/* "; did you mean 'record'?", or "": behind a message. */
#define NEAR_NAME_BYTES 192
void near_name_hint(const struct near_name *n, const char *dashes, char ret_text[NEAR_NAME_BYTES]);

/*
 * The place of `typed` among the names that an option has, or -EINVAL with a diag that lists them
 * and has the hint.
 */
int near_name_choose(const char *option, const char *const *names, size_t nr, const char *typed,
		     struct diag *ret_diag);

#endif
