// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_input read|write FILE: reads a profile as every command does and prints the seconds that
 * took, and for "write" also writes it as folded text to /dev/null and prints those seconds, then
 * nodes, stacks, frames, bytes of memory of the profile and peak RSS in KiB, all on one line.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "input/input.h"
#include "output/folded.h"
#include "util/cleanup.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	double begin = now(), read, write;
	struct rusage usage;
	struct diag diag;

	if (argc != 3)
		return 2;
	if (input_read_path(argv[2], NULL, p, &diag) < 0) {
		fprintf(stderr, "time_input: %s\n", diag.text);
		return 1;
	}
	read = now() - begin;
	write = 0;
	if (!strcmp(argv[1], "write")) {
		_cleanup_fclose_ FILE *to = fopen("/dev/null", "we");

		begin = now();
		if (!to || folded_writer.write(to, p, NULL, &diag) < 0)
			return 1;
		fflush(to);
		write = now() - begin;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%.4f %.4f %zu %zu %zu %zu %ld\n", read, write, profile_nr_nodes(p),
	       profile_nr_stacks(p), frame_table_nr(profile_frames(p)),
	       profile_bytes(p) + frame_table_bytes(profile_frames(p)), usage.ru_maxrss);
	return 0;
}
