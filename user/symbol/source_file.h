/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in the source by a file with DWARF and, where that names one by .gnu_debugaltlink (dwz),
 * the further file that it has entries and names in common with others in.
 */
#ifndef EDDY_SYMBOL_SOURCE_FILE_H
#define EDDY_SYMBOL_SOURCE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/debug_files.h"
#include "symbol/source_parse.h"

struct source_asked {
	uint64_t cpu_ns;     /* what it cost others */
	uint64_t nr_refused; /* further files that were there and not to be believed */
	bool lacks_alt;	     /* the further file was not found: names in it are missing */
};

/*
 * As source_parse(), of a file of that program: itself or its debug file.  is_there: it was met in
 * the process's root, and is not one of ours.  What q says of a further file does not count.
 */
int source_file_ask(const struct debugged_program *program, bool is_there,
		    const struct source_question *q, struct source_table **ret_table,
		    struct source_asked *ret);

#endif
