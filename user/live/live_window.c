// SPDX-License-Identifier: GPL-2.0-or-later
/* Intervals as lists of weights over two tries, and a range of them added up. */
#include "live/live_window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "live/live_tallies.h"
#include "util/mem.h"

#define FEW_NODES 65536 /* a trie of fewer is not made anew to save memory */

struct interval {
	struct live_account account;
	uint64_t serial; /* of the last one that was added to it, counted from 1 */
	struct tallies raw;
	struct tallies shown; /* when is_passed */
	uint64_t left_out;    /* by the passes */
	uint32_t factor;      /* with which it is looked at; 0: it is not */
	bool is_passed;
};

struct live_window {
	size_t max_bytes;
	struct pipeline_request request;
	struct profile *raw, *shown;
	struct interval *intervals;
	size_t nr, cap;
	size_t from, to;      /* those that `shown` and `raw` have the weights of */
	size_t nr_kept_nodes; /* of raw when it was made anew last */
	size_t frame_bytes;   /* then */
	bool has_waste;	      /* intervals were dropped since */
	bool is_decayed;      /* factors are parts of LIVE_DECAY_PARTS */
	uint64_t nr_dropped, nr_added, generation;
	uint64_t last_dropped; /* serial */
	node_id *placed;       /* by node of raw, 0 but while an interval is taken out of it */
	size_t cap_placed;
};

static void interval_deinit(struct interval *i)
{
	tallies_deinit(&i->raw);
	tallies_deinit(&i->shown);
}

static void make_tries(struct live_window *w)
{
	w->raw = profile_new(NULL);
	w->shown = profile_new(profile_frames(w->raw));
	w->generation++;
	w->nr_kept_nodes = 0;
	w->frame_bytes = 0;
	w->has_waste = false;
}

struct live_window *live_window_new(size_t max_bytes)
{
	struct live_window *w = xcalloc(1, sizeof(*w));

	w->max_bytes = max_bytes;
	make_tries(w);
	return w;
}

void live_window_clear(struct live_window *w)
{
	for (size_t i = 0; i < w->nr; i++)
		interval_deinit(&w->intervals[i]);
	w->nr = w->from = w->to = 0;
	profile_free(w->shown);
	profile_free(w->raw);
	make_tries(w);
}

void live_window_free(struct live_window *w)
{
	if (!w)
		return;
	live_window_clear(w);
	profile_free(w->shown);
	profile_free(w->raw);
	free(w->intervals);
	free(w->placed);
	free(w);
}

/* ---- passes --------------------------------------------------------------------------------- */

void live_window_use(struct live_window *w, const struct pipeline_request *request)
{
	w->request = *request;
	profile_free(w->shown);
	w->shown = profile_new(profile_frames(w->raw));
	w->generation++;
	for (size_t i = w->from; i < w->to; i++) {
		struct interval *interval = &w->intervals[i];

		tallies_subtract(&interval->raw, w->raw, interval->factor);
		interval->factor = 0;
	}
	w->from = w->to = 0;
	for (size_t i = 0; i < w->nr; i++) {
		tallies_deinit(&w->intervals[i].shown);
		w->intervals[i].is_passed = false;
	}
}

/* The interval's own stacks, as a profile over the same frames. */
static struct profile *interval_stacks(struct live_window *w, const struct interval *interval)
{
	struct profile *out = profile_new(profile_frames(w->raw));
	_cleanup_free_ node_id *way = NULL, *touched = NULL;
	size_t cap_way = 0, nr_touched = 0, cap_touched = 0, had = w->cap_placed;

	array_reserve(w->placed, w->cap_placed, profile_nr_nodes(w->raw));
	memset(w->placed + had, 0, (w->cap_placed - had) * sizeof(*w->placed));
	for (size_t i = 0; i < interval->raw.nr; i++) {
		node_id n = interval->raw.items[i].node, at;
		size_t nr = 0;

		for (; n != NODE_ROOT && !w->placed[n]; n = profile_parent(w->raw, n)) {
			array_reserve(way, cap_way, nr + 1);
			way[nr++] = n;
		}
		at = n == NODE_ROOT ? NODE_ROOT : w->placed[n];
		array_reserve(touched, cap_touched, nr_touched + nr);
		while (nr--) {
			at = profile_child(out, at, profile_frame(w->raw, way[nr]));
			w->placed[way[nr]] = at;
			touched[nr_touched++] = way[nr];
		}
		profile_add(out, at, interval->raw.items[i].weight); /* as it was when it came */
	}
	for (size_t i = 0; i < nr_touched; i++)
		w->placed[touched[i]] = 0;
	return out;
}

