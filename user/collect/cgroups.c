// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was found stays, so that a cgroup removed later keeps its name; when there are very many,
 * those go that no sample asked for lately.  What was not found stays too: by handle for good,
 * since ids are never used again; by walking until the tree may be walked the next time.
 *
 * Of cgroups that are made while somebody samples, only the last few thousand wait to be asked for:
 * who may make cgroups can make any number of them.
 */
#include "collect/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "profile/foreign_name.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/name_cut.h"
#include "util/strbuf.h"
#include "util/table.h"
#include "util/text_escape.h"

#define FIRST_CGROUPS 192
#define MAX_CGROUPS   8192  /* that are kept from one window to the next */
#define MAX_WALKED    65536 /* directories of one walk */
#define MAX_WAITING   4096  /* new ones that no sample asked for yet */
#define ROOT_ID	      1	    /* of the root of the whole tree */
#define WALK_EVERY_NS 10000000000ull
#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS of the kernel's exportfs.h: a 64-bit id */

struct cgroup {
	uint64_t id;
	char *path;	 /* NULL: an empty slot */
	uint64_t nr_new; /* cgroups made until then; 0: it was not among them */
	bool is_used;
	bool is_missing; /* it was not met in the tree: it may be in the next walk */
};

static bool cgroup_table_is_used(const struct cgroup *c)
{
	return c->path != NULL;
}

static uint64_t cgroup_table_hash(const void *nobody, const struct cgroup *c)
{
	return hash_u64(c->id);
}

static bool cgroup_table_equals(const void *nobody, const struct cgroup *c, const uint64_t *id)
{
	return c->id == *id;
}

DEFINE_TABLE(cgroup_table, struct cgroup, uint64_t, void)

struct cgroups {
	char *dir;     /* NULL: cgroup v2 is not mounted */
	int handle_fd; /* of the directory, to open by handle; -1: that is not possible */
	struct cgroup_table known;
	bool is_whole;		     /* paths begin where the kernel's do */
	uint64_t walk_ns;	     /* not to be walked again before; 0: it may be */
	uint64_t nr_new, nr_waiting; /* made since the start; at most so many not asked for */
	uint64_t nr_opened, nr_walks, nr_met, nr_cut;
};

/* Else it is what a cgroup namespace, or a bind mount, shows of it. */
static bool is_root(const char *dir)
{
	struct stat st;

	return !stat(dir, &st) && st.st_ino == ROOT_ID;
}

char *cgroups_find_mount(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	char *dir = NULL;

	if (!f)
		return NULL;
	while ((m = getmntent(f))) {
		if (strcmp(m->mnt_type, "cgroup2") || (dir && !is_root(m->mnt_dir)))
			continue;
		free(dir);
		dir = xstrdup(m->mnt_dir);
		if (is_root(dir))
			break;
	}
	endmntent(f);
	return dir;
}

/* A descriptor to open by handle with; -1 where the directory is not of such a file system. */
static int handle_root_open(const char *dir)
{
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != CGROUP2_SUPER_MAGIC)
		return -1;
	return take_fd(&fd);
}

struct cgroups *cgroups_new(const char *dir)
{
	struct cgroups *g = xcalloc(1, sizeof(*g));

	g->dir = dir ? xstrdup(dir) : cgroups_find_mount();
	g->is_whole = g->dir && is_root(g->dir);
	g->handle_fd = g->dir ? handle_root_open(g->dir) : -1;
	cgroup_table_init(&g->known, FIRST_CGROUPS);
	return g;
}

void cgroups_free(struct cgroups *g)
{
	if (!g)
		return;
	for (struct cgroup *c = cgroup_table_next(&g->known, NULL); c;
	     c = cgroup_table_next(&g->known, c))
		free(c->path);
	if (g->handle_fd >= 0)
		close(g->handle_fd);
	cgroup_table_deinit(&g->known);
	free(g->dir);
	free(g);
}

/* NULL: it is not known. */
static struct cgroup *cgroup_of(const struct cgroups *g, uint64_t id)
{
	return cgroup_table_find(&g->known, NULL, hash_u64(id), &id);
}

