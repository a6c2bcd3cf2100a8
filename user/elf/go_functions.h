/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a Go program, as its runtime finds them: .gopclntab, which is there in stripped
 * programs too.  Nothing that it says of itself is believed without a look.
 *
 * Formats: src/runtime/symtab.go (pcHeader, funcTab), src/runtime/runtime2.go (_func) of Go 1.16,
 * 1.18 and 1.20.  x86-64 only.
 */
#ifndef EDDY_ELF_GO_FUNCTIONS_H
#define EDDY_ELF_GO_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_image.h"

struct go_layout;

struct go_functions {
	const uint8_t *bytes; /* the caller's */
	uint64_t len;
	uint64_t nr;	 /* of functions */
	uint64_t names;	 /* where they begin in the bytes */
	uint64_t pctab;	 /* where tables of values by address begin */
	uint64_t units;	 /* where units' numbers of files begin, 4 bytes each */
	uint64_t files;	 /* where names of files begin */
	uint8_t version; /* 16, 18, 20: the first 1.x that has such tables */

	/* of go_functions.c */
	const struct go_layout *layout;
	uint64_t text, funcs;
};

struct go_function {
	uint64_t start, end; /* ELF addresses; start < end */
	uint64_t name;	     /* where it is in the bytes, or so it says */
	uint64_t pcsp;	     /* from pctab on; 0: none */
	uint64_t pcsp_at;    /* where that is in the bytes, or so the table says; fields follow */
	uint64_t tables;     /* where numbers of its other tables are, 4 bytes each */
	uint8_t flags, nr_funcdata;
};

/* The section that holds the table; NULL: it is no Go program for x86-64. */
const struct elf_section *go_functions_section(const struct elf_image *img);

/*
 * False when the bytes are no such table.  text: the ELF address of the program's code, .text,
 * where the table does not say it.
 */
bool go_functions_open(struct go_functions *t, const uint8_t *bytes, size_t len, uint64_t text);
/* i < nr.  False: that one is malformed. */
bool go_functions_get(const struct go_functions *t, uint64_t i, struct go_function *ret_function);
bool go_function_is(const struct go_functions *t, const struct go_function *f, const char *name);

#endif
