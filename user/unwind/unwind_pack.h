/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An unwind table as bytes: for the process that reads files of others, which hands it to the one
 * that samples.  Both are the same program, so numbers stand in this machine's order.
 */
#ifndef EDDY_UNWIND_UNWIND_PACK_H
#define EDDY_UNWIND_UNWIND_PACK_H

#include <stddef.h>

#include "unwind/unwind_table.h"
#include "util/strbuf.h"

/* Adds the table, with all rules of the dictionary that it was made with. */
void unwind_table_pack(const struct unwind_table *table, const struct unwind_rules *rules,
		       struct strbuf *to);

/*
 * The table of bytes that are not to be trusted; its rules go into the dictionary, NULL: into one
 * of its own.  NULL: they are no table that BPF may search, then nothing was added to the
 * dictionary.
 */
struct unwind_table *unwind_table_unpack(const char *bytes, size_t len, struct unwind_rules *rules);

#endif
