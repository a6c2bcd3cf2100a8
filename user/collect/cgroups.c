// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree is walked when an id is met that was not in it the last time, so a machine whose cgroups
 * do not change is walked once.  What was found stays, so that a cgroup removed later keeps its
 * name.
 */
#include "collect/cgroups.h"

#include <fts.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/mem.h"

#define MAX_DEPTH 64

struct cgroup {
	uint64_t id;
	char *path;
};

struct cgroups {
	char *dir; /* NULL: cgroup v2 is not mounted */
	struct cgroup *items;
	size_t nr, cap;
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
	return g;
}

void cgroups_free(struct cgroups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr; i++)
		free(g->items[i].path);
	free(g->items);
	free(g->dir);
	free(g);
}

static struct cgroup *cgroups_find(struct cgroups *g, uint64_t id)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->items[i].id == id)
			return &g->items[i];
	return NULL;
}

static struct cgroup *cgroups_add(struct cgroups *g, uint64_t id, char *path)
{
	array_reserve(g->items, g->cap, g->nr + 1);
	g->items[g->nr] = (struct cgroup){ .id = id, .path = path };
	return &g->items[g->nr++];
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
		if (!cgroups_find(g, e->fts_statp->st_ino))
			cgroups_add(g, e->fts_statp->st_ino,
				    xstrdup(e->fts_path[prefix] ? e->fts_path + prefix : "/"));
	}
	fts_close(fts);
}

const char *cgroups_path(struct cgroups *g, uint64_t id)
{
	struct cgroup *c = cgroups_find(g, id);

	if (!c && g->dir) {
		cgroups_walk(g);
		c = cgroups_find(g, id);
	}
	if (!c)
		c = cgroups_add(g, id, xasprintf("[cgroup-%llu]", (unsigned long long)id));
	return c->path;
}
