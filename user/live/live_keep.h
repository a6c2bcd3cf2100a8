/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows in another order, and rows that stay where they are while somebody is among them. */
#ifndef EDDY_LIVE_LIVE_KEEP_H
#define EDDY_LIVE_LIVE_KEEP_H

#include "live/live_table.h"

/*
 * Siblings stand in the order of their places, of which each row has one.  Rows stay below what
 * they are below, callers and callees on their side of the function, what sums up others behind
 * them.
 */
void live_table_place(struct live_table *t, const size_t *places);

/*
 * Puts the rows of t, a table of the same view and generation, into the order of the one before it:
 * siblings that were there stand as they did, new ones behind them in their own order.
 */
void live_table_keep_order(const struct live_table *before, struct live_table *t);

#endif
