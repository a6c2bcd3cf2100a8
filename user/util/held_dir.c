// SPDX-License-Identifier: GPL-2.0-or-later
/* By /proc/self/fd, so that whoever writes a file needs nothing but a path. */
#include "util/held_dir.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/safe_path.h"

int held_dir_open(const char *path, struct held_dir *ret_dir, struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	int r = safe_place_open(path, 0, &place, ret_diag);

	if (r < 0)
		return r;
	*ret_dir = (struct held_dir){ .fd = -1 };
	if (!place.is_movable || place.descriptor >= 0)
		return 0;
	ret_dir->fd = take_fd(&place.dir);
	ret_dir->held = xasprintf("/proc/self/fd/%d/%s", ret_dir->fd, place.name);
	return 0;
}

void held_dir_close(struct held_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->held);
	*d = (struct held_dir){ .fd = -1 };
}

static bool is_where_it_was(const struct held_dir *d, const char *path)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	struct stat then, now;

	return safe_place_open(path, 0, &place, NULL) >= 0 && !fstat(d->fd, &then) &&
	       !fstat(place.dir, &now) && then.st_dev == now.st_dev && then.st_ino == now.st_ino;
}

const char *held_dir_path(const struct held_dir *d, const char *path, bool *ret_is_moved)
{
	struct stat st;

	/* One that was removed takes no file. */
	*ret_is_moved =
		d->fd >= 0 && !is_where_it_was(d, path) && !fstat(d->fd, &st) && st.st_nlink;
	return *ret_is_moved ? d->held : path;
}