/* A path of many directories is as long as who may make them likes; takes it over. */
static char *path_cut(struct cgroups *g, char *path)
{
	struct strbuf whole = STRBUF_INIT;

	if (strlen(path) <= NAME_MAX_BYTES)
		return path;
	strbuf_addstr(&whole, path);
	free(path);
	name_cut(&whole, NAME_MAX_BYTES);
	g->nr_cut++;
	return strbuf_detach(&whole);
}

static struct cgroup *cgroups_add(struct cgroups *g, uint64_t id, char *path)
{
	struct cgroup *c = cgroup_table_add(&g->known, NULL, hash_u64(id));

	*c = (struct cgroup){ .id = id, .path = path_cut(g, path) };
	return c;
}

/*
 * The path of a directory of ours that is open, as cgroups_path() gives it; NULL: it is elsewhere.
 */
static char *path_of(const struct cgroups *g, int fd)
{
	size_t prefix = strlen(g->dir);
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < (ssize_t)prefix || memcmp(path, g->dir, prefix) != 0)
		return NULL;
	path[n] = '\0';
	if (path[prefix] && path[prefix] != '/')
		return NULL;
	return xstrdup(path[prefix] ? path + prefix : "/");
}

/* Asks the kernel; without the right to, never again. */
static char *find_by_handle(struct cgroups *g, uint64_t id)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = HANDLE_KERNFS } };
	_cleanup_close_ int fd = -1;

	memcpy(h.handle.f_handle, &id, sizeof(id));
	g->nr_opened++;
	fd = open_by_handle_at(g->handle_fd, &h.handle, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		return path_of(g, fd);
	if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) {
		close(g->handle_fd);
		g->handle_fd = -1;
	}
	return NULL;
}

/* A directory that was met; path is taken over. */
static void cgroups_meet(struct cgroups *g, uint64_t id, char *path)
{
	struct cgroup *c = cgroup_of(g, id);

	g->nr_met++;
	if (!c) {
		cgroups_add(g, id, path);
		return;
	}
	if (c->is_missing) {
		free(c->path);
		c->path = path_cut(g, path);
		c->is_missing = false;
		return;
	}
	free(path);
}

/* Directories whose own are still to be looked at: paths under `dir`, "" for itself. */
struct pending {
	char **paths;
	size_t nr, cap;
};

static void pending_put(struct pending *p, char *path)
{
	array_reserve(p->paths, p->cap, p->nr + 1);
	p->paths[p->nr++] = path;
}

/* Meets the directories in one; no file of them is looked at. */
static void dir_walk(struct cgroups *g, const char *under, struct pending *p, size_t *left)
{
	_cleanup_free_ char *path = xasprintf("%s%s", g->dir, under);
	DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir && *left && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		--*left;
		pending_put(p, xasprintf("%s/%s", under, e->d_name));
		cgroups_meet(g, e->d_ino, xstrdup(p->paths[p->nr - 1]));
	}
	if (dir)
		closedir(dir);
}

static void cgroups_walk(struct cgroups *g)
{
	struct pending p = { 0 };
	size_t left = MAX_WALKED;
	struct stat st;

	g->nr_walks++;
	g->walk_ns = clock_ns(CLOCK_MONOTONIC) + WALK_EVERY_NS;
	if (stat(g->dir, &st) < 0)
		return;
	cgroups_meet(g, st.st_ino, xstrdup("/"));
	pending_put(&p, xstrdup(""));
	while (p.nr) {
		_cleanup_free_ char *under = p.paths[--p.nr];

		dir_walk(g, under, &p, &left);
	}
	free(p.paths);
}

void cgroups_look(struct cgroups *g)
{
	if (g->dir)
		cgroups_walk(g);
	g->walk_ns = 0;
}

static bool cgroup_is_old(void *nr_new, struct cgroup *c)
{
	bool drop = c->nr_new && !c->is_used && c->nr_new + MAX_WAITING / 2 < *(uint64_t *)nr_new;

	if (drop)
		free(c->path);
	return drop;
}

