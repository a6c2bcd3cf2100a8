// SPDX-License-Identifier: GPL-2.0-or-later
/* Nobody writes the map of a turn that is over: it is read and emptied in two calls. */
#include "capture/marks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"

void marks_each(const struct eddy_marks_event *ev, size_t bytes, mark_fn take, void *ctx)
{
	const size_t head = offsetof(struct eddy_marks_event, marks);
	size_t room = bytes > head ? (bytes - head) / sizeof(ev->marks[0]) : 0;

	for (size_t i = 0; i < room && i < ev->nr && i < EDDY_NR_MARKS; i++)
		take(ctx, &ev->marks[i]);
}

int marks_take(int fd, uint32_t turn, int nr_cpus, mark_fn take, void *ctx)
{
	_cleanup_free_ struct eddy_marks_event *all = xcalloc(nr_cpus, sizeof(*all));
	uint32_t which = turn % EDDY_NR_TURNS;

	if (bpf_map_lookup_elem(fd, &which, all) < 0)
		return -errno;
	for (int i = 0; i < nr_cpus; i++)
		marks_each(&all[i], sizeof(all[i]), take, ctx);
	memset(all, 0, nr_cpus * sizeof(*all));
	return bpf_map_update_elem(fd, &which, all, BPF_ANY) < 0 ? -errno : 0;
}
