// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> resolver -> many_calls -> (PLT) -> _dl_runtime_resolve -> _dl_fixup -> ...: a library
 * bound lazily is opened, called once a function, and closed again, over and over.
 */
#include "chain.h"

#include <dlfcn.h>
#include <sys/mman.h>

NAMED void resolver(uint64_t ns, const char *path)
{
	uint64_t end = thread_cpu_ns() + ns;

	do {
		void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		int (*many_calls)(int) = lib ? dlsym(lib, "many_calls") : NULL;

		if (!many_calls || many_calls(0) != 256) {
			fprintf(stderr, "resolve: %s\n", lib ? "wrong library" : dlerror());
			exit(1);
		}
		dlclose(lib);
	} while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	const char *path = argc > 2 ? argv[2] : "libmany.so";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t ns;

	/* So that its table can be loaded before it comes and goes. */
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ns = chain_begin(argc, argv);
	resolver(ns, path);
	chain_end();
}
