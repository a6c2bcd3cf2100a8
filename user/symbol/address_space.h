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
	bool is_unopened;	  /* the file was one too many to open at once */
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
 * /proc/PID/map_files; else by path, if that leads to the mapped device and inode).  A program may
 * have 60 000 files mapped: beyond some hundreds, or some time, they wait until an address in them
 * is asked for.  The number of lines: 0 means that there is nothing to map (a kernel thread, or the
 * process has ended), and negative errno that there is no such process.  *ret_space is set when it
 * is > 0.
 */
int address_space_read(const struct address_space_source *src, pid_t pid,
		       struct address_space *ret_space);
void address_space_deinit(struct address_space *as);

/* Opens the file of a mapping that was left unopened; once, whatever comes of it. */
void address_space_open(const struct address_space_source *src, pid_t pid, struct mapping *m);

/* The mapping that holds addr, or NULL. */
struct mapping *address_space_find(const struct address_space *as, uint64_t addr);
/* Names of mappings stand in `from`, and in `to` afterwards. */
void address_space_use_frames(struct address_space *as, const struct frame_table *from,
			      struct frame_table *to);
bool address_space_equal(const struct address_space *a, const struct address_space *b);

#endif
