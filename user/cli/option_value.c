// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of options into the fields of structs; util/parse.h has the grammar. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "util/near_name.h"
#include "util/parse.h"

static void *field(const struct option_row *row, void *into)
{
	return (char *)into + row->at;
}

/*
 * What a field of 1 (a bool), 4 (an enum) or 8 bytes takes.  By memcpy(): a row knows how large its
 * field is and not its type, and to write it as another type is undefined.
 */
static void store(const struct option_row *row, void *into, uint64_t value)
{
	uint32_t low = value;
	bool is_set = value;

	if (row->size == sizeof(value))
		memcpy(field(row, into), &value, sizeof(value));
	else if (row->size == sizeof(low))
		memcpy(field(row, into), &low, sizeof(low));
	else
		memcpy(field(row, into), &is_set, sizeof(is_set));
}

static int refuse(const struct option_row *row, const char *arg, const char *what,
		  struct diag *ret_diag)
{
	return diag_set(ret_diag, EINVAL, "--%s: '%s' is not %s", row->name, arg,
			row->what ? row->what : what);
}

int option_take_true(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	(void)arg, (void)ret_diag;
	store(row, into, true);
	return 0;
}

int option_take_false(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag)
{
	(void)arg, (void)ret_diag;
	store(row, into, false);
	return 0;
}

int option_take_text(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	(void)ret_diag;
	memcpy(field(row, into), &arg, sizeof(arg));
	return 0;
}

int option_take_texts(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag)
{
	const char ***texts = field(row, into);
	size_t *nr = (size_t *)((char *)into + row->at_more);

	(void)ret_diag;
	*texts = xreallocarray(*texts, *nr + 1, sizeof(**texts));
	(*texts)[(*nr)++] = arg;
	return 0;
}

int option_take_count(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag)
{
	char what[64] = "a number above 0";
	uint64_t v;

	if (row->min != 1 || row->max != UINT64_MAX)
		snprintf(what, sizeof(what), "a number from %" PRIu64 " to %" PRIu64, row->min,
			 row->max);
	if (parse_u64(arg, &v) < 0 || v < row->min || v > row->max)
		return refuse(row, arg, what, ret_diag);
	store(row, into, v);
	return 0;
}

int option_take_size(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	uint64_t v;

	if (parse_size_bytes(arg, &v) < 0 || v < row->min || v > row->max)
		return refuse(row, arg, "a size such as 512K or 64M", ret_diag);
	store(row, into, v);
	return 0;
}

int option_take_duration(const struct option_row *row, void *into, const char *arg,
			 struct diag *ret_diag)
{
	uint64_t ns;

	if (parse_duration_ns(arg, &ns) < 0 || ns < row->min || ns > row->max)
		return refuse(row, arg, "a duration such as 10, 500ms or 2m", ret_diag);
	store(row, into, ns);
	return 0;
}

static int take_percent(const struct option_row *row, void *into, const char *arg, double whole,
			struct diag *ret_diag)
{
	double percent, value;

	if (parse_percent(arg, &percent) < 0 || percent < row->least)
		return diag_set(ret_diag, EINVAL, "--%s: '%s' is not within %g and 100", row->name,
				arg, row->least);
	value = percent / whole;
	memcpy(field(row, into), &value, sizeof(value));
	return 0;
}

int option_take_percent(const struct option_row *row, void *into, const char *arg,
			struct diag *ret_diag)
{
	return take_percent(row, into, arg, 1, ret_diag);
}

int option_take_share(const struct option_row *row, void *into, const char *arg,
		      struct diag *ret_diag)
{
	return take_percent(row, into, arg, 100, ret_diag);
}

int option_take_list(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	uint32_t **list = field(row, into);

	free(*list); /* of two lists the last one counts, as of any option that is given twice */
	*list = NULL;
	if (parse_u32_list(arg, list, (size_t *)((char *)into + row->at_more)) < 0)
		return refuse(row, arg, "a list such as 1,3-5", ret_diag);
	return 0;
}

int option_take_choice(const struct option_row *row, void *into, const char *arg,
		       struct diag *ret_diag)
{
	int place = near_name_choose(row->name, row->names, row->nr_names, arg, ret_diag);

	if (place < 0)
		return place;
	store(row, into, row->min + place);
	if (row->at_more)
		*(bool *)((char *)into + row->at_more) = true;
	return 0;
}
