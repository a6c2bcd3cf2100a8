// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs is not mounted everywhere.  Where it is not, a detached mount (fsopen(2), fsmount(2))
 * lives as long as its descriptor and is seen by nobody else.
 */
#include "capture/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/parse.h"

static int tracefs_open(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	_cleanup_close_ int fs = -1;
	int mount_fd;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_close_ int fd = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && !faccessat(fd, "events", F_OK, 0))
			return take_fd(&fd);
	}
	fs = fsopen("tracefs", FSOPEN_CLOEXEC);
	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mount_fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);
	return mount_fd < 0 ? -errno : mount_fd;
}

/* The nearest name in a directory of the file system, into a buffer. */
static void offer_names(int dir, const char *path, struct near_name *near, char *best, size_t size)
{
	_cleanup_close_ int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!names)
		return;
	(void)take_fd(&fd);
	while ((e = readdir(names))) {
		near_name_offer(near, e->d_name);
		if (near->best != e->d_name)
			continue;
		snprintf(best, size, "%s", e->d_name);
		near->best = best;
	}
	closedir(names);
}

/* Another tracepoint of the subsystem, or another subsystem. */
static int event_missing(int dir, const char *event, int err, struct diag *ret_diag)
{
	const char *colon = strchr(event, ':');
	_cleanup_free_ char *subsystem = xmemdup0(event, colon - event);
	_cleanup_free_ char *path = xasprintf("events/%s", subsystem);
	_cleanup_free_ char *prefix = xasprintf("%s:", subsystem);
	bool is_there = !faccessat(dir, path, F_OK, 0);
	struct near_name near = { .typed = is_there ? colon + 1 : subsystem };
	char best[256], hint[NEAR_NAME_BYTES];

	if (err != ENOENT)
		return diag_set(ret_diag, err, "tracepoint '%s': %s", event, strerror(err));
	offer_names(dir, is_there ? path : "events", &near, best, sizeof(best));
	near_name_hint(&near, is_there ? prefix : "", hint);
	return diag_set(ret_diag, err, "tracepoint '%s': this kernel does not have it%s", event,
			hint);
}

int tracefs_event_id(const char *event, uint64_t *ret_id, struct diag *ret_diag)
{
	_cleanup_close_ int dir = tracefs_open();
	_cleanup_close_ int fd = -1;
	char path[256], text[32] = "";
	const char *colon = strchr(event, ':');

	if (dir < 0)
		return diag_set(ret_diag, -dir, "tracepoint '%s': tracefs cannot be read: %s",
				event, strerror(-dir));
	if (!colon || colon == event || !colon[1] || strpbrk(event, "/.") ||
	    snprintf(path, sizeof(path), "events/%.*s/%s/id", (int)(colon - event), event,
		     colon + 1) >= (int)sizeof(path))
		return diag_set(ret_diag, EINVAL, "'%s' is not of the form subsystem:tracepoint",
				event);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return event_missing(dir, event, errno, ret_diag);
	if (read(fd, text, sizeof(text) - 1) <= 0)
		return diag_set(ret_diag, EIO, "tracepoint '%s': its id cannot be read", event);
	text[strcspn(text, "\n")] = '\0';
	if (parse_u64(text, ret_id) < 0)
		return diag_set(ret_diag, EIO, "tracepoint '%s': bad id '%s'", event, text);
	return 0;
}
