/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of processes: their address spaces, and perf maps where they compile code at run
 * time.  At most 4096 with a million mappings are kept, those longest not asked about go first,
 * and all go that were not asked about for a minute: files are not held open for the dead, and a
 * PID that is used again is not taken for its predecessor for long.  Until then a process that has
 * ended stays as it was, for samples that come late.
 */
#ifndef EDDY_SYMBOL_PROCESS_TABLE_H
#define EDDY_SYMBOL_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/address_space.h"
#include "symbol/perf_map.h"

struct process {
	pid_t pid;
	uint32_t space; /* of its addresses in the frame cache; changes with its mappings */
	struct address_space as;
	struct perf_map *jit; /* NULL: none */
	bool known;	      /* its mappings could be read at least once */
	bool wants_jit;	      /* code was met that only a perf map can name */
	uint64_t refresh_ms;  /* not to be read again before */
	uint32_t started;     /* what the caller knows it by besides its PID; 0: nothing */
	uint64_t used_ms;     /* when it was last asked about; the caller sets it */

	/* of process_table.c */
	struct process *next;
	uint64_t wait_ms; /* doubles as long as reading again brings nothing */
};

struct process_table;

/* All pointers must outlive the table; *next_space numbers spaces. */
struct process_table *process_table_new(struct frame_table *frames, const char *root,
					struct file_table *files, uint32_t *next_space);
void process_table_free(struct process_table *t);

/* The process, or NULL when it is not known. */
struct process *process_table_find(struct process_table *t, pid_t pid);
/* Makes a process that is not known and reads its mappings. */
struct process *process_table_add(struct process_table *t, pid_t pid, uint64_t now_ms);
void process_table_remove(struct process_table *t, pid_t pid);

/* Reads mappings, and the perf map where one is wanted, again. */
void process_refresh(struct process_table *t, struct process *p, uint64_t now_ms);
/* A perf map is wanted: reads it when this is the first time. */
void process_read_jit(struct process_table *t, struct process *p);

/* Forgets those that were not asked about for a minute; cheap when called often. */
void process_table_age(struct process_table *t, uint64_t now_ms);
/* Numbers all spaces anew. */
void process_table_renumber(struct process_table *t);
/* Names of mappings go into another table, which must outlive this one. */
void process_table_use_frames(struct process_table *t, struct frame_table *frames);

size_t process_table_nr(const struct process_table *t);
size_t process_table_bytes(const struct process_table *t);

#endif
