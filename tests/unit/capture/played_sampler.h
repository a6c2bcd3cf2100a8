/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sampler, its maps and its ring that are none: the calls of libbpf and of the loader are
 * defined here, and programs begin and end whenever one of them is made.
 */
#ifndef EDDY_UNIT_CAPTURE_PLAYED_SAMPLER_H
#define EDDY_UNIT_CAPTURE_PLAYED_SAMPLER_H

#include "capture/drain.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/mem.h"

#define OUTER_FD    1000
#define COUNTERS_FD 1001
#define MARKS_FD    1002
#define NR_STACKS   100
#define NEVER_SENT  0 /* a stack whose definition does not get through the ring */
#define NR_PROGRAMS 4
#define NR_CPUS	    2
#define MAX_TURNS   4096
#define MAX_RECORDS 4096
#define MAX_TAGS    65536
#define MAX_LOG	    256

struct record {
	void *bytes;
	size_t size;
};

struct program {
	bool is_running;
	uint32_t turn;
	unsigned int stack;
};

static struct {
	/* The kernel's. */
	uint32_t turn;
	int map_fd[EDDY_NR_TURNS];
	bool is_in_map[EDDY_NR_TURNS][NR_STACKS];
	uint64_t count[EDDY_NR_TURNS][NR_STACKS];
	struct eddy_counters counters[EDDY_NR_TURNS][NR_CPUS];
	bool has_times;
	struct eddy_marks_event marks[EDDY_NR_TURNS][NR_CPUS];
	struct record ring[MAX_RECORDS];
	size_t ring_head, ring_tail;
	ring_buffer_sample_fn on_record;
	void *ctx;
	struct program programs[NR_PROGRAMS];
	bool is_sampling, update_fails;
	void (*on_wait)(void); /* while the end of programs is waited for */
	uint64_t truth[MAX_TURNS][NR_STACKS];
	/* The loader's: so many times it is still busy. */
	unsigned int busy;
	enum late_place_kind place;
	/* What the consumer was told. */
	uint32_t nr_tags;
	unsigned int stack_of[MAX_TAGS];
	uint64_t got[NR_STACKS], timed[NR_STACKS];
	unsigned int told[NR_STACKS]; /* in this window */
	/* One letter for each thing that was done: see note(). */
	char log[MAX_LOG];
} fake;

static void note(char what)
{
	size_t len = strlen(fake.log);

	if (len + 1 < sizeof(fake.log))
		fake.log[len] = what;
}

/* ---- the sampler -------------------------------------------------------------------------- */

static void ring_put(const void *bytes, size_t size)
{
	struct record *r = &fake.ring[fake.ring_tail++ % MAX_RECORDS];

	assert_true(fake.ring_tail - fake.ring_head <= MAX_RECORDS);
	r->bytes = xmalloc(size);
	r->size = size;
	memcpy(r->bytes, bytes, size);
}

static struct eddy_stack_key key_of(unsigned int stack)
{
	return (struct eddy_stack_key){ .hash = { stack + 1, 77 } };
}

static void send_stack(unsigned int stack, uint32_t turn, uint32_t samples)
{
	const struct eddy_stack_event ev = { .type = EDDY_EVENT_STACK,
					     .samples = samples,
					     .key = key_of(stack),
					     .turn = turn,
					     .time_ns = turn };

	ring_put(&ev, sizeof(ev));
}

static void send_spill(unsigned int stack, uint32_t turn)
{
	const struct eddy_spill_event ev = { .type = EDDY_EVENT_SPILL,
					     .samples = 1,
					     .key = key_of(stack),
					     .turn = turn,
					     .time_ns = turn };

	ring_put(&ev, sizeof(ev));
}

/* As mark_put() does it; the time is the turn. */
static void put_mark(const struct program *p)
{
	struct eddy_marks_event *m =
		&fake.marks[p->turn % EDDY_NR_TURNS][(p - fake.programs) % NR_CPUS];

	if (!fake.has_times || m->nr >= EDDY_NR_MARKS)
		return;
	m->marks[m->nr++] =
		(struct eddy_mark){ .key = key_of(p->stack), .time_ns = p->turn, .period = 1 };
	if (m->nr < EDDY_NR_MARKS)
		return;
	m->type = EDDY_EVENT_MARKS;
	m->turn = p->turn;
	ring_put(m, sizeof(*m));
	m->nr = 0;
}

static void program_end(struct program *p)
{
	uint32_t which = p->turn % EDDY_NR_TURNS;

	p->is_running = false;
	assert_true(p->turn < MAX_TURNS);
	fake.truth[p->turn][p->stack]++;
	fake.counters[which][(p - fake.programs) % NR_CPUS].delivered++;
	if (p->stack != NEVER_SENT && !test_random_below(8)) {
		send_stack(p->stack, p->turn, 1);
	} else if (fake.is_in_map[which][p->stack] && !test_random_below(8)) {
		send_spill(p->stack, p->turn);
	} else {
		if (!fake.is_in_map[which][p->stack] && p->stack != NEVER_SENT)
			send_stack(p->stack, p->turn, 0);
		fake.is_in_map[which][p->stack] = true;
		fake.count[which][p->stack]++;
		put_mark(p);
	}
}

