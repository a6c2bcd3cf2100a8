// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of a pprof profile's values are counted, and what such a count is. */
#include "input/pprof_types.h"

#include <errno.h>
#include <stdio.h>

#include "input/reader.h"
#include "util/strbuf.h"

static struct bytes type_name(const struct pprof_tables *t, size_t i)
{
	struct bytes name = { "", 0 };

	pprof_string(t, t->types[i].type, &name);
	return name;
}

static struct bytes type_unit(const struct pprof_tables *t, size_t i)
{
	struct bytes unit = { "", 0 };

	pprof_string(t, t->types[i].unit, &unit);
	return unit;
}

/* "cpu", or "cpu/nanoseconds" */
static bool is_meant(const struct pprof_tables *t, size_t i, const char *event)
{
	const struct bytes name = type_name(t, i), unit = type_unit(t, i);
	const size_t len = strlen(event);

	if (bytes_are(name, event))
		return true;
	return len == name.len + 1 + unit.len && !memcmp(event, name.at, name.len) &&
	       event[name.len] == '/' && !memcmp(event + name.len + 1, unit.at, unit.len);
}

static void print_types(const struct pprof_tables *t, struct strbuf *to)
{
	for (size_t i = 0; i < t->nr_types; i++) {
		const struct bytes name = type_name(t, i), unit = type_unit(t, i);

		strbuf_addf(to, "%s%.*s/%.*s", i ? ", " : "", (int)name.len, name.at, (int)unit.len,
			    unit.at);
	}
}

/* As `go tool pprof` chooses; but of CPU time the samples, which it was made of. */
static size_t default_type(const struct pprof_tables *t)
{
	const struct bytes *wanted = NULL;
	struct bytes name;
	size_t type = t->nr_types - 1;

	if (t->default_type && pprof_string(t, t->default_type, &name))
		wanted = &name;
	for (size_t i = 0; wanted && i < t->nr_types; i++) {
		const struct bytes other = type_name(t, i);

		if (other.len == wanted->len && !memcmp(other.at, wanted->at, other.len))
			type = i;
	}
	if (!bytes_are(type_name(t, type), "cpu"))
		return type;
	for (size_t i = 0; i < t->nr_types; i++)
		if (bytes_are(type_name(t, i), "samples") && bytes_are(type_unit(t, i), "count"))
			return i;
	return type;
}

int pprof_choose_type(const struct pprof_tables *t, size_t *ret_type)
{
	const char *event = t->r->opts.event;
	_cleanup_strbuf_ struct strbuf there = STRBUF_INIT;

	for (size_t i = 0; i < t->nr_types; i++) {
		struct bytes text;

		if (!pprof_string(t, t->types[i].type, &text) ||
		    !pprof_string(t, t->types[i].unit, &text))
			return pprof_fail(t, t->bytes, "a type of values whose name is not there");
	}
	if (!t->nr_types)
		return pprof_fail(t, t->bytes, "it does not say what its values are");
	if (!event) {
		*ret_type = default_type(t);
		return 0;
	}
	for (size_t i = 0; i < t->nr_types; i++) {
		if (!is_meant(t, i, event))
			continue;
		*ret_type = i;
		return 0;
	}
	print_types(t, &there);
	return diag_set(t->r->ret_diag, ENODATA, "%s: no values of %s; there are %s", t->r->name,
			event, there.bytes);
}

void pprof_tell_unit(const struct pprof_tables *t, size_t type)
{
	const struct bytes name = type_name(t, type), unit = type_unit(t, type);
	struct input_unit *ret = t->r->opts.ret_unit;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, there = STRBUF_INIT;

	for (size_t i = 0; i < t->nr_types && t->r->opts.ret_is_clock; i++)
		*t->r->opts.ret_is_clock |= bytes_are(type_name(t, i), "cpu");
	if (bytes_are(unit, "count") && bytes_are(name, "samples"))
		return;
	if (!bytes_are(unit, "count") && unit.len)
		strbuf_addf(&text, "%.*s of ", (int)unit.len, unit.at);
	strbuf_add(&text, name.at, name.len);
	if (ret)
		snprintf(ret->text, sizeof(ret->text), "%s", text.bytes);
	if (ret)
		ret->is_count = bytes_are(unit, "count");
	if (!t->r->opts.ret_remark || t->r->opts.event || t->nr_types == 1)
		return;
	print_types(t, &there);
	diag_set(t->r->opts.ret_remark, EINVAL, "%s: counts are %s; there are %s (--event chooses)",
		 t->r->name, text.bytes, there.bytes);
}
