/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about a capture: the `.json` object beside a folded file (docs/eddy.8, FOLDED
 * TEXT).  Whoever captured makes it (run/account_sidecar.h), and its members are listed nowhere
 * else: several are merged by the names of the members (archive/sidecar_merge.h), and written as
 * any JSON is.  Here is what windows need that wait in memory.
 */
#ifndef EDDY_ARCHIVE_SIDECAR_H
#define EDDY_ARCHIVE_SIDECAR_H

#include "util/json.h"

/* Adds a time, ms since 1970, as "2026-11-20T10:00:00.000Z". */
void sidecar_add_time(struct json *sidecar, const char *name, uint64_t ms);

/* The member of an object, made when it is not there. */
json_id sidecar_member(struct json *sidecar, json_id object, const char *name, enum json_kind kind);

/* Sets a member that is a count, made when it is not there. */
void sidecar_set_integer(struct json *sidecar, json_id object, const char *name, uint64_t value);

/* Adds a text to a list, unless it is there.  Of very many the last says that there were more. */
void sidecar_list_add(struct json *sidecar, json_id list, const char *text, size_t max);

/* Adds a sentence to the notes in the same way. */
#define SIDECAR_MAX_NOTES 64 /* one window has a handful; merged ones say mostly the same */
void sidecar_note(struct json *sidecar, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* All samples that were kept are lost for a reason. */
void sidecar_lose_kept(struct json *sidecar, const char *reason);

#endif
