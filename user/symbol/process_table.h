/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of processes: their address spaces, and perf maps and jitdumps where they compile
 * code at run time.  At most 4096 with a million mappings are kept, shared by owner
 * (util/fair_share.h): from who is most beyond his share those longest not asked about are taken,
 * which is counted.  All go that were not asked about for a minute, so that a PID that is used
 * again is not taken for its predecessor for long.  A process that has ended stays as it was for
 * three seconds more, for samples that come late; files are not held open for the dead.
 */
#ifndef EDDY_SYMBOL_PROCESS_TABLE_H
#define EDDY_SYMBOL_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/address_space.h"
#include "symbol/perf_map.h"
#include "util/limit.h"
#include "util/owner.h"

/* What names compiled code; a jitdump, which knows when, before a perf map. */
enum jit_file { JIT_DUMP, JIT_MAP, NR_JIT_FILES };

struct process {
	pid_t pid;
	uint32_t space; /* of its addresses in the frame cache; changes with its mappings */
	struct address_space as;
	struct perf_map *jit[NR_JIT_FILES]; /* NULL: none */
	bool known;			    /* its mappings could be read at least once */
	bool wants_jit;			    /* code was met that only those can name */
	uint64_t refresh_ms;		    /* not to be read again before */
	uint32_t started; /* what the caller knows it by besides its PID; 0: nothing */
	uint32_t exec_id; /* ... and which of its programs it is */
	uint64_t ran_ns;  /* at that time, CLOCK_MONOTONIC; 0: not known */
	uint64_t used_ms; /* when it was last asked about; the caller sets it */

	/* of process_table.c */
	owner_id owner;
	bool has_ended;		    /* when that was looked at last */
	uint64_t wait_ms;	    /* doubles as long as reading again brings nothing */
	uint64_t jit_ms;	    /* when its files of compiled code are read again */
	uint64_t jit_wait_ms;	    /* ... doubles the same way */
	unsigned int nr_unanswered; /* questions for them without an answer, one after the other */
};

struct process_table;

/* All pointers must outlive the table; *next_space numbers spaces. */
struct process_table *process_table_new(struct frame_table *frames, const char *root,
					struct file_table *files, uint32_t *next_space);
void process_table_free(struct process_table *t);

/*
 * When the program that a PID runs now began (CLOCK_MONOTONIC), or later; 0: not known.  With it,
 * what is read of a process is not believed when its program may have been another at ran_ns.
 */
typedef uint64_t (*process_begun_fn)(void *ctx, pid_t pid);
void process_table_use_begun(struct process_table *t, process_begun_fn begun, void *ctx);
/* Is what ran at that time under the PID a program of the past, or may it be? */
bool process_is_past(const struct process_table *t, pid_t pid, uint64_t ran_ns);

/* The process, or NULL when it is not known. */
struct process *process_table_find(struct process_table *t, pid_t pid);
/* Makes a process that is not known and reads its mappings, if they are what it had at ran_ns. */
struct process *process_table_add(struct process_table *t, pid_t pid, uint64_t ran_ns,
				  uint64_t now_ms);
void process_table_remove(struct process_table *t, pid_t pid);

/* Reads mappings, and perf map and jitdump where they are wanted, again. */
void process_refresh(struct process_table *t, struct process *p, uint64_t now_ms);
/* Opens the mapping's file, if that was put off (symbol/address_space.h). */
void process_open_file(struct process_table *t, const struct process *p, struct mapping *m,
		       uint64_t now_ms);
/* Names of compiled code are wanted: reads them when this is the first time. */
void process_read_jit(struct process_table *t, struct process *p, uint64_t now_ms);
/*
 * Reads what came to them since, about once a second as long as something comes: code comes to
 * addresses that have a name already.  To be called, where wants_jit, before an address is looked
 * up; cheap.
 */
void process_follow_jit(struct process_table *t, struct process *p, uint64_t now_ms);

/*
 * Forgets those that were not asked about for a minute, and those that ended; to be called once a
 * second, cheap when called more often.
 */
void process_table_age(struct process_table *t, uint64_t now_ms);
/* Numbers all spaces anew. */
void process_table_renumber(struct process_table *t);
/* Names of mappings go into another table, which must outlive this one. */
void process_table_use_frames(struct process_table *t, struct frame_table *frames);

/* Adds the bounds that were met. */
void process_table_add_limits(const struct process_table *t, struct limit_counts *to);

size_t process_table_nr(const struct process_table *t);
size_t process_table_bytes(const struct process_table *t);

#endif
