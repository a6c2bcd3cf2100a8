// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * windows_check EVERY_MS NR_WINDOWS DIR [CAPTURE OPTION]...: windows one after the other,
 * through the same functions as `eddy snapshot` but without files, names and waiting for a whole
 * second.  Writes DIR/N.folded for each window if DIR is not "-" and prints one line of
 * figures:
 *
 *	N start_ms end_ms due delivered idle filtered kept lost folded stacks cpu_us bpf_ns bpf_runs
 *	rss_kib fds hz notes late_ms
 *
 * `folded` is the sum of the profile's counts, `bpf_runs` the kernel's count of the program's runs,
 * which is asked for here.  EVERY_MS 0: a window of random length, 1 to 50 ms.
 * NR_WINDOWS 0: until a signal comes.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/capture_options.h"
#include "run/capture_run.h"
#include "run/signals.h"
#include "output/folded.h"
#include "util/mem.h"

static size_t nr_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void print_window(unsigned int n, const struct capture_window *w)
{
	const struct capture_account *a = &w->account;
	const struct sampler_stats *s = &a->sampler;

	printf("%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64,
	       n, a->start_ms, a->end_ms, s->due, s->delivered, s->idle, s->filtered, s->kept,
	       a->nr_lost);
	printf(" %" PRIu64 " %zu %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %" PRIu64
	       " %zu %" PRIu64 "\n",
	       profile_total(w->profile), profile_nr_stacks(w->profile), a->cpu_seconds * 1e6,
	       s->bpf_ns, s->bpf_runs, a->rss_bytes / 1024, nr_fds(), a->rate.freq_hz, a->nr_notes,
	       a->lapse.late_ns / 1000000);
	for (size_t i = 1; i < a->nr_notes; i++)
		fprintf(stderr, "window %u: %s\n", n, a->notes[i]);
	fflush(stdout);
}

static int write_window(const char *dir, unsigned int n, const struct profile *p)
{
	_cleanup_free_ char *path = xasprintf("%s/%u.folded", dir, n);
	_cleanup_fclose_ FILE *f = NULL;

	if (!strcmp(dir, "-"))
		return 0;
	f = fopen(path, "we");
	return f ? folded_writer.write(f, p, &(struct writer_opts){ 0 }, NULL) : -errno;
}

static int fail(const struct diag *diag)
{
	fprintf(stderr, "windows_check: %s\n", diag->text);
	return 1;
}

static int wait_window(struct capture_run *run, uint64_t every_ms, struct capture_wait *wait,
		       struct diag *diag)
{
	if (!every_ms)
		wait->timeout_ns = (1 + rand() % 50) * 1000000ull;
	return capture_run_wait(run, wait, NULL, diag);
}

static int sample(const struct capture_request *request, unsigned int nr_windows, const char *dir)
{
	_cleanup_(capture_run_freep) struct capture_run *run = NULL;
	struct capture_wait wait = { .signals_fd = signals_open(), .fd = -1 };
	struct diag diag = { "" };
	int wake = 0, r;

	if (capture_run_open(request, &run, &diag) < 0 || capture_run_start(run, &diag) < 0)
		return fail(&diag);
	for (unsigned int n = 0; wake != CAPTURE_WAKE_SIGNAL; n++) {
		_cleanup_capture_window_ struct capture_window w = { 0 };

		wake = wait_window(run, request->every_ns / 1000000, &wait, &diag);
		if (wake < 0)
			return fail(&diag);
		if (n + 1 == nr_windows)
			wake = CAPTURE_WAKE_SIGNAL;
		r = wake == CAPTURE_WAKE_SIGNAL ? capture_run_stop(run, &w, &diag)
						: capture_run_end_window(run, &w, &diag);
		if (r < 0)
			return fail(&diag);
		print_window(n, &w);
		if (write_window(dir, n, w.profile) < 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_capture_options_ struct capture_options o;
	struct capture_request request = { .options = &o, .root = BASE_FRAMES_OF(BASE_FRAME_COMM) };
	const struct option_group groups[] = { { capture_option_rows, &o, NULL }, { 0 } };
	struct diag diag = { "" };
	char **operands;

	capture_options_init(&o);
	if (argc < 4)
		return 2;
	bpf_enable_stats(BPF_STATS_RUN_TIME); /* until this process ends */
	request.every_ns = strtoull(argv[1], NULL, 10) * 1000000;
	if (options_parse(groups, true, argv + 3, &operands, &diag) < 0)
		return fail(&diag);
	return sample(&request, strtoul(argv[2], NULL, 10), argv[3]);
}
