// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sorted array whose front moves: windows are written in order, so a new one nearly always goes
 * to the end, and the oldest are always at the front.
 */
#include "snapshot/snapshot_retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/mem.h"

/* Names of json files, as those of the snapshots they belong to. */
struct jsons {
	struct snapshot_name *names;
	size_t nr, cap;
};

static uint64_t size_of(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_size;
}

uint64_t snapshot_bytes(int dir, const struct snapshot_name *name)
{
	char text[SNAPSHOT_NAME_BYTES];
	uint64_t bytes;

	snapshot_name_format(name, text);
	bytes = size_of(dir, text);
	snapshot_name_format_json(name, text);
	return bytes + size_of(dir, text);
}

static int compare_retained(const void *a, const void *b)
{
	return snapshot_name_compare(&((const struct retained *)a)->name,
				     &((const struct retained *)b)->name);
}

static void append(struct snapshot_retention *r, const struct snapshot_name *name, uint64_t bytes)
{
	array_reserve(r->files, r->cap, r->nr + 1);
	r->files[r->nr++] = (struct retained){ *name, bytes };
	r->bytes += bytes;
}

static int read_names(struct snapshot_retention *r, int dir_fd, struct jsons *jsons)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct snapshot_name name;
	struct dirent *d;
	int err;

	if (!dir) {
		err = errno;
		if (fd >= 0)
			close(fd);
		return -err;
	}
	while ((errno = 0, d = readdir(dir))) {
		if (d->d_type != DT_REG && d->d_type != DT_UNKNOWN)
			continue;
		if (!snapshot_name_parse(d->d_name, &name)) {
			append(r, &name, 0);
		} else if (!snapshot_name_parse_json(d->d_name, &name)) {
			array_reserve(jsons->names, jsons->cap, jsons->nr + 1);
			jsons->names[jsons->nr++] = name;
		}
	}
	err = errno;
	closedir(dir);
	return -err;
}

static bool holds(const struct snapshot_retention *r, const struct snapshot_name *name)
{
	const struct retained key = { .name = *name };

	return r->nr > r->first &&
	       bsearch(&key, r->files + r->first, r->nr - r->first, sizeof(key), compare_retained);
}

int snapshot_retention_read(struct snapshot_retention *r, int dir, bool with_bytes)
{
	struct jsons jsons = { 0 };
	char text[SNAPSHOT_NAME_BYTES];
	int err;

	snapshot_retention_deinit(r);
	err = read_names(r, dir, &jsons);
	if (err < 0)
		snapshot_retention_deinit(r);
	if (r->nr)
		qsort(r->files, r->nr, sizeof(*r->files), compare_retained);
	for (size_t i = 0; with_bytes && i < r->nr; i++)
		r->bytes += r->files[i].bytes = snapshot_bytes(dir, &r->files[i].name);
	r->has_bytes = with_bytes;
	for (size_t i = 0; !err && i < jsons.nr; i++) {
		if (holds(r, &jsons.names[i]))
			continue;
		snapshot_name_format_json(&jsons.names[i], text);
		unlinkat(dir, text, 0);
	}
	free(jsons.names);
	return err;
}

void snapshot_retention_deinit(struct snapshot_retention *r)
{
	free(r->files);
	*r = (struct snapshot_retention){ 0 };
}

/* The room of files that have gone is used again before more is asked for. */
static void compact(struct snapshot_retention *r)
{
	if (!r->first || r->nr < r->cap || r->first < r->nr / 2)
		return;
	memmove(r->files, r->files + r->first, (r->nr - r->first) * sizeof(*r->files));
	r->nr -= r->first;
	r->first = 0;
}

void snapshot_retention_add(struct snapshot_retention *r, const struct snapshot_name *name,
			    uint64_t bytes)
{
	compact(r);
	append(r, name, bytes);
}

size_t snapshot_retention_nr(const struct snapshot_retention *r)
{
	return r->nr - r->first;
}

static bool is_over(const struct snapshot_retention *r, const struct snapshot_limits *l)
{
	if (l->keep_files && snapshot_retention_nr(r) > l->keep_files)
		return true;
	return l->keep_bytes && r->has_bytes && r->bytes > l->keep_bytes;
}

/*
 * How many of the oldest are too old.  One from the future was written before the clock was set
 * back: it is older than those behind it, and must not keep them for years.
 */
static size_t nr_too_old(const struct snapshot_retention *r, const struct snapshot_limits *l,
			 int64_t now_s)
{
	size_t end = r->first;

	for (size_t i = r->first; l->keep_age_ns && i < r->nr; i++) {
		const struct snapshot_name *name = &r->files[i].name;
		int64_t age_s = now_s - name->start_s - name->seconds;

		if (age_s <= 0)
			continue;
		if ((uint64_t)age_s <= l->keep_age_ns / 1000000000)
			break;
		end = i + 1;
	}
	return end - r->first;
}

/*
 * The snapshot first: a json without one is what the next start removes, and readers do not look
 * for it.  EPERM and EISDIR are about this file alone: it stays, and is not counted any more.
 */
static int remove_oldest(struct snapshot_retention *r, int dir)
{
	const struct retained *oldest = &r->files[r->first];
	char text[SNAPSHOT_NAME_BYTES];

	snapshot_name_format(&oldest->name, text);
	if (!unlinkat(dir, text, 0) || errno == ENOENT) {
		snapshot_name_format_json(&oldest->name, text);
		unlinkat(dir, text, 0);
	} else if (errno != EPERM && errno != EISDIR) {
		return -errno;
	}
	r->bytes -= oldest->bytes;
	r->first++;
	return 0;
}

int snapshot_retention_apply(struct snapshot_retention *r, int dir,
			     const struct snapshot_limits *limits, int64_t now_s)
{
	size_t nr_old = nr_too_old(r, limits, now_s);

	while (snapshot_retention_nr(r) > 1 && (nr_old || is_over(r, limits))) {
		int err = remove_oldest(r, dir);

		if (err < 0)
			return err;
		nr_old -= nr_old > 0;
	}
	return 0;
}
