/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to value, strict: the whole string must be the value.  0, or -EINVAL (not a value) or
 * -ERANGE (too large); out-parameters are untouched on failure.
 */
#ifndef EDDY_UTIL_PARSE_H
#define EDDY_UTIL_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Decimal digits only, no sign, no blanks. */
int parse_u64(const char *s, uint64_t *ret_value);
/* "10" (seconds), "1.5s", "200ms", "50us", "2m", "1h", "1d"; nanoseconds, > 0. */
int parse_duration_ns(const char *s, uint64_t *ret_ns);
/* "4096", "64K", "16M", "2G" (powers of 1024, an optional "iB" or "B" behind). */
int parse_size_bytes(const char *s, uint64_t *ret_bytes);
/* "1000", "0.5", ".5", "1.5e6": decimal, not negative. */
int parse_decimal(const char *s, double *ret_value);
/* "5", "0.25", "5%": decimal, from 0 to 100. */
int parse_percent(const char *s, double *ret_percent);
/* "0-3,7": rising or not, doubles allowed; *ret_list is sorted, unique, free() it; n >= 1. */
int parse_u32_list(const char *s, uint32_t **ret_list, size_t *ret_n);

#endif
