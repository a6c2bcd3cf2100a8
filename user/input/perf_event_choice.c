// SPDX-License-Identifier: GPL-2.0-or-later
/* A handful of names is compared one by one: perf counts a handful of events at once. */
#include "input/perf_event_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void perf_event_choice_init(struct perf_event_choice *c, const struct input_opts *opts)
{
	*c = (struct perf_event_choice){ .opts = opts };
	if (opts->event)
		c->event = xstrdup(opts->event);
	c->is_all = opts->event && !strcmp(opts->event, "all");
}

void perf_event_choice_deinit(struct perf_event_choice *c)
{
	free(c->event);
	for (size_t i = 0; i < PERF_OTHER_EVENTS; i++)
		free(c->others[i].name);
}

/* Does the event's name mean this one?  As it was typed, modifiers may be left off. */
static bool is_meant(const struct perf_event_choice *c, struct bytes event)
{
	size_t len = strlen(c->event);

	if (event.len < len || memcmp(event.at, c->event, len) != 0)
		return false;
	if (event.len == len)
		return true;
	if (!c->opts->event || event.at[len] != ':')
		return false;
	for (size_t i = len + 1; i < event.len; i++)
		if (!strchr("ukhHGIpPSDWeb", event.at[i]))
			return false;
	return true;
}

static void count_other(struct perf_event_choice *c, struct bytes event)
{
	c->nr_other++;
	for (size_t i = 0; i < PERF_OTHER_EVENTS; i++) {
		const char *name = c->others[i].name;

		if (!name)
			c->others[i].name = xmemdup0(event.at, event.len);
		if (!name || (strlen(name) == event.len && !memcmp(name, event.at, event.len))) {
			c->others[i].nr++;
			return;
		}
	}
}

static bool takes_event(struct perf_event_choice *c, struct bytes event)
{
	if (!event.len || c->is_all)
		return true;
	if (!c->event)
		c->event = xmemdup0(event.at, event.len);
	if (is_meant(c, event))
		return true;
	count_other(c, event);
	return false;
}

/* Is the number one of a list?  -1 and what is no number of 32 bits are in none. */
static bool is_in(struct bytes number, const uint32_t *list, size_t nr)
{
	uint64_t v = 0;

	for (size_t i = 0; i < number.len && v <= UINT32_MAX; i++) {
		if (number.at[i] < '0' || number.at[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(number.at[i] - '0');
	}
	for (size_t i = 0; i < nr; i++)
		if (list[i] == v)
			return true;
	return false;
}

int perf_event_choice_takes(struct perf_event_choice *c, const struct perf_header *h,
			    const char **ret_what)
{
	const struct input_opts *o = c->opts;

	if (!takes_event(c, h->event))
		return 0;
	c->nr_read++;
	if ((o->nr_pids && !h->pid.len) || (o->nr_tids && !h->tid.len)) {
		*ret_what = o->nr_pids && !h->pid.len
				    ? "the sample has no PID (perf script -F +pid prints it)"
				    : "the sample has no TID (perf script -F +tid prints it)";
		return -EINVAL;
	}
	return (!o->nr_pids || is_in(h->pid, o->pids, o->nr_pids)) &&
	       (!o->nr_tids || is_in(h->tid, o->tids, o->nr_tids));
}

void perf_event_choice_print_others(const struct perf_event_choice *c, struct strbuf *to)
{
	uint64_t left = c->nr_other;

	for (size_t i = 0; i < PERF_OTHER_EVENTS && c->others[i].name; i++) {
		strbuf_addf(to, "%s%s %" PRIu64, i ? ", " : "", c->others[i].name, c->others[i].nr);
		left -= c->others[i].nr;
	}
	if (left)
		strbuf_addf(to, ", more %" PRIu64, left);
}
