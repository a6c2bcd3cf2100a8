// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's build can pack modules by, and where distributions put their debug data. */
#include "profile/kernel_module.h"

#include "util/mem.h"

size_t kernel_module_suffix(struct bytes file)
{
	static const char *const suffixes[] = { ".ko", ".ko.xz", ".ko.zst", ".ko.gz", ".ko.debug" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (bytes_end(file, suffixes[i]))
			return strlen(suffixes[i]);
	return 0;
}