void cgroups_add_new(struct cgroups *g, uint64_t id, const char *path)
{
	if (!g->is_whole)
		return;
	cgroups_meet(g, id, xstrdup(path));
	cgroup_of(g, id)->nr_new = ++g->nr_new;
	if (++g->nr_waiting <= MAX_WAITING)
		return;
	cgroup_table_sweep(&g->known, NULL, cgroup_is_old, &g->nr_new);
	g->nr_waiting = MAX_WAITING / 2;
}

/* Looks for an id that is not known; NULL: it is not found. */
static struct cgroup *cgroups_find(struct cgroups *g, uint64_t id)
{
	char *path = g->handle_fd >= 0 ? find_by_handle(g, id) : NULL;

	if (path)
		return cgroups_add(g, id, path);
	if (g->handle_fd < 0 && g->dir && clock_ns(CLOCK_MONOTONIC) >= g->walk_ns)
		cgroups_walk(g);
	return cgroup_of(g, id);
}

const char *cgroups_path(struct cgroups *g, uint64_t id)
{
	struct cgroup *c = cgroup_of(g, id);

	if (!c || c->is_missing)
		c = cgroups_find(g, id);
	if (!c) {
		c = cgroups_add(g, id, xasprintf("[cgroup-%llu]", (unsigned long long)id));
		c->is_missing = g->handle_fd < 0;
	}
	c->is_used = true;
	return c->path;
}

/* Ends its window; whether it goes, being one of too many. */
static bool cgroup_age(void *is_full, struct cgroup *c)
{
	bool drop = *(const bool *)is_full && !c->is_used;

	if (drop)
		free(c->path);
	c->is_used = false;
	return drop;
}

void cgroups_age(struct cgroups *g)
{
	bool is_full = g->known.nr > MAX_CGROUPS;

	g->walk_ns = 0;
	cgroup_table_sweep(&g->known, NULL, cgroup_age, &is_full);
}

void cgroups_get_stats(const struct cgroups *g, struct cgroups_stats *ret_stats)
{
	*ret_stats = (struct cgroups_stats){
		.nr = g->known.nr,
		.nr_opened = g->nr_opened,
		.nr_walks = g->nr_walks,
		.nr_met = g->nr_met,
		.nr_cut = g->nr_cut,
	};
}

static bool is_directory_of_v2(const char *path)
{
	_cleanup_close_ int fd = handle_root_open(path);

	return fd >= 0;
}

/* Is the path what is printed as that text?  Some bytes cannot be printed. */
static bool is_printed_as(const char *path, const char *text)
{
	_cleanup_strbuf_ struct strbuf guarded = STRBUF_INIT, printed = STRBUF_INIT;

	strbuf_addstr(&guarded, path);
	foreign_name_guard_end(&guarded, 0);
	text_escape(&printed, guarded.bytes, guarded.len);
	for (char *c = printed.bytes; (c = strchr(c, ';'));)
		*c = ':'; /* as in folded text */
	return !strcmp(printed.bytes, text);
}

/* Only for names that are not printed as they are. */
static char *find_printed(const char *mount, const char *text)
{
	struct cgroups *g = cgroups_new(mount);
	char *found = NULL;

	cgroups_walk(g);
	for (struct cgroup *c = cgroup_table_next(&g->known, NULL); c && !found;
	     c = cgroup_table_next(&g->known, c))
		if (is_printed_as(c->path, text))
			found = xasprintf("%s%s", mount, c->path);
	cgroups_free(g);
	return found;
}

char *cgroups_find_directory(const char *path)
{
	_cleanup_free_ char *mount = NULL, *under = NULL;

	if (is_directory_of_v2(path))
		return xstrdup(path);
	mount = cgroups_find_mount();
	if (!mount || !*path)
		return NULL;
	under = xasprintf("%s%s%s", mount, *path == '/' ? "" : "/", path);
	return is_directory_of_v2(under) ? take_ptr(under) : find_printed(mount, path);
}
