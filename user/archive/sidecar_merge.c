// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two objects are gone through side by side: every member of the one to add meets the member of
 * that name in the sum, and archive/sidecar_rule.h says what is done with the few that do not add
 * up.
 */
#include "archive/sidecar_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/sidecar.h"
#include "archive/sidecar_modules.h"
#include "archive/sidecar_rule.h"
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
	bool of_windows;
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

static void join_list(struct sidecar_merge *m, json_id to, const struct json *from, json_id list)
{
	size_t max = m->of_windows ? SIDECAR_MAX_NOTES : MAX_NOTES;

	for (json_id e = json_first(from, list); e != JSON_NONE; e = json_next(from, e))
		if (json_kind(from, e) == JSON_STRING)
			sidecar_list_add(m->sum, to, json_string(from, e), max);
}

static int add_integer(struct json *sum, json_id to, uint64_t value, enum sidecar_rule rule)
{
	int r = sidecar_rule_join(rule, json_integer(sum, to), value, &value);

	if (r >= 0)
		json_set_integer(sum, to, value);
	return r;
}

/*
 * Seconds have three decimals in each file; sums are rounded so that no others appear.  Of windows
 * that is done when they are written.
 */
static void add_number(struct json *sum, json_id to, double value)
{
	double total = json_number(sum, to) + value;

	if (!json_style(sum, to).decimals && fabs(total) < 1e9)
		total = round(total * 1e6) / 1e6;
	if (isfinite(total))
		json_set_number(sum, to, total);
}

/* The value `from` joins a member of the sum that is of the same kind and no object. */
static int add_value(struct sidecar_merge *m, json_id to, const struct json *from, json_id value,
		     enum sidecar_rule rule)
{
	struct json *sum = m->sum;
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
		else if (rule == SIDECAR_LAST ||
			 (strcmp(json_string(from, value), json_string(sum, to)) < 0) ==
				 (rule == SIDECAR_LEAST))
			json_set_string(sum, to, json_string(from, value));
		return 0;
	case JSON_ARRAY:
		join_list(m, to, from, value);
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

static void add_note(struct sidecar_merge *m, const char *text)
{
	json_id notes = sidecar_member(m->sum, JSON_ROOT, "notes", JSON_ARRAY);

	if (json_kind(m->sum, notes) == JSON_ARRAY)
		sidecar_list_add(m->sum, notes, text, m->of_windows ? SIDECAR_MAX_NOTES : SIZE_MAX);
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

/* A member that the sum has not. */
static int add_new(struct sidecar_merge *m, json_id to, const struct json *from, json_id value,
		   enum sidecar_rule rule)
{
	enum json_kind kind = json_kind(from, value);
	json_id id;

	if (json_count(m->sum, to) >= MAX_MEMBERS)
		return 0;
	id = json_add(m->sum, to, json_name(from, value), kind);
	json_set_style(m->sum, id, json_style(from, value));
	if (kind == JSON_INTEGER)
		json_set_integer(m->sum, id, json_integer(from, value));
	else if (kind == JSON_STRING)
		json_set_string(m->sum, id, json_string(from, value));
	else
		return add_value(m, id, from, value, rule);
	m->rates_differ |= rule == SIDECAR_SAME && m->nr;
	return 0;
}

/* One member that is no object. */
static int add_member(struct sidecar_merge *m, json_id to, const struct json *from, json_id value)
{
	const char *name = json_name(from, value);
	enum json_kind kind = json_kind(from, value);
	enum sidecar_rule rule = sidecar_rule_of(name, m->of_windows);
	json_id have = json_member(m->sum, to, name);

	if (rule == SIDECAR_OWN)
		return 0;
	if (have == JSON_NONE)
		return add_new(m, to, from, value, rule);
	if (rule == SIDECAR_SAME && !same_value(m->sum, have, from, value)) {
		m->rates_differ = true;
		if (m->of_windows)
			drop_rates(m);
	}
	if (rule == SIDECAR_SAME || rule == SIDECAR_FIRST)
		return 0;
	if (json_kind(m->sum, have) != kind &&
	    !(is_number(json_kind(m->sum, have)) && is_number(kind)))
		return 0;
	return add_value(m, have, from, value, rule);
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
		if (depth == 1 && !strcmp(json_name(from, value), SIDECAR_MODULES)) {
			sidecar_modules_join(m->sum, from);
			continue;
		}
		have = json_member(m->sum, l->to, json_name(from, value));
		if (have == JSON_NONE && json_count(m->sum, l->to) < MAX_MEMBERS) {
			have = json_add(m->sum, l->to, json_name(from, value), JSON_OBJECT);
			json_set_style(m->sum, have, json_style(from, value));
		}
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

struct sidecar_merge *sidecar_merge_new_windows(struct json *first)
{
	struct sidecar_merge *m = xcalloc(1, sizeof(*m));

	m->sum = first;
	m->of_windows = true;
	m->nr = 1;
	add_cpus(m, first);
	add_cost(m, first);
	return m;
}

/* What has no rule of one member with another. */
static void set_own(struct sidecar_merge *m)
{
	struct json *sum = m->sum;
	uint64_t nr_cpus = 0;
	json_id cost;

	for (size_t i = 0; i < m->nr_hosts; i++)
		if (__builtin_add_overflow(nr_cpus, m->hosts[i].nr_cpus, &nr_cpus))
			nr_cpus = UINT64_MAX;
	sidecar_set_integer(sum, JSON_ROOT, "cpus", nr_cpus);
	if (sidecar_mean_get(&m->bpf_ns) < 0)
		return;
	cost = sidecar_member(sum, JSON_ROOT, "cost", JSON_OBJECT);
	if (json_kind(sum, cost) == JSON_OBJECT)
		json_set_number(sum, sidecar_member(sum, cost, "bpf_ns_per_sample", JSON_NUMBER),
				sidecar_mean_get(&m->bpf_ns));
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
	if (m->of_windows)
		set_own(m);
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

struct json *sidecar_merge_json(struct sidecar_merge *m)
{
	return m->sum;
}

size_t sidecar_merge_bytes(const struct sidecar_merge *m)
{
	return sizeof(*m) + m->cap_hosts * sizeof(*m->hosts) + json_bytes(m->sum);
}

void sidecar_merge_set_root(struct sidecar_merge *m, const char *root)
{
	json_id id = sidecar_member(m->sum, JSON_ROOT, "root", JSON_STRING);

	json_set_string(m->sum, id, root);
}

void sidecar_merge_doubt_root(struct sidecar_merge *m)
{
	json_id id = sidecar_member(m->sum, JSON_ROOT, "root", JSON_STRING);
	const char *had = json_string(m->sum, id);
	_cleanup_free_ char *root = xasprintf("%s%sunknown", had, *had ? ", " : "");

	json_set_string(m->sum, id, root);
}

void sidecar_merge_write(FILE *to, struct sidecar_merge *m, uint64_t distinct_stacks)
{
	struct json *sum = m->sum;

	sidecar_member(sum, JSON_ROOT, "samples", JSON_OBJECT);
	sidecar_member(sum, JSON_ROOT, "cpus", JSON_INTEGER);
	sidecar_set_integer(sum, JSON_ROOT, "distinct_stacks", distinct_stacks);
	sidecar_set_integer(sum, JSON_ROOT, "files", m->nr + m->nr_missing);
	set_own(m);
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
