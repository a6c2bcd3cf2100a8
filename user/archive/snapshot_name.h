/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of snapshots: DIR/HOST/20261120T161230Z-10.folded.gz, with its FILE.json beside it.
 *
 *	<start, UTC>-<seconds>[-<nr>].folded[.gz]
 *
 * Both times are cut to whole seconds, the window's as the json has them in ms, so that names tile
 * the time as windows do: start + seconds is the start of the next.  -<nr> (2 and up) is there only
 * when a name is taken: two windows that begin in one second, or a clock that was set back.
 */
#ifndef EDDY_ARCHIVE_SNAPSHOT_NAME_H
#define EDDY_ARCHIVE_SNAPSHOT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_NAME_BYTES 64	/* room for every name, its ".json" and a NUL */
#define SNAPSHOT_HOST_BYTES 256 /* room for every host directory and a NUL */

struct snapshot_name {
	int64_t start_s; /* since 1970, UTC; years 1970 to 9999 */
	uint32_t seconds;
	uint32_t nr; /* 0, or 2 and up */
	bool is_gzip;
};

/* Strict: only what snapshot_name_format() writes.  0, or -EINVAL. */
int snapshot_name_parse(const char *text, struct snapshot_name *ret_name);
/* The same for the name of the json beside a snapshot. */
int snapshot_name_parse_json(const char *text, struct snapshot_name *ret_name);
/* start_s must be in its range (0 to 253402300799), nr not 1. */
void snapshot_name_format(const struct snapshot_name *name, char ret_text[SNAPSHOT_NAME_BYTES]);
/* The name of the json beside it. */
void snapshot_name_format_json(const struct snapshot_name *name,
			       char ret_text[SNAPSHOT_NAME_BYTES]);

/* By start, then seconds, then nr, plain before gzip: as qsort(3) wants it.  0: the same name. */
int snapshot_name_compare(const struct snapshot_name *a, const struct snapshot_name *b);

/*
 * The name of a host's directory.  Letters, digits, '-', '_' and '.' (but not in front) stand for
 * themselves, any other byte is %XX, so different hosts have different directories; at most 64
 * bytes of the name are used; an empty one is "%".
 */
void snapshot_host_dir(const char *host, char ret_text[SNAPSHOT_HOST_BYTES]);

#endif
