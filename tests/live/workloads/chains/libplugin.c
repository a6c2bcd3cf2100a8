// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin_entry -> plugin_work -> chain_leaf, for the programs that open libraries. */
#include "chain.h"

#ifndef ENTRY
#define ENTRY plugin_work
#endif

NAMED void ENTRY(uint64_t ns)
{
	OWN_FRAME();
	chain_leaf(ns);
	OWN_FRAME();
}

void plugin_entry(uint64_t ns);
void plugin_entry(uint64_t ns)
{
	ENTRY(ns);
	OWN_FRAME();
}
