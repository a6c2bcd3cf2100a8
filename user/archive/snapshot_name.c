// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A name is right when it is what formatting its parts gives; the tests hold the two against each
 * other.  Parsing does without libc's time functions: a directory may have 100 000 names, and
 * reading them should cost what reading the directory does.
 */
#include "archive/snapshot_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SUFFIX	     ".folded"
#define JSON_SUFFIX  ".json"
#define STAMP_LEN    16 /* of 20261120T161230Z */
#define MAX_HOST_LEN 64
#define MAX_NR	     9999999u

/* nr digits; -1 when one of them is none. */
static int digits(const char *s, size_t nr)
{
	int v = 0;

	for (size_t i = 0; i < nr; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + (s[i] - '0');
	}
	return v;
}

static int days_of_month(int year, int month)
{
	static const char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap);
}

/* Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that leap days end
 * them. */
static int64_t days_of_date(int year, int month, int day)
{
	int64_t y = year - (month <= 2), m = (month + 9) % 12;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

/* yyyymmddThhmmssZ, all of it in range; -1 when it is none. */
static int64_t parse_stamp(const char *s)
{
	int year = digits(s, 4), month = digits(s + 4, 2), day = digits(s + 6, 2);
	int hour = digits(s + 9, 2), minute = digits(s + 11, 2), second = digits(s + 13, 2);

	if (s[8] != 'T' || s[15] != 'Z' || year < 1970 || month < 1 || month > 12 || day < 1 ||
	    day > days_of_month(year, month))
		return -1;
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
		return -1;
	return days_of_date(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
}

/* A decimal number at *s, without zeros in front; moves behind it. */
static int eat_u32(const char **s, uint32_t *ret_value)
{
	uint64_t v = 0;
	const char *p = *s;

	for (; *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (*p - '0');
		if (v > UINT32_MAX)
			return -EINVAL;
	}
	if (p == *s || (**s == '0' && p > *s + 1))
		return -EINVAL;
	*s = p;
	*ret_value = v;
	return 0;
}

int snapshot_name_parse(const char *text, struct snapshot_name *ret_name)
{
	struct snapshot_name n = { 0 };
	const char *p = text + STAMP_LEN + 1;

	if (strnlen(text, STAMP_LEN + 1) <= STAMP_LEN || text[STAMP_LEN] != '-')
		return -EINVAL;
	n.start_s = parse_stamp(text);
	if (n.start_s < 0 || eat_u32(&p, &n.seconds) < 0)
		return -EINVAL;
	if (*p == '-' && (p++, eat_u32(&p, &n.nr) < 0 || n.nr < 2 || n.nr > MAX_NR))
		return -EINVAL;
	if (strncmp(p, SUFFIX, strlen(SUFFIX)))
		return -EINVAL;
	p += strlen(SUFFIX);
	n.is_gzip = *p != '\0';
	if (n.is_gzip && strcmp(p, ".gz"))
		return -EINVAL;
	*ret_name = n;
	return 0;
}

int snapshot_name_parse_json(const char *text, struct snapshot_name *ret_name)
{
	char name[SNAPSHOT_NAME_BYTES];
	size_t len = strnlen(text, sizeof(name)), suffix = strlen(JSON_SUFFIX);

	if (len >= sizeof(name) || len < suffix || strcmp(text + len - suffix, JSON_SUFFIX))
		return -EINVAL;
	memcpy(name, text, len - suffix);
	name[len - suffix] = '\0';
	return snapshot_name_parse(name, ret_name);
}

static void format(const struct snapshot_name *name, const char *suffix,
		   char ret_text[SNAPSHOT_NAME_BYTES])
{
	time_t start = name->start_s;
	char nr[16] = "";
	struct tm tm;

	gmtime_r(&start, &tm);
	if (name->nr)
		snprintf(nr, sizeof(nr), "-%u", name->nr);
	snprintf(ret_text, SNAPSHOT_NAME_BYTES, "%04u%02u%02uT%02u%02u%02uZ-%u%s" SUFFIX "%s%s",
		 (tm.tm_year + 1900u) % 10000, tm.tm_mon + 1u, (unsigned int)tm.tm_mday,
		 (unsigned int)tm.tm_hour, (unsigned int)tm.tm_min, (unsigned int)tm.tm_sec,
		 name->seconds, nr, name->is_gzip ? ".gz" : "", suffix);
}

void snapshot_name_format(const struct snapshot_name *name, char ret_text[SNAPSHOT_NAME_BYTES])
{
	format(name, "", ret_text);
}

void snapshot_name_format_json(const struct snapshot_name *name, char ret_text[SNAPSHOT_NAME_BYTES])
{
	format(name, JSON_SUFFIX, ret_text);
}

int snapshot_name_compare(const struct snapshot_name *a, const struct snapshot_name *b)
{
	if (a->start_s != b->start_s)
		return a->start_s < b->start_s ? -1 : 1;
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	return (int)a->is_gzip - (int)b->is_gzip;
}

static bool is_plain(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || (c == '.' && !is_first);
}

void snapshot_host_dir(const char *host, char ret_text[SNAPSHOT_HOST_BYTES])
{
	size_t len = strnlen(host, MAX_HOST_LEN), at = 0;

	if (!len)
		ret_text[at++] = '%';
	for (size_t i = 0; i < len; i++) {
		if (is_plain(host[i], !i))
			ret_text[at++] = host[i];
		else
			at += snprintf(ret_text + at, SNAPSHOT_HOST_BYTES - at, "%%%02X",
				       (unsigned char)host[i]);
	}
	ret_text[at] = '\0';
}
