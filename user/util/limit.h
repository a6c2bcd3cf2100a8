/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds that keep one user's programs from taking memory, time or numbers that are
 * everybody's, and how often each was met.  What is refused is missing from the result: so it is
 * told, in the `.json` ("limits") and in a note.
 */
#ifndef EDDY_UTIL_LIMIT_H
#define EDDY_UTIL_LIMIT_H

#include <stddef.h>
#include <stdint.h>

enum limit {
	LIMIT_NAMES,	   /* names that were cut */
	LIMIT_RULES,	   /* rules of unwinding that got no number */
	LIMIT_TABLES,	   /* unwind tables that found no room, or made way */
	LIMIT_FILES,	   /* files that made way to others of their user */
	LIMIT_UNPACKED,	   /* packed symbol tables that were left out */
	LIMIT_JIT,	   /* times that a perf map was not read whole */
	LIMIT_MANGLED,	   /* names that stay mangled, since parsers took too long or died */
	LIMIT_PARSERS,	   /* parsers of names that died or answered nonsense */
	LIMIT_STALLED,	   /* questions to workers that were not answered in time */
	LIMIT_UNASKED,	   /* those that were not asked, since earlier ones are not answered */
	LIMIT_SHORT_NAMES, /* names that were cut to keep a window's memory */
	LIMIT_CUT_STACKS,  /* samples whose stacks lost frames for that */
	LIMIT_UNPARSED,	   /* files that no parser read */
	LIMIT_DEBUG_FILES, /* separate debug files that were there and not believed */
	LIMIT_SOURCES,	   /* files whose lines and inlined functions no parser read */
	LIMIT_NAMELESS,	   /* inlined functions without a name */
	LIMIT_ALT_FILES,   /* files of which .gnu_debugaltlink's was not found */
	LIMIT_SPLIT,	   /* files whose functions stand in .dwo files */
	LIMIT_QUEUE,	   /* stacks whose user frames were left out, for too many waited */
	LIMIT_SYMBOLS,	   /* symbol tables that made way */
	LIMIT_PROCESSES,   /* processes that were forgotten for others */
	LIMIT_WATCHES,	   /* files that are not watched */
	LIMIT_PLACES,	   /* files for which there was no place on the way to a table */
	LIMIT_WAITING,	   /* unwind tables for which there was none to wait for room */
	LIMIT_NUMBERS,	   /* times that a file got no number */
	NR_LIMITS
};

struct limit_counts {
	uint64_t nr[NR_LIMITS];
};

const char *limit_name(enum limit limit); /* "names", ... as in the `.json` */
/* What was done, behind that number: "names were cut to 1024 bytes"; behind 1 "name was cut". */
const char *limit_text(enum limit limit, uint64_t nr);

/* Adds what `from` has counted. */
void limit_counts_add(struct limit_counts *to, const struct limit_counts *from);
/* Of *now, what has come since *before. */
void limit_counts_since(struct limit_counts *now, const struct limit_counts *before);

#endif
