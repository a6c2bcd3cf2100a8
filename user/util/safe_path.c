// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The path is walked part by part, as the kernel does it: openat2(2) has no flag for "a link, but
 * only where nobody else can have made it".
 */
#include "util/safe_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "util/mem.h"

#define MAX_LINKS 40 /* the kernel's */

struct walk {
	struct safe_place *place;
	char *rest; /* still to go */
	unsigned int flags;
	int nr_links;
	bool is_refused; /* -ELOOP is for a link that anybody may have made */
};

mode_t safe_file_mode(void)
{
	return geteuid() ? 0666 : 0600;
}

mode_t safe_dir_mode(void)
{
	return geteuid() ? 0777 : 0755;
}

static bool is_trusted(uid_t uid)
{
	return !uid || uid == geteuid();
}

static int look_at_dir(struct safe_place *p)
{
	uid_t me = geteuid();
	struct stat st;

	if (fstat(p->dir, &st) < 0)
		return -errno;
	p->is_shared = !is_trusted(st.st_uid) || st.st_mode & S_IWOTH ||
		       (st.st_mode & S_IWGRP && !(me && st.st_gid == getegid()));
	p->is_sticky = is_trusted(st.st_uid) && st.st_mode & S_ISVTX;
	return 0;
}

/* Takes the descriptor, which may be an error. */
static int enter(struct safe_place *p, int fd)
{
	if (fd < 0)
		return -errno;
	if (p->dir >= 0)
		close(p->dir);
	p->dir = fd;
	return look_at_dir(p);
}

static bool is_proc(int dir)
{
	struct statfs fs;

	return !fstatfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* N, when the directory is our own /proc/self/fd. */
static int descriptor_of(const struct safe_place *p, const char *name)
{
	struct stat dir, own;
	char *end;
	long n = strtol(name, &end, 10);

	if (end == name || *end || n < 0 || n > INT_MAX || fstat(p->dir, &dir) < 0 ||
	    stat("/proc/self/fd", &own) < 0)
		return -1;
	return dir.st_dev == own.st_dev && dir.st_ino == own.st_ino ? n : -1;
}

/* What the link says stands before what is left to go. */
static int follow(struct walk *w, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(w->place->dir, name, target, sizeof(target));
	char *old = w->rest;

	if (len < 0)
		return -errno;
	if (!len || len == sizeof(target))
		return len ? -ENAMETOOLONG : -ENOENT;
	target[len] = '\0';
	if (w->nr_links++ == MAX_LINKS)
		return -ELOOP;
	if (is_proc(w->place->dir) && target[0] != '/')
		return -ENXIO;
	w->rest = old[0] ? xasprintf("%s/%s", target, old) : xstrdup(target);
	free(old);
	if (target[0] == '/')
		return enter(w->place, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return 0;
}

static bool may_pass(const struct safe_place *p, const struct stat *link)
{
	return !p->is_shared || (p->is_sticky && is_trusted(link->st_uid));
}

/* Can others put another directory under its name?  Those above the one we are in do not count. */
static bool is_movable(const struct safe_place *parent, const struct stat *dir)
{
	return parent->is_shared && !(parent->is_sticky && is_trusted(dir->st_uid));
}

/* A part that is not the last. */
static int pass(struct walk *w, const char *name)
{
	struct safe_place *p = w->place;
	struct stat st;

	if (w->flags & SAFE_PATH_MAKE_DIRS && mkdirat(p->dir, name, safe_dir_mode()) < 0 &&
	    errno != EEXIST && errno != EROFS)
		return -errno;
	if (fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode) && is_movable(p, &st))
		p->is_movable = true;
	if (!S_ISLNK(st.st_mode))
		return enter(p,
			     openat(p->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (!may_pass(p, &st)) {
		w->is_refused = true;
		return -ELOOP;
	}
	/* Where a link of a process leads is not what it says. */
	if (is_proc(p->dir))
		return enter(p, openat(p->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	return follow(w, name);
}

/* The last part: 1 when it was a link that is followed. */
static int arrive(struct walk *w, const char *name)
{
	struct safe_place *p = w->place;
	int r;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	p->is_there = !fstatat(p->dir, name, &p->st, AT_SYMLINK_NOFOLLOW);
	if (!p->is_there && errno != ENOENT)
		return -errno;
	if (p->is_there && S_ISLNK(p->st.st_mode) && !p->is_shared &&
	    !(w->flags & SAFE_PATH_KEEP_LINK)) {
		if (is_proc(p->dir))
			p->descriptor = descriptor_of(p, name);
		r = p->descriptor < 0 ? follow(w, name) : 0;
		if (r < 0 || p->descriptor < 0)
			return r < 0 ? r : 1;
	}
	p->name = xstrdup(name);
	return 0;
}

/* One part of what is left; 1 when there is more. */
static int step(struct walk *w)
{
	size_t from = strspn(w->rest, "/"), len = strcspn(w->rest + from, "/");
	_cleanup_free_ char *name = xmemdup0(w->rest + from, len);
	bool is_last = !w->rest[from + len];
	int r;

	memmove(w->rest, w->rest + from + len, strlen(w->rest + from + len) + 1);
	if (is_last)
		return arrive(w, name);
	r = pass(w, name);
	return r < 0 ? r : 1;
}

int safe_place_open(const char *path, unsigned int flags, struct safe_place *ret_place,
		    struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	struct walk w = { .place = &place, .rest = xstrdup(path), .flags = flags };
	const char *start = *path == '/' ? "/" : ".";
	int r = *path ? enter(&place, open(start, O_PATH | O_DIRECTORY | O_CLOEXEC)) : -ENOENT;

	if (r >= 0)
		do
			r = step(&w);
		while (r > 0);
	free(w.rest);
	if (w.is_refused)
		return diag_set(ret_diag, ELOOP,
				"%s: a link leads there from a directory that others may write to: "
				"not followed",
				path);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: cannot write: %s", path, strerror(-r));
	*ret_place = place;
	place = SAFE_PLACE_INIT;
	return 0;
}

void safe_place_close(struct safe_place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free(place->name);
	*place = SAFE_PLACE_INIT;
}
