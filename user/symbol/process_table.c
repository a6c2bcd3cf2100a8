// SPDX-License-Identifier: GPL-2.0-or-later
/* A hash table of processes, and when to look at one of them again. */
#include "symbol/process_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "symbol/jit_dump.h"
#include "util/clock.h"
#include "util/fair_share.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/table.h"
#include "util/worker_pool.h"

#define FIRST_PROCESSES 384
#define MAX_PROCESSES	4096
#define MAX_MAPPINGS	((size_t)1 << 20) /* of all processes together: 40 MiB */
#define REFRESH_MIN_MS	1
#define REFRESH_MAX_MS	2000
#define IDLE_MS		60000
#define AGE_EVERY_MS	900  /* asked for once a second */
#define ENDED_MS	2900 /* without a question, that one is kept which has ended */
#define REST_FACTOR	20   /* at most 5 % of the time goes into reading one process again */
#define MAX_JIT_BYTES	(64ull << 20) /* lines of all perf maps and jitdumps together */
#define JIT_MIN_MS	1000
#define JIT_MAX_MS	16000
#define RETRY_MS	100 /* after the first question that got no answer; doubles, ... */
#define MAX_RETRIES	5   /* ... so often; then it rests as always */

DEFINE_TABLE(process_slots, struct process *, pid_t, void)

static bool process_slots_is_used(struct process *const *p)
{
	return *p != NULL;
}

static uint64_t process_slots_hash(const void *nobody, struct process *const *p)
{
	return hash_u64((*p)->pid);
}

static bool process_slots_equals(const void *nobody, struct process *const *p, const pid_t *pid)
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
	struct process *last; /* stacks come in runs of one process */
	size_t nr_mappings;
	struct fair_share *jit; /* bytes of lines of perf maps and jitdumps */
	struct limit_counts limits;
	uint64_t aged_ms;
};

struct process_table *process_table_new(struct frame_table *frames, const char *root,
					struct file_table *files, uint32_t *next_space)
{
	struct process_table *t = xcalloc(1, sizeof(*t));

	t->frames = frames;
	t->root = root;
	t->files = files;
	t->next_space = next_space;
	process_slots_init(&t->slots, FIRST_PROCESSES);
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

/* Calls for every process; `p` may not be removed inside. */
#define for_each_process(t, p)                                                                 \
	for (struct process **s_ = process_slots_next(&(t)->slots, NULL), *p; s_ && (p = *s_); \
	     s_ = process_slots_next(&(t)->slots, s_))

static owner_id jit_owner(const struct perf_map *jit)
{
	return owner_of_uid(perf_map_uid(jit));
}

static void jit_drop(struct process_table *t, struct perf_map **jit)
{
	if (!*jit)
		return;
	fair_share_give(t->jit, jit_owner(*jit), perf_map_held(*jit));
	perf_map_free(take_ptr(*jit));
}

/* Its slot is the caller's. */
static void process_free(struct process_table *t, struct process *p)
{
	if (!p)
		return;
	if (t->last == p)
		t->last = NULL;
	t->nr_mappings -= p->as.nr;
	for (int i = 0; i < NR_JIT_FILES; i++)
		jit_drop(t, &p->jit[i]);
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
};

static bool is_unused(void *ctx, struct process **slot)
{
	const struct removal *r = ctx;
	struct process *p = *slot;

	if (p == r->except || p->used_ms > r->ms)
		return false;
	process_free(r->t, p);
	return true;
}

/* Those go that were not asked about since that time. */
static void remove_unused(struct process_table *t, uint64_t since_ms, const struct process *except)
{
	process_slots_sweep(&t->slots, NULL, is_unused, &(struct removal){ t, since_ms, except });
}

/* About half of them go: those asked about before the mean of all such times, or at it. */
static void remove_half(struct process_table *t, const struct process *except)
{
	uint64_t sum = 0;

	for_each_process(t, p) sum += p->used_ms;
	if (t->slots.nr)
		remove_unused(t, sum / t->slots.nr, except);
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
	process_slots_sweep(&t->slots, NULL, is_over, &(struct removal){ t, now_ms, NULL });
}

void process_table_age(struct process_table *t, uint64_t now_ms)
{
	if (now_ms - t->aged_ms < AGE_EVERY_MS)
		return;
	t->aged_ms = now_ms;
	remove_ended(t, now_ms);
	if (now_ms >= IDLE_MS)
		remove_unused(t, now_ms - IDLE_MS, NULL);
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
	t->nr_mappings += as.nr - p->as.nr;
	address_space_deinit(&p->as);
	p->as = as;
	p->space = (*t->next_space)++;
	p->wait_ms = REFRESH_MIN_MS;
	if (t->nr_mappings > MAX_MAPPINGS)
		remove_half(t, p);
}

void process_open_file(struct process_table *t, const struct process *p, struct mapping *m,
		       uint64_t now_ms)
{
	const struct address_space_source src = { t->root, t->files, t->frames, now_ms };

	if (m->is_unopened && !process_is_past(t, p->pid, p->ran_ns))
		address_space_open(&src, p->pid, m);
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
			jit_drop(t, &p->jit[i]);
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
		jit_drop(t, jit); /* whose lines these are nobody knows */
	return r;
}

/*
 * How long it rests after what began then, wait_ms at least.  Where a busy machine kept a question
 * from being answered, soon comes another: nothing of its compiled code has a name until then.
 */
static uint64_t rest_ms(const struct process *p, uint64_t start_ns, uint64_t wait_ms)
{
	uint64_t rest = (clock_ns(CLOCK_MONOTONIC) - start_ns) * REST_FACTOR / 1000000;

	if (p->nr_unanswered && p->nr_unanswered <= MAX_RETRIES)
		return RETRY_MS << (p->nr_unanswered - 1);
	return rest > wait_ms ? rest : wait_ms;
}

static void read_jit(struct process_table *t, struct process *p, uint64_t now_ms)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	bool has_news = false, has_failed = false;

