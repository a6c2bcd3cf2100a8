/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which snapshots stand in a directory: DIR of `eddy snapshot` with a directory for each host, or
 * one host's directory.  Names say everything, so a listing is one directory read for each
 * directory and no file is looked at; 100 000 names take some 10 MiB and a tenth of a second.
 *
 * What is no snapshot is left alone: temporaries, the lock, whatever else stands there.
 */
#ifndef EDDY_ARCHIVE_SNAPSHOT_DIR_H
#define EDDY_ARCHIVE_SNAPSHOT_DIR_H

#include <stdint.h>

#include "archive/snapshot_name.h"
#include "util/cleanup.h"
#include "util/diag.h"
#include "util/strbuf.h"

struct snapshot_entry {
	struct snapshot_name name;
	uint32_t host; /* index of hosts */
};

/*
 * A host's directory.  What stands in DIR itself belongs to the host that DIR is named after (its
 * last component, links followed): then DIR is that host's directory.
 */
struct snapshot_host {
	char *name;
	char *path; /* of the directory, beginning with DIR as it was given */
};

struct snapshot_list {
	struct snapshot_entry *entries; /* by time (snapshot_name_compare()), then by host */
	size_t nr, cap;
	struct snapshot_host *hosts; /* by name; also those without a snapshot */
	size_t nr_hosts, cap_hosts;
	uint64_t nr_unread; /* directories that could not be read, with a snapshot or without */
};

/*
 * Lists dir.  0 (also when nothing is there), or -errno with a diag when dir itself cannot be read;
 * *ret_list is then untouched.  Directories go one level deep.
 */
int snapshot_list_read(const char *dir, struct snapshot_list *ret_list, struct diag *ret_diag);
void snapshot_list_deinit(struct snapshot_list *list);
#define _cleanup_snapshot_list_ __attribute__((cleanup(snapshot_list_deinit)))

/* Replaces path by the path of entry i; ".json" behind it is its json. */
void snapshot_list_path(const struct snapshot_list *list, size_t i, struct strbuf *path);

/* Does a snapshot of that name have a part in [since, until)?  0 is no bound. */
bool snapshot_name_is_within(const struct snapshot_name *name, int64_t since_s, int64_t until_s);

#endif
