// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of its own: what says the times of an hour is larger than what is known of the capture. */
#include "load/timeline_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/timeline_read.h"
#include "output/timeline_text.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/regular_file.h"

#define MIN_SLOT_NS UINT64_C(1000000)

int timeline_slot_check(uint64_t slot_ns, bool has_timeline, struct diag *ret_diag)
{
	if (!has_timeline)
		return diag_set(ret_diag, EINVAL, "--timeline-slot: only with --timeline");
	if (slot_ns < MIN_SLOT_NS || !timeline_can_have(slot_ns))
		return diag_set(ret_diag, EINVAL,
				"--timeline-slot: a part of a second of at least 1ms (1, 2, 4, 5, "
				"8, 10, 20, 40, 50, 100, ... ms), or whole seconds");
	return 0;
}

int timeline_file_write(const char *path, const struct timeline *t,
			const struct writer_lines *lines, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_free_ char *name = xasprintf("%s.timeline", path);
	int r = atomic_file_open(name, &file, ret_diag);

	if (r < 0)
		return r;
	atomic_file_keep_old(file, ".timeline");
	timeline_text_write(atomic_file_stream(file), t, lines);
	return atomic_file_commit(&file, ret_diag);
}

int timeline_file_read(const char *path, const struct input_lines *lines, const struct profile *p,
		       struct timeline **ret_timeline, struct diag *ret_diag)
{
	_cleanup_free_ char *name = xasprintf("%s.timeline", path);
	_cleanup_close_ int fd = regular_file_open(name);
	_cleanup_fclose_ FILE *f = NULL;
	struct timeline_file file;
	int r;

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd >= 0)
		f = fdopen(fd, "r");
	if (!f)
		return diag_set(ret_diag, fd < 0 ? -fd : errno, "%s: %s", name,
				fd == -EINVAL ? "not a regular file"
					      : strerror(fd < 0 ? -fd : errno));
	take_fd(&fd);
	r = timeline_read(f, name, &file, ret_diag);
	if (r < 0)
		return r;
	r = timeline_use_lines(&file, lines, p, name, ret_diag);
	if (r < 0) {
		timeline_free(file.timeline);
		return r;
	}
	*ret_timeline = file.timeline;
	return 0;
}
