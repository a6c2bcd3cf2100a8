// SPDX-License-Identifier: GPL-2.0-or-later
/* A hash table of processes, and when to look at one of them again. */
#include "symbol/process_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "symbol/process_slots.h"
#include "util/clock.h"
#include "util/mem.h"

#define FIRST_PROCESSES 384
#define MAX_PROCESSES	4096
#define MAX_MAPPINGS	((size_t)1 << 20) /* of all processes together: 40 MiB */
#define REFRESH_MAX_MS	2000
#define IDLE_MS		60000
#define AGE_EVERY_MS	900	/* asked for once a second */
#define ENDED_MS	2900	/* without a question, that one is kept which has ended */
#define REST_FACTOR	20	/* at most 5 % of the time goes into reading one process again */
#define LONG_NS		5000000 /* ... or all of an owner's, where each takes that long */
#define MAX_JIT_BYTES	(64ull << 20) /* lines of all perf maps and jitdumps together */
#define RETRY_MS	100 /* after the first question that got no answer; doubles, ... */
#define MAX_RETRIES	5   /* ... so often; then it rests as always */

struct process_table *process_table_new(struct frame_table *frames, const char *root,
					struct file_table *files, uint32_t *next_space)
{
	struct process_table *t = xcalloc(1, sizeof(*t));

	t->frames = frames;
	t->root = root;
	t->files = files;
	t->next_space = next_space;
	process_slots_init(&t->slots, FIRST_PROCESSES);
	t->places = fair_share_new(MAX_PROCESSES);
	t->mappings = fair_share_new(MAX_MAPPINGS);
	t->jit = fair_share_new(MAX_JIT_BYTES);
	return t;
}

void process_table_use_begun(struct process_table *t, process_begun_fn begun, void *ctx)
{
	t->begun = begun;
	t->begun_ctx = ctx;
}

bool process_is_past(const struct process_table *t, pid_t pid, uint64_t ran_ns)
{
	return t->begun && ran_ns && t->begun(t->begun_ctx, pid) > ran_ns;
}

/* Its slot is the caller's. */
static void process_free(struct process_table *t, struct process *p)
{
	if (!p)
		return;
	if (t->last == p)
		t->last = NULL;
	fair_share_give(t->places, p->owner, 1);
	fair_share_give(t->mappings, p->owner, p->as.nr);
	for (int i = 0; i < NR_JIT_FILES; i++)
		process_jit_drop(t, &p->jit[i]);
	address_space_deinit(&p->as);
	free(p);
}

void process_table_free(struct process_table *t)
{
	if (!t)
		return;
	for (struct process **s = process_slots_next(&t->slots, NULL); s;
	     s = process_slots_next(&t->slots, s))
		process_free(t, *s);
	process_slots_deinit(&t->slots);
	fair_share_free(t->places);
	fair_share_free(t->mappings);
	fair_share_free(t->jit);
	free(t);
}

static struct process **slot_of(struct process_table *t, pid_t pid)
{
	return process_slots_find(&t->slots, NULL, hash_u64(pid), &pid);
}

struct process *process_table_find(struct process_table *t, pid_t pid)
{
	struct process **slot;

	if (t->last && t->last->pid == pid)
		return t->last;
	slot = slot_of(t, pid);
	if (!slot)
		return NULL;
	t->last = *slot;
	return *slot;
}

struct removal {
	struct process_table *t;
	uint64_t ms;
	const struct process *except;
	bool of_owner; /* only what is his */
	owner_id owner;
};

static bool is_unused(void *ctx, struct process **slot)
{
	const struct removal *r = ctx;
	struct process *p = *slot;

	if (p == r->except || p->used_ms > r->ms || (r->of_owner && p->owner != r->owner))
		return false;
	process_free(r->t, p);
	return true;
}

/* Those go that were not asked about since that time. */
static void remove_unused(struct process_table *t, uint64_t since_ms)
{
	struct removal r = { .t = t, .ms = since_ms };

	process_slots_sweep(&t->slots, NULL, is_unused, &r);
}

/* Who has most beyond his share, of those who have more than `except`; false: nobody. */
static bool greediest(const struct process_table *t, const struct fair_share *share,
		      const struct process *except, owner_id *ret_owner)
{
	uint64_t most = 0;

	for_each_process(t, p)
	{
		uint64_t has = fair_share_of(share, p->owner);
		uint64_t bound = fair_share_bound(share, p->owner);

		if (p == except || has <= bound || has - bound <= most)
			continue;
		most = has - bound;
		*ret_owner = p->owner;
	}
	return most != 0;
}

/* About half of an owner's go: those asked about before the mean of all such times, or at it. */
static void remove_half(struct process_table *t, owner_id owner, const struct process *except)
{
	struct removal r = { .t = t, .except = except, .of_owner = true, .owner = owner };
	uint64_t sum = 0, nr = 0;

	for_each_process(t, p)
	{
		bool is_one = p->owner == owner && p != except;

		sum += is_one ? p->used_ms : 0;
		nr += is_one;
	}
	r.ms = sum / nr; /* the greediest has one */
	nr = t->slots.nr;
	process_slots_sweep(&t->slots, NULL, is_unused, &r);
	t->limits.nr[LIMIT_PROCESSES] += nr - t->slots.nr;
}

static void keep_bound(struct process_table *t, const struct fair_share *share,
		       const struct process *except)
{
	owner_id owner;

	while (fair_share_used(share) > fair_share_total(share) &&
	       greediest(t, share, except, &owner))
		remove_half(t, owner, except);
}

/*
 * Has it given up its memory?  One that ended and that nobody waits for has, too.  The link leads
 * to the program; it is read without looking at the file.
 */
