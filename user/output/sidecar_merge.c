// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two objects are gone through side by side: every member of the one to add meets the member of
 * that name in the sum, and output/sidecar_rule.h says what is done with the few that do not add
 * up.
 */
#include "output/sidecar_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/sidecar_rule.h"
#include "util/mem.h"
#include "util/strbuf.h"

/* Bounds of what foreign files can make of one object, one list and one text. */
enum { MAX_MEMBERS = 512, MAX_NOTES = 256, MAX_TEXT = 1024, MAX_LEVELS = 8 };

struct host {
	char *name;
	uint64_t nr_cpus;
};

struct sidecar_merge {
	struct json *sum;
	uint64_t nr, nr_missing, missing_samples;
	struct host *hosts;
	size_t nr_hosts, cap_hosts;
	struct sidecar_mean bpf_ns;
	bool rates_differ;
};

struct sidecar_merge *sidecar_merge_new(void)
{
	struct sidecar_merge *m = xcalloc(1, sizeof(*m));

	m->sum = json_new();
	return m;
}

void sidecar_merge_free(struct sidecar_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_hosts; i++)
		free(m->hosts[i].name);
	free(m->hosts);
	json_free(m->sum);
	free(m);
}

/* Is a text one of those that are joined by ", "? */
static bool holds_text(const char *all, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = all; (at = strstr(at, text)); at++) {
		bool begins = at == all || (at >= all + 2 && !memcmp(at - 2, ", ", 2));

		if (begins && (!at[len] || !strncmp(at + len, ", ", 2)))
			return true;
		if (!len)
			return false;
	}
	return false;
}

static void join_text(struct json *sum, json_id to, const char *text)
{
	const char *all = json_string(sum, to);
	_cleanup_free_ char *joined = NULL;

	if (!*text || holds_text(all, text) || holds_text(all, "...") ||
	    strlen(all) + strlen(text) > 2 * MAX_TEXT)
		return;
	joined = strlen(all) > MAX_TEXT ? xasprintf("%s, ...", all)
					: xasprintf("%s%s%s", all, *all ? ", " : "", text);
	json_set_string(sum, to, joined);
}

static void join_list(struct json *sum, json_id to, const struct json *from, json_id list)
{
	for (json_id e = json_first(from, list); e != JSON_NONE; e = json_next(from, e)) {
		bool is_there = json_kind(from, e) != JSON_STRING;

		for (json_id s = json_first(sum, to); s != JSON_NONE && !is_there;
		     s = json_next(sum, s))
			is_there = !strcmp(json_string(sum, s), json_string(from, e));
		if (!is_there && json_count(sum, to) < MAX_NOTES)
			json_set_string(sum, json_add(sum, to, NULL, JSON_STRING),
					json_string(from, e));
	}
}

static int add_integer(struct json *sum, json_id to, uint64_t value, enum sidecar_rule rule)
{
	int r = sidecar_rule_join(rule, json_integer(sum, to), value, &value);

	if (r >= 0)
		json_set_integer(sum, to, value);
	return r;
}

/* Seconds have three decimals in each file; sums are rounded so that no others appear. */
static void add_number(struct json *sum, json_id to, double value)
{
	double total = json_number(sum, to) + value;

	if (isfinite(total))
		json_set_number(sum, to, fabs(total) < 1e9 ? round(total * 1e6) / 1e6 : total);
}

/* The value `from` joins a member of the sum that is of the same kind and no object. */
static int add_value(struct json *sum, json_id to, const struct json *from, json_id value,
		     enum sidecar_rule rule)
{
	bool number = json_kind(sum, to) == JSON_NUMBER || json_kind(from, value) == JSON_NUMBER;

