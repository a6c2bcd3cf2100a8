// SPDX-License-Identifier: GPL-2.0-or-later
/* The library of shared_lib.c: an exported function (.dynsym) over a static one (.symtab). */
#include "work.h"

static NAMED void shared_hidden(uint64_t ns)
{
	BURN_NS(ns);
}

NAMED void shared_exported(uint64_t ns)
{
	OWN_FRAME();
	shared_hidden(ns);
	OWN_FRAME();
}
