// SPDX-License-Identifier: GPL-2.0-or-later
/* A reader for each part (date, time, zone) that takes its bytes off the front or none. */
#include "util/time_point.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/parse.h"

#define DAY_S 86400

/* Exactly `nr` digits of at most `max`. */
static bool take_digits(const char **at, int nr, int max, int *ret)
{
	int v = 0;

	for (int i = 0; i < nr; i++) {
		char c = (*at)[i];

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	if (v > max)
		return false;
	*at += nr;
	*ret = v;
	return true;
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* 2026-11-20 or 20261120, a day that exists. */
static bool take_date(const char **at, struct tm *tm)
{
	struct tm same;
	const char *p = *at;
	bool dashes;
	time_t t;

	if (!take_digits(&p, 4, 9999, &tm->tm_year))
		return false;
	dashes = take_char(&p, '-');
	if (!take_digits(&p, 2, 12, &tm->tm_mon) || (dashes && !take_char(&p, '-')) ||
	    !take_digits(&p, 2, 31, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	same = (struct tm){ .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };
	t = timegm(&same);
	if (t < 0 || same.tm_mday != tm->tm_mday || same.tm_mon != tm->tm_mon)
		return false;
	*at = p;
	return true;
}

/* 10:00, 10:00:30 or, behind a date without dashes, 100030. */
static bool take_time(const char **at, bool is_compact, struct tm *tm)
{
	const char *p = *at;

	if (!take_digits(&p, 2, 23, &tm->tm_hour) || (!is_compact && !take_char(&p, ':')) ||
	    !take_digits(&p, 2, 59, &tm->tm_min))
		return false;
	if ((is_compact || take_char(&p, ':')) && !take_digits(&p, 2, 59, &tm->tm_sec))
		return false;
	*at = p;
	return true;
}

/* Z, +02:00, -0500 or nothing, which is the zone of who asks: seconds east of Greenwich. */
static bool take_zone(const char **at, int *ret_east_s, bool *ret_is_local)
{
	const char *p = *at;
	int sign = *p == '-' ? -1 : 1, hours, minutes;

	*ret_east_s = 0;
	*ret_is_local = !**at;
	if (take_char(at, 'Z') || !**at)
		return true;
	if (!take_char(&p, '+') && !take_char(&p, '-'))
		return false;
	if (!take_digits(&p, 2, 14, &hours))
		return false;
	take_char(&p, ':');
	if (!take_digits(&p, 2, 59, &minutes))
		return false;
	*ret_east_s = sign * (hours * 3600 + minutes * 60);
	*at = p;
	return true;
}

static bool parse_absolute(const char *s, struct time_point *ret)
{
	bool is_compact = strlen(s) > 8 && s[8] == 'T';
	struct tm tm = { 0 };
	bool is_local = true;
	int east_s = 0;

	if (!take_date(&s, &tm))
		return false;
	if (take_char(&s, 'T') || take_char(&s, ' ')) {
		if (!take_time(&s, is_compact, &tm) || !take_zone(&s, &east_s, &is_local))
			return false;
	}
	if (*s)
		return false;
	tm.tm_isdst = -1;
	*ret = (struct time_point){
		.kind = TIME_ABSOLUTE,
		.seconds = is_local ? mktime(&tm) : timegm(&tm) - east_s,
	};
	return ret->seconds > 0;
}

static bool parse_time_of_day(const char *s, struct time_point *ret)
{
	struct tm tm = { 0 };

	if (!take_time(&s, false, &tm))
		return false;
	*ret = (struct time_point){
		.kind = TIME_OF_DAY,
		.seconds = tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec,
		.is_utc = take_char(&s, 'Z'),
	};
	return !*s;
}

/* "yesterday", "today 10:00", "yesterday 03:12Z" */
static bool parse_day(const char *s, struct time_point *ret)
{
	static const char *const days[] = { "today", "yesterday" };

	for (size_t i = 0; i < ARRAY_SIZE(days); i++) {
		size_t len = strlen(days[i]);

		if (strncmp(s, days[i], len) != 0)
			continue;
		*ret = (struct time_point){ 0 };
		if (s[len] && (s[len] != ' ' || !parse_time_of_day(s + len + 1, ret)))
			return false;
		ret->kind = TIME_OF_DATE;
		ret->days_back = i;
		return true;
	}
	return false;
}

/* "5 min", "2 hours", "90seconds" in place: "5m", "2h", "90s". */
static void shorten_unit(char *text)
{
	static const struct {
		const char *word, *unit;
	} units[] = {
		{ "seconds", "s" }, { "second", "s" }, { "secs", "s" }, { "sec", "s" },
		{ "minutes", "m" }, { "minute", "m" }, { "mins", "m" }, { "min", "m" },
		{ "hours", "h" },   { "hour", "h" },   { "days", "d" }, { "day", "d" },
	};
	size_t digits = strspn(text, "0123456789.");
	const char *word = text + digits + strspn(text + digits, " ");

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(word, units[i].word))
			word = units[i].unit;
	if (digits && *word)
		memmove(text + digits, word, strlen(word) + 1);
}

/* "-10m", "-10min", "10m ago", "5 min ago", "now" */
static bool parse_ago(const char *s, struct time_point *ret)
{
	static const char ago[] = " ago";
	size_t len = strlen(s), ago_len = sizeof(ago) - 1;
	_cleanup_free_ char *text = NULL;
	uint64_t ns;

	*ret = (struct time_point){ .kind = TIME_AGO };
	if (!strcmp(s, "now"))
		return true;
	if (len > ago_len && !strcmp(s + len - ago_len, ago))
		text = xmemdup0(s, len - ago_len);
	else if (*s == '-')
		text = xstrdup(s + 1);
	else
		return false;
	shorten_unit(text);
	if (parse_duration_ns(text, &ns) < 0)
		return false;
	ret->seconds = ns / 1000000000;
	return true;
}

int time_point_parse(const char *option, const char *text, struct time_point *ret_point,
		     struct diag *ret_diag)
{
	struct time_point point;

	if (!parse_absolute(text, &point) && !parse_time_of_day(text, &point) &&
	    !parse_day(text, &point) && !parse_ago(text, &point))
		return diag_set(ret_diag, EINVAL,
				"--%s: '%s' is no time such as 10:00, 'yesterday 03:12', "
				"2026-11-20T10:00Z, -10m or '5 min ago'",
				option, text);
	*ret_point = point;
	return 0;
}

/* The point's time of the day that is `days` after that of near_s, in the point's zone. */
static int64_t on_day(const struct time_point *point, int64_t near_s, int days)
{
	time_t near = near_s;
	struct tm tm;

	if (point->is_utc)
		return near_s - near_s % DAY_S + point->seconds + (int64_t)days * DAY_S;
	localtime_r(&near, &tm);
	tm.tm_mday += days;
	tm.tm_hour = point->seconds / 3600;
	tm.tm_min = point->seconds / 60 % 60;
	tm.tm_sec = point->seconds % 60;
	tm.tm_isdst = -1; /* a day may have 23 or 25 hours */
	return mktime(&tm);
}

/* The last time of that day before newest_s or, when after_s is given, the first one after it. */
static int64_t resolve_time_of_day(const struct time_point *point, int64_t newest_s,
				   int64_t after_s)
{
	int64_t s = on_day(point, after_s ? after_s : newest_s, 0);

	if (after_s)
		return s > after_s ? s : on_day(point, after_s, 1);
	return s < newest_s ? s : on_day(point, newest_s, -1);
}

static int64_t resolve(const struct time_point *point, int64_t now_s, int64_t newest_s,
		       int64_t after_s)
{
	int64_t s = 0;

	switch (point->kind) {
	case TIME_NONE:
		return 0;
	case TIME_ABSOLUTE:
		s = point->seconds;
		break;
	case TIME_OF_DAY:
		s = resolve_time_of_day(point, newest_s, after_s);
		break;
	case TIME_OF_DATE:
		s = on_day(point, now_s, -point->days_back);
		break;
	case TIME_AGO:
		s = now_s - point->seconds;
		break;
	}
	return s > 0 ? s : 1;
}

void time_points_resolve(const struct time_point *since, const struct time_point *until,
			 int64_t now_s, int64_t newest_s, int64_t *ret_since_s,
			 int64_t *ret_until_s)
{
	*ret_since_s = resolve(since, now_s, newest_s, 0);
	*ret_until_s = resolve(until, now_s, newest_s, *ret_since_s);
}

void time_point_print(struct strbuf *sb, int64_t seconds)
{
	time_t t = seconds;
	char text[64];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	strbuf_addstr(sb, text);
}
