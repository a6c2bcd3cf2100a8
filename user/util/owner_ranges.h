/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose subordinate UIDs are, by /etc/subuid: a user may run processes and own files under 65 536
 * of them or more, and is one user all the same.
 */
#ifndef EDDY_UTIL_OWNER_RANGES_H
#define EDDY_UTIL_OWNER_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OWNER_RANGES_MAX 65536 /* what is behind them in the file is left out */

struct owner_range {
	uint32_t first;
	uint64_t end;	/* the UID behind it */
	uint64_t reach; /* the highest end of this one and of those before it */
	/*
	 * The user; 0: root or a user of the system, who has such a range for containers of many:
	 * those are told apart by blocks of 65 536 UIDs, as containers have them.
	 */
	uint32_t uid;
};

/* Sorted by their beginning.  All zero: none. */
struct owner_ranges {
	struct owner_range *items;
	size_t nr, cap;
};

/*
 * Reads lines "USER:FIRST:COUNT", USER being a name of `passwd` (passwd(5), may be NULL) or a UID.
 * Lines that make no sense are skipped.  Of a user who stands elsewhere (in LDAP, say) a range
 * counts as a user of its own.
 */
void owner_ranges_read(struct owner_ranges *r, FILE *subuid, FILE *passwd);
void owner_ranges_deinit(struct owner_ranges *r);

/* The UID on whose account another one is: that itself outside of all ranges. */
uint32_t owner_ranges_find(const struct owner_ranges *r, uint32_t uid);

#endif
