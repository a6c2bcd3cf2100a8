/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of cgroups (version 2) by the id that the kernel gives with a sample.
 *
 * The id is a file handle of the cgroup's directory, so a name costs one open_by_handle_at(2),
 * however many cgroups there are, and one that is gone is known to be gone.  That takes
 * CAP_DAC_READ_SEARCH.  Without, the id is looked for as an inode by walking the tree: once a
 * window, and in a long one once in ten seconds; what was not found until then has no name.
 */
#ifndef EDDY_COLLECT_CGROUPS_H
#define EDDY_COLLECT_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

struct cgroups;

/* dir: where cgroup v2 is mounted; NULL: the mount of most of the tree, by /proc/self/mounts. */
struct cgroups *cgroups_new(const char *dir);
void cgroups_free(struct cgroups *g); /* NULL is fine */
/* Where it is mounted; free() it.  NULL: it is not. */
char *cgroups_find_mount(void);
/*
 * The directory that somebody means: one of cgroup version 2, or the cgroup's path as
 * cgroups_path() gives it and as it is printed.  NULL: there is none; free() it.
 */
char *cgroups_find_directory(const char *path);

/*
 * "/", "/system.slice/cron.service", or "[cgroup-ID]" for one that is not (or no longer) there.
 * Valid until the next call.
 */
const char *cgroups_path(struct cgroups *g, uint64_t id);
/* Looks which cgroups there are: those that go before they are asked for keep their names. */
void cgroups_look(struct cgroups *g);
/*
 * A cgroup was made.  The path is counted from the machine's root, so where only a part of the tree
 * is seen (another cgroup namespace) it is left aside, and asked for by its id.
 */
void cgroups_add_new(struct cgroups *g, uint64_t id, const char *path);
/*
 * At a window's end: the tree may be walked again, and when there are thousands, those are
 * forgotten that were not asked for since the last time.
 */
void cgroups_age(struct cgroups *g);

struct cgroups_stats {
	size_t nr;		   /* names that are kept now, of cgroups not found too */
	uint64_t nr_opened;	   /* directories that were asked for by handle */
	uint64_t nr_walks, nr_met; /* times the tree was walked, directories met there */
	uint64_t nr_cut;	   /* paths that were too long, see util/name_cut.h */
};
void cgroups_get_stats(const struct cgroups *g, struct cgroups_stats *ret_stats);

#endif
