// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * address_check RANGES: does what is on standard input hold an address of one of the ranges?  A
 * line of RANGES is "START END NAME", START and END in hex.  Bytes are looked at as 64-bit numbers
 * (perf.data), as numbers of variable length (protobuf), and as digits, hex and decimal (text).
 * Prints "HOW ADDRESS NAME" of the first ones; 0: there is none, 1: there is, 2: nothing was looked
 * at.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

#define MAX_SHOWN 5

struct range {
	uint64_t start, end;
	char name[128];
};

struct check {
	struct range *ranges;
	size_t nr, cap;
	size_t found;
};

static bool read_ranges(struct check *c, const char *path)
{
	FILE *f = fopen(path, "re");
	struct range r;

	while (f && fscanf(f, "%" SCNx64 " %" SCNx64 " %127[^\n]", &r.start, &r.end, r.name) == 3) {
		array_reserve(c->ranges, c->cap, c->nr + 1);
		c->ranges[c->nr++] = r;
	}
	if (f)
		fclose(f);
	return c->nr > 0;
}

static void look_at(struct check *c, const char *how, uint64_t value)
{
	for (size_t i = 0; i < c->nr; i++)
		if (value >= c->ranges[i].start && value < c->ranges[i].end &&
		    c->found++ < MAX_SHOWN)
			printf("%s %" PRIx64 " %s\n", how, value, c->ranges[i].name);
}

static void look_at_words(struct check *c, const char *bytes, size_t len)
{
	uint64_t value;

	for (size_t i = 0; i + sizeof(value) <= len; i += sizeof(value)) {
		memcpy(&value, bytes + i, sizeof(value));
		look_at(c, "word", value);
	}
}

static void look_at_varints(struct check *c, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		uint64_t value = 0;
		size_t at = i;

		if (i && bytes[i - 1] & 0x80) /* it has begun before */
			continue;
		for (unsigned int shift = 0; at < len && shift < 64; shift += 7) {
			value |= (uint64_t)(bytes[at] & 0x7f) << shift;
			if (!(bytes[at++] & 0x80))
				break;
		}
		look_at(c, "varint", value);
	}
}

/* Also a number that wants its sign: AT&T's "-0x7dc0(%rax)". */
static void look_at_digits(struct check *c, const char *bytes, size_t len, const char *digits,
			   int base)
{
	size_t run;

	for (size_t i = 0; i < len; i += run + 1) {
		uint64_t value;

		run = strspn(bytes + i, digits);
		if (run < 8 || run > 20)
			continue;
		value = strtoull(bytes + i, NULL, base);
		look_at(c, base == 16 ? "hex" : "decimal", value);
		if (i > 2 && !memcmp(bytes + i - 3, "-0x", 3))
			look_at(c, "-hex", -value);
	}
}

int main(int argc, char **argv)
{
	struct check c = { 0 };
	char *bytes = NULL;
	size_t cap = 0, len = 0, n;

	if (argc != 2 || !read_ranges(&c, argv[1]))
		return 2;
	do {
		array_reserve(bytes, cap, len + 65536);
		n = fread(bytes + len, 1, 65535, stdin);
		len += n;
	} while (n);
	if (!len)
		return 2;
	bytes[len] = '\0'; /* digits end there */
	look_at_words(&c, bytes, len);
	look_at_varints(&c, bytes, len);
	look_at_digits(&c, bytes, len, "0123456789abcdef", 16);
	look_at_digits(&c, bytes, len, "0123456789", 10);
	free(bytes);
	free(c.ranges);
	return c.found > 0;
}
