// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwfl_check [-n SAMPLES] [-t SECONDS] [-w SECONDS] [-f HZ] [-d DEPTH] COMMAND...: samples the
 * processes of a command with copies of all user stacks, walks each copy again with elfutils'
 * libdwfl, which shares no code with the sampler, and compares frame by frame.
 *
 * It first only samples (-n samples, -t seconds at most; those of the first -w seconds are not
 * kept, until tables are loaded) and compares afterwards.  Prints, for all and for each command:
 *
 *	COMM samples N frames N same N copy N ... unexplained N
 *
 * by the verdicts of dwfl_verdict.h; the first unexplained ones stand on standard error.  Then
 *
 *	deep N overfull N
 *
 * samples of more frames than a copy has room for, and copies that came of such.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/sampler.h"
#include "dwfl_verdict.h"
#include "unwind/unwind_end.h"
#include "util/clock.h"
#include "util/mem.h"

#define MAX_COPY_BYTES (768ull << 20)
#define MAX_SHOWN      12

struct options {
	uint64_t nr_samples, seconds, warm_seconds, freq_hz, max_user_frames;
	char **command;
};

struct tally {
	char comm[EDDY_COMM_BYTES];
	uint64_t samples, frames, verdicts[NR_VERDICTS];
};

struct check {
	struct options opts;
	struct copies copies;
	uint64_t warm_until_ns;
	struct tally *tallies; /* 0: all */
	size_t nr_tallies, cap_tallies;
	struct dwfl_walk walk;
	unsigned int nr_shown;
	uint64_t nr_deep,
		nr_overfull; /* stacks of more frames than a copy may have; copies of such */
};

/* ---- consumer ----------------------------------------------------------------------------- */

static void on_copy(void *ctx, const struct eddy_late_event *late)
{
	struct check *c = ctx;

	if (late->ev.nr_kernel + late->ev.nr_user > EDDY_LATE_FRAMES) {
		c->nr_overfull++;
		return;
	}
	if (late->ev.time_ns < c->warm_until_ns)
		copies_note(&c->copies, late);
	else if (c->copies.nr < c->opts.nr_samples)
		copies_add(&c->copies, late);
}

/* Deep ones are tagged: what cannot be copied is counted all the same. */
static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	return ev->nr_kernel + ev->nr_user > EDDY_LATE_FRAMES;
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples, uint64_t weight)
{
	struct check *c = ctx;

	if (tag)
		c->nr_deep += samples;
}

static void on_file(void *ctx, uint32_t file, const struct met_file *met)
{
	close(met->fd);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
	struct check *c = ctx;

	copies_exec(&c->copies, ev);
}

/* ---- capture ------------------------------------------------------------------------------ */

