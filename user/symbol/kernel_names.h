/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of kernel addresses: kallsyms for the kernel's own text and modules, and for code that
 * comes and goes (kernel_code.h) what a follower tells, when there is one.
 */
#ifndef EDDY_SYMBOL_KERNEL_NAMES_H
#define EDDY_SYMBOL_KERNEL_NAMES_H

#include "symbol/kallsyms.h"
#include "symbol/kernel_code.h"

struct kernel_names;

/* Who follows the kernel's code while it comes and goes. */
struct symbolizer_follower {
	/* Calls symbolizer_kernel_change() for all that happened before. */
	void (*poll)(void *ctx);
	/* A number that changes before a module begins to run and before one is gone. */
	uint32_t (*module_seq)(void *ctx);
	void *ctx;
};

/* When an address was met. */
struct symbolizer_moment {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t module_seq;
};

/* Reads kallsyms under root, which must outlive it; *next_space numbers spaces of a frame cache. */
struct kernel_names *kernel_names_new(const char *root, uint32_t *next_space);
void kernel_names_free(struct kernel_names *k);
size_t kernel_names_bytes(const struct kernel_names *k);
/* NULL: hidden or none. */
const struct kallsyms *kernel_names_kallsyms(const struct kernel_names *k);

void kernel_names_follow(struct kernel_names *k, const struct symbolizer_follower *follower);
void kernel_names_change(struct kernel_names *k, const struct kernel_code_change *change);
/* Changes were lost: such code has no name until kernel_names_age() reads kallsyms again. */
void kernel_names_lost(struct kernel_names *k);
/* To be called about once a second. */
void kernel_names_age(struct kernel_names *k);
void kernel_names_renumber(struct kernel_names *k);

/*
 * The space in which what the address is at that moment may be kept, or 0: it is not what it is
 * now.  To be asked before kernel_names_find().  when: NULL when it is not known; then `otherwise`.
 */
uint32_t kernel_names_space(struct kernel_names *k, uint64_t addr,
			    const struct symbolizer_moment *when, uint32_t otherwise);
/* The symbol of an address at that moment; *ret_holds: it will be so until something changes. */
bool kernel_names_find(struct kernel_names *k, uint64_t addr, const struct symbolizer_moment *when,
		       struct kernel_symbol *ret_symbol, bool *ret_holds);

#endif
