// SPDX-License-Identifier: GPL-2.0-or-later
/* One row of the table of distances at a time; two letters that changed places are two steps. */
#include "util/near_name.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/strbuf.h"

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

size_t near_name_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[NEAR_NAME_MAX_BYTES + 1];

	if (a_len > NEAR_NAME_MAX_BYTES || b_len > NEAR_NAME_MAX_BYTES)
		return SIZE_MAX;
	for (size_t k = 0; k <= b_len; k++)
		row[k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			size_t above = row[k];

			row[k] = min3(above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[b_len];
}

void near_name_offer(struct near_name *n, const char *name)
{
	size_t typed = strlen(n->typed), len = strlen(name), limit = typed / 3 + 1;
	size_t distance = near_name_distance(n->typed, typed, name, len);

	/* People get the first letter right. */
	if (*n->typed != *name)
		limit = 1;
	/* A beginning, or what goes on (--frequency), is as near as the farthest misspelling. */
	if (distance != SIZE_MAX && distance > limit &&
	    ((typed >= 2 && !strncmp(n->typed, name, typed)) ||
	     (len >= 4 && !strncmp(n->typed, name, len))))
		distance = limit;
	if (distance > limit || distance >= typed || (n->best && distance >= n->distance))
		return;
	n->best = name;
	n->distance = distance;
}

void near_name_hint(const struct near_name *n, const char *dashes, char ret_text[NEAR_NAME_BYTES])
{
	*ret_text = '\0';
	if (n->best)
		snprintf(ret_text, NEAR_NAME_BYTES, "; did you mean '%s%s'?", dashes, n->best);
}

int near_name_choose(const char *option, const char *const *names, size_t nr, const char *arg,
		     struct diag *ret_diag)
{
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;
	struct near_name near = { .typed = arg };
	char hint[NEAR_NAME_BYTES];

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(arg, names[i]))
			return i;
		near_name_offer(&near, names[i]);
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	near_name_hint(&near, "", hint);
	return diag_set(ret_diag, EINVAL, "--%s: '%s' is not one of %s%s", option, arg, all.bytes,
			hint);
}
