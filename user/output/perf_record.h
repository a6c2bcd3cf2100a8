/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One record of perf.data (struct perf_event_header and what follows it), made in a buffer. */
#ifndef EDDY_OUTPUT_PERF_RECORD_H
#define EDDY_OUTPUT_PERF_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "util/strbuf.h"

/* Begins one of that type, PERF_RECORD_...; what the buffer held is gone. */
void perf_record_begin(struct strbuf *r, uint32_t type, uint16_t misc);
void perf_record_add32(struct strbuf *r, uint32_t v);
void perf_record_add64(struct strbuf *r, uint64_t v);
/* With its NUL, and more of them up to a multiple of eight; at most 4000 bytes of it. */
void perf_record_add_text(struct strbuf *r, const char *text, size_t len);
/* Writes it; whether that worked the stream knows. */
void perf_record_end(struct strbuf *r, FILE *to);

#endif
