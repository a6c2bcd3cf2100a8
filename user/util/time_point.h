/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points in time as people type them (--since, --until).  Without a zone they are those of the one
 * who asks (TZ, or the machine's zone); what is printed is UTC, as the names of snapshots are.
 *
 *	2026-11-20T10:00:30Z  2026-11-20 10:00  20261120T100030Z  2026-11-20T12:00+02:00
 *	2026-11-20		its first second
 *	10:00  10:00:30  10:00Z	that time of day, the last one that the snapshots reach
 *	yesterday  "yesterday 03:12"  "today 10:00"
 *	-10m  "10m ago"  "5 min ago"  "2 hours ago"  now	by the clock of this machine
 */
#ifndef EDDY_UTIL_TIME_POINT_H
#define EDDY_UTIL_TIME_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/diag.h"
#include "util/strbuf.h"

enum time_point_kind {
	TIME_NONE, /* not given */
	TIME_ABSOLUTE,
	TIME_OF_DAY,
	TIME_OF_DATE, /* of a day that is told from today */
	TIME_AGO,
};

struct time_point {
	enum time_point_kind kind;
	int64_t seconds; /* since 1970; since midnight; before now */
	int days_back;	 /* TIME_OF_DATE: 0 is today */
	bool is_utc;	 /* TIME_OF_DAY: whatever TZ says */
};

/* A whole text; -EINVAL with a diag that begins with "--OPTION: " and shows what is understood. */
int time_point_parse(const char *option, const char *text, struct time_point *ret_point,
		     struct diag *ret_diag);
/*
 * Both ends of a range, in seconds since 1970, never 0; 0 for one that was not given.  newest_s:
 * the end of the last snapshot.  A time of day is the last one before that or, as the end of a
 * range with a beginning, the first one after it.
 */
void time_points_resolve(const struct time_point *since, const struct time_point *until,
			 int64_t now_s, int64_t newest_s, int64_t *ret_since_s,
			 int64_t *ret_until_s);

/* Adds "2026-11-20T10:00:00Z". */
void time_point_print(struct strbuf *sb, int64_t seconds);

#endif
