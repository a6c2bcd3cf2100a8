/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process executes where: its executable mappings, sorted, with the files behind them. */
#ifndef EDDY_SYMBOL_ADDRESS_SPACE_H
#define EDDY_SYMBOL_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/mapped_file.h"

struct mapping {
	uint64_t start, end, offset;
	struct mapped_file *file; /* NULL: memory without a file */
	str_id name;		  /* of such memory: "[anon]", "[vsyscall]", "[heap]" */
};

struct address_space {
	struct mapping *mappings;
	size_t nr, cap;
};

/* Where mappings are read from and files are kept. */
struct address_space_source {
	const char *root;
	struct file_table *files;
	struct frame_table *frames;
	uint64_t now_ms;
};

/*
 * Reads /proc/PID/maps: one open, read and close, and an open for each file never met before (by
 * /proc/PID/map_files; else by path, if that leads to the mapped device and inode).  The number of
 * lines: 0 means that there is nothing to map (a kernel thread, or the process has ended), and
 * negative errno that there is no such process.  *ret_space is set when > 0.
 */
int address_space_read(const struct address_space_source *src, pid_t pid,
		       struct address_space *ret_space);
void address_space_deinit(struct address_space *as);

/* The mapping that holds addr, or NULL. */
const struct mapping *address_space_find(const struct address_space *as, uint64_t addr);
/* Names of mappings stand in `from`, and in `to` afterwards. */
void address_space_use_frames(struct address_space *as, const struct frame_table *from,
			      struct frame_table *to);
bool address_space_equal(const struct address_space *a, const struct address_space *b);

#endif
