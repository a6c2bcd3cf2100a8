/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of stripped programs that stand in files of their own.  Places, in this order; ROOT is
 * ours for a process that has our root, and its own else (then only the first is looked for in
 * ours, too):
 *
 *	ROOT/usr/lib/debug/.build-id/xx/yyyy.debug	by build id
 *	DIR/LINK, DIR/.debug/LINK, ROOT/usr/lib/debug/DIR/LINK	by .gnu_debuglink of one in DIR
 *	xxyyyy/debuginfo of the cache of debuginfod's clients	by build id
 *
 * The cache is the one that the environment names ($DEBUGINFOD_CACHE_PATH, $XDG_CACHE_HOME, $HOME);
 * nothing is downloaded.
 *
 * A file names the code of others only when it is of somebody whom all of them have to believe:
 * root, the user who runs this, the program's owner, or who is root where that owner is a user; and
 * when nobody else may write to it.  A file system in user space says what it likes of owners: its
 * files name programs of its own.  What is found by .gnu_debuglink has the CRC that stands there,
 * or, beyond 64 MiB, the program's build id.
 *
 * One that names a further file by .gnu_debugaltlink (dwz): the same of that one's build id, NAME
 * and ROOT/usr/lib/debug/NAME in the root in which it was met, and DIR/NAME of a name that is not
 * absolute, DIR being the real directory of who names it.  Who reads it has to check its build id.
 */
#ifndef EDDY_SYMBOL_DEBUG_FILES_H
#define EDDY_SYMBOL_DEBUG_FILES_H

#include "elf/elf_image.h"
#include "symbol/dwarf_alt.h"
#include "symbol/elf_debug.h"
#include "util/process_root.h"
#include "util/worker_pool.h"

/* The further file that is looked for. */
struct debug_alt {
	const struct dwarf_alt *link;
	const char *dir; /* of who names it, in its root; NULL: not known */
	bool is_there;	 /* that is the process's root */
};

/* Whose debug files they are. */
struct debugged_program {
	struct worker_pool *pool;
	struct worker_key key;			 /* of the program's file */
	uint64_t dev, ino;			 /* 0: not known */
	uint32_t uid;				 /* its owner */
	const char *root;			 /* before all paths, for those in our root */
	const char *path;			 /* as /proc shows it to us; NULL: not known */
	const struct process_root *process_root; /* NULL: ours */
	const uint8_t *build_id;
	size_t build_id_len; /* 0: none */
	const struct elf_debug_link *link;
	const struct debug_alt *alt; /* what is looked for, with build_id its own; NULL: not that */
};

struct debug_search {
	const struct debugged_program *program;
	bool wants_files; /* themselves, by O_PATH, and not copies of their symbols */
	unsigned int stage;
	size_t at;	     /* places of that stage that were looked at */
	uint64_t nr_refused; /* files that were there and are not to be believed */
	uint64_t cpu_ns;     /* what it has cost others */
};

struct debug_file {
	int fd; /* of what elf_copy.h makes of its symbols; the caller's */
	struct worker_key key;
	bool is_checked; /* its CRC is the one that was wanted */
	bool is_there;	 /* in the process's root */
};

/*
 * A search begins with all but `program` and wants_files zero.  The next file; false: there is none
 * any more.
 */
bool debug_search_next(struct debug_search *search, struct debug_file *ret_file);

#endif