	for (int i = 0; i < NR_JIT_FILES; i++) {
		int r = read_jit_file(t, p, i, now_ms);

		has_news |= r > 0;
		has_failed |= worker_is_stalled(r);
	}
	if (has_news)
		p->wait_ms = REFRESH_MIN_MS;
	if (has_news || !p->jit_wait_ms)
		p->jit_wait_ms = JIT_MIN_MS;
	else if (p->jit_wait_ms < JIT_MAX_MS)
		p->jit_wait_ms *= 2;
	p->nr_unanswered = has_failed ? p->nr_unanswered + 1 : 0;
	p->jit_ms = now_ms + rest_ms(p, start_ns, p->jit_wait_ms);
}

void process_read_jit(struct process_table *t, struct process *p, uint64_t now_ms)
{
	if (p->wants_jit)
		return;
	p->wants_jit = true;
	read_jit(t, p, now_ms);
}

void process_follow_jit(struct process_table *t, struct process *p, uint64_t now_ms)
{
	if (now_ms >= p->jit_ms && (p->jit[JIT_DUMP] || p->jit[JIT_MAP]))
		read_jit(t, p, now_ms);
}

void process_refresh(struct process_table *t, struct process *p, uint64_t now_ms)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	if (p->wait_ms < REFRESH_MAX_MS)
		p->wait_ms *= 2;
	read_mappings(t, p, now_ms);
	if (p->wants_jit)
		read_jit(t, p, now_ms);
	p->refresh_ms = now_ms + rest_ms(p, start_ns, p->wait_ms);
}

struct process *process_table_add(struct process_table *t, pid_t pid, uint64_t ran_ns,
				  uint64_t now_ms)
{
	struct process *p;

	if (t->slots.nr == MAX_PROCESSES)
		remove_half(t, NULL);
	process_table_age(t, now_ms);
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	p->ran_ns = ran_ns;
	p->space = (*t->next_space)++;
	p->used_ms = now_ms;
	p->wait_ms = REFRESH_MIN_MS;
	p->refresh_ms = now_ms; /* met at its exec, it maps its libraries only now */
	*process_slots_add(&t->slots, NULL, hash_u64(pid)) = p;
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

static size_t jit_bytes(const struct process *p)
{
	size_t bytes = 0;

	for (int i = 0; i < NR_JIT_FILES; i++)
		bytes += p->jit[i] ? perf_map_bytes(p->jit[i]) : 0;
	return bytes;
}

size_t process_table_bytes(const struct process_table *t)
{
	size_t bytes = sizeof(*t) + process_slots_bytes(&t->slots);

	for_each_process(t, p) bytes +=
		sizeof(*p) + p->as.cap * sizeof(*p->as.mappings) + jit_bytes(p);
	return bytes;
}
