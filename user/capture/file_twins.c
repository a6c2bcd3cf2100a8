// SPDX-License-Identifier: GPL-2.0-or-later
/* A list: there are as many as programs that run from snapshots. */
#include "capture/file_twins.h"

#include <stdlib.h>

#include "capture/file_key.h"
#include "util/mem.h"

void file_twins_deinit(struct file_twins *t)
{
	free(t->twins);
	*t = (struct file_twins){ 0 };
}

void file_twins_add(struct file_twins *t, const struct eddy_unwind_key *key,
		    const struct far_stat *stat)
{
	if (!key->inode)
		return;
	for (size_t i = 0; i < t->nr; i++)
		if (file_key_equals(&t->twins[i].key, key))
			return;
	array_reserve(t->twins, t->cap, t->nr + 1);
	t->twins[t->nr++] =
		(struct file_twin){ .key = *key, .st_dev = stat->dev, .st_ino = stat->ino };
}

void file_twins_age(struct file_twins *t,
		    bool (*is_known)(void *ctx, const struct eddy_unwind_key *key), void *ctx)
{
	size_t out = 0;

	for (size_t i = 0; i < t->nr; i++)
		if (is_known(ctx, &t->twins[i].key))
			t->twins[out++] = t->twins[i];
	t->nr = out;
}

const struct eddy_unwind_key *file_twins_find(const struct file_twins *t, dev_t st_dev,
					      ino_t st_ino)
{
	const struct eddy_unwind_key *found = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		if (t->twins[i].st_dev != st_dev || t->twins[i].st_ino != st_ino)
			continue;
		if (found)
			return NULL;
		found = &t->twins[i].key;
	}
	return found;
}
