// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> swapper -> plugin_entry -> plugin_work or other_work -> chain_leaf: two libraries
 * (arguments 2 and 3) in turn, the second where the first was.
 */
#include "chain.h"

#include <dlfcn.h>
#include <sys/mman.h>

static void must(const void *p)
{
	if (p)
		return;
	fprintf(stderr, "swap: %s\n", dlerror());
	exit(1);
}

NAMED void swapper(uint64_t ns, char **path)
{
	uint64_t end = thread_cpu_ns() + ns;

	for (int i = 0; thread_cpu_ns() < end; i++) {
		void *lib = dlopen(path[i & 1], RTLD_NOW | RTLD_LOCAL), *entry;

		must(lib);
		entry = dlsym(lib, "plugin_entry");
		must(entry);
		((void (*)(uint64_t))entry)(2000000);
		dlclose(lib);
	}
}

int main(int argc, char **argv)
{
	uint64_t ns;

	if (argc < 4)
		return 2;
	/* So that their tables can be loaded before they come and go. */
	for (int i = 2; i < 4; i++)
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		     open(argv[i], O_RDONLY | O_CLOEXEC), 0);
	ns = chain_begin(argc, argv);
	swapper(ns, argv + 2);
	chain_end();
}
