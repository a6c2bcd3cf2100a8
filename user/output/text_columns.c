// SPDX-License-Identifier: GPL-2.0-or-later
/* Wide enough for the largest number, so that no row is wider than its head. */
#include "output/text_columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int text_columns(uint64_t largest, const char *head)
{
	int digits = snprintf(NULL, 0, "%" PRIu64, largest), len = strlen(head);

	return digits > len ? digits : len;
}

int text_estimate_columns(uint64_t largest)
{
	return text_columns(largest, "est") + (int)strlen(".00");
}

void text_estimate_add(struct strbuf *line, double estimate, int columns)
{
	if (isnan(estimate))
		strbuf_addf(line, "%*s  ", columns, "");
	else
		strbuf_addf(line, "%*.2f  ", columns, estimate);
}
