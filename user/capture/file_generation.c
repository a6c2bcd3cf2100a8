// SPDX-License-Identifier: GPL-2.0-or-later
/* The ioctl that was made for it, and for tmpfs, which does not know that ioctl, a file handle. */
#include "capture/file_generation.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

/* Its file handles begin with the generation (mm/shmem.c). */
static uint32_t tmpfs_generation(int fd)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + 3 * sizeof(uint32_t)];
	} h = { .handle.handle_bytes = 3 * sizeof(uint32_t) };
	uint32_t gen = 0;
	int mount_id;

	if (!name_to_handle_at(fd, "", &h.handle, &mount_id, AT_EMPTY_PATH))
		memcpy(&gen, h.handle.f_handle, sizeof(gen));
	return gen;
}

uint32_t file_generation(int fd)
{
	struct statfs fs;
	long gen = 0; /* declared long, written as int */

	if (!fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC)
		return tmpfs_generation(fd);
	return ioctl(fd, FS_IOC_GETVERSION, &gen) < 0 ? 0 : (uint32_t)gen;
}
