// SPDX-License-Identifier: GPL-2.0-or-later
/* A record's length is only known at its end. */
#include "output/perf_record.h"

#include <linux/perf_event.h>

#define MAX_NAME 4000

void perf_record_begin(struct strbuf *r, uint32_t type, uint16_t misc)
{
	const struct perf_event_header h = { .type = type, .misc = misc };

	strbuf_reset(r);
	strbuf_add(r, &h, sizeof(h));
}

void perf_record_add32(struct strbuf *r, uint32_t v)
{
	strbuf_add(r, &v, sizeof(v));
}

void perf_record_add64(struct strbuf *r, uint64_t v)
{
	strbuf_add(r, &v, sizeof(v));
}

void perf_record_add_text(struct strbuf *r, const char *text, size_t len)
{
	strbuf_add(r, text, len < MAX_NAME ? len : MAX_NAME);
	do
		strbuf_addch(r, '\0');
	while (r->len % 8);
}

void perf_record_end(struct strbuf *r, FILE *to)
{
	((struct perf_event_header *)r->bytes)->size = (uint16_t)r->len;
	fwrite_unlocked(r->bytes, 1, r->len, to);
}
