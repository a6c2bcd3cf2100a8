// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree is walked when an id is met that was not in it the last time, so a machine whose cgroups
 * do not change is walked once.  What was found stays, so that a cgroup removed later keeps its
 * name; when there are very many, those go that no sample asked for lately.
 */
#include "collect/cgroups.h"

#include <fts.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/hash.h"
#include "util/mem.h"

#define MAX_DEPTH   64
#define MIN_SLOTS   256
#define MAX_CGROUPS 8192 /* that are kept from one window to the next */

struct cgroup {
	uint64_t id;
	char *path; /* NULL: an empty slot */
	bool is_used;
};

struct cgroups {
	char *dir;	      /* NULL: cgroup v2 is not mounted */
	struct cgroup *items; /* open addressing by id */
	size_t mask, nr;
};

static char *find_mount(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	char *dir = NULL;

	if (!f)
		return NULL;
	while (!dir && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			dir = xstrdup(m->mnt_dir);
	endmntent(f);
	return dir;
}

struct cgroups *cgroups_new(const char *dir)
{
	struct cgroups *g = xcalloc(1, sizeof(*g));

	g->dir = dir ? xstrdup(dir) : find_mount();
	g->mask = MIN_SLOTS - 1;
	g->items = xcalloc(MIN_SLOTS, sizeof(*g->items));
	return g;
}

void cgroups_free(struct cgroups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i <= g->mask; i++)
		free(g->items[i].path);
	free(g->items);
	free(g->dir);
	free(g);
}

static struct cgroup *slot_of(const struct cgroups *g, uint64_t id)
{
	size_t i = hash_u64(id) & g->mask;

	while (g->items[i].path && g->items[i].id != id)
		i = (i + 1) & g->mask;
	return &g->items[i];
}

static void rebuild(struct cgroups *g, size_t nr_slots)
{
	struct cgroup *old = g->items;
	size_t nr_old = g->mask + 1;

	g->items = xcalloc(nr_slots, sizeof(*g->items));
	g->mask = nr_slots - 1;
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].path)
			*slot_of(g, old[i].id) = old[i];
	free(old);
}

static struct cgroup *cgroups_add(struct cgroups *g, uint64_t id, char *path)
{
	struct cgroup *c;

	if (g->nr >= (g->mask + 1) / 2)
		rebuild(g, (g->mask + 1) * 2);
	c = slot_of(g, id);
	*c = (struct cgroup){ .id = id, .path = path };
	g->nr++;
	return c;
}

static void cgroups_walk(struct cgroups *g)
{
	char *paths[] = { g->dir, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	size_t prefix = strlen(g->dir);
	FTSENT *e;

	if (!fts)
		return;
	while ((e = fts_read(fts))) {
		if (e->fts_info != FTS_D)
			continue;
		if (e->fts_level > MAX_DEPTH)
			fts_set(fts, e, FTS_SKIP);
		if (!slot_of(g, e->fts_statp->st_ino)->path)
			cgroups_add(g, e->fts_statp->st_ino,
				    xstrdup(e->fts_path[prefix] ? e->fts_path + prefix : "/"));
	}
	fts_close(fts);
}

const char *cgroups_path(struct cgroups *g, uint64_t id)
{
	struct cgroup *c = slot_of(g, id);

	if (!c->path && g->dir) {
		cgroups_walk(g);
		c = slot_of(g, id);
	}
	if (!c->path)
		c = cgroups_add(g, id, xasprintf("[cgroup-%llu]", (unsigned long long)id));
	c->is_used = true;
	return c->path;
}

void cgroups_age(struct cgroups *g)
{
	bool drop = g->nr > MAX_CGROUPS;

	for (size_t i = 0; i <= g->mask; i++) {
		struct cgroup *c = &g->items[i];

		if (drop && c->path && !c->is_used) {
			free(take_ptr(c->path));
			g->nr--;
		}
		c->is_used = false;
	}
	if (drop)
		rebuild(g, g->mask + 1);
}

size_t cgroups_nr(const struct cgroups *g)
{
	return g->nr;
}
