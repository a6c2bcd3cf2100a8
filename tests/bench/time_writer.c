// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_writer FORMAT FILE: reads a file and writes its stacks to /dev/null in that format: "SECONDS
 * MEGABYTES STACKS", the CPU time of writing and the memory it took beyond what there was before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "input/input.h"
#include "output/writer.h"
#include "util/cleanup.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* A line of /proc/self/status, in MB. */
static double status_mb(const char *name)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %ld", &kib);
	return kib / 1024.0;
}

/* From now on the peak is counted anew. */
static void forget_peak(void)
{
	_cleanup_close_ int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "5", 1) != 1)
		fputs("time_writer: the peak before writing counts as well\n", stderr);
}

int main(int argc, char **argv)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_fclose_ FILE *to = fopen("/dev/null", "we");
	const struct writer_opts opts = { .facts.period_ns = 10101010 };
	const struct writer *writer;
	struct diag diag = { "" };
	double begin, before;

	if (argc != 3 || !to)
		return 2;
	writer = writer_find(argv[1], argv[2], &diag);
	if (!writer || input_read_path(argv[2], NULL, p, &diag) < 0) {
		fprintf(stderr, "time_writer: %s\n", diag.text);
		return 1;
	}
	forget_peak();
	before = status_mb("VmRSS");
	begin = now();
	if (writer->write(to, p, &opts, &diag) < 0)
		return 1;
	fflush(to);
	printf("%.4f %.1f %zu\n", now() - begin, status_mb("VmHWM") - before, profile_nr_stacks(p));
	return 0;
}
