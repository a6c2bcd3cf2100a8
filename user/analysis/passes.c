// SPDX-License-Identifier: GPL-2.0-or-later
/* The choices at their defaults; nothing is applied here. */
#include "analysis/passes.h"

#include <stdlib.h>

void passes_init(struct passes *p)
{
	*p = (struct passes){ .collapse = COLLAPSE_NONE };
}

void passes_deinit(struct passes *p)
{
	free(p->focus.globs);
	free(p->ignore.globs);
	p->focus = p->ignore = (struct patterns){ 0 };
}
