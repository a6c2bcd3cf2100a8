/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where addresses of the kernel's own text stand in its source, by the vmlinux of a debug package.
 * It is looked for in these places and must have the build id of the running kernel:
 *
 *	/usr/lib/debug/.build-id/xx/yyyy.debug, the cache of debuginfod's clients (debug_files.h)
 *	/usr/lib/debug/boot/vmlinux-RELEASE, /usr/lib/debug/lib/modules/RELEASE/vmlinux
 *	/lib/modules/RELEASE/build/vmlinux, /boot/vmlinux-RELEASE
 */
#ifndef EDDY_SYMBOL_KERNEL_SOURCE_H
#define EDDY_SYMBOL_KERNEL_SOURCE_H

#include <stdint.h>

#include "symbol/mapped_file.h"
#include "util/cleanup.h"
#include "util/limit.h"
#include "util/worker_pool.h"

struct kernel_source;

/*
 * root stands before all paths and must outlive it; anchor: where the kernel's SOURCE_ANCHOR
 * (dwarf_source.h) is in memory; pool NULL: all is read here.
 */
struct kernel_source *kernel_source_new(const char *root, uint64_t anchor,
					struct worker_pool *pool);
void kernel_source_free(struct kernel_source *k); /* NULL is fine */
DEFINE_FREE(kernel_source, struct kernel_source *, kernel_source_free)

/* As mapped_file_source(). */
int kernel_source_ask(struct kernel_source *k, const struct source_ask *asked, uint64_t now_ms,
		      struct source_table **ret_table);
/* Adds the bounds that were met. */
void kernel_source_add_limits(const struct kernel_source *k, struct limit_counts *to);

#endif
