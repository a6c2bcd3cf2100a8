// SPDX-License-Identifier: GPL-2.0-or-later
/* A hash table of processes, and when to look at one of them again. */
#include "symbol/process_table.h"

#include <stdlib.h>
#include <time.h>

#include "util/clock.h"
#include "util/mem.h"

#define NR_BUCKETS     4096
#define MAX_PROCESSES  4096
#define MAX_MAPPINGS   ((size_t)1 << 20) /* of all processes together: 40 MiB */
#define REFRESH_MIN_MS 1
#define REFRESH_MAX_MS 2000
#define IDLE_MS	       60000
#define AGE_EVERY_MS   10000
#define REST_FACTOR    20 /* at most 5 % of the time goes into reading one process again */
#define MAX_JIT	       ((size_t)1 << 20) /* symbols of all perf maps together: 24 MiB */

struct process_table {
	struct frame_table *frames;
	const char *root;
	struct file_table *files;
	uint32_t *next_space;
	struct process *buckets[NR_BUCKETS];
	struct process *last; /* stacks come in runs of one process */
	size_t nr, nr_jit, nr_mappings;
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
	return t;
}

/* Takes the process at *slot out and frees it. */
static void remove_at(struct process_table *t, struct process **slot)
{
	struct process *p = *slot;

	*slot = p->next;
	if (t->last == p)
		t->last = NULL;
	t->nr--;
	t->nr_mappings -= p->as.nr;
	if (p->jit)
		t->nr_jit -= perf_map_nr(p->jit);
	perf_map_free(p->jit);
	address_space_deinit(&p->as);
	free(p);
}

void process_table_free(struct process_table *t)
{
	if (!t)
		return;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		while (t->buckets[b])
			remove_at(t, &t->buckets[b]);
	free(t);
}

static struct process **slot_of(struct process_table *t, pid_t pid)
{
	struct process **at = &t->buckets[(uint32_t)pid % NR_BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

struct process *process_table_find(struct process_table *t, pid_t pid)
{
	struct process *p = t->last;

	if (p && p->pid == pid)
		return p;
	p = *slot_of(t, pid);
	if (p)
		t->last = p;
	return p;
}

/* Those go that were not asked about since that time. */
static void remove_unused(struct process_table *t, uint64_t since_ms, const struct process *except)
{
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process **at = &t->buckets[b]; *at;) {
			if (*at != except && (*at)->used_ms <= since_ms)
				remove_at(t, at);
			else
				at = &(*at)->next;
		}
}

/* About half of them go: those asked about before the mean of all such times, or at it. */
static void remove_half(struct process_table *t, const struct process *except)
{
	uint64_t sum = 0;

	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (const struct process *p = t->buckets[b]; p; p = p->next)
			sum += p->used_ms;
	remove_unused(t, sum / t->nr, except);
}

void process_table_age(struct process_table *t, uint64_t now_ms)
{
	if (now_ms < IDLE_MS || now_ms - t->aged_ms < AGE_EVERY_MS)
		return;
	t->aged_ms = now_ms;
	remove_unused(t, now_ms - IDLE_MS, NULL);
}

static void read_mappings(struct process_table *t, struct process *p, uint64_t now_ms)
{
	struct address_space_source src = { t->root, t->files, t->frames, now_ms };
	struct address_space as = { 0 };
	int nr_lines = address_space_read(&src, p->pid, &as);

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

static void read_jit(struct process_table *t, struct process *p)
{
	size_t before;

	if (!p->jit && perf_map_open(t->root, p->pid, &p->jit) < 0)
		return;
	before = perf_map_nr(p->jit);
	if (perf_map_refresh(p->jit, MAX_JIT - t->nr_jit + before) > 0) {
		p->space = (*t->next_space)++; /* memory may have been used again */
		p->wait_ms = REFRESH_MIN_MS;
	}
	t->nr_jit += perf_map_nr(p->jit) - before;
}

void process_read_jit(struct process_table *t, struct process *p)
{
	if (p->wants_jit)
		return;
	p->wants_jit = true;
	read_jit(t, p);
}

void process_refresh(struct process_table *t, struct process *p, uint64_t now_ms)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), rest_ms;

	if (p->wait_ms < REFRESH_MAX_MS)
		p->wait_ms *= 2;
	read_mappings(t, p, now_ms);
	if (p->wants_jit)
		read_jit(t, p);
	rest_ms = (clock_ns(CLOCK_MONOTONIC) - start_ns) * REST_FACTOR / 1000000;
	p->refresh_ms = now_ms + (rest_ms > p->wait_ms ? rest_ms : p->wait_ms);
}

struct process *process_table_add(struct process_table *t, pid_t pid, uint64_t now_ms)
{
	struct process *p, **bucket;

	if (t->nr == MAX_PROCESSES)
		remove_half(t, NULL);
	process_table_age(t, now_ms);
	bucket = &t->buckets[(uint32_t)pid % NR_BUCKETS];
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	p->space = (*t->next_space)++;
	p->used_ms = now_ms;
	p->wait_ms = REFRESH_MIN_MS;
	p->refresh_ms = now_ms; /* met at its exec, it maps its libraries only now */
	p->next = *bucket;
	*bucket = p;
	t->nr++;
	t->last = p;
	read_mappings(t, p, now_ms);
	return p;
}

void process_table_remove(struct process_table *t, pid_t pid)
{
	struct process **slot = slot_of(t, pid);

	if (*slot)
		remove_at(t, slot);
}

void process_table_renumber(struct process_table *t)
{
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process *p = t->buckets[b]; p; p = p->next)
			p->space = (*t->next_space)++;
}

void process_table_use_frames(struct process_table *t, struct frame_table *frames)
{
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process *p = t->buckets[b]; p; p = p->next)
			address_space_use_frames(&p->as, t->frames, frames);
	t->frames = frames;
}

size_t process_table_nr(const struct process_table *t)
{
	return t->nr;
}

size_t process_table_bytes(const struct process_table *t)
{
	size_t bytes = sizeof(*t);

	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (const struct process *p = t->buckets[b]; p; p = p->next)
			bytes += sizeof(*p) + p->as.cap * sizeof(*p->as.mappings) +
				 (p->jit ? perf_map_bytes(p->jit) : 0);
	return bytes;
}
