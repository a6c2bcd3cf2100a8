// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks /proc once; a file that many processes have mapped is opened in the first of them. */
#include "capture/running_files.h"

#include <dirent.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/vfs.h>

#include "capture/file_generation.h"
#include "capture/file_key.h"
#include "capture/mapping_open.h"
#include "capture/process_maps.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/parse.h"

/* Files met so far, by what /proc/PID/maps tells of them. */
struct seen {
	struct eddy_unwind_key *keys;
	size_t nr, cap;
};

static bool seen_add(struct seen *seen, const struct eddy_unwind_key *key)
{
	for (size_t i = 0; i < seen->nr; i++)
		if (file_key_has_inode(&seen->keys[i], key))
			return false;
	array_reserve(seen->keys, seen->cap, seen->nr + 1);
	seen->keys[seen->nr++] = *key;
	return true;
}

static bool is_on_overlay(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static void process_files_each(uint32_t pid, struct seen *seen, running_file_fn fn, void *ctx)
{
	struct process_maps maps = { 0 };

	if (process_maps_read(pid, true, &maps) < 0)
		return; /* a kernel thread, or gone */
	for (size_t i = 0; i < maps.nr; i++) {
		struct process_mapping *m = &maps.items[i];
		const struct eddy_file_event asked = {
			.pid = pid, .key = m->key, .shown = m->key, .start = m->start, .end = m->end
		};
		_cleanup_close_ int fd = -1;

		if (!m->key.ino || !seen_add(seen, &m->key))
			continue;
		fd = mapping_open(&asked);
		if (fd < 0 || is_on_overlay(fd))
			continue;
		m->key.gen = file_generation(fd);
		fn(ctx, &m->key, fd, m->path);
	}
	process_maps_deinit(&maps);
}

void running_files_each(running_file_fn fn, void *ctx)
{
	DIR *proc = opendir("/proc");
	struct seen seen = { 0 };
	struct dirent *d;
	uint64_t pid;

	while (proc && (d = readdir(proc)))
		if (!parse_u64(d->d_name, &pid) && pid <= UINT32_MAX)
			process_files_each(pid, &seen, fn, ctx);
	if (proc)
		closedir(proc);
	free(seen.keys);
}
