// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exposures.  Per due: the samples that were due.  Share: the samples that came.  CPU time: the
 * work that was done, in samples that a unit of CPU time gives, so that count / exposure is CPU
 * time by unit of work; the batches of a side have parts of its work as they have of its time.
 */
#include "load/diff_base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/clock_event.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/parse.h"

/* Nanoseconds, or events, that a sample stands for; 0: not known. */
static double unit_of(const struct json *j, bool clock)
{
	uint64_t hz = json_integer(j, json_member(j, JSON_ROOT, "freq_hz"));
	uint64_t period = json_integer(j, json_member(j, JSON_ROOT, "period"));

	if (period)
		return period;
	return clock && hz ? 1e9 / hz : 0;
}

bool diff_facts_add(struct diff_facts *f, const struct json *j, uint64_t *ret_due)
{
	json_id samples, due;
	double unit;
	bool clock;

	f->nr++;
	*ret_due = 0;
	if (!j) {
		f->has_unknown_due = f->has_unknown_unit = true;
		return false;
	}
	clock = clock_event_is_name(json_string(j, json_member(j, JSON_ROOT, "event")));
	unit = unit_of(j, clock);
	f->nr_clocks += clock;
	f->nr_commands += json_kind(j, json_member(j, JSON_ROOT, "command")) == JSON_STRING;
	f->nr_filters += json_kind(j, json_member(j, JSON_ROOT, "filter")) == JSON_STRING;
	f->nr_merged += json_integer(j, json_member(j, JSON_ROOT, "files")) > 1;
	samples = json_member(j, JSON_ROOT, "samples");
	due = json_member(j, samples, "due");
	if (json_kind(j, due) != JSON_INTEGER)
		f->has_unknown_due = true;
	*ret_due = json_integer(j, due);
	f->has_unknown_unit |= !(unit > 0);
	f->due += *ret_due;
	f->units += *ret_due * unit;
	if (!(f->unit > 0))
		f->unit = unit;
	return json_kind(j, due) == JSON_INTEGER;
}

static int parse_work(const char *text, double work[NR_DIFF_SIDES], struct diag *ret_diag)
{
	const char *colon = strchrnul(text, ':');
	_cleanup_free_ char *before = xmemdup0(text, colon - text);

	if (*colon && !parse_decimal(before, &work[DIFF_BEFORE]) &&
	    !parse_decimal(colon + 1, &work[DIFF_AFTER]) && work[DIFF_BEFORE] > 0 &&
	    work[DIFF_AFTER] > 0)
		return 0;
	return diag_set(ret_diag, EINVAL,
			"--work: '%s' is not BEFORE:AFTER, two numbers above 0 such as 1000:1500",
			text);
}

int diff_base_parse(const struct diff_base_request *request, struct diff_base *base,
		    struct diag *ret_diag)
{
	int r;

	*base = (struct diff_base){ .work = { 1, 1 } };
	if (request->per) {
		r = near_name_choose("per", diff_per_names, NR_DIFF_PERS, request->per, ret_diag);
		if (r < 0)
			return r;
		base->per = r;
		base->is_asked = true;
	}
	if (!request->work)
		return 0;
	if (base->is_asked && base->per != DIFF_PER_CPU)
		return diag_set(ret_diag, EINVAL, "--work is about CPU time: not with --per %s",
				request->per);
	base->per = DIFF_PER_CPU;
	base->is_asked = base->has_work = true;
	return parse_work(request->work, base->work, ret_diag);
}

/* Of one run of a program, or of chosen processes, all that is seen is its own. */
static bool is_run(const struct diff_facts *f)
{
	return f->nr == 1 && !f->nr_merged && (f->nr_commands || f->nr_filters);
}

/* What counts can be turned into on both sides. */
static enum diff_unit unit_known(const struct diff_facts facts[NR_DIFF_SIDES])
{
	const struct diff_facts *b = &facts[DIFF_BEFORE], *a = &facts[DIFF_AFTER];

	if (b->has_unknown_unit || a->has_unknown_unit || b->due <= 0 || a->due <= 0)
		return DIFF_SAMPLES;
	if (b->nr_clocks == b->nr && a->nr_clocks == a->nr)
		return DIFF_SECONDS;
	return b->nr_clocks || a->nr_clocks ? DIFF_SAMPLES : DIFF_EVENTS;
}

int diff_base_choose(const struct diff_facts facts[NR_DIFF_SIDES], struct diff_base *base,
		     struct diag *ret_diag)
{
	bool is_due_known =
		!facts[DIFF_BEFORE].has_unknown_due && !facts[DIFF_AFTER].has_unknown_due;

	if (base->is_asked && base->per == DIFF_PER_DUE && !is_due_known)
		return diag_set(ret_diag, EINVAL,
				"--per due: how much was due is not known without a .json beside "
				"each file");
	if (!base->is_asked)
		base->per = !is_due_known ? DIFF_PER_SHARE
			    : is_run(&facts[DIFF_BEFORE]) && is_run(&facts[DIFF_AFTER])
				    ? DIFF_PER_CPU
				    : DIFF_PER_DUE;
	base->is_due_known = is_due_known;
	base->unit = unit_known(facts);
	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const struct diff_facts *f = &facts[s];
		double unit = f->due > 0 ? f->units / f->due : 0;

		base->of_sample[s] = base->unit == DIFF_SECONDS	 ? unit / 1e9
				     : base->unit == DIFF_EVENTS ? unit
								 : 1;
		base->due_units[s] = f->due * base->of_sample[s];
		base->has_command[s] = f->nr_commands == f->nr && f->nr;
	}
	return 0;
}

double diff_base_exposure(const struct diff_base *base, const struct diff_facts *facts,
			  enum diff_side side, double due, double total, size_t nr_files)
{
	double part;

	switch (base->per) {
	case DIFF_PER_DUE:
		return due;
	case DIFF_PER_SHARE:
		return total;
	case DIFF_PER_CPU:
		break;
	}
	part = base->is_due_known && facts->due > 0 ? due / facts->due
						    : (double)nr_files / facts->nr;
	return part * base->work[side] / base->of_sample[side];
}
