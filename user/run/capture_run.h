/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture as commands see it: options in, a profile and its account out.  It ties the sampler,
 * the symbolizer and the collector together and runs the one poll() loop.
 */
#ifndef EDDY_RUN_CAPTURE_RUN_H
#define EDDY_RUN_CAPTURE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/sampler.h"
#include "run/capture_account.h"
#include "run/capture_request.h"
#include "collect/collector.h"
#include "util/cleanup.h"
#include "util/diag.h"

struct capture_run;

/* What was sampled from one moment to another, before any pass, with its account. */
struct capture_window {
	/*
	 * With a frame table of its own: it may outlive the run and be used by another thread.
	 * Counts add up to account.sampler.kept + account.nr_lost, or, of samples that are
	 * weighed, to account.sampler.weight.kept + account.weight_lost.
	 */
	struct profile *profile;
	/*
	 * With request.slot_ns, of capture_run_stop(): when the samples were taken that are kept;
	 * its weight and untimed add up to what was kept, before passes.  Else NULL.
	 */
	struct timeline *timeline;
	struct capture_account account;
};
void capture_window_deinit(struct capture_window *w);
#define _cleanup_capture_window_ _cleanup_(capture_window_deinit)

/*
 * Checks and loads everything; nothing is sampled yet.  The process's limits are then those of a
 * capture (descriptors, nice value, malloc's), which what is started later inherits.  0 or -errno
 * with a diag.
 */
int capture_run_open(const struct capture_request *request, struct capture_run **ret_run,
		     struct diag *ret_diag);
void capture_run_free(struct capture_run *run);
DEFINE_FREE(capture_run, struct capture_run *, capture_run_free)

/*
 * A run in one piece: samples until the duration is over, the command ends or a signal of
 * signals_fd comes; everything sampled is in *ret_window.  *ret_signal (may be NULL): the signal,
 * or 0.
 */
int capture_run_once(struct capture_run *run, int signals_fd, struct capture_window *ret_window,
		     int *ret_signal, struct diag *ret_diag);

/*
 * The same step by step, for many windows:
 *
 *	start, { wait, end_window }, ..., stop
 *
 * Windows are contiguous: the end of one is the start of the next, every sample is in exactly one
 * of them, and in each of them delivered = idle + filtered + kept + lost.  capture_run_wait() says
 * when one is over by run/window_clock.h, but end_window may be called at any time between start
 * and stop; whatever the clock is set to then, the next one is planned anew.
 *
 * start_ms of a window may lie before the end of an earlier one when the clock was set back: see
 * account.lapse.
 */
int capture_run_start(struct capture_run *run, struct diag *ret_diag);

enum capture_wake {
	CAPTURE_WAKE_WINDOW,  /* the window is over: call capture_run_end_window() */
	CAPTURE_WAKE_DONE,    /* the duration is over, or the command has ended */
	CAPTURE_WAKE_SIGNAL,  /* one came, see *ret_signal; not SIGCHLD */
	CAPTURE_WAKE_FD,      /* wait.fd is readable */
	CAPTURE_WAKE_TIMEOUT, /* wait.timeout_ns is over */
};

struct capture_wait {
	int signals_fd;	     /* of signals_open() */
	int fd;		     /* another one to wait for; -1: none */
	uint64_t timeout_ns; /* 0: none */
};

/* Samples until one of these; the enum, or -errno with a diag.  ret_signal may be NULL. */
int capture_run_wait(struct capture_run *run, const struct capture_wait *wait, int *ret_signal,
		     struct diag *ret_diag);
/* How far it is: since the start, up to now.  A few map look-ups: not to be asked all the time. */
struct capture_progress {
	double seconds;
	uint64_t taken, lost; /* samples */
};
void capture_run_progress(const struct capture_run *run, struct capture_progress *ret_progress);

/* sampler_get_cpu() of its sampler. */
void capture_run_get_cpu(const struct capture_run *run, uint32_t cpu, uint64_t *ret_delivered,
			 uint64_t *ret_idle);

/* -errno with a diag: the window goes on, nothing is lost; it may be tried again. */
int capture_run_end_window(struct capture_run *run, struct capture_window *ret_window,
			   struct diag *ret_diag);
/* Another request.places: of stacks that are met from now on, most of them in the next window. */
void capture_run_set_places(struct capture_run *run, bool places);
/* Another request.max_window_bytes, where there was one. */
void capture_run_set_max_window(struct capture_run *run, size_t bytes);
/* Ends sampling; *ret_window is the last window. */
int capture_run_stop(struct capture_run *run, struct capture_window *ret_window,
		     struct diag *ret_diag);

#endif