	switch (json_kind(from, value)) {
	case JSON_INTEGER:
	case JSON_NUMBER:
		if (!number)
			return add_integer(sum, to, json_integer(from, value), rule);
		if (json_kind(sum, to) != JSON_NUMBER && json_kind(sum, to) != JSON_INTEGER)
			return 0;
		add_number(sum, to, json_number(from, value));
		return 0;
	case JSON_STRING:
		if (rule == SIDECAR_ADD)
			join_text(sum, to, json_string(from, value));
		else if ((strcmp(json_string(from, value), json_string(sum, to)) < 0) ==
			 (rule == SIDECAR_LEAST))
			json_set_string(sum, to, json_string(from, value));
		return 0;
	case JSON_ARRAY:
		join_list(sum, to, from, value);
		return 0;
	case JSON_BOOL:
		json_set_bool(sum, to, json_bool(sum, to) || json_bool(from, value));
		return 0;
	case JSON_NULL:
	case JSON_OBJECT:
		break;
	}
	return 0;
}

static bool is_number(enum json_kind kind)
{
	return kind == JSON_INTEGER || kind == JSON_NUMBER;
}

static bool same_value(const struct json *a, json_id x, const struct json *b, json_id y)
{
	return json_number(a, x) == json_number(b, y) &&
	       !strcmp(json_string(a, x), json_string(b, y));
}

/* One member that is no object. */
static int add_member(struct sidecar_merge *m, json_id to, const struct json *from, json_id value)
{
	const char *name = json_name(from, value);
	enum json_kind kind = json_kind(from, value);
	enum sidecar_rule rule = sidecar_rule_of(name);
	json_id have = json_member(m->sum, to, name);

	if (rule == SIDECAR_OWN)
		return 0;
	if (have == JSON_NONE) {
		if (json_count(m->sum, to) >= MAX_MEMBERS)
			return 0;
		have = json_add(m->sum, to, name, kind);
		if (kind == JSON_INTEGER)
			json_set_integer(m->sum, have, json_integer(from, value));
		else if (kind == JSON_STRING)
			json_set_string(m->sum, have, json_string(from, value));
		else
			return add_value(m->sum, have, from, value, rule);
		if (rule == SIDECAR_SAME && m->nr)
			m->rates_differ = true;
		return 0;
	}
	if (rule == SIDECAR_SAME && !same_value(m->sum, have, from, value))
		m->rates_differ = true;
	if (rule == SIDECAR_SAME || rule == SIDECAR_FIRST)
		return 0;
	if (json_kind(m->sum, have) != kind &&
	    !(is_number(json_kind(m->sum, have)) && is_number(kind)))
		return 0;
	return add_value(m->sum, have, from, value, rule);
}

/* Where in both objects we are, outermost first; deeper objects are not carried. */
struct level {
	json_id to, next;
};

static int add_object(struct sidecar_merge *m, const struct json *from)
{
	struct level levels[MAX_LEVELS] = { { JSON_ROOT, json_first(from, JSON_ROOT) } };
	size_t depth = 1;

	while (depth) {
		struct level *l = &levels[depth - 1];
		json_id value = l->next, have;
		int r;

		if (value == JSON_NONE) {
			depth--;
			continue;
		}
		l->next = json_next(from, value);
		if (json_kind(from, value) != JSON_OBJECT) {
			r = add_member(m, l->to, from, value);
			if (r < 0)
				return r;
			continue;
		}
		have = json_member(m->sum, l->to, json_name(from, value));
		if (have == JSON_NONE && json_count(m->sum, l->to) < MAX_MEMBERS)
			have = json_add(m->sum, l->to, json_name(from, value), JSON_OBJECT);
		if (have != JSON_NONE && json_kind(m->sum, have) == JSON_OBJECT &&
		    depth < MAX_LEVELS)
			levels[depth++] = (struct level){ have, json_first(from, value) };
	}
	return 0;
}

static void add_cpus(struct sidecar_merge *m, const struct json *from)
{
	const char *name = json_string(from, json_member(from, JSON_ROOT, "host"));
	uint64_t nr = json_integer(from, json_member(from, JSON_ROOT, "cpus"));
	size_t i;

	/* Newest first: files come by time, so the host is most often one of the last few. */
	for (i = m->nr_hosts; i > 0 && strcmp(m->hosts[i - 1].name, name) != 0; i--)
		;
	if (!i) {
		array_reserve(m->hosts, m->cap_hosts, m->nr_hosts + 1);
		m->hosts[m->nr_hosts++] = (struct host){ xstrdup(name), 0 };
		i = m->nr_hosts;
	}
	if (nr > m->hosts[i - 1].nr_cpus)
		m->hosts[i - 1].nr_cpus = nr;
}

