// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/PID/maps prints device and inode from the fields that the sampler reads in the kernel, but
 * for overlayfs: capture/file_aliases.h.
 */
#include "capture/process_maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file_key.h"
#include "sampler_abi.h"
#include "util/cleanup.h"
#include "util/far_file.h"
#include "util/maps.h"
#include "util/mem.h"

#define MAX_MAPPINGS 16384

struct reader {
	struct process_maps maps;
	bool with_paths;
};

/* The vDSO has code and an unwind table, and no inode: the sampler calls it so. */
static const struct eddy_unwind_key vdso_key = { .ino = EDDY_VDSO_INO,
						 .dev = EDDY_VDSO_DEV,
						 .gen = EDDY_VDSO_GEN };

static bool add_mapping(void *ctx, const struct maps_line *line)
{
	struct reader *r = ctx;
	struct process_maps *maps = &r->maps;
	const bool is_vdso = line->path_len == 6 && !memcmp(line->path, "[vdso]", 6);
	const struct eddy_unwind_key key = { .ino = line->ino, .dev = file_key_dev(line->dev) };

	if (maps->nr == MAX_MAPPINGS) {
		maps->is_cut = true;
		return false;
	}
	array_reserve(maps->items, maps->cap, maps->nr + 1);
	maps->items[maps->nr++] = (struct process_mapping){
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.key = is_vdso ? vdso_key : key,
		.is_anonymous = !line->ino && !is_vdso,
		.path = r->with_paths ? xmemdup0(line->path, line->path_len) : NULL,
	};
	return true;
}

int process_maps_read(struct worker_pool *pool, const struct process_maps_query *query,
		      struct process_maps *ret_maps)
{
	struct worker_key key = far_process((pid_t)query->pid);
	struct reader r = { .with_paths = query->with_paths };
	_cleanup_free_ char *text = NULL;
	struct far_maps read = { 0 };
	char path[32];
	int err;

	key.patience_ns = query->patience_ns;
	snprintf(path, sizeof(path), "/proc/%u/maps", query->pid);
	err = far_maps(pool, &key, path, &read);
	if (err < 0)
		return err;
	text = read.text;
	r.maps.cpu_ns = read.cpu_ns;
	maps_read(text, read.len, add_mapping, &r);
	if (!r.maps.nr)
		return -ESRCH; /* memory goes before the process does */
	*ret_maps = r.maps;
	return 0;
}

void process_maps_deinit(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		free(maps->items[i].path);
	free(maps->items);
	*maps = (struct process_maps){ 0 };
}

size_t process_maps_bytes(const struct process_maps *maps)
{
	return maps->cap * sizeof(*maps->items);
}

const struct process_mapping *process_maps_find(const struct process_maps *maps, uint64_t addr)
{
	size_t lo = 0, hi = maps->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr >= maps->items[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < maps->nr && addr >= maps->items[lo].start ? &maps->items[lo] : NULL;
}
