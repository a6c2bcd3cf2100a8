/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of a tree are folded: all or none, and those that are not as all are. */
#ifndef EDDY_LIVE_LIVE_FOLDS_H
#define EDDY_LIVE_LIVE_FOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_MAX_FOLDS 4096 /* more are not remembered */

struct live_folds {
	uint64_t *keys; /* of rows, rising: those that are the other way */
	size_t nr, cap;
	bool folds_all;
};

bool live_folds_has(const struct live_folds *f, uint64_t key);
/* The row is folded, or open, from now on; false: it was so. */
bool live_folds_set(struct live_folds *f, uint64_t key, bool is_folded);
/* All rows are. */
void live_folds_set_all(struct live_folds *f, bool are_folded);
void live_folds_deinit(struct live_folds *f); /* zero-filled is fine: nothing is folded */

#endif
