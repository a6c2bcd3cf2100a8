/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows for ClickHouse's tables, as TabSeparated (its escapes; times as seconds since 1970, which
 * no server's time zone changes).
 *
 *	stacks	hash frames
 *	samples	host ts seconds nr hash value
 *	windows	host ts seconds nr event freq_hz cpus due kept lost
 *	all	host ts seconds nr due hash value frames
 *
 * frames is an Array(String) of what folded text has between its ';', outermost first.  hash is
 * FNV-1a with 64 bits (Fowler, Noll, Vo) over the bytes of the stack as a line of folded
 * text begins, frames joined by ';' without the space and the count: the same on every host and
 * with every version.  "a;b" is 16601599842520829589, "main" 2258945139493307336.
 */
#ifndef EDDY_OUTPUT_CLICKHOUSE_H
#define EDDY_OUTPUT_CLICKHOUSE_H

#include <stdint.h>
#include <stdio.h>

#include "profile/profile.h"
#include "util/strbuf.h"

#define STACK_HASH_INIT UINT64_C(0xcbf29ce484222325)

/* The hash of what was hashed so far (STACK_HASH_INIT: nothing) and these bytes. */
uint64_t stack_hash(uint64_t hash, const char *bytes, size_t len);

/* What rows say of one window; numbers that are not known are 0. */
struct clickhouse_window {
	const char *host, *event;
	int64_t ts;  /* seconds since 1970 */
	uint32_t nr; /* tells those apart that share the other three: archive/snapshot_name.h */
	uint64_t seconds, freq_hz, nr_cpus, due, kept, lost;
};

enum clickhouse_table {
	CLICKHOUSE_STACKS,
	CLICKHOUSE_SAMPLES,
	CLICKHOUSE_WINDOWS,
	NR_CLICKHOUSE_TABLES,
	CLICKHOUSE_ALL = NR_CLICKHOUSE_TABLES, /* one for all, instead of them */
};

/* The rows that one window has in a table; w may be NULL for CLICKHOUSE_STACKS. */
void clickhouse_write(FILE *to, enum clickhouse_table table, const struct profile *p,
		      const struct clickhouse_window *w);

/* Pairs of different stacks of p that have one hash: 0, but for very bad luck or malice. */
size_t clickhouse_nr_collisions(const struct profile *p);

#endif
