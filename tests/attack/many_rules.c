// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_rules DIRECTORY NR SECONDS: writes NR libraries whose every byte of code has a rule of
 * unwinding of its own, 4000 each and none twice, maps them all and waits.
 */
#include "tiny_library.h"

#define NR_RULES 4000

int main(int argc, char **argv)
{
	uint32_t nr = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
	char path[4096];

	for (uint32_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%u.so", argv[1], i);
		library_map(path, i * NR_RULES, NR_RULES);
	}
	snprintf(path, sizeof(path), "%s/ready", argv[1]);
	close(open(path, O_WRONLY | O_CREAT, 0644));
	sleep(argc == 4 ? (unsigned int)atoi(argv[3]) : 0);
	return nr == 0;
}
