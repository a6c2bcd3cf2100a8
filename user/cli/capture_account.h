/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a window: what was sampled in it, and what that cost, by two readings. */
#ifndef EDDY_CLI_CAPTURE_ACCOUNT_H
#define EDDY_CLI_CAPTURE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/sampler.h"
#include "cli/irq_account.h"
#include "cli/window_clock.h"
#include "collect/collector.h"

struct capture_account {
	struct sampler_stats sampler;
	struct collector_stats collector;
	struct symbolizer_stats symbolizer;
	uint64_t nr_lost;	   /* sum of sampler.lost[] */
	uint64_t start_ms, end_ms; /* since 1970; the end of a window is the start of the next */
	double seconds;		   /* it lasted, whatever was done to the clock */
	double idle_cpu_seconds;   /* of the sampled CPUs, by /proc/stat */
	double cpu_seconds;	   /* user and system time of this process */
	uint64_t max_rss_bytes;	   /* of the process so far */
	uint64_t rss_bytes;	   /* at the end */
	struct window_lapse lapse;
	const struct capture_event *event; /* lives as long as the run */
	struct capture_rate rate;	   /* with which the window began */
	bool rate_changed;		   /* meanwhile, see the notes */
	char **notes;			   /* sentences; the first says what the event cannot see */
	size_t nr_notes, cap_notes;
	struct irq_account irq;
};

/* From start to end, suspension in between included, whatever was done to the clock. */
uint64_t capture_account_lasted_ms(const struct capture_account *a);
void capture_account_deinit(struct capture_account *a);
void capture_account_note(struct capture_account *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What is measured. */
struct capture_parts {
	const struct sampler *sampler;
	struct collector *collector;
	struct symbolizer *symbolizer;
	const struct capture_event *event;
	const uint32_t *cpus;
	size_t nr_cpus;
};

/* How things stood at some moment. */
struct capture_reading {
	struct sampler_stats sampler;
	uint64_t misses[NR_SYMBOL_MISSES];
	double cpu_seconds, idle_cpu_seconds;
	uint64_t max_sample_rate_hz;
};

void capture_read(const struct capture_parts *parts, struct capture_reading *ret_reading);

/* Begins the account of a window at *start. */
void capture_account_begin(struct capture_account *a, const struct capture_parts *parts,
			   const struct capture_rate *rate, const struct instant *start);
/*
 * Fills in everything but the end and the lapse: what has come between the two readings, and of the
 * collector all that it has; what was lost goes to the collector as stacks.  Notes are added to
 * those that are there.
 */
void capture_account_fill(struct capture_account *a, const struct capture_parts *parts,
			  const struct capture_reading *before,
			  const struct capture_reading *after);

#endif
