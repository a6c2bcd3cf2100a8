/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files with symbol tables, by owner: whose make way when there are more bytes of them than there
 * may be.  Who is within his share (util/fair_share.h) keeps what he has; from who is most beyond
 * it is taken, what was not asked for longest first.  What nobody else needs one owner may have
 * alone.
 */
#ifndef EDDY_SYMBOL_LOADED_FILES_H
#define EDDY_SYMBOL_LOADED_FILES_H

#include "util/fair_share.h"

struct loaded_files;
struct mapped_file;

struct loaded_files *loaded_files_new(void);
void loaded_files_free(struct loaded_files *l); /* NULL is fine */

/* It has symbols that were asked for now: of those of its user it is the last to lose them. */
void loaded_files_put(struct loaded_files *l, struct mapped_file *f);
/* It has none any more; nothing when it had none.  Its user is the one that it had before. */
void loaded_files_remove(struct loaded_files *l, struct mapped_file *f);

/*
 * The next that has to lose its symbols, of bytes that are charged there; never `except` (NULL:
 * none).  NULL: the bound is kept, or nobody but `except` holds more than is his.
 */
struct mapped_file *loaded_files_next_to_go(const struct loaded_files *l,
					    const struct fair_share *bytes,
					    const struct mapped_file *except);

#endif
