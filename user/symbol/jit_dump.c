// SPDX-License-Identifier: GPL-2.0-or-later
/* Found by its name among the mappings, since that is all that says what it is. */
#include "symbol/jit_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "symbol/process_identity.h"
#include "util/mem.h"

/* "jit-PID.dump", which may be deleted. */
static bool is_dump(const struct mapped_file *f, int pid)
{
	static const char deleted[] = " (deleted)";
	char name[32];
	const char *slash = strrchr(f->path, '/');
	size_t len = snprintf(name, sizeof(name), "/jit-%d.dump", pid);

	if (!slash || strncmp(slash, name, len))
		return false;
	return !slash[len] || !strcmp(slash + len, deleted);
}

static struct mapping *find_dump(const struct address_space *as, int pid)
{
	for (size_t i = 0; i < as->nr; i++)
		if (as->mappings[i].file && is_dump(as->mappings[i].file, pid))
			return &as->mappings[i];
	return NULL;
}

int jit_dump_open(const struct address_space_source *src, pid_t pid, const struct address_space *as,
		  struct perf_map **ret_dump)
{
	struct process_identity id;
	struct mapped_file *f;
	struct worker_key key;
	struct mapping *m;
	int r = process_identity_read(src->root, pid, &id), fd;

	if (r < 0)
		return r;
	m = find_dump(as, id.pid);
	if (!m)
		return -ENOENT;
	address_space_open(src, pid, m); /* where it was closed meanwhile */
	f = m->file;
	fd = f->fd < 0 ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -ENOENT;
	key = far_inode(f->dev, f->ino, f->owner);
	*ret_dump = perf_map_new_dump(file_table_pool(src->files), &key, fd, id.uid);
	return 0;
}
