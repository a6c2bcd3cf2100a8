// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compilers of running programs say of their code: perf maps and jitdumps, read by one reader,
 * within what their owners may have, and again ever more rarely while nothing is new.
 */
#include <errno.h>

#include "symbol/jit_dump.h"
#include "symbol/process_slots.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/worker_pool.h"

#define JIT_MIN_MS 1000
#define JIT_MAX_MS 16000

static owner_id jit_owner(const struct perf_map *jit)
{
	return owner_of_uid(perf_map_uid(jit));
}

void process_jit_drop(struct process_table *t, struct perf_map **jit)
{
	if (!*jit)
		return;
	fair_share_give(t->jit, jit_owner(*jit), perf_map_held(*jit));
	perf_map_free(take_ptr(*jit));
}

/* What one owner's compilers wrote makes way for another's; it is read again, as far as he may. */
static bool jit_evict(struct process_table *t, owner_id owner, const struct process *except)
{
	bool has_gone = false;

	for_each_process(t, p)
	{
		for (int i = 0; p != except && i < NR_JIT_FILES; i++) {
			if (!p->jit[i] || jit_owner(p->jit[i]) != owner)
				continue;
			process_jit_drop(t, &p->jit[i]);
			p->space = (*t->next_space)++;
			has_gone = true;
		}
	}
	return has_gone;
}

/* How many bytes more of lines the owner of such a file, of that process, may have. */
static uint64_t jit_room(struct process_table *t, owner_id owner, const struct process *p)
{
	uint64_t bound, had, left;
	owner_id greediest;

	for (;;) {
		bound = fair_share_bound(t->jit, owner);
		had = fair_share_of(t->jit, owner);
		left = fair_share_total(t->jit) - fair_share_used(t->jit);
		if (owner == OWNER_SYSTEM && left > 0)
			return left;
		if (bound <= had)
			return 0;
		if (left >= bound - had || !fair_share_greediest(t->jit, owner, &greediest) ||
		    !jit_evict(t, greediest, p))
			return left < bound - had ? left : bound - had;
	}
}

/*
 * It holds what it does instead of `before`.  False: that is more than its owner may have, as
 * others came since; it is gone, and read again as far as he may.
 */
static bool jit_account(struct process_table *t, struct process *p, struct perf_map **jit,
			uint64_t before)
{
	fair_share_give(t->jit, jit_owner(*jit), before);
	if (fair_share_take(t->jit, jit_owner(*jit), perf_map_held(*jit)) >= 0)
		return true;
	t->limits.nr[LIMIT_JIT]++;
	perf_map_free(take_ptr(*jit));
	p->space = (*t->next_space)++;
	return false;
}

static int jit_open(struct process_table *t, struct process *p, enum jit_file file, uint64_t now_ms)
{
	const struct address_space_source src = { t->root, t->files, t->frames, now_ms };

	if (p->jit[file])
		return 0;
	if (file == JIT_DUMP)
		return jit_dump_open(&src, p->pid, &p->as, &p->jit[file]);
	return perf_map_open(file_table_pool(t->files), t->root, p->pid, &p->jit[file]);
}

/* 1: there is something new, 0: there is not, or -errno. */
static int read_jit_file(struct process_table *t, struct process *p, enum jit_file file,
			 uint64_t now_ms)
{
	struct perf_map **jit = &p->jit[file];
	uint64_t before;
	int r;

	if (process_is_past(t, p->pid, p->ran_ns))
		return -ESRCH;
	r = jit_open(t, p, file, now_ms);
	if (r < 0)
		return r;
	before = perf_map_held(*jit);
	r = perf_map_refresh(*jit, before + jit_room(t, jit_owner(*jit), p));
	t->limits.nr[LIMIT_PARSERS] += r == -EPIPE;
	if (r > 0)
		p->space = (*t->next_space)++; /* memory may have been used again */
	t->limits.nr[LIMIT_JIT] += perf_map_is_cut(*jit);
	if (jit_account(t, p, jit, before) && process_is_past(t, p->pid, p->ran_ns))
		process_jit_drop(t, jit); /* whose lines these are nobody knows */
	return r;
}

void process_jit_read(struct process_table *t, struct process *p, uint64_t now_ms)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	bool has_news = false, has_failed = false;

	for (int i = 0; i < NR_JIT_FILES; i++) {
		int r = read_jit_file(t, p, i, now_ms);

		has_news |= r > 0;
		has_failed |= worker_is_stalled(r);
	}
	if (has_news)
		p->wait_ms = PROCESS_REFRESH_MIN_MS;
	if (has_news || !p->jit_wait_ms)
		p->jit_wait_ms = JIT_MIN_MS;
	else if (p->jit_wait_ms < JIT_MAX_MS)
		p->jit_wait_ms *= 2;
	p->nr_unanswered = has_failed ? p->nr_unanswered + 1 : 0;
	p->jit_ms = now_ms + process_rest_ms(t, p, start_ns, p->jit_wait_ms);
}

void process_read_jit(struct process_table *t, struct process *p, uint64_t now_ms)
{
	if (p->wants_jit)
		return;
	p->wants_jit = true;
	process_jit_read(t, p, now_ms);
}

void process_follow_jit(struct process_table *t, struct process *p, uint64_t now_ms)
{
	if (now_ms >= p->jit_ms && (p->jit[JIT_DUMP] || p->jit[JIT_MAP]))
		process_jit_read(t, p, now_ms);
}

size_t process_jit_bytes(const struct process *p)
{
	size_t bytes = 0;

	for (int i = 0; i < NR_JIT_FILES; i++)
		bytes += p->jit[i] ? perf_map_bytes(p->jit[i]) : 0;
	return bytes;
}
