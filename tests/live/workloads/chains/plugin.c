// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> plugin_entry -> plugin_work -> chain_leaf in a library (argument 2) that is opened after
 * the gate; with CHAIN_EARLY in the environment before it.
 */
#include "chain.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	const char *path = argc > 2 ? argv[2] : "libplugin.so";
	void *lib = getenv("CHAIN_EARLY") ? dlopen(path, RTLD_NOW) : NULL;
	uint64_t ns = chain_begin(argc, argv);
	void (*entry)(uint64_t);

	if (!lib)
		lib = dlopen(path, RTLD_NOW);
	entry = lib ? (void (*)(uint64_t))dlsym(lib, "plugin_entry") : NULL;
	if (!entry) {
		fprintf(stderr, "plugin: %s\n", dlerror());
		return 1;
	}
	entry(ns);
	OWN_FRAME();
	chain_end();
}
