/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about a capture: the `.json` object beside a folded file (docs/eddy.8, FOLDED
 * TEXT).  Plain numbers and strings; whoever captured fills it in.
 */
#ifndef EDDY_OUTPUT_SIDECAR_H
#define EDDY_OUTPUT_SIDECAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/irq_agreement.h"

struct sidecar_count {
	const char *name;
	uint64_t value;
};

struct sidecar {
	const char *host, *kernel, *arch, *event;
	uint64_t freq_hz;  /* 0: a period */
	uint64_t period;   /* 0: a frequency */
	bool rates_differ; /* of merged windows: neither is known */
	uint64_t nr_cpus;
	uint64_t start_ms, end_ms; /* since 1970, UTC */

	struct {
		uint64_t due, delivered, idle, filtered, kept, lost;
	} samples;			    /* delivered = idle + filtered + kept + lost */
	uint64_t dropped;		    /* of kept, what passes left out of the file */
	const struct sidecar_count *losses; /* zero ones are left out */
	size_t nr_losses;

	struct {
		uint64_t total, complete, fp_steps;
		const struct sidecar_count *broken; /* zero ones are left out */
		size_t nr_broken;
	} user_stacks;
	struct {
		uint64_t user, user_named, kernel, kernel_named;
	} frames;
	uint64_t distinct_stacks;
	struct {
		const struct irq_counts *counts; /* before any pass */
		const struct irq_agreement *agreement;
	} irq; /* NULLs are written as zeros */
	struct {
		double bpf_ns_per_sample; /* negative: not known */
		double cpu_seconds;
		uint64_t max_rss_bytes; /* of the process so far */
		uint64_t rss_bytes;	/* at the end */
		int64_t bytes_written;	/* since the sidecar before this one; negative: left out */
	} cost;
	const char *const *notes; /* sentences */
	size_t nr_notes;
};

/* Writes the object and a newline.  Strings may be any bytes: they come out as valid JSON. */
void sidecar_write(FILE *to, const struct sidecar *s);

#endif
