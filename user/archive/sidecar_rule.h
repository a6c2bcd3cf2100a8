/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of the members of the `.json` when several become one: of windows of a capture that
 * wait in memory, one after the other, and of files that `eddy merge` reads, of any hosts and
 * times.
 *
 *	added up		counts, seconds: all that is not named here
 *	the first's		version
 *	the least, the most	start; end, (max_)rss_bytes.  Of windows the first's start and the
 *				last's end: the clock may have been set between them
 *	what all have		freq_hz, period: else null, and a note says so
 *	by other means		cpus (the most of a host, added up over hosts),
 *				distinct_stacks (counted when all is merged),
 *				bpf_ns_per_sample (struct sidecar_mean)
 */
#ifndef EDDY_ARCHIVE_SIDECAR_RULE_H
#define EDDY_ARCHIVE_SIDECAR_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum sidecar_rule {
	SIDECAR_ADD,
	SIDECAR_FIRST,
	SIDECAR_LAST,
	SIDECAR_LEAST,
	SIDECAR_MOST,
	SIDECAR_SAME,
	SIDECAR_OWN,
};

#define SIDECAR_RATES_DIFFER "the merged files have different sampling rates"

/* The rule of a member, by its name alone: none stands in two objects with two meanings. */
enum sidecar_rule sidecar_rule_of(const char *name, bool of_windows);

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
