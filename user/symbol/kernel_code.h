/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of the kernel that comes and goes while it runs: BPF programs, trampolines, pages of
 * kprobes. Memory is used again, so a symbol is one of a time: it holds from its registration
 * until another is registered over it, and a moment longer than it was taken out, for code that
 * still runs then.
 */
#ifndef EDDY_SYMBOL_KERNEL_CODE_H
#define EDDY_SYMBOL_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_code;

/* What the kernel says of one symbol. */
struct kernel_code_change {
	uint64_t start, bytes;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: it was there before anybody looked */
	const char *name; /* foreign bytes; NULL: only the size is told, of what is there */
	bool is_gone;
	bool is_bpf; /* else another's: kprobes, ftrace */
};

struct kernel_code_symbol {
	uint64_t start, end;
	uint64_t from_ns, until_ns; /* 0: before anybody looked; UINT64_MAX: it is there */
	bool is_bpf;
	char *name; /* as long as the symbol is kept */
};

struct kernel_code *kernel_code_new(void);
void kernel_code_free(struct kernel_code *c); /* NULL is fine */

/* In any order of time.  Beyond 65 536 symbols nothing is added. */
void kernel_code_change(struct kernel_code *c, const struct kernel_code_change *change);
/* The symbol that held the address at that time, or NULL: none, or it is not known. */
const struct kernel_code_symbol *kernel_code_find(const struct kernel_code *c, uint64_t addr,
						  uint64_t time_ns);
/* Was there ever a symbol at the address?  Then no other table knows it better. */
bool kernel_code_covers(const struct kernel_code *c, uint64_t addr);
/* When the table last changed, by the kernel's time; numbers of changes. */
uint64_t kernel_code_changed_ns(const struct kernel_code *c);
uint64_t kernel_code_nr_changes(const struct kernel_code *c);
/* Forgets what was taken out long before now. */
void kernel_code_age(struct kernel_code *c, uint64_t now_ns);
size_t kernel_code_nr(const struct kernel_code *c);
size_t kernel_code_bytes(const struct kernel_code *c);

#endif
