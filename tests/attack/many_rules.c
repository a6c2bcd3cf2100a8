// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_rules DIRECTORY NR SECONDS [compute]: writes NR libraries whose every byte of code has a
 * rule of unwinding of its own, 4000 each and none twice, maps them all and waits, or computes in
 * one after the other, so that a capture that is on meets them.
 */
#include <time.h>

#include "tiny_library.h"

#define NR_RULES 4000

int main(int argc, char **argv)
{
	uint32_t nr = argc >= 4 ? (uint32_t)atoi(argv[2]) : 0;
	time_t end = time(NULL) + (argc >= 4 ? atoi(argv[3]) : 0);
	void (**code)(void) = calloc(nr + 1, sizeof(*code));
	char path[4096];

	for (uint32_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%u.so", argv[1], i);
		*(void **)&code[i] = library_map(path, i * NR_RULES, NR_RULES);
	}
	snprintf(path, sizeof(path), "%s/ready", argv[1]);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	while (nr && time(NULL) < end) {
		if (argc < 5)
			sleep(1);
		for (uint32_t i = 0; argc >= 5 && i < nr; i++)
			code[i]();
	}
	return nr == 0;
}