static int interval_pass(struct live_window *w, struct interval *interval, struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *stacks = NULL;
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	int r;

	if (interval->is_passed)
		return 0;
	stacks = interval_stacks(w, interval);
	r = pipeline_run(&w->request, stacks, &result, ret_diag);
	if (r < 0)
		return r;
	tallies_take(&interval->shown, w->shown, result.profile);
	interval->left_out = pipeline_dropped(&result.stats);
	interval->is_passed = true;
	return 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

size_t live_window_bytes(const struct live_window *w)
{
	size_t nr_tallies = 0;

	for (size_t i = 0; i < w->nr; i++)
		nr_tallies += w->intervals[i].raw.nr + w->intervals[i].shown.nr;
	return profile_bytes(w->raw) + profile_bytes(w->shown) +
	       frame_table_bytes(profile_frames(w->raw)) + nr_tallies * sizeof(struct tally) +
	       w->cap_placed * sizeof(*w->placed);
}

/* Makes the tries anew from the intervals that are left; nothing is looked at any more. */
static void make_anew(struct live_window *w)
{
	const struct pipeline_request request = w->request;
	_cleanup_free_ bool *is_used = NULL;
	_cleanup_free_ node_id *nodes = NULL;
	struct profile *raw;

	live_window_use(w, &request);
	is_used = xcalloc(profile_nr_nodes(w->raw), sizeof(*is_used));
	for (size_t i = 0; i < w->nr; i++)
		for (size_t k = 0; k < w->intervals[i].raw.nr; k++)
			is_used[w->intervals[i].raw.items[k].node] = true;
	raw = profile_pick(w->raw, is_used, &nodes);
	for (size_t i = 0; i < w->nr; i++)
		for (size_t k = 0; k < w->intervals[i].raw.nr; k++) {
			struct tally *t = &w->intervals[i].raw.items[k];

			t->node = nodes[t->node];
		}
	profile_free(w->shown);
	profile_free(w->raw);
	free(take_ptr(w->placed));
	w->cap_placed = 0;
	w->raw = raw;
	w->shown = profile_new(profile_frames(raw));
	w->nr_kept_nodes = profile_nr_nodes(raw);
	w->frame_bytes = frame_table_bytes(profile_frames(raw));
	w->has_waste = false;
}

static void drop_oldest(struct live_window *w, size_t nr)
{
	const struct pipeline_request request = w->request;

	if (w->from < w->to)
		live_window_use(w, &request);
	for (size_t i = 0; i < nr; i++) {
		w->nr_dropped += w->intervals[i].account.nr;
		w->last_dropped = w->intervals[i].serial;
		interval_deinit(&w->intervals[i]);
	}
	memmove(w->intervals, w->intervals + nr, (w->nr - nr) * sizeof(*w->intervals));
	w->nr -= nr;
	w->has_waste = true;
}

/* A quarter at a time: making the tries anew is work. */
static void keep_memory(struct live_window *w)
{
	while (w->nr > 1 && live_window_bytes(w) > w->max_bytes) {
		drop_oldest(w, 1 + (w->nr - 1) / 4);
		make_anew(w);
	}
	if (w->has_waste && profile_nr_nodes(w->raw) > 2 * w->nr_kept_nodes + FEW_NODES)
		make_anew(w);
}

static void keep_few(struct live_window *w)
{
	const struct pipeline_request request = w->request;
	size_t half = LIVE_MAX_INTERVALS / 2, nr = 0;

	if (w->nr <= LIVE_MAX_INTERVALS)
		return;
	live_window_use(w, &request);
	for (size_t i = 0; i < w->nr; i++) {
		struct interval *into = &w->intervals[nr++];

		*into = w->intervals[i];
		if (i >= half || i + 1 >= w->nr ||
		    tallies_join(&into->raw, &w->intervals[i + 1].raw) < 0)
			continue;
		live_account_add(&into->account, &w->intervals[i + 1].account);
		into->serial = w->intervals[i + 1].serial;
		i++;
	}
	w->nr = nr;
}

/* ---- intervals ------------------------------------------------------------------------------ */

void live_window_add(struct live_window *w, const struct profile *stacks,
		     const struct live_account *account)
{
	struct interval interval = { .account = *account, .serial = ++w->nr_added };

	interval.account.nr = interval.account.nr ? interval.account.nr : 1;
	tallies_take(&interval.raw, w->raw, stacks);
	array_reserve(w->intervals, w->cap, w->nr + 1);
	w->intervals[w->nr++] = interval;
	keep_few(w);
	keep_memory(w);
}

size_t live_window_nr(const struct live_window *w)
{
	return w->nr;
}

uint64_t live_window_nr_dropped(const struct live_window *w)
{
	return w->nr_dropped;
}

uint64_t live_window_serial(const struct live_window *w, size_t i)
{
	return w->intervals[i].serial;
}

size_t live_window_find(const struct live_window *w, uint64_t serial, bool *ret_is_gone)
{
	size_t at = 0;

	while (at < w->nr && w->intervals[at].serial < serial)
		at++;
	*ret_is_gone = at == w->nr || serial <= w->last_dropped;
	return at == w->nr && at ? at - 1 : at;
}

const struct live_account *live_window_account(const struct live_window *w, size_t i)
{
	return &w->intervals[i].account;
}

/* Looks at an interval with a factor; 0: no longer. */
static int set_factor(struct live_window *w, struct interval *i, uint32_t factor,
		      struct diag *ret_diag)
{
	int r = factor ? interval_pass(w, i, ret_diag) : 0;

	if (r < 0 || i->factor == factor)
		return r;
	if (i->factor) {
		tallies_subtract(&i->raw, w->raw, i->factor);
		tallies_subtract(&i->shown, w->shown, i->factor);
	}
	i->factor = 0;
	if (!factor)
		return 0;
	if (tallies_add(&i->raw, w->raw, factor) < 0)
		return diag_set(ret_diag, EOVERFLOW, "the samples exceed 63 bits");
	tallies_add(&i->shown, w->shown, factor); /* no more than what came in */
	i->factor = factor;
	return 0;
}

static void hide_all(struct live_window *w)
{
	for (size_t i = w->from; i < w->to; i++)
		set_factor(w, &w->intervals[i], 0, NULL);
	w->from = w->to = 0;
}

int live_window_show(struct live_window *w, size_t from, size_t to, struct diag *ret_diag)
{
	if (w->is_decayed)
		hide_all(w);
	w->is_decayed = false;
	for (; w->from < w->to && (w->from < from || w->from >= to); w->from++)
		set_factor(w, &w->intervals[w->from], 0, NULL);
	for (; w->to > w->from && w->to > to; w->to--)
		set_factor(w, &w->intervals[w->to - 1], 0, NULL);
	if (w->from == w->to)
		w->from = w->to = from;
	for (int r; w->from > from; w->from--) {
		r = set_factor(w, &w->intervals[w->from - 1], 1, ret_diag);
		if (r < 0)
			return hide_all(w), r;
	}
	for (int r; w->to < to; w->to++) {
		r = set_factor(w, &w->intervals[w->to], 1, ret_diag);
		if (r < 0)
			return hide_all(w), r;
	}
	return 0;
}

/* Of an interval that ended so long before: at least one part, or it is not looked at. */
static uint32_t decayed_factor(double age_s, double half_life_s)
{
	return (uint32_t)(LIVE_DECAY_PARTS * exp2(-age_s / half_life_s) + 0.5);
}

int live_window_show_decayed(struct live_window *w, size_t to, double half_life_s,
			     struct diag *ret_diag)
{
	size_t from = to;
	double age_s = 0;
	uint32_t factor;

	if (!w->is_decayed)
		hide_all(w);
	w->is_decayed = true;
	for (size_t i = to; i < w->to; i++)
		set_factor(w, &w->intervals[i], 0, NULL);
	if (w->from >= to || w->from == w->to)
		w->from = to;
	w->to = to;
	while (from && (factor = decayed_factor(age_s, half_life_s))) {
		struct interval *interval = &w->intervals[from - 1];
		int r = set_factor(w, interval, factor, ret_diag);

		if (r < 0)
			return w->from = from < w->from ? from : w->from, hide_all(w), r;
		age_s += interval->account.seconds > 0 ? interval->account.seconds : 1;
		from--;
	}
	for (; w->from < from; w->from++)
		set_factor(w, &w->intervals[w->from], 0, NULL);
	w->from = from;
	return 0;
}

uint32_t live_window_parts(const struct live_window *w)
{
	return w->is_decayed ? LIVE_DECAY_PARTS : 1;
}

const struct profile *live_window_shown(const struct live_window *w)
{
	return w->shown;
}

const struct profile *live_window_raw(const struct live_window *w)
{
	return w->raw;
}

void live_window_range(const struct live_window *w, size_t *ret_from, size_t *ret_to)
{
	*ret_from = w->from;
	*ret_to = w->to;
}

uint64_t live_window_left_out(const struct live_window *w)
{
	uint64_t sum = 0;

	for (size_t i = w->from; i < w->to; i++)
		sum += w->intervals[i].left_out * w->intervals[i].factor;
	return sum / live_window_parts(w);
}

struct live_account live_window_sum(const struct live_window *w)
{
	struct live_account sum = { 0 };

	for (size_t i = w->from; i < w->to; i++)
		live_account_add(&sum, &w->intervals[i].account);
	return sum;
}

uint64_t live_window_generation(const struct live_window *w)
{
	return w->generation;
}

size_t live_window_from(const struct live_window *w, size_t to, double seconds)
{
	size_t from = to ? to - 1 : 0;
	double have = to ? w->intervals[from].account.seconds : 0;

	/* Half of an interval more or less: they are not all of one length. */
	while (from && (!seconds || have + w->intervals[from - 1].account.seconds / 2 <= seconds))
		have += w->intervals[--from].account.seconds;
	return from;
}
