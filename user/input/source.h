/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of an input, unpacked on the way when they are packed (gzip, xz, zstd, bzip2, any
 * number of members), with a look ahead for those who recognise formats.
 */
#ifndef EDDY_INPUT_SOURCE_H
#define EDDY_INPUT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "util/cleanup.h"
#include "util/diag.h"
#include "util/listener.h"

#define SOURCE_PEEK_BYTES (64 * 1024)
/* What packs better than profiles do over more bytes than this is a bomb, see unpack.c. */
#define SOURCE_RATIO_MIN_BYTES (UINT64_C(256) << 20)

struct source;

/* Begins reading f (not closed by source_free); name is for messages and must outlive it. */
int source_new(FILE *f, const char *name, uint64_t max_bytes, struct source **ret_source,
	       struct diag *ret_diag);
/* From here on l is told how much was read; it must outlive s.  NULL: nobody. */
void source_set_listener(struct source *s, const struct listener *l);
void source_free(struct source *s);
DEFINE_FREE(source, struct source *, source_free)

/* The first bytes, as many as there are up to SOURCE_PEEK_BYTES; they will be read again. */
const char *source_peek(const struct source *s, size_t *ret_len);

/*
 * The next bytes: as many as asked for but at the end, 0 at the end.  -E2BIG over max_bytes or a
 * bomb, -EINVAL damaged or cut data, -errno of reading.
 */
ssize_t source_read(struct source *s, void *to, size_t size, struct diag *ret_diag);

#endif