static void add_cost(struct sidecar_merge *m, const struct json *from)
{
	json_id cost = json_member(from, JSON_ROOT, "cost");
	json_id ns = json_member(from, cost, "bpf_ns_per_sample");
	json_id samples = json_member(from, JSON_ROOT, "samples");

	if (is_number(json_kind(from, ns)))
		sidecar_mean_add(&m->bpf_ns, json_number(from, ns),
				 json_integer(from, json_member(from, samples, "delivered")));
}

int sidecar_merge_add(struct sidecar_merge *m, const struct json *sidecar, struct diag *ret_diag)
{
	int r = add_object(m, sidecar);

	if (r < 0)
		return diag_set(ret_diag, -r,
				"the numbers of the .json files add up to more "
				"than 64 bits hold");
	add_cpus(m, sidecar);
	add_cost(m, sidecar);
	m->nr++;
	return 0;
}

void sidecar_merge_add_missing(struct sidecar_merge *m, uint64_t samples)
{
	m->nr_missing++;
	if (__builtin_add_overflow(m->missing_samples, samples, &m->missing_samples))
		m->missing_samples = UINT64_MAX;
}

uint64_t sidecar_merge_nr(const struct sidecar_merge *m)
{
	return m->nr;
}

uint64_t sidecar_merge_nr_missing(const struct sidecar_merge *m)
{
	return m->nr_missing;
}

/* The member of an object of the sum, made when it is not there. */
static json_id member_of(struct json *sum, json_id object, const char *name, enum json_kind kind)
{
	json_id id = json_member(sum, object, name);

	return id == JSON_NONE ? json_add(sum, object, name, kind) : id;
}

static void add_note(struct sidecar_merge *m, const char *text)
{
	json_id notes = member_of(m->sum, JSON_ROOT, "notes", JSON_ARRAY);

	if (json_kind(m->sum, notes) == JSON_ARRAY)
		json_set_string(m->sum, json_add(m->sum, notes, NULL, JSON_STRING), text);
}

static void drop_rates(struct sidecar_merge *m)
{
	static const char *const names[] = { "freq_hz", "period" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_id id = json_member(m->sum, JSON_ROOT, names[i]);

		if (id != JSON_NONE)
			json_set_null(m->sum, id);
	}
	add_note(m, SIDECAR_RATES_DIFFER);
}

void sidecar_merge_write(FILE *to, struct sidecar_merge *m, uint64_t distinct_stacks)
{
	struct json *sum = m->sum;
	uint64_t nr_cpus = 0;

	member_of(sum, JSON_ROOT, "samples", JSON_OBJECT);
	for (size_t i = 0; i < m->nr_hosts; i++)
		if (__builtin_add_overflow(nr_cpus, m->hosts[i].nr_cpus, &nr_cpus))
			nr_cpus = UINT64_MAX;
	json_set_integer(sum, member_of(sum, JSON_ROOT, "cpus", JSON_INTEGER), nr_cpus);
	json_set_integer(sum, member_of(sum, JSON_ROOT, "distinct_stacks", JSON_INTEGER),
			 distinct_stacks);
	json_set_integer(sum, member_of(sum, JSON_ROOT, "files", JSON_INTEGER),
			 m->nr + m->nr_missing);
	if (sidecar_mean_get(&m->bpf_ns) >= 0) {
		json_id cost = member_of(sum, JSON_ROOT, "cost", JSON_OBJECT);

		if (json_kind(sum, cost) == JSON_OBJECT)
			json_set_number(sum, member_of(sum, cost, "bpf_ns_per_sample", JSON_NUMBER),
					sidecar_mean_get(&m->bpf_ns));
	}
	if (m->rates_differ)
		drop_rates(m);
	if (m->nr_missing) {
		_cleanup_free_ char *note = xasprintf(
			"%" PRIu64 " of %" PRIu64 " merged files had no .json: their %" PRIu64
			" samples are in the stacks but in no number here",
			m->nr_missing, m->nr + m->nr_missing, m->missing_samples);

		add_note(m, note);
	}
	json_write(to, sum);
}
