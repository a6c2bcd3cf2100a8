/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture as commands see it: options in, a profile and its account out.  It ties the sampler,
 * the symbolizer and the collector together and runs the one poll() loop.
 */
#ifndef EDDY_CLI_CAPTURE_RUN_H
#define EDDY_CLI_CAPTURE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/sampler.h"
#include "cli/capture_options.h"
#include "cli/child.h"
#include "cli/irq_account.h"
#include "cli/passes.h"
#include "collect/collector.h"
#include "util/cleanup.h"
#include "util/diag.h"

struct capture_run;

struct capture_request {
	const struct capture_options *options;
	enum root_pass root;
	struct child *child; /* the command to run meanwhile; NULL: none */
	const char *child_name;
	bool only_child; /* sample the command and its descendants only */
};

/* Checks and loads everything; nothing is sampled yet.  0 or -errno with a diag. */
int capture_run_open(const struct capture_request *request, struct capture_run **ret_run,
		     struct diag *ret_diag);
void capture_run_free(struct capture_run *run);
DEFINE_FREE(capture_run, struct capture_run *, capture_run_free)

/*
 * Samples until the duration is over, the command ends or a signal of signals_fd comes; then
 * everything sampled is in the profile.  *ret_signal (may be NULL): the signal, or 0.
 */
int capture_run_loop(struct capture_run *run, int signals_fd, int *ret_signal,
		     struct diag *ret_diag);

/* What was sampled, before any pass. */
const struct profile *capture_run_profile(const struct capture_run *run);

/* The account of a finished capture.  All of it belongs to the run. */
struct capture_account {
	struct sampler_stats sampler;
	struct collector_stats collector;
	struct symbolizer_stats symbolizer;
	uint64_t nr_lost;	   /* sum of sampler.lost[] */
	uint64_t start_ms, end_ms; /* since 1970 */
	double seconds;
	double idle_cpu_seconds; /* of the sampled CPUs, by /proc/stat */
	double cpu_seconds;	 /* user and system time of this process while sampling */
	uint64_t max_rss_bytes;
	const struct capture_event *event;
	struct capture_rate rate;
	const char *const *notes;
	size_t nr_notes;
	struct irq_account irq;
};
const struct capture_account *capture_run_account(const struct capture_run *run);

#endif
