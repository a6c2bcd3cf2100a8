/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of cgroups (version 2) by the id that the kernel gives with a sample: their inode. */
#ifndef EDDY_COLLECT_CGROUPS_H
#define EDDY_COLLECT_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

struct cgroups;

/* dir: where cgroup v2 is mounted; NULL: asks /proc/self/mounts. */
struct cgroups *cgroups_new(const char *dir);
void cgroups_free(struct cgroups *g); /* NULL is fine */

/*
 * "/", "/system.slice/cron.service", or "[cgroup-ID]" for one that is not (or no longer) there.
 * Valid until the next call.
 */
const char *cgroups_path(struct cgroups *g, uint64_t id);
/* At a window's end: when there are thousands, forgets those not asked for since the last time. */
void cgroups_age(struct cgroups *g);
size_t cgroups_nr(const struct cgroups *g);

#endif
