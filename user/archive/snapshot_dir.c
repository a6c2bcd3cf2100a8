// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listing by names alone.  Hosts are numbered as they are met and renumbered by name at the end, so
 * that the order of a listing does not depend on the order of a directory.
 */
#include "archive/snapshot_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/mem.h"

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
#define _cleanup_closedir_ _cleanup_(closedirp)

bool snapshot_name_is_within(const struct snapshot_name *name, int64_t since_s, int64_t until_s)
{
	int64_t end_s = name->start_s + name->seconds;

	if (until_s && name->start_s >= until_s)
		return false;
	return !since_s || end_s > since_s || (!name->seconds && name->start_s == since_s);
}

static uint32_t add_host(struct snapshot_list *list, const char *name, const char *path)
{
	array_reserve(list->hosts, list->cap_hosts, list->nr_hosts + 1);
	list->hosts[list->nr_hosts] = (struct snapshot_host){ xstrdup(name), xstrdup(path) };
	return list->nr_hosts++;
}

/* A name of a host's directory. */
static void take_name(struct snapshot_list *list, uint32_t host, const struct dirent *d)
{
	struct snapshot_name name;
	bool is_file = d->d_type == DT_REG || d->d_type == DT_LNK || d->d_type == DT_UNKNOWN;

	if (!is_file || snapshot_name_parse(d->d_name, &name) < 0)
		return;
	array_reserve(list->entries, list->cap, list->nr + 1);
	list->entries[list->nr++] = (struct snapshot_entry){ name, host };
}

/* The next name; NULL at the end or on an error, which is in *ret_err. */
static const struct dirent *next_name(DIR *dir, int *ret_err)
{
	const struct dirent *d;

	errno = 0;
	d = readdir(dir);
	*ret_err = d ? 0 : errno;
	return d;
}

/* Reads a directory below dir; -ENOTDIR when it is none, -errno when it cannot be read. */
static int read_host(struct snapshot_list *list, DIR *parent, const char *dir, const char *name)
{
	int fd = openat(dirfd(parent), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK), err;
	_cleanup_free_ char *path = NULL;
	_cleanup_closedir_ DIR *host_dir = NULL;
	const struct dirent *d;
	uint32_t host;

	if (fd < 0)
		return -errno;
	host_dir = fdopendir(fd);
	if (!host_dir) {
		err = errno;
		close(fd);
		return -err;
	}
	path = xasprintf("%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
	host = add_host(list, name, path);
	while ((d = next_name(host_dir, &err)))
		take_name(list, host, d);
	return -err;
}

/*
 * A name of DIR: the directory of a host, or, when DIR is such a directory itself, one of its
 * files.
 */
static void take_top(struct snapshot_list *list, DIR *top, const char *dir, const struct dirent *d)
{
	struct snapshot_name name;
	int r = -ENOTDIR;

	if (d->d_name[0] == '.')
		return;
	if (d->d_type == DT_DIR || d->d_type == DT_LNK || d->d_type == DT_UNKNOWN)
		r = read_host(list, top, dir, d->d_name);
	if (r == -ENOTDIR || (r < 0 && !snapshot_name_parse(d->d_name, &name)))
		take_name(list, 0, d);
	else if (r < 0)
		list->nr_unread++;
}

static int compare_hosts(const void *a, const void *b, void *ctx)
{
	const struct snapshot_host *hosts = ctx;

	return strcmp(hosts[*(const uint32_t *)a].name, hosts[*(const uint32_t *)b].name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct snapshot_entry *x = a, *y = b;
	int order = snapshot_name_compare(&x->name, &y->name);

	return order ? order : (x->host > y->host) - (x->host < y->host);
}

/* Hosts by name, entries by time. */
static void sort(struct snapshot_list *list)
{
	_cleanup_free_ uint32_t *order = xcalloc(list->nr_hosts, sizeof(*order));
	_cleanup_free_ uint32_t *rank = xcalloc(list->nr_hosts, sizeof(*rank));
	struct snapshot_host *sorted = xcalloc(list->nr_hosts, sizeof(*sorted));

	for (uint32_t i = 0; i < list->nr_hosts; i++)
		order[i] = i;
	qsort_r(order, list->nr_hosts, sizeof(*order), compare_hosts, list->hosts);
	for (uint32_t i = 0; i < list->nr_hosts; i++) {
		rank[order[i]] = i;
		sorted[i] = list->hosts[order[i]];
	}
	free(list->hosts);
	list->hosts = sorted;
	for (size_t i = 0; i < list->nr; i++)
		list->entries[i].host = rank[list->entries[i].host];
	if (list->nr)
		qsort(list->entries, list->nr, sizeof(*list->entries), compare_entries);
}

/* What DIR is called when it is a host's directory: "." and links have a name too. */
static void add_top(struct snapshot_list *list, const char *dir)
{
	_cleanup_free_ char *real = realpath(dir, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;

	add_host(list, slash ? slash + 1 : dir, dir);
}

int snapshot_list_read(const char *dir, struct snapshot_list *ret_list, struct diag *ret_diag)
{
	_cleanup_closedir_ DIR *top = opendir(dir);
	struct snapshot_list list = { 0 };
	const struct dirent *d;
	int err;

	if (!top)
		return diag_set(ret_diag, errno, "%s: %s", dir, strerror(errno));
	add_top(&list, dir);
	while ((d = next_name(top, &err)))
		take_top(&list, top, dir, d);
	if (err) {
		snapshot_list_deinit(&list);
		return diag_set(ret_diag, err, "%s: %s", dir, strerror(err));
	}
	sort(&list);
	*ret_list = list;
	return 0;
}

void snapshot_list_deinit(struct snapshot_list *list)
{
	for (size_t i = 0; i < list->nr_hosts; i++) {
		free(list->hosts[i].name);
		free(list->hosts[i].path);
	}
	free(list->hosts);
	free(list->entries);
	*list = (struct snapshot_list){ 0 };
}

void snapshot_list_path(const struct snapshot_list *list, size_t i, struct strbuf *path)
{
	const char *dir = list->hosts[list->entries[i].host].path;
	char name[SNAPSHOT_NAME_BYTES];

	snapshot_name_format(&list->entries[i].name, name);
	strbuf_reset(path);
	strbuf_addstr(path, dir);
	if (dir[strlen(dir) - 1] != '/')
		strbuf_addch(path, '/');
	strbuf_addstr(path, name);
}
