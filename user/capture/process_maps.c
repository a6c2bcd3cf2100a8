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

#include "sampler_abi.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* false: not a line of interest. */
static bool mapping_parse(char *line, struct process_mapping *ret_mapping)
{
	unsigned long long start, end, offset, ino;
	unsigned int major, minor;
	char perms[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, perms, &offset, &major,
		   &minor, &ino, &at) < 7 ||
	    perms[2] != 'x')
		return false;
	line[strcspn(line, "\n")] = '\0';
	*ret_mapping = (struct process_mapping){
		.start = start,
		.end = end,
		.offset = offset,
		.key = { .ino = ino, .dev = major << 20 | minor },
		.is_anonymous = !ino,
		.path = xstrdup(line + at),
	};
	if (!strcmp(line + at, "[vdso]")) {
		ret_mapping->is_anonymous = false;
		ret_mapping->key = (struct eddy_unwind_key){ .ino = EDDY_VDSO_INO,
							     .dev = EDDY_VDSO_DEV,
							     .gen = EDDY_VDSO_GEN };
	}
	return true;
}

int process_maps_read(uint32_t pid, struct process_maps *ret_maps)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	struct process_maps maps = { 0 };
	struct process_mapping m;
	size_t bytes = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (getline(&line, &bytes, f) > 0) {
		if (!mapping_parse(line, &m))
			continue;
		array_reserve(maps.items, maps.cap, maps.nr + 1);
		maps.items[maps.nr++] = m;
	}
	if (!maps.nr)
		return -ESRCH;
	*ret_maps = maps;
	return 0;
}

void process_maps_deinit(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		free(maps->items[i].path);
	free(maps->items);
	*maps = (struct process_maps){ 0 };
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
