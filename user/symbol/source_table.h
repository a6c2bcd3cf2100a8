/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where addresses stand in the source: for each one that was asked for, the functions that it is
 * in, the one that has the code first, then those that were inlined into it, each into the one
 * before; and of each the place in its source at which the next one is called, or that the address
 * itself comes from.
 *
 * A parser builds it and hands it over as bytes; what those say is checked before it is a table.
 */
#ifndef EDDY_SYMBOL_SOURCE_TABLE_H
#define EDDY_SYMBOL_SOURCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"
#include "util/strbuf.h"
#include "util/worker_parser.h"

#define SOURCE_MAX_ADDRESSES 8192 /* of a table */
#define SOURCE_MAX_DEPTH     1024 /* functions at one address; what is inlined deeper is left out */
#define SOURCE_MAX_FRAMES    (1u << 20)
#define SOURCE_NAME_BYTES    4096 /* of a name or path; longer ones are cut */

struct source_frame {
	uint32_t name, file; /* of the table's strings; "": not known */
	uint32_t line;	     /* 0: not known */
};

/* What an address is in: frames[first] has the code; nr 0: nothing is known. */
struct source_place {
	uint32_t first, nr;
};

struct source_table {
	struct source_place *places; /* in the order of the addresses that were asked for */
	size_t nr;
	struct source_frame *frames;
	size_t nr_frames;
	char *strings; /* NUL-terminated one by one; 0 is "" */
	size_t strings_len;
	uint32_t nr_nameless; /* inlined functions that are missing, for they have no name */
	uint32_t nr_split; /* parts of the program that were asked for and stand in other files */
};

void source_table_free(struct source_table *t);
DEFINE_FREE(source_table, struct source_table *, source_table_free)
#define _cleanup_source_table_ _cleanup_(source_table_freep)

const char *source_table_string(const struct source_table *t, uint32_t at);

/* ---- building it -------------------------------------------------------------------------- */

struct source_builder;

struct source_builder *source_builder_new(size_t nr_addresses); /* at most SOURCE_MAX_ADDRESSES */
void source_builder_free(struct source_builder *b);
DEFINE_FREE(source_builder, struct source_builder *, source_builder_free)

/* The bytes as a string of the table. */
uint32_t source_builder_string(struct source_builder *b, const char *bytes, size_t len);
/* A string that was added. */
const char *source_builder_get(const struct source_builder *b, uint32_t at);
/*
 * Scopes have numbers > 0.  An address is in a scope of that number, which stands in another one
 * (0: it has code of its own): false when the address is not there, or its place is full: then the
 * scope is none of its.
 */
bool source_builder_enter(struct source_builder *b, size_t address, uint32_t scope,
			  uint32_t outer_scope, uint32_t name);
/* Is that the innermost scope which the address has entered? */
bool source_builder_is_in(const struct source_builder *b, size_t address, uint32_t scope);
/* The source of the innermost function's place so far, where it is not known yet. */
void source_builder_at(struct source_builder *b, size_t address, uint32_t file, uint32_t line);
bool source_builder_has(const struct source_builder *b, size_t address);
void source_builder_nameless(struct source_builder *b);
void source_builder_split(struct source_builder *b);

void source_builder_pack(const struct source_builder *b, struct strbuf *to);
/* As the file of an answer. */
void source_builder_give(const struct source_builder *b, struct worker_answer *answer);

/* The table of so many addresses, of bytes that are not to be trusted; NULL: they are none. */
struct source_table *source_table_unpack(const char *bytes, size_t len, size_t nr_addresses);
struct source_table *source_table_taken(const struct worker_answer *answer, size_t nr_addresses);

#endif
