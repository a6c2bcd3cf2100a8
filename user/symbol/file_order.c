// SPDX-License-Identifier: GPL-2.0-or-later
/* Doubly linked lists whose links stand in the files. */
#include "symbol/file_order.h"

#include <stddef.h>

#include "symbol/mapped_file.h"

void file_order_remove(struct file_order orders[NR_FILE_ORDERS], enum file_order_of which,
		       struct mapped_file *f)
{
	struct file_link *link = &f->links[which];

	if (!link->is_in)
		return;
	*(link->before ? &link->before->links[which].after : &orders[which].first) = link->after;
	*(link->after ? &link->after->links[which].before : &orders[which].last) = link->before;
	*link = (struct file_link){ 0 };
}

void file_order_put(struct file_order orders[NR_FILE_ORDERS], enum file_order_of which,
		    struct mapped_file *f)
{
	struct file_order *order = &orders[which];

	if (order->last == f)
		return;
	file_order_remove(orders, which, f);
	f->links[which] = (struct file_link){ .before = order->last, .is_in = true };
	*(order->last ? &order->last->links[which].after : &order->first) = f;
	order->last = f;
}

struct mapped_file *file_order_first(const struct file_order orders[NR_FILE_ORDERS],
				     enum file_order_of which, const struct mapped_file *except)
{
	struct mapped_file *f = orders[which].first;

	return f && f == except ? f->links[which].after : f;
}
