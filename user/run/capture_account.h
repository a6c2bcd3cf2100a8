/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The account of a window: what was sampled in it, and what that cost, by two readings. */
#ifndef EDDY_RUN_CAPTURE_ACCOUNT_H
#define EDDY_RUN_CAPTURE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/sampler.h"
#include "run/irq_account.h"
#include "run/window_clock.h"
#include "profile/base_frame.h"
#include "collect/collector.h"

struct capture_account {
	struct sampler_stats sampler;
	struct collector_stats collector;
	struct symbolizer_stats symbolizer;
	struct worker_pool_stats workers;
	struct limit_counts limits; /* bounds that were met, of all parts */
	uint64_t nr_lost;	    /* sum of sampler.lost[] */
	uint64_t weight_lost;	    /* and of sampler.weight.lost[] */
	uint64_t start_ms, end_ms;  /* since 1970; the end of a window is the start of the next */
	double seconds;		    /* it lasted, whatever was done to the clock */
	double cpu_seconds;	    /* user and system time of this process and its workers */
	uint64_t max_rss_bytes;	    /* of the process so far */
	uint64_t rss_bytes;	    /* at the end */
	struct window_lapse lapse;
	const struct capture_event *event; /* lives as long as the run */
	struct capture_rate rate;	   /* with which the window began */
	struct base_frames root;	   /* of the stacks, as --root says */
	const char *command;		   /* that was run meanwhile; NULL: none */
	char filter[32];		   /* of processes (archive/sidecar.h); "": none */
	bool rate_changed;		   /* meanwhile, see the notes */
	/* Because samples found no room; 0: it was not. */
	uint64_t lowered_from_hz, lowered_to_hz;
	char **notes; /* sentences; the first says what the event cannot see */
	size_t nr_notes, cap_notes;
	size_t nr_usual_notes; /* those behind them tell of what is missing or wrong in this one */
	struct irq_account irq;
	struct capture_times {
		uint64_t slot_ns, asked_ns, nr_slots; /* slot_ns 0: there is no timeline */
		uint64_t nr_timed, nr_untimed;	      /* kept samples, before passes */
	} times;
};

/* Are these of the samples due more than what a window's ends and a clock's ticks can explain? */
bool capture_account_is_many(const struct capture_account *a, uint64_t nr);
/* "; of such programs there were ...", some of them; "" where that is not known.  free() it. */
char *capture_account_programs(const struct other_programs *others);
/* From start to end, suspension in between included, whatever was done to the clock. */
uint64_t capture_account_lasted_ms(const struct capture_account *a);
/* What its counts are (archive/count_unit.h); NULL: samples.  free(). */
char *capture_account_unit(const struct capture_account *a);
void capture_account_deinit(struct capture_account *a);
void capture_account_note(struct capture_account *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct naming;

/* What is measured. */
struct capture_parts {
	const struct sampler *sampler;
	struct collector *collector;
	struct symbolizer *symbolizer;
	struct naming *naming;	  /* NULL: none */
	struct worker_pool *pool; /* NULL: none */
	const struct capture_event *event;
	bool waits; /* and not events */
	bool wall;  /* and time on CPUs, by events */
	const uint32_t *cpus;
	size_t nr_cpus;
};

/* How things stood at some moment. */
struct capture_reading {
	struct sampler_stats sampler;
	uint64_t misses[NR_SYMBOL_MISSES];
	struct limit_counts limits;
	struct worker_pool_stats workers;
	double cpu_seconds;
	uint64_t max_sample_rate_hz;
};

/*
 * Fills in all but what the sampler says, which is read when a window has just ended
 * (sampler_get_stats()): samples of the next one may come before its names are there.
 */
void capture_read(const struct capture_parts *parts, struct capture_reading *reading);

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
