// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs is not mounted everywhere.  Where it is not, a detached mount (fsopen(2), fsmount(2))
 * lives as long as its descriptor and is seen by nobody else.
 */
#include "capture/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/mem.h"
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
		return diag_set(ret_diag, errno, "tracepoint '%s': %s", event,
				errno == ENOENT ? "this kernel does not have it" : strerror(errno));
	if (read(fd, text, sizeof(text) - 1) <= 0)
		return diag_set(ret_diag, EIO, "tracepoint '%s': its id cannot be read", event);
	text[strcspn(text, "\n")] = '\0';
	if (parse_u64(text, ret_id) < 0)
		return diag_set(ret_diag, EIO, "tracepoint '%s': bad id '%s'", event, text);
	return 0;
}