/* Starts the command; it begins when something is written to *ret_go. */
static pid_t command_start(char **argv, int *ret_go)
{
	int go[2];
	pid_t pid;
	char byte;

	if (pipe(go) < 0)
		return -1;
	pid = fork();
	if (pid) {
		close(go[0]);
		*ret_go = go[1];
		return pid;
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	if (read(go[0], &byte, 1) == 1) {
		close(go[0]);
		execvp(argv[0], argv);
	}
	_exit(127);
}

static void command_stop(pid_t pid)
{
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void capture(struct check *c, struct sampler *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + c->opts.seconds * 1000000000ull;

	c->warm_until_ns = now + c->opts.warm_seconds * 1000000000ull;
	while (now < end && c->copies.nr < c->opts.nr_samples && !c->copies.nr_dropped) {
		struct pollfd fd[2] = { { .fd = sampler_poll_fd(s), .events = POLLIN },
					{ .fd = sampler_table_fd(s), .events = POLLIN } };

		poll(fd, 2, 20);
		sampler_drain_ring(s);
		now = clock_ns(CLOCK_MONOTONIC);
	}
}

static int capture_command(struct check *c, struct diag *ret_diag)
{
	const struct sampler_consumer consumer = { .stack = on_stack,
						   .count = on_count,
						   .file = on_file,
						   .copy = on_copy,
						   .exec = on_exec,
						   .ctx = c };
	struct sampler_opts opts = { .rate.freq_hz = c->opts.freq_hz,
				     .nr_tasks = 1,
				     .follow_forks = true,
				     .max_user_frames = c->opts.max_user_frames,
				     .ring_bytes = 64 << 20,
				     .copy_all = true,
				     .identity = EDDY_IDENTITY_PID };
	_cleanup_(sampler_freep) struct sampler *s = NULL;
	int r, go = -1;
	pid_t pid = command_start(c->opts.command, &go);
	uint32_t task = (uint32_t)pid;

	if (pid < 0)
		return -errno;
	opts.tasks = &task;
	r = capture_event_parse("cpu-clock", &opts.event, ret_diag);
	if (r >= 0)
		r = sampler_open(&opts, &consumer, &s, ret_diag);
	if (r >= 0)
		r = sampler_start(s, ret_diag);
	if (r >= 0) {
		if (write(go, "", 1) == 1)
			capture(c, s);
		sampler_stop(s, NULL);
	}
	close(go);
	command_stop(pid);
	return r;
}

/* ---- comparison --------------------------------------------------------------------------- */

static struct tally *tally_find(struct check *c, const char *comm)
{
	for (size_t i = 0; i < c->nr_tallies; i++)
		if (!strncmp(c->tallies[i].comm, comm, EDDY_COMM_BYTES))
			return &c->tallies[i];
	array_reserve(c->tallies, c->cap_tallies, c->nr_tallies + 1);
	c->tallies[c->nr_tallies] = (struct tally){ 0 };
	memcpy(c->tallies[c->nr_tallies].comm, comm, EDDY_COMM_BYTES);
	return &c->tallies[c->nr_tallies++];
}

static void show(struct check *c, size_t at)
{
	const struct dwfl_walk *w = &c->walk;
	const struct eddy_stack_event *ev = &w->copy->ev;

	if (c->nr_shown++ >= MAX_SHOWN)
		return;
	fprintf(stderr,
		"%.16s %u: frame %zu of %u by the sampler (end %s), of %zu by libdwfl%s; CFA of "
		"the "
		"frame before counts from register %d\n",
		ev->comm, ev->pid, at, ev->nr_user, unwind_end_name(ev->user_end), w->nr_pcs,
		w->end.beyond_copy ? " (end of the copy)" : "",
		at ? dwfl_walk_cfa_register(w, w->pcs[at - 1]) : -1);
	for (size_t i = at > 2 ? at - 2 : 0; i < at + 4; i++) {
		uint64_t frame = i < ev->nr_user ? w->copy->frames[ev->nr_kernel + i] : 0;

		if (frame & EDDY_FRAME_FILE)
			frame &= EDDY_FRAME_ADDR_MASK;

		fprintf(stderr, "  %zu: %#" PRIx64 " %#" PRIx64 " %s\n", i, frame,
			i < w->nr_pcs ? w->elf_pcs[i] : 0,
			i < w->nr_pcs ? dwfl_walk_symbol(w, w->pcs[i]) : "");
	}
}

static void tally_add(struct tally *t, enum verdict v, size_t same)
{
	t->samples++;
	t->frames += same;
	t->verdicts[v]++;
}

/* Of a process and reading together, so that libdwfl takes each set of mappings once. */
static int compare_copies(const void *left, const void *right)
{
	const struct copy *a = *(struct copy *const *)left, *b = *(struct copy *const *)right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->ev.time_ns > b->ev.time_ns) - (a->ev.time_ns < b->ev.time_ns);
}

static void compare_all(struct check *c)
{
	const struct reading *open = NULL;
	uint32_t open_pid = 0;

	tally_find(c, "all");
	qsort(c->copies.items, c->copies.nr, sizeof(*c->copies.items), compare_copies);
	for (size_t i = 0; i < c->copies.nr; i++) {
		const struct copy *copy = c->copies.items[i];
		bool is_certain;
		const struct reading *reading = copies_reading(&c->copies, copy, &is_certain);
		enum verdict v = VERDICT_GONE;
		size_t same = 0;

		if (reading && (reading != open || open_pid != copy->ev.pid)) {
			dwfl_walk_deinit(&c->walk);
			dwfl_walk_init(&c->walk, copy->ev.pid, reading);
			open = reading;
			open_pid = copy->ev.pid;
		}
		if (reading) {
			dwfl_walk_copy(&c->walk, copy);
			v = verdict_find(&c->walk, is_certain, &same);
		}
		if (v == VERDICT_UNEXPLAINED)
			show(c, same);
		tally_add(tally_find(c, copy->ev.comm), v, same);
		tally_add(&c->tallies[0], v, same);
	}
	dwfl_walk_deinit(&c->walk);
}

static void print_tallies(const struct check *c)
{
	for (size_t i = 0; i < c->nr_tallies; i++) {
		const struct tally *t = &c->tallies[i];

		printf("%-15.16s samples %" PRIu64 " frames %" PRIu64, t->comm, t->samples,
		       t->frames);
		for (int v = 0; v < NR_VERDICTS; v++)
			printf(" %s %" PRIu64, verdict_name(v), t->verdicts[v]);
		printf("\n");
	}
}

static bool options_parse(int argc, char **argv, struct options *ret_opts)
{
	struct options o = { .nr_samples = 4000,
			     .seconds = 20,
			     .warm_seconds = 2,
			     .freq_hz = 999,
			     .max_user_frames = 255 };
	int opt;

	while ((opt = getopt(argc, argv, "+n:t:w:f:d:")) >= 0) {
		uint64_t value = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (opt) {
		case 'n':
			o.nr_samples = value;
			break;
		case 't':
			o.seconds = value;
			break;
		case 'w':
			o.warm_seconds = value;
			break;
		case 'f':
			o.freq_hz = value;
			break;
		case 'd':
			o.max_user_frames = value;
			break;
		default:
			return false;
		}
	}
	o.command = argv + optind;
	*ret_opts = o;
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct check c = { .nr_shown = 0 };
	struct diag diag = { "" };
	uint64_t from;

	if (!options_parse(argc, argv, &c.opts))
		return 2;
	copies_init(&c.copies, MAX_COPY_BYTES);
	if (capture_command(&c, &diag) < 0) {
		fprintf(stderr, "dwfl_check: %s\n", diag.text);
		return 1;
	}
	from = clock_ns(CLOCK_MONOTONIC);
	compare_all(&c);
	print_tallies(&c);
	printf("copies %zu MiB dropped %" PRIu64 " compared in %.1f s\n", c.copies.bytes >> 20,
	       c.copies.nr_dropped, (double)(clock_ns(CLOCK_MONOTONIC) - from) / 1e9);
	printf("deep %" PRIu64 " overfull %" PRIu64 "\n", c.nr_deep, c.nr_overfull);
	copies_deinit(&c.copies);
	free(c.tallies);
	return 0;
}
