// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_snapshot FILE DIR: what the parts of `eddy snapshot` take that have to do with files.  FILE
 * is folded text, the stacks of a window; everything is written below DIR and removed again.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snapshot/snapshot_retention.h"
#include "snapshot/snapshot_store.h"
#include "input/input.h"
#include "output/folded.h"
#include "output/gzip.h"
#include "util/clock.h"
#include "util/mem.h"

enum { ROUNDS = 15, SYNCS = 60, FILES = 100000 };

static double ms_since(clockid_t clock, uint64_t start)
{
	return (clock_ns(clock) - start) / 1e6;
}

static int compare_ms(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, double *ms, size_t nr)
{
	qsort(ms, nr, sizeof(*ms), compare_ms);
	printf("%-44s median %8.2f ms, least %8.2f, most %8.2f\n", what, ms[nr / 2], ms[0],
	       ms[nr - 1]);
}

static struct json *sidecar_of(const struct profile *p)
{
	struct json *j = json_new();
	json_id samples = json_add(j, JSON_ROOT, "samples", JSON_OBJECT);

	json_add_string(j, JSON_ROOT, "event", "cpu-clock");
	json_add_integer(j, samples, "kept", profile_total(p));
	json_add_integer(j, samples, "delivered", profile_total(p));
	return j;
}

/* The hand-over (a copy) and the writing of one window, again and again. */
static void time_windows(const struct profile *p, const char *dir, bool is_gzip)
{
	struct passes passes;
	const struct snapshot_store_opts opts = { .dir = dir,
						  .host = "h",
						  .is_gzip = is_gzip,
						  .passes = &passes,
						  .limits = { .keep_files = 2 } };
	_cleanup_snapshot_store_ struct snapshot_store *s = NULL;
	double copy[ROUNDS], wall[ROUNDS], cpu[ROUNDS];
	struct diag diag = { "" };

	passes_init(&passes);
	if (snapshot_store_open(&opts, &s, &diag) < 0)
		exit((puts(diag.text), 1));
	for (int i = 0; i < ROUNDS; i++) {
		const struct snapshot_span span = {
			1795176000000 + i * 10000ull,
			1795176010000 + i * 10000ull,
			10000,
		};
		_cleanup_snapshot_window_ struct snapshot_window *w = NULL;
		uint64_t start, cpu_start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		w = snapshot_window_new(profile_copy(p), sidecar_of(p), &span);
		copy[i] = ms_since(CLOCK_PROCESS_CPUTIME_ID, cpu_start);
		start = clock_ns(CLOCK_MONOTONIC);
		cpu_start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (snapshot_store_write(s, w, &diag) < 0)
			exit((puts(diag.text), 1));
		wall[i] = ms_since(CLOCK_MONOTONIC, start);
		cpu[i] = ms_since(CLOCK_PROCESS_CPUTIME_ID, cpu_start);
	}
	printf("window %s:\n", is_gzip ? "gzip" : "plain");
	print_times("  copied for the thread that writes, processor", copy, ROUNDS);
	print_times("  written, synced, renamed", wall, ROUNDS);
	print_times("    of that, processor", cpu, ROUNDS);
}

static void time_levels(const struct profile *p)
{
	static const struct writer_opts opts;
	double ms[ROUNDS];

	for (int level = 0; level <= 9; level = level ? level + (level == 1 ? 2 : 3) : 1) {
		char *bytes = NULL, what[64];
		size_t size = 0;

		for (int i = 0; i < ROUNDS; i++) {
			uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
			FILE *to, *f;

			free(bytes);
			bytes = NULL;
			to = open_memstream(&bytes, &size);
			f = level ? gzip_stream_new(to, level) : to;
			folded_writer.write(f, p, &opts, NULL);
			fclose(f);
			if (f != to)
				fclose(to);
			ms[i] = ms_since(CLOCK_PROCESS_CPUTIME_ID, start);
		}
		free(bytes);
		snprintf(what, sizeof(what), "  level %d, %zu KiB", level, size / 1024);
		print_times(what, ms, ROUNDS);
	}
}

/* Somebody else writes to the disk as fast as it can. */
static pid_t start_writer(const char *path)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	for (size_t i = 0;; i++) {
		static char block[1 << 20];

		if (pwrite(fd, block, sizeof(block), (i % 2048) << 20) < 0)
			_exit(1);
	}
}

static void time_syncs(const char *dir, bool is_busy)
{
	_cleanup_free_ char *path = xasprintf("%s/sync", dir), *big = xasprintf("%s/big", dir);
	pid_t writer = is_busy ? start_writer(big) : 0;
	double ms[SYNCS];

	for (int i = 0; i < SYNCS; i++) {
		static const char bytes[40000];
		int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
		uint64_t start = clock_ns(CLOCK_MONOTONIC);

		if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd) < 0)
			perror("fsync");
		ms[i] = ms_since(CLOCK_MONOTONIC, start);
		close(fd);
		usleep(100000);
	}
	if (writer) {
		kill(writer, SIGKILL);
		waitpid(writer, NULL, 0);
	}
	unlink(path);
	unlink(big);
	print_times(is_busy ? "fsync of 40 KB beside a process that writes" : "fsync of 40 KB", ms,
		    SYNCS);
}

static void bare_read(const char *path)
{
	DIR *d = opendir(path);

	while (d && readdir(d))
		;
	closedir(d);
}

static void time_retention(const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/many", dir);
	struct snapshot_retention r = { 0 };
	struct snapshot_limits limits = { .keep_files = FILES / 2 };
	uint64_t start;
	int fd;

	mkdir(path, 0777);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < FILES; i++) {
		const struct snapshot_name name = { 1795176000 + i * 10, 10, 0, true };
		char text[SNAPSHOT_NAME_BYTES];

		snapshot_name_format(&name, text);
		close(openat(fd, text, O_CREAT | O_WRONLY, 0600));
		strcat(text, ".json");
		close(openat(fd, text, O_CREAT | O_WRONLY, 0600));
	}
	printf("folder of %d snapshots and their json:\n", FILES);
	for (int i = 0; i < 3; i++) {
		start = clock_ns(CLOCK_MONOTONIC);
		bare_read(path);
		printf("  bare readdir() %.0f ms", ms_since(CLOCK_MONOTONIC, start));
		start = clock_ns(CLOCK_MONOTONIC);
		snapshot_retention_read(&r, fd, false);
		printf(", read and sorted %.0f ms", ms_since(CLOCK_MONOTONIC, start));
		start = clock_ns(CLOCK_MONOTONIC);
		snapshot_retention_read(&r, fd, true);
		printf(", with sizes %.0f ms\n", ms_since(CLOCK_MONOTONIC, start));
	}
	start = clock_ns(CLOCK_MONOTONIC);
	snapshot_retention_apply(&r, fd, &limits, 1795176000);
	printf("  half of them removed: %.0f ms\n", ms_since(CLOCK_MONOTONIC, start));
	snapshot_retention_deinit(&r);
	close(fd);
}

int main(int argc, char **argv)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	if (argc != 3 || input_read_path(argv[1], NULL, p, &diag) < 0)
		return printf("usage: time_snapshot FILE DIR %s\n", diag.text), 1;
	printf("%zu stacks, %zu nodes\n", profile_nr_stacks(p), profile_nr_nodes(p));
	time_windows(p, argv[2], true);
	time_windows(p, argv[2], false);
	puts("folded text, packed in memory, processor:");
	time_levels(p);
	time_syncs(argv[2], false);
	time_syncs(argv[2], true);
	time_retention(argv[2]);
	return 0;
}
