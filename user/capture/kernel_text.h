/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of code that comes and goes in it: BPF programs, trampolines, pages of
 * kprobes and ftrace.  A perf event on each CPU that counts nothing gets the records.  Modules are
 * not among them.
 */
#ifndef EDDY_CAPTURE_KERNEL_TEXT_H
#define EDDY_CAPTURE_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/ksymbol.h"

struct kernel_text;

struct kernel_text_consumer {
	void (*symbol)(void *ctx, const struct ksymbol *symbol);
	/* Some were lost: what is known may be wrong from before that time on. */
	void (*lost)(void *ctx, uint64_t nr);
	/* Of a function that is there: where it starts, and its length. */
	void (*size)(void *ctx, uint64_t start, uint32_t bytes);
	void *ctx;
};

/* Begins to listen; NULL where that is not permitted or not known.  It stays at its place. */
struct kernel_text *kernel_text_open(const struct kernel_text_consumer *consumer);
void kernel_text_free(struct kernel_text *k);

/* Readable when something has come; -1: never. */
int kernel_text_poll_fd(const struct kernel_text *k);
/* Hands over what has come: all that happened before the call.  NULL is fine. */
void kernel_text_poll(struct kernel_text *k);
/* Listens on CPUs that came. */
void kernel_text_follow_cpus(struct kernel_text *k);
/* Hands over the functions of all BPF programs; none without CAP_SYS_ADMIN. */
void kernel_text_sizes(struct kernel_text *k);

#endif
