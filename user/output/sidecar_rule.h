/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of the members of the `.json` when several become one: windows that wait in memory
 * (output/sidecar_sum.h) and files that `eddy merge` reads (output/sidecar_merge.h) go by this one
 * list.
 *
 *	added up		counts, seconds: all that is not named here
 *	the first's		version
 *	the least, the most	start; end, (max_)rss_bytes.  Windows in memory follow one another:
 *				of those the first's start and the last's end
 *	what all have		freq_hz, period: else null, and a note says so
 *	by other means		cpus (the most of a host, added up over hosts),
 *				distinct_stacks (counted when all is merged),
 *				bpf_ns_per_sample (struct sidecar_mean)
 */
#ifndef EDDY_OUTPUT_SIDECAR_RULE_H
#define EDDY_OUTPUT_SIDECAR_RULE_H

#include <stdint.h>

enum sidecar_rule {
	SIDECAR_ADD,
	SIDECAR_FIRST,
	SIDECAR_LEAST,
	SIDECAR_MOST,
	SIDECAR_SAME,
	SIDECAR_OWN,
};

#define SIDECAR_RATES_DIFFER "the merged files have different sampling rates"

/* The rule of a member, by its name alone: none stands in two objects with two meanings. */
enum sidecar_rule sidecar_rule_of(const char *name);

/* Two integers become *ret_value; -EOVERFLOW when their sum exceeds 64 bits. */
int sidecar_rule_join(enum sidecar_rule rule, uint64_t have, uint64_t next, uint64_t *ret_value);

/* A mean of what is known, by the samples it was measured on. */
struct sidecar_mean {
	double sum, weight;
};

/* value < 0: not known. */
void sidecar_mean_add(struct sidecar_mean *m, double value, uint64_t weight);
/* -1: not known. */
double sidecar_mean_get(const struct sidecar_mean *m);

#endif
