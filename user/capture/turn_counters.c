// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a turn are one element of a per-CPU map, and nothing but u64s. */
#include "capture/turn_counters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

/* `all` has room for one of each CPU. */
static int add(const struct turn_counters *c, uint32_t turn, struct eddy_counters *all,
	       struct eddy_counters *sums)
{
	uint64_t *sum = (uint64_t *)sums;
	uint32_t which = turn % EDDY_NR_TURNS;

	if (bpf_map_lookup_elem(c->fd, &which, all) < 0)
		return -errno;
	for (int i = 0; i < c->nr_cpus; i++)
		for (size_t k = 0; k < sizeof(*sums) / sizeof(*sum); k++)
			sum[k] += ((const __u64 *)&all[i])[k];
	return 0;
}

int turn_counters_take(const struct turn_counters *c, uint32_t turn, struct eddy_counters *sums,
		       struct drain_cpu *cpus)
{
	_cleanup_free_ struct eddy_counters *all = xcalloc(c->nr_cpus, sizeof(*all));
	uint32_t which = turn % EDDY_NR_TURNS;
	int r = add(c, turn, all, sums);

	if (r < 0)
		return r;
	for (int i = 0; i < c->nr_cpus; i++) {
		cpus[i].delivered += all[i].delivered;
		cpus[i].idle_task += all[i].idle_task;
	}
	memset(all, 0, c->nr_cpus * sizeof(*all));
	return bpf_map_update_elem(c->fd, &which, all, BPF_ANY) < 0 ? -errno : 0;
}

void turn_counters_add_all(const struct turn_counters *c, struct eddy_counters *sums)
{
	_cleanup_free_ struct eddy_counters *all = xcalloc(c->nr_cpus, sizeof(*all));

	for (uint32_t turn = 0; turn < EDDY_NR_TURNS; turn++)
		add(c, turn, all, sums);
}
