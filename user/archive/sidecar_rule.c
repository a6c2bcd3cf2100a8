// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of the exceptions: a member that is added to the object one day is most likely a count.
 */
#include "archive/sidecar_rule.h"

#include <errno.h>
#include <string.h>

#include "util/mem.h"

enum sidecar_rule sidecar_rule_of(const char *name, bool of_windows)
{
	static const struct {
		const char *name;
		enum sidecar_rule of_files, of_windows;
	} rules[] = {
		{ "version", SIDECAR_FIRST, SIDECAR_FIRST },
		{ "start", SIDECAR_LEAST, SIDECAR_FIRST },
		{ "end", SIDECAR_MOST, SIDECAR_LAST },
		{ "max_rss_bytes", SIDECAR_MOST, SIDECAR_MOST },
		{ "rss_bytes", SIDECAR_MOST, SIDECAR_MOST },
		{ "freq_hz", SIDECAR_SAME, SIDECAR_SAME },
		{ "period", SIDECAR_SAME, SIDECAR_SAME },
		{ "cpus", SIDECAR_OWN, SIDECAR_OWN },
		{ "distinct_stacks", SIDECAR_OWN, SIDECAR_OWN },
		{ "bpf_ns_per_sample", SIDECAR_OWN, SIDECAR_OWN },
		{ "slots", SIDECAR_MOST, SIDECAR_MOST },
		{ "slot_ms", SIDECAR_SAME, SIDECAR_SAME },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, name))
			return of_windows ? rules[i].of_windows : rules[i].of_files;
	return SIDECAR_ADD;
}

int sidecar_rule_join(enum sidecar_rule rule, uint64_t have, uint64_t next, uint64_t *ret_value)
{
	switch (rule) {
	case SIDECAR_ADD:
		if (__builtin_add_overflow(have, next, &next))
			return -EOVERFLOW;
		*ret_value = next;
		return 0;
	case SIDECAR_LEAST:
		*ret_value = next < have ? next : have;
		return 0;
	case SIDECAR_MOST:
		*ret_value = next > have ? next : have;
		return 0;
	case SIDECAR_LAST:
		*ret_value = next;
		return 0;
	case SIDECAR_FIRST:
	case SIDECAR_SAME:
	case SIDECAR_OWN:
		break;
	}
	*ret_value = have;
	return 0;
}

void sidecar_mean_add(struct sidecar_mean *m, double value, uint64_t weight)
{
	if (value < 0)
		return;
	m->sum += value * weight;
	m->weight += weight;
}

double sidecar_mean_get(const struct sidecar_mean *m)
{
	return m->weight > 0 ? m->sum / m->weight : -1;
}
