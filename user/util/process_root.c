// SPDX-License-Identifier: GPL-2.0-or-later
/* Another root is another directory; one's own mounts over the same one are no other root. */
#include "util/process_root.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"

#define NO_UID	  UINT32_MAX
#define MAX_LINES 340 /* of a map of users, as the kernel has it */

struct uid_range {
	uint32_t outside, nr;
};

struct process_root {
	unsigned int refs;
	int fd;
	size_t prefix_len; /* of paths: what leads to the root from ours; 0: nothing */
	char *prefix;
	uint32_t root_uid; /* NO_UID: nobody is root there */
	struct uid_range *users;
	size_t nr_users;
};

struct process_root *process_root_ref(struct process_root *r)
{
	if (r)
		__atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
	return r;
}

void process_root_unref(struct process_root *r)
{
	if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->prefix);
	free(r->users);
	free(r);
}

int process_root_fd(const struct process_root *r)
{
	return r ? r->fd : -1;
}

const char *process_root_path(const struct process_root *r, const char *path)
{
	if (!r->prefix_len)
		return path;
	if (strncmp(path, r->prefix, r->prefix_len) != 0 || path[r->prefix_len] != '/')
		return "";
	return path + r->prefix_len;
}

bool process_root_rules(const struct process_root *r, uint32_t uid, uint32_t other_uid)
{
	if (uid == NO_UID || uid != r->root_uid)
		return false;
	for (size_t i = 0; i < r->nr_users; i++)
		if (other_uid - r->users[i].outside < r->users[i].nr)
			return true;
	return false;
}

/* A link of /proc, which is read without following it; "" when it cannot be. */
static void link_read(const char *path, char *to, size_t size)
{
	ssize_t n = readlink(path, to, size - 1);

	to[n > 0 ? n : 0] = '\0';
}

/* Is it told by links alone that the root is ours, or that nothing is known of it? */
static bool is_plain(const char *root, pid_t pid, char *ret_link, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/root", root, (int)pid);
	_cleanup_free_ char *mounts = xasprintf("%s/proc/%d/ns/mnt", root, (int)pid);
	char theirs[64], ours[64];

	link_read(path, ret_link, size);
	link_read(mounts, theirs, sizeof(theirs));
	link_read("/proc/self/ns/mnt", ours, sizeof(ours));
	return !*ret_link || !*theirs || (!strcmp(ret_link, "/") && !strcmp(theirs, ours));
}

static void users_read(struct process_root *r, const char *root, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/uid_map", root, (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	unsigned int inside, outside, nr;

	r->root_uid = NO_UID;
	r->users = xcalloc(MAX_LINES, sizeof(*r->users));
	while (f && r->nr_users < MAX_LINES && fscanf(f, "%u %u %u", &inside, &outside, &nr) == 3) {
		if (!inside && nr)
			r->root_uid = outside;
		r->users[r->nr_users++] = (struct uid_range){ outside, nr };
	}
}

struct process_root *process_root_open(struct worker_pool *pool, const struct asked_root *asked)
{
	struct worker_key key = far_process_of(asked->pid, asked->owner);
	_cleanup_(process_root_freep) struct process_root *r = NULL;
	_cleanup_free_ char *path = xasprintf("%s/proc/%d/root", asked->root, (int)asked->pid);
	char link[PATH_MAX];
	struct far_stat st;
	struct stat ours;

	if (is_plain(asked->root, asked->pid, link, sizeof(link)))
		return NULL;
	key.patience_ns = asked->patience_ns;
	r = xcalloc(1, sizeof(*r));
	r->refs = 1;
	r->fd = far_open(pool, &key, path, NULL);
	if (r->fd < 0 || far_stat(pool, &key, r->fd, &st) < 0 || stat("/", &ours) < 0)
		return NULL;
	if (st.dev == ours.st_dev && st.ino == ours.st_ino)
		return NULL;
	r->prefix = xstrdup(strcmp(link, "/") ? link : "");
	r->prefix_len = strlen(r->prefix);
	users_read(r, asked->root, asked->pid);
	return take_ptr(r);
}
