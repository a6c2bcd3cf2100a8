// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and sentences stand in one table, in the order of the bounds. */
#include "util/limit.h"

#include "util/mem.h"

/* `one` behind a 1, `many` behind any other number. */
static const struct {
	const char *name, *one, *many;
} texts[] = {
	[LIMIT_NAMES] = { "names", "name was cut to 1024 bytes", "names were cut to 1024 bytes" },
	[LIMIT_RULES] = { "rules",
			  "rule of unwinding was left out, since its user has too many: stacks end "
			  "there (unsup)",
			  "rules of unwinding were left out, since their users have too many: "
			  "stacks end there (unsup)" },
	[LIMIT_TABLES] = { "tables", "unwind table made way or found no room in its user's share",
			   "unwind tables made way or found no room in their users' share" },
	[LIMIT_FILES] = { "files", "file made way to others of its user, who has too many",
			  "files made way to others of their users, who have too many" },
	[LIMIT_UNPACKED] = { "unpacked",
			     "packed symbol table was left out: its user's share of unpacking was "
			     "used up",
			     "packed symbol tables were left out: their users' share of unpacking "
			     "was used up" },
	[LIMIT_JIT] = { "jit",
			"time a perf map or jitdump was read in part: its user has too many lines",
			"times a perf map or jitdump was read in part: its user has too many "
			"lines" },
	[LIMIT_MANGLED] = { "mangled",
			    "name stays mangled: reading it took too long, or its user's share of "
			    "it was used up",
			    "names stay mangled: reading them took too long, or their users' share "
			    "of it was used up" },
	[LIMIT_PARSERS] = { "parsers",
			    "parser of perf maps, jitdumps or mangled names died or answered "
			    "nonsense: names are missing or stay mangled",
			    "parsers of perf maps, jitdumps or mangled names died or answered "
			    "nonsense: names are missing or stay mangled" },
	[LIMIT_STALLED] = { "stalled",
			    "question about files and mappings of other processes was not answered "
			    "in time (a file system that does not answer, a busy disk): names and "
			    "unwind tables may be missing",
			    "questions about files and mappings of other processes were not "
			    "answered in time (a file system that does not answer, a busy disk): "
			    "names and unwind tables may be missing" },
	[LIMIT_UNPARSED] = { "unparsed",
			     "time a file was left without names: its parser died or took too "
			     "long, or its user's files had taken too much of the parsers' time",
			     "times a file was left without names: its parser died or took too "
			     "long, or its user's files had taken too much of the parsers' time" },
	[LIMIT_DEBUG_FILES] = { "debug_files",
				"debug file was not used: its CRC or build id is another, others "
				"may write to it, or no parser read it",
				"debug files were not used: their CRC or build id is another, "
				"others may write to them, or no parser read them" },
	[LIMIT_SOURCES] = { "sources",
			    "time a file was left without inlined functions and lines: it could "
			    "not be opened or read in time, its parser died, or its user's files "
			    "had taken too much of the parsers' time",
			    "times a file was left without inlined functions and lines: it could "
			    "not be opened or read in time, its parser died, or its user's files "
			    "had taken too much of the parsers' time" },
	[LIMIT_NAMELESS] = { "nameless",
			     "inlined function was left out, for it has no name that can be read "
			     "(it may stand in another file, see alt_files, or in a Go program in "
			     "a form that is not known)",
			     "inlined functions were left out, for they have no name that can be "
			     "read (it may stand in another file, see alt_files, or in a Go "
			     "program in a form that is not known)" },
	[LIMIT_ALT_FILES] = { "alt_files",
			      "file shares debug information with others in a further file (dwz, "
			      ".gnu_debugaltlink), which was not found or not believed: inlined "
			      "functions of its are missing",
			      "files share debug information with others in further files (dwz, "
			      ".gnu_debugaltlink), which were not found or not believed: inlined "
			      "functions of theirs are missing" },
	[LIMIT_SPLIT] = { "split",
			  "file has the functions of its debug information in .dwo or .dwp files "
			  "(-gsplit-dwarf), which are not read: inlined functions of its are "
			  "missing",
			  "files have the functions of their debug information in .dwo or .dwp "
			  "files (-gsplit-dwarf), which are not read: inlined functions of theirs "
			  "are missing" },
	[LIMIT_QUEUE] = { "queue",
			  "stack lost its user frames (queue-full), since those of its "
			  "user "
			  "came faster than they could be named",
			  "stacks lost their user frames (queue-full), since those of "
			  "their "
			  "users came faster than they could be named" },
	[LIMIT_UNASKED] = { "unasked",
			    "question about files and mappings was not asked, since earlier ones "
			    "were not answered yet",
			    "questions about files and mappings were not asked, since earlier ones "
			    "were not answered yet" },
	[LIMIT_SYMBOLS] = { "symbols",
			    "symbol table made way to others, since its user had most beyond his "
			    "share of the memory for them: it is read again when it is needed",
			    "symbol tables made way to others, since their users had most beyond "
			    "their share of the memory for them: they are read again when they are "
			    "needed" },
	[LIMIT_PROCESSES] = { "processes",
			      "process was forgotten for others, since its user had most beyond "
			      "his share: its mappings are read again, and if it has ended its "
			      "frames have no names",
			      "processes were forgotten for others, since their users had most "
			      "beyond their share: their mappings are read again, and those that "
			      "have ended have no names in their frames" },
	[LIMIT_WATCHES] = { "watches",
			    "file is not watched, since there are too many: when it is written "
			    "again "
			    "in place, its names and unwind table may be those of before",
			    "files are not watched, since there are too many: when one is written "
			    "again in place, its names and unwind table may be those of before" },
	[LIMIT_PLACES] = { "places",
			   "time an unwind table was not begun, since too many of its user's are "
			   "on "
			   "their way: the next sample asks again",
			   "times an unwind table was not begun, since too many of its user's are "
			   "on their way: the next sample asks again" },
	[LIMIT_WAITING] = { "waiting",
			    "unwind table was dropped while it waited for room, since those of its "
			    "user took most beyond his share: the next sample asks again",
			    "unwind tables were dropped while they waited for room, since those of "
			    "their users took most beyond their share: the next sample asks "
			    "again" },
	[LIMIT_NUMBERS] = { "numbers",
			    "time a file got no number, since all are taken: for a while its "
			    "stacks "
			    "end there (no-table)",
			    "times a file got no number, since all are taken: for a while its "
			    "stacks end there (no-table)" },
	[LIMIT_SHORT_NAMES] = { "short_names",
				"name was cut to 64 bytes, since the stacks of its user took more "
				"than his share of --max-memory",
				"names were cut to 64 bytes, since the stacks of their user took "
				"more than his share of --max-memory" },
	[LIMIT_CUT_STACKS] = { "cut_stacks",
			       "sample lost the deepest frames of its stack ([cut]), since those "
			       "of "
			       "its user took more than his share of --max-memory",
			       "samples lost the deepest frames of their stacks ([cut]), since "
			       "those of their user took more than his share of --max-memory" },
};

_Static_assert(ARRAY_SIZE(texts) == NR_LIMITS, "every bound has a name");

const char *limit_name(enum limit limit)
{
	return texts[limit].name;
}

const char *limit_text(enum limit limit, uint64_t nr)
{
	return nr == 1 ? texts[limit].one : texts[limit].many;
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
