// SPDX-License-Identifier: GPL-2.0-or-later
/* A preallocated hash: perf events may come as NMI, where nothing can be allocated. */
#include "capture/counts.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/host.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define ENTRY_BYTES 120 /* of a preallocated element with its bucket, 6.18 x86-64 */
#define MIN_ENTRIES 64
#define BATCH	    1024

struct counts {
	int outer_fd;
	int fd[EDDY_NR_TURNS]; /* by turn; -1: not made yet */
	uint32_t *turn;	       /* the program's */
	uint32_t nr_entries;
	uint64_t nr_sent; /* in this turn: an upper bound of the map's entries */
};

static int map_new(const struct counts *c, struct diag *ret_diag)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "eddy_counts", sizeof(struct eddy_stack_key),
				sizeof(struct eddy_count), c->nr_entries, NULL);

	if (fd < 0)
		return diag_set(
			ret_diag, errno, "a map for %u stacks cannot be made: %s%s", c->nr_entries,
			strerror(errno),
			host_bpf_memory_limit() != UINT64_MAX
				? " (RLIMIT_MEMLOCK: raise 'ulimit -l' or lower --map-memory)"
				: "");
	return fd;
}

/* When it returns, all programs have ended that had begun when it was called. */
static int map_install(const struct counts *c, uint32_t which)
{
	return bpf_map_update_elem(c->outer_fd, &which, &c->fd[which], BPF_ANY) < 0 ? -errno : 0;
}

static int map_make(struct counts *c, uint32_t which, struct diag *ret_diag)
{
	int r = c->fd[which] = map_new(c, ret_diag);

	if (r < 0)
		return r;
	r = map_install(c, which);
	if (r < 0) {
		close(take_fd(&c->fd[which]));
		return diag_set(ret_diag, -r, "the counts map cannot be installed: %s",
				strerror(-r));
	}
	return 0;
}

int counts_new(int outer_fd, uint64_t max_bytes, uint32_t *turn, struct counts **ret_counts,
	       struct diag *ret_diag)
{
	struct counts *c = xcalloc(1, sizeof(*c));
	int r;

	c->outer_fd = outer_fd;
	c->turn = turn;
	for (size_t i = 0; i < EDDY_NR_TURNS; i++)
		c->fd[i] = -1;
	c->nr_entries =
		max_bytes / ENTRY_BYTES < MIN_ENTRIES ? MIN_ENTRIES : max_bytes / ENTRY_BYTES;
	r = map_make(c, *turn % EDDY_NR_TURNS, ret_diag);
	if (r < 0) {
		counts_free(c);
		return r;
	}
	*ret_counts = c;
	return 0;
}

void counts_free(struct counts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < EDDY_NR_TURNS; i++)
		if (c->fd[i] >= 0)
			close(c->fd[i]);
	free(c);
}

void counts_stack_sent(struct counts *c)
{
	c->nr_sent++;
}

bool counts_is_filling(const struct counts *c)
{
	return c->nr_sent >= c->nr_entries / 4 * 3;
}

uint32_t counts_current(const struct counts *c)
{
	return *c->turn;
}

int counts_prepare(struct counts *c)
{
	uint32_t after = (*c->turn + 1) % EDDY_NR_TURNS;

	return c->fd[after] < 0 ? map_make(c, after, NULL) : 0;
}

int counts_turn(struct counts *c, struct instant *ret_when)
{
	uint32_t turn = *c->turn;
	struct instant when;
	int r = counts_prepare(c);

	if (r < 0)
		return r;
	when = instant_now();
	__atomic_store_n(c->turn, turn + 1, __ATOMIC_SEQ_CST);
	/* Its own map again: nothing changes but that it waits. */
	r = map_install(c, turn % EDDY_NR_TURNS);
	if (r < 0) {
		__atomic_store_n(c->turn, turn, __ATOMIC_SEQ_CST);
		return r;
	}
	c->nr_sent = 0;
	*ret_when = when;
	return 0;
}

int counts_settle(struct counts *c)
{
	return map_install(c, *c->turn % EDDY_NR_TURNS);
}

int counts_take(struct counts *c, uint32_t turn, counts_fn take, void *ctx)
{
	_cleanup_free_ struct eddy_stack_key *keys = xmalloc(BATCH * sizeof(*keys));
	_cleanup_free_ struct eddy_count *values = xmalloc(BATCH * sizeof(*values));
	int fd = c->fd[turn % EDDY_NR_TURNS], r;
	uint32_t batch = 0, nr, size = BATCH;
	void *in = NULL;

	do {
		nr = size;
		r = bpf_map_lookup_and_delete_batch(fd, in, &batch, keys, values, &nr, NULL);
		if (r < 0 && errno == ENOSPC) { /* one bucket holds more than the buffer does */
			size *= 2;
			keys = xreallocarray(keys, size, sizeof(*keys));
			values = xreallocarray(values, size, sizeof(*values));
			r = 0;
			continue;
		}
		if (r < 0 && errno != ENOENT)
			return -errno;
		for (uint32_t i = 0; i < nr; i++)
			take(ctx, &keys[i], &values[i]);
		in = &batch;
	} while (r >= 0);
	return 0;
}
