/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders of files, each a list through the files themselves: who is first in one, leaves it or
 * becomes last takes a step, however many files there are.
 */
#ifndef EDDY_SYMBOL_FILE_ORDER_H
#define EDDY_SYMBOL_FILE_ORDER_H

#include <stdbool.h>

struct mapped_file;

enum file_order_of {
	FILES_OPEN,   /* with a descriptor, least recently used first */
	FILES_LOADED, /* the same with symbols, for each owner: loaded_files.h */
	FILES_LOST,   /* of which is still to be told, first come first */
	NR_FILE_ORDERS
};

struct file_order {
	struct mapped_file *first, *last;
};

struct file_link {
	struct mapped_file *before, *after;
	bool is_in;
};

/* Makes it the last one, in that order already or not. */
void file_order_put(struct file_order orders[NR_FILE_ORDERS], enum file_order_of which,
		    struct mapped_file *f);
/* Nothing when it is not in that order. */
void file_order_remove(struct file_order orders[NR_FILE_ORDERS], enum file_order_of which,
		       struct mapped_file *f);
/* The first one but `except` (NULL: none); NULL: there is none. */
struct mapped_file *file_order_first(const struct file_order orders[NR_FILE_ORDERS],
				     enum file_order_of which, const struct mapped_file *except);

#endif