static bool has_ended(const struct process_table *t, const struct process *p)
{
	char path[512], link[1];

	snprintf(path, sizeof(path), "%s/proc/%d/exe", t->root, (int)p->pid);
	return readlink(path, link, sizeof(link)) < 0 && (errno == ENOENT || errno == ESRCH);
}

static bool is_over(void *ctx, struct process **slot)
{
	const struct removal *r = ctx;
	struct process *p = *slot;
	uint64_t idle_ms = r->ms - p->used_ms;

	if (idle_ms >= AGE_EVERY_MS && !p->has_ended)
		p->has_ended = has_ended(r->t, p);
	if (!p->has_ended || idle_ms < ENDED_MS)
		return false;
	process_free(r->t, p);
	return true;
}

/* Looks whether processes have ended that nobody asked about since the last look. */
static void remove_ended(struct process_table *t, uint64_t now_ms)
{
	process_slots_sweep(&t->slots, NULL, is_over, &(struct removal){ .t = t, .ms = now_ms });
}

void process_table_age(struct process_table *t, uint64_t now_ms)
{
	if (now_ms - t->aged_ms < AGE_EVERY_MS)
		return;
	t->aged_ms = now_ms;
	remove_ended(t, now_ms);
	if (now_ms >= IDLE_MS)
		remove_unused(t, now_ms - IDLE_MS);
	process_slots_fit(&t->slots, NULL, FIRST_PROCESSES);
}

static void read_mappings(struct process_table *t, struct process *p, uint64_t now_ms)
{
	struct address_space_source src = { t->root, t->files, t->frames, now_ms };
	struct address_space as = { 0 };
	int nr_lines = address_space_read(&src, p->pid, &as);

	if (process_is_past(t, p->pid, p->ran_ns)) { /* asked afterwards: they are another's */
		address_space_deinit(&as);
		return;
	}
	p->known |= nr_lines > 0;
	if (nr_lines <= 0 || address_space_equal(&as, &p->as)) {
		/* Ended, or nothing new: what is known stays, for samples that come late. */
		address_space_deinit(&as);
		return;
	}
	fair_share_give(t->mappings, p->owner, p->as.nr);
	fair_share_charge(t->mappings, p->owner, as.nr);
	address_space_deinit(&p->as);
	p->as = as;
	p->space = (*t->next_space)++;
	p->wait_ms = PROCESS_REFRESH_MIN_MS;
	keep_bound(t, t->mappings, p);
}

void process_open_file(struct process_table *t, const struct process *p, struct mapping *m,
		       uint64_t now_ms)
{
	const struct address_space_source src = { t->root, t->files, t->frames, now_ms };

	if (m->is_unopened && !process_is_past(t, p->pid, p->ran_ns))
		address_space_open(&src, p->pid, m);
}

/* As often as all that its owner has mapped is what this one has: they share the time. */
static uint64_t share_factor(const struct process_table *t, const struct process *p)
{
	uint64_t of_all = fair_share_of(t->mappings, p->owner);

	return p->as.nr && of_all > p->as.nr ? of_all / p->as.nr : 1;
}

uint64_t process_rest_ms(const struct process_table *t, const struct process *p, uint64_t start_ns,
			 uint64_t wait_ms)
{
	uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
	uint64_t rest = took_ns * REST_FACTOR / 1000000;

	if (took_ns >= LONG_NS)
		rest *= share_factor(t, p);
	if (p->nr_unanswered && p->nr_unanswered <= MAX_RETRIES)
		return RETRY_MS << (p->nr_unanswered - 1);
	return rest > wait_ms ? rest : wait_ms;
}

void process_refresh(struct process_table *t, struct process *p, uint64_t now_ms)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	if (p->wait_ms < REFRESH_MAX_MS)
		p->wait_ms *= 2;
	read_mappings(t, p, now_ms);
	if (p->wants_jit)
		process_jit_read(t, p, now_ms);
	p->refresh_ms = now_ms + process_rest_ms(t, p, start_ns, p->wait_ms);
}

struct process *process_table_add(struct process_table *t, pid_t pid, uint64_t ran_ns,
				  uint64_t now_ms)
{
	struct process *p;

	process_table_age(t, now_ms);
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	p->owner = owner_of_process_in(t->root, pid);
	fair_share_charge(t->places, p->owner, 1);
	p->ran_ns = ran_ns;
	p->space = (*t->next_space)++;
	p->used_ms = now_ms;
	p->wait_ms = PROCESS_REFRESH_MIN_MS;
	p->refresh_ms = now_ms; /* met at its exec, it maps its libraries only now */
	*process_slots_add(&t->slots, NULL, hash_u64(pid)) = p;
	keep_bound(t, t->places, p);
	t->last = p;
	read_mappings(t, p, now_ms);
	return p;
}

void process_table_remove(struct process_table *t, pid_t pid)
{
	struct process **slot = slot_of(t, pid);

	if (!slot)
		return;
	process_free(t, *slot);
	process_slots_remove(&t->slots, NULL, slot);
}

void process_table_renumber(struct process_table *t)
{
	for_each_process(t, p) p->space = (*t->next_space)++;
}

void process_table_use_frames(struct process_table *t, struct frame_table *frames)
{
	for_each_process(t, p) address_space_use_frames(&p->as, t->frames, frames);
	t->frames = frames;
}

void process_table_add_limits(const struct process_table *t, struct limit_counts *to)
{
	limit_counts_add(to, &t->limits);
}

size_t process_table_nr(const struct process_table *t)
{
	return t->slots.nr;
}

size_t process_table_bytes(const struct process_table *t)
{
	size_t bytes = sizeof(*t) + process_slots_bytes(&t->slots);

	for_each_process(t, p) bytes +=
		sizeof(*p) + p->as.cap * sizeof(*p->as.mappings) + process_jit_bytes(p);
	return bytes;
}