static void programs_end(void)
{
	for (size_t i = 0; i < NR_PROGRAMS; i++)
		if (fake.programs[i].is_running)
			program_end(&fake.programs[i]);
}

/* Some programs end, others begin: these know the turn from now on. */
static void programs_go_on(void)
{
	for (size_t i = 0; i < NR_PROGRAMS && fake.is_sampling; i++) {
		struct program *p = &fake.programs[i];

		if (test_random_below(2))
			continue;
		if (p->is_running)
			program_end(p);
		else
			*p = (struct program){ .is_running = true,
					       .turn = fake.turn,
					       .stack = test_random_below(NR_STACKS) };
	}
}

/* ---- the kernel --------------------------------------------------------------------------- */

int libbpf_num_possible_cpus(void)
{
	return NR_CPUS;
}

int bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_bytes, __u32 value_bytes,
		   __u32 max_entries, const struct bpf_map_create_opts *opts)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* It fails when programs were counted for the turn that then does not begin. */
static int fail_to_wait(void)
{
	programs_end();
	for (size_t s = 0; s < NR_STACKS; s++) {
		fake.truth[fake.turn - 1][s] += fake.truth[fake.turn][s];
		fake.truth[fake.turn][s] = 0;
	}
	errno = ENOMEM;
	return -ENOMEM;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	uint32_t which = *(const uint32_t *)key;

	programs_go_on();
	if (fd == COUNTERS_FD) {
		memcpy(fake.counters[which], value, sizeof(fake.counters[which]));
		return 0;
	}
	if (fd == MARKS_FD) {
		memcpy(fake.marks[which], value, sizeof(fake.marks[which]));
		return 0;
	}
	assert_int_equal(fd, OUTER_FD);
	fake.map_fd[which] = *(const int *)value;
	note('w');
	if (fake.update_fails)
		return fail_to_wait();
	if (fake.on_wait)
		fake.on_wait();
	programs_end();
	programs_go_on();
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	programs_go_on();
	if (fd == MARKS_FD) {
		memcpy(value, fake.marks[*(const uint32_t *)key], sizeof(fake.marks[0]));
		return 0;
	}
	assert_int_equal(fd, COUNTERS_FD);
	memcpy(value, fake.counters[*(const uint32_t *)key], sizeof(fake.counters[0]));
	return 0;
}

int bpf_map_lookup_and_delete_batch(int fd, void *in, void *out, void *keys, void *values,
				    __u32 *count, const struct bpf_map_batch_opts *opts)
{
	uint32_t which = fd == fake.map_fd[1], nr = 0;
	struct eddy_stack_key *key = keys;
	struct eddy_count *value = values;

	note('m');
	programs_go_on();
	for (unsigned int s = 0; s < NR_STACKS; s++) {
		if (!fake.is_in_map[which][s])
			continue;
		key[nr] = key_of(s);
		value[nr++] = (struct eddy_count){ .count = fake.count[which][s] };
	}
	memset(fake.is_in_map[which], 0, sizeof(fake.is_in_map[which]));
	memset(fake.count[which], 0, sizeof(fake.count[which]));
	*count = nr;
	errno = ENOENT;
	return -ENOENT;
}

struct ring_buffer *ring_buffer__new(int fd, ring_buffer_sample_fn fn, void *ctx,
				     const struct ring_buffer_opts *opts)
{
	fake.on_record = fn;
	fake.ctx = ctx;
	return (struct ring_buffer *)&fake;
}

void ring_buffer__free(struct ring_buffer *ring)
{
	while (fake.ring_head < fake.ring_tail)
		free(fake.ring[fake.ring_head++ % MAX_RECORDS].bytes);
}

int ring_buffer__epoll_fd(const struct ring_buffer *ring)
{
	return -1;
}

int ring_buffer__consume(struct ring_buffer *ring)
{
	int nr = 0;

	note('r');
	programs_go_on();
	while (fake.ring_head < fake.ring_tail) {
		struct record r = fake.ring[fake.ring_head++ % MAX_RECORDS];
		int end = fake.on_record(fake.ctx, r.bytes, r.size);

		free(r.bytes);
		if (end < 0)
			return end;
		nr++;
		if (!test_random_below(16))
			programs_go_on();
	}
	return nr;
}

/* ---- the loader of tables ----------------------------------------------------------------- */

struct worker_pool *unwind_loader_pool(const struct unwind_loader *l)
{
	return NULL;
}

void unwind_loader_request(struct unwind_loader *l, const struct eddy_file_event *ev)
{
	note('f');
}

void unwind_loader_poll(struct unwind_loader *l)
{
}

bool unwind_loader_is_busy(struct unwind_loader *l)
{
	return fake.busy && fake.busy--;
}

void unwind_loader_end_window(struct unwind_loader *l)
{
	note('|');
}

int unwind_loader_arch(void)
{
	return 0;
}

uint64_t unwind_loader_moment(const struct unwind_loader *l)
{
	return 0;
}

void unwind_loader_find(struct unwind_loader *l, const struct late_mapping *m, uint64_t offset,
			struct late_place *ret_place)
{
	ret_place->kind = fake.place;
}

#endif
