// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_files DIRECTORY NR SECONDS: writes NR libraries, maps them all and computes in one after the
 * other.
 */
#include <time.h>

#include "tiny_library.h"

int main(int argc, char **argv)
{
	uint32_t nr = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
	time_t end = time(NULL) + (argc == 4 ? atoi(argv[3]) : 0);
	void (**code)(void) = calloc(nr + 1, sizeof(*code));
	char path[4096];

	for (uint32_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%u.so", argv[1], i);
		*(void **)&code[i] = library_map(path, i, 1);
	}
	snprintf(path, sizeof(path), "%s/ready", argv[1]);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	while (nr && time(NULL) < end)
		for (uint32_t i = 0; i < nr; i++)
			code[i]();
	return nr == 0;
}
