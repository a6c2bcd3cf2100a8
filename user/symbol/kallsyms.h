/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own symbol table, /proc/kallsyms: the kernel, modules, BPF programs.  Names stay as
 * the kernel gives them.  Text symbols are kept with every alias, but not those of the padding
 * before functions (__pfx_*).
 */
#ifndef EDDY_SYMBOL_KALLSYMS_H
#define EDDY_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/frame_role.h"
#include "util/cleanup.h"

struct kallsyms;

struct kernel_symbol {
	const char *name;   /* lives as long as the table */
	const char *module; /* "" for the kernel itself; "bpf" for BPF programs */
	uint64_t start, end;
	/*
	 * The begin of what it is a part of: the kernel, a module; of code that comes and goes and
	 * of what is beside them, itself.  `shown` is what stands for that (kernel_place.h).
	 */
	uint64_t base, shown;
	enum frame_role role; /* of any of the names at this address */
};

/*
 * Reads the table from fd to its end (fd stays the caller's).  0 and *ret_table (release it with
 * kallsyms_free), -ENODATA when it holds no usable address (kptr_restrict makes all of them zero),
 * or the error of read(2).  Lines that are not kallsyms lines are skipped.
 */
int kallsyms_read(int fd, struct kallsyms **ret_table);
void kallsyms_free(struct kallsyms *k);
DEFINE_FREE(kallsyms, struct kallsyms *, kallsyms_free)

/*
 * The symbol that covers addr, named by its best alias (a function rather than a section marker
 * such as __softirqentry_text_start; global, weak, local; then the plainest name), or -ENOENT.  A
 * symbol reaches up to the next one; the last of a module to the module's end where that was told,
 * else a page, and no further: there are no sizes in the table.
 */
int kallsyms_find(const struct kallsyms *k, uint64_t addr, struct kernel_symbol *ret_symbol);

/*
 * The address of the symbol of that name and its end; 0: none.  The kernel's text is asked first,
 * then its data, of which only the bounds of the ORC tables are known, which have no length, then
 * the text of modules.
 */
uint64_t kallsyms_address(const struct kallsyms *k, const char *name, uint64_t *ret_end);

/* Where the kernel begins; 0: not known. */
uint64_t kallsyms_text(const struct kallsyms *k);
/* Where the memory of a module is, as /proc/modules tells. */
void kallsyms_set_module(struct kallsyms *k, const char *module, uint64_t begin, uint64_t end);
/* Reads /proc/modules from fd for all of them; what is no such line is skipped. */
void kallsyms_read_modules(struct kallsyms *k, int fd);
/*
 * Is it the module of code that comes and goes by itself ("bpf", "__builtin__kprobes", ...)?  What
 * the table says of that is true for the moment of reading.
 */
bool kallsyms_is_passing(const char *module);
/*
 * Calls fn for each symbol of such code, in rising order, with the end that kallsyms_find()
 * gives.
 */
void kallsyms_each_passing(const struct kallsyms *k,
			   void (*fn)(void *ctx, const struct kernel_symbol *symbol), void *ctx);

/* The same for each symbol outside the kernel itself that goes by that name. */
void kallsyms_each_named(const struct kallsyms *k, const char *name,
			 void (*fn)(void *ctx, const struct kernel_symbol *symbol), void *ctx);

size_t kallsyms_nr(const struct kallsyms *k);
size_t kallsyms_bytes(const struct kallsyms *k); /* memory held */

#endif
