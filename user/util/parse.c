// SPDX-License-Identifier: GPL-2.0-or-later
/* Strict parsers for what people type; nothing here accepts a prefix of its input. */
#include "util/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MAX_LIST 65536 /* elements of a list: more CPUs or PIDs than that is a typing error */

/* Reads digits at *s, moves *s behind them. */
static int eat_u64(const char **s, uint64_t *ret_value)
{
	const char *p = *s;
	uint64_t v = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			return -ERANGE;
	*s = p;
	*ret_value = v;
	return 0;
}

int parse_u64(const char *s, uint64_t *ret_value)
{
	uint64_t v;
	int r = eat_u64(&s, &v);

	if (r < 0)
		return r;
	if (*s)
		return -EINVAL;
	*ret_value = v;
	return 0;
}

/* A decimal number times unit, with up to 9 digits behind the point; *s moves behind it. */
static int eat_scaled(const char **s, uint64_t *ret_whole, uint64_t *ret_nano)
{
	uint64_t whole, nano = 0, scale = 100000000;
	int r = eat_u64(s, &whole);

	if (r < 0)
		return r;
	if (**s == '.') {
		(*s)++;
		if (**s < '0' || **s > '9')
			return -EINVAL;
		for (; **s >= '0' && **s <= '9'; (*s)++, scale /= 10)
			nano += (**s - '0') * scale; /* scale is 0 behind the ninth digit */
	}
	*ret_whole = whole;
	*ret_nano = nano;
	return 0;
}

int parse_duration_ns(const char *s, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 },	{ "s", 1000000000 },	 { "ms", 1000000 },
		{ "us", 1000 },		{ "m", 60000000000 },	 { "min", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 },
	};
	uint64_t whole, nano, ns;
	int r = eat_scaled(&s, &whole, &nano);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(s, units[i].unit))
			continue;
		/* A part of a day times its nanoseconds needs 77 bits. */
		if (__builtin_mul_overflow(whole, units[i].ns, &ns) ||
		    __builtin_add_overflow(
			    ns, (uint64_t)((unsigned __int128)nano * units[i].ns / 1000000000),
			    &ns))
			return -ERANGE;
		if (!ns)
			return -EINVAL;
		*ret_ns = ns;
		return 0;
	}
	return -EINVAL;
}

int parse_size_bytes(const char *s, uint64_t *ret_bytes)
{
	uint64_t v, unit = 1;
	int r = eat_u64(&s, &v);

	if (r < 0)
		return r;
	switch (*s) {
	case 'k':
	case 'K':
		unit = 1024;
		break;
	case 'M':
		unit = 1024 * 1024;
		break;
	case 'G':
		unit = 1024 * 1024 * 1024;
		break;
	}
	if (unit > 1) {
		s++;
		if (*s == 'i' && s[1] == 'B')
			s++;
	}
	if (*s == 'B')
		s++;
	if (*s)
		return -EINVAL;
	if (__builtin_mul_overflow(v, unit, &v))
		return -ERANGE;
	*ret_bytes = v;
	return 0;
}

static const char digits[] = "0123456789";

/*
 * The bytes of "12", "1.5", "1." or ".5" at the beginning of s; 0: there is no number.  strtod()
 * would take blanks, signs, "inf", "nan" and "0x1p3" as well.
 */
static size_t decimal_len(const char *s)
{
	size_t whole = strspn(s, digits), part = 0;

	if (s[whole] != '.')
		return whole;
	part = strspn(s + whole + 1, digits);
	return whole + part ? whole + 1 + part : 0;
}

int parse_decimal(const char *s, double *ret_value)
{
	size_t len = decimal_len(s);
	const char *end = s + len;
	double value;

	if (len && (*end == 'e' || *end == 'E')) {
		end += end[1] == '+' || end[1] == '-' ? 2 : 1;
		len = strspn(end, digits);
		end += len;
	}
	if (!len || *end)
		return -EINVAL;
	value = strtod(s, NULL);
	if (!isfinite(value))
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int parse_percent(const char *s, double *ret_percent)
{
	size_t len = decimal_len(s);
	double percent;

	if (!len || (strcmp(s + len, "") && strcmp(s + len, "%")))
		return -EINVAL;
	percent = strtod(s, NULL);
	if (percent > 100)
		return -ERANGE;
	*ret_percent = percent;
	return 0;
}

static int u32_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int parse_u32_list(const char *s, uint32_t **ret_list, size_t *ret_n)
{
	_cleanup_free_ uint32_t *list = NULL;
	size_t n = 0, cap = 0, out = 0;

	for (;;) {
		uint64_t lo, hi;
		int r = eat_u64(&s, &lo);

		if (r < 0)
			return r;
		hi = lo;
		if (*s == '-') {
			s++;
			r = eat_u64(&s, &hi);
			if (r < 0)
				return r;
		}
		if (hi > UINT32_MAX)
			return -ERANGE;
		if (hi < lo)
			return -EINVAL;
		if (hi - lo >= MAX_LIST || n + (hi - lo) >= MAX_LIST)
			return -ERANGE;
		array_reserve(list, cap, n + (hi - lo) + 1);
		for (; lo <= hi; lo++)
			list[n++] = lo;
		if (!*s)
			break;
		if (*s++ != ',')
			return -EINVAL;
	}
	qsort(list, n, sizeof(*list), u32_cmp);
	for (size_t i = 0; i < n; i++)
		if (!out || list[out - 1] != list[i])
			list[out++] = list[i];
	*ret_list = take_ptr(list);
	*ret_n = out;
	return 0;
}
