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

#define MAX_MAPPINGS 16384

/* Reads a number that `stop` stands behind, and moves *s behind that. */
static bool eat_number(char **s, int base, char stop, uint64_t *ret_value)
{
	char *end;

	*ret_value = strtoull(*s, &end, base);
	if (end == *s || *end != stop)
		return false;
	*s = end + 1;
	return true;
}

/*
 * "START-END r-xp OFFSET MAJOR:MINOR INODE PATH"; false: not a line of interest.  Most lines are of
 * memory that is not executable, and looked at no further than that.
 */
static bool mapping_parse(char *line, bool with_path, struct process_mapping *ret_mapping)
{
	uint64_t start, end, offset, major, minor, ino;
	char *s = strchr(line, ' '), *path;

	if (!s || strnlen(s, 6) < 6 || s[3] != 'x')
		return false;
	path = s + 6; /* for now: behind the permissions */
	s = line;
	if (!eat_number(&s, 16, '-', &start) || !eat_number(&s, 16, ' ', &end) ||
	    !eat_number(&path, 16, ' ', &offset) || !eat_number(&path, 16, ':', &major) ||
	    !eat_number(&path, 16, ' ', &minor))
		return false;
	ino = strtoull(path, &path, 10);
	path += strspn(path, " ");
	path[strcspn(path, "\n")] = '\0';
	*ret_mapping = (struct process_mapping){
		.start = start,
		.end = end,
		.offset = offset,
		.key = { .ino = ino, .dev = major << 20 | minor },
		.is_anonymous = !ino,
		.path = with_path ? xstrdup(path) : NULL,
	};
	if (!strcmp(path, "[vdso]")) {
		ret_mapping->is_anonymous = false;
		ret_mapping->key = (struct eddy_unwind_key){ .ino = EDDY_VDSO_INO,
							     .dev = EDDY_VDSO_DEV,
							     .gen = EDDY_VDSO_GEN };
	}
	return true;
}

int process_maps_read(uint32_t pid, bool with_paths, struct process_maps *ret_maps)
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
		if (!mapping_parse(line, with_paths, &m))
			continue;
		if (maps.nr == MAX_MAPPINGS) {
			free(m.path);
			maps.is_cut = true;
			break;
		}
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
