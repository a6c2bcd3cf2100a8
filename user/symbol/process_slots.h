/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of processes, for the files that are one: process_table.c, process_jit.c. */
#ifndef EDDY_SYMBOL_PROCESS_SLOTS_H
#define EDDY_SYMBOL_PROCESS_SLOTS_H

#include "symbol/process_table.h"
#include "util/fair_share.h"
#include "util/hash.h"
#include "util/table.h"

#define PROCESS_REFRESH_MIN_MS 1

DEFINE_TABLE(process_slots, struct process *, pid_t, void)

static inline bool process_slots_is_used(struct process *const *p)
{
	return *p != NULL;
}

static inline uint64_t process_slots_hash(const void *nobody, struct process *const *p)
{
	return hash_u64((*p)->pid);
}

static inline bool process_slots_equals(const void *nobody, struct process *const *p,
					const pid_t *pid)
{
	return (*p)->pid == *pid;
}

struct process_table {
	struct frame_table *frames;
	const char *root;
	struct file_table *files;
	uint32_t *next_space;
	struct process_slots slots;
	process_begun_fn begun; /* NULL: nothing is known */
	void *begun_ctx;
	struct process *last;	     /* stacks come in runs of one process */
	struct fair_share *places;   /* of processes, charged whatever a share is */
	struct fair_share *mappings; /* the same */
	struct fair_share *jit;	     /* bytes of lines of perf maps and jitdumps */
	struct limit_counts limits;
	uint64_t aged_ms;
};

/* Calls for every process; `p` may not be removed inside. */
#define for_each_process(t, p)                                                                 \
	for (struct process **s_ = process_slots_next(&(t)->slots, NULL), *p; s_ && (p = *s_); \
	     s_ = process_slots_next(&(t)->slots, s_))

/*
 * How long it rests after what began then, wait_ms at least.  What takes long goes by all that its
 * owner's processes have mapped, so that they share the time that one of them may take.  Where a
 * busy machine kept a question from being answered, soon comes another: nothing of its compiled
 * code has a name until then.
 */
uint64_t process_rest_ms(const struct process_table *t, const struct process *p, uint64_t start_ns,
			 uint64_t wait_ms);

/* Reads what is new in its files of compiled code. */
void process_jit_read(struct process_table *t, struct process *p, uint64_t now_ms);
/* Forgets one of them; NULL is fine. */
void process_jit_drop(struct process_table *t, struct perf_map **jit);
size_t process_jit_bytes(const struct process *p);

#endif
