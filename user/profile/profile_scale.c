// SPDX-License-Identifier: GPL-2.0-or-later
/* What rounding leaves over goes to the next node, so the total is right. */
#include "profile/profile_scale.h"

#include <stdlib.h>

#include "util/mem.h"

struct profile *profile_scale(const struct profile *p, double factor)
{
	struct profile *out = profile_new(profile_frames(p));
	size_t nr = profile_nr_nodes(p);
	_cleanup_free_ node_id *at = xcalloc(nr, sizeof(*at));
	double sum = 0;
	uint64_t given = 0;

	for (node_id n = 0; n < nr; n++) {
		uint64_t due;

		at[n] = n ? profile_child(out, at[profile_parent(p, n)], profile_frame(p, n)) : n;
		sum += profile_self(p, n) * factor;
		due = sum;
		due += sum - (double)due >= 0.5;
		if (due <= given)
			continue;
		profile_add(out, at[n], due - given);
		given = due;
	}
	return out;
}
