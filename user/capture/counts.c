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

#define ENTRY_BYTES 112 /* of a preallocated element with its bucket, 6.18 x86-64 */
#define MIN_ENTRIES 64
#define BATCH	    1024

struct counts {
	int outer_fd;
	int fd;		     /* in use */
	int replaced_fd;     /* -1: none */
	uint32_t generation; /* of the map that take() is called for */
	uint32_t nr_entries;
	uint64_t nr_sent; /* since the map came into use: an upper bound of its entries */
	uint64_t nr_replaced;
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

/* When it returns, no program uses the map that was in use before. */
static int map_use(const struct counts *c, int fd)
{
	uint32_t zero = 0;

	return bpf_map_update_elem(c->outer_fd, &zero, &fd, BPF_ANY) < 0 ? -errno : 0;
}

int counts_new(int outer_fd, uint64_t max_bytes, struct counts **ret_counts, struct diag *ret_diag)
{
	struct counts *c = xcalloc(1, sizeof(*c));
	int r;

	c->outer_fd = outer_fd;
	c->replaced_fd = -1;
	c->nr_entries =
		max_bytes / ENTRY_BYTES < MIN_ENTRIES ? MIN_ENTRIES : max_bytes / ENTRY_BYTES;
	c->fd = r = map_new(c, ret_diag);
	if (r >= 0) {
		r = map_use(c, c->fd);
		if (r < 0)
			diag_set(ret_diag, -r, "the counts map cannot be installed: %s",
				 strerror(-r));
	}
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
	if (c->fd >= 0)
		close(c->fd);
	if (c->replaced_fd >= 0)
		close(c->replaced_fd);
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

static int map_take(int fd, counts_fn take, void *ctx)
{
	_cleanup_free_ struct eddy_stack_key *keys = xmalloc(BATCH * sizeof(*keys));
	_cleanup_free_ struct eddy_count *values = xmalloc(BATCH * sizeof(*values));
	uint32_t batch = 0, nr, size = BATCH;
	void *in = NULL;
	int r;

	do {
		nr = size;
		r = bpf_map_lookup_batch(fd, in, &batch, keys, values, &nr, NULL);
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
			take(ctx, &keys[i], values[i].count);
		in = &batch;
	} while (r >= 0);
	return 0;
}

int counts_take(struct counts *c, counts_fn take, void *ctx)
{
	return map_take(c->fd, take, ctx);
}

int counts_replace(struct counts *c)
{
	int fd = map_new(c, NULL), r;

	if (fd < 0)
		return fd;
	r = map_use(c, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	c->replaced_fd = c->fd;
	c->fd = fd;
	c->nr_sent = 0;
	c->nr_replaced++;
	return 0;
}

int counts_take_replaced(struct counts *c, counts_fn take, void *ctx)
{
	_cleanup_close_ int fd = take_fd(&c->replaced_fd);
	int r = map_take(fd, take, ctx);

	c->generation++;
	return r;
}

uint32_t counts_generation(const struct counts *c)
{
	return c->generation;
}

uint64_t counts_nr_replaced(const struct counts *c)
{
	return c->nr_replaced;
}
