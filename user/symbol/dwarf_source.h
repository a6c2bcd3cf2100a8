/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where addresses of an ELF file stand in the source, by its DWARF: only units that hold one of the
 * addresses are read, each of them once.  Read by libdw, in a parser: no bound on memory or time is
 * kept here, and a file that is cut off meanwhile ends the process.
 */
#ifndef EDDY_SYMBOL_DWARF_SOURCE_H
#define EDDY_SYMBOL_DWARF_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/dwarf_alt.h"
#include "symbol/source_table.h"

/* The symbol by which the kernel's addresses are told from those of its file. */
#define SOURCE_ANCHOR "_stext"

struct dwarf_source {
	int fd;			   /* the file, or its debug file */
	int alt_fd;		   /* what .gnu_debugaltlink names; -1: not known yet */
	bool without_alt;	   /* that cannot be had: names in it are missing */
	const uint64_t *addresses; /* ELF addresses, rising, each once */
	size_t nr;
	const uint8_t *build_id; /* that the file must have */
	size_t build_id_len;	 /* 0: any */
	bool with_lines;	 /* of the addresses themselves too, which takes longer */
	uint64_t anchor;	 /* where SOURCE_ANCHOR is in memory; 0: addresses are the file's */
	struct dwarf_alt *ret_alt; /* for -EREMOTE; NULL: nobody asks */
};

/*
 * Adds what is known of each address.  0; -ENODATA: the file has no DWARF, another build id, or no
 * anchor; -ENOEXEC: it is no ELF file, or libdw does not read it; -EREMOTE and *ret_alt: it names
 * another file, which was not given; -EBADMSG: the one that was given is not that one.
 */
int dwarf_source_read(const struct dwarf_source *source, struct source_builder *b);

#endif
