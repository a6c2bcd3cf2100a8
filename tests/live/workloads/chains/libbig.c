// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin_entry -> plugin_work -> chain_leaf, 400 MB apart (big.lds). */
#include "chain.h"

NAMED void plugin_work(uint64_t ns)
{
	chain_leaf(ns);
	OWN_FRAME();
}

void plugin_entry(uint64_t ns);
__attribute__((section(".text.near"))) void plugin_entry(uint64_t ns)
{
	plugin_work(ns);
	OWN_FRAME();
}
