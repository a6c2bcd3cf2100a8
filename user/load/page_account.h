/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page (.html) is told about a capture: its `.json`, as text. */
#ifndef EDDY_LOAD_PAGE_ACCOUNT_H
#define EDDY_LOAD_PAGE_ACCOUNT_H

#include "archive/sidecar_merge.h"
#include "load/stack_files.h"
#include "util/json.h"

/* Text of an object, free(); NULL when stdio cannot start. */
char *page_account_of_json(const struct json *sidecar);
/* Of what was merged, which is used up. */
char *page_account_of_merge(struct sidecar_merge *sidecars, uint64_t nr_stacks);
/* Of files that each have a `.json`, merged; NULL where one has none, or they do not add up. */
char *page_account_of_files(const struct stack_files *files, uint64_t nr_stacks);
/* "host.folded", "a.folded and 3 more"; free(). */
char *page_title_of_files(const struct stack_files *files);

#endif
