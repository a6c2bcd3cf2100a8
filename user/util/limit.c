// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and sentences stand in one table, in the order of the bounds. */
#include "util/limit.h"

#include "util/mem.h"

static const struct {
	const char *name, *text;
} texts[] = {
	[LIMIT_NAMES] = { "names", "names were cut to 1024 bytes" },
	[LIMIT_RULES] = { "rules", "rules of unwinding were left out, since their users have too "
				   "many: stacks end there (unsup)" },
	[LIMIT_TABLES] = { "tables", "unwind tables made way or found no room in their users' "
				     "share" },
	[LIMIT_FILES] = { "files", "files made way to others of their users, who have too many" },
	[LIMIT_UNPACKED] = { "unpacked", "packed symbol tables were left out: their users' share "
					 "of unpacking was used up" },
	[LIMIT_JIT] = { "jit", "times a perf map or jitdump was read in part: its user has too "
			       "many lines" },
	[LIMIT_MANGLED] = { "mangled", "names stay mangled: reading them took too long, or their "
				       "users' share of it was used up" },
	[LIMIT_PARSERS] = { "parsers",
			    "parsers of perf maps, jitdumps or mangled names died or answered "
			    "nonsense: names are missing or stay mangled" },
	[LIMIT_STALLED] = { "stalled", "questions about files and mappings of other processes were "
				       "not answered in time (a file system that does not answer, "
				       "a busy disk): names and unwind tables may be missing" },
	[LIMIT_UNPARSED] = { "unparsed",
			     "times a file was left without names: its parser died or took too "
			     "long, or its user's files had taken too much of the parsers' time" },
	[LIMIT_DEBUG_FILES] = { "debug_files",
				"debug files were not used: their CRC or build id is another, "
				"others may write to them, or no parser read them" },
	[LIMIT_SOURCES] = { "sources",
			    "times a file was left without inlined functions and lines: it could "
			    "not be opened or read in time, its parser died, or its user's files "
			    "had taken too much of the parsers' time" },
	[LIMIT_NAMELESS] = { "nameless", "inlined functions were left out, for they have no name "
					 "that can be read (it may stand in another file, which "
					 ".gnu_debugaltlink names, or in a Go program in a form "
					 "that is not known)" },
	[LIMIT_QUEUE] = { "queue", "stacks went without their user frames (queue-full), since "
				   "those of their user came faster than they could be named" },
	[LIMIT_UNASKED] = { "unasked", "questions about files and mappings were not asked, since "
				       "earlier ones were not answered yet" },
	[LIMIT_SHORT_NAMES] = { "short_names", "names were cut to 64 bytes, since the stacks of "
					       "their user took more than his share of "
					       "--max-memory" },
	[LIMIT_CUT_STACKS] = { "cut_stacks", "samples lost the deepest frames of their stacks "
					     "([cut]), since those of their user took more than "
					     "his share of --max-memory" },
};

_Static_assert(ARRAY_SIZE(texts) == NR_LIMITS, "every bound has a name");

const char *limit_name(enum limit limit)
{
	return texts[limit].name;
}

const char *limit_text(enum limit limit)
{
	return texts[limit].text;
}

void limit_counts_add(struct limit_counts *to, const struct limit_counts *from)
{
	for (int i = 0; i < NR_LIMITS; i++)
		to->nr[i] += from->nr[i];
}

void limit_counts_since(struct limit_counts *now, const struct limit_counts *before)
{
	for (int i = 0; i < NR_LIMITS; i++)
		now->nr[i] -= before->nr[i];
}
