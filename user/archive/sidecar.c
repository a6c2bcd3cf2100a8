// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever is not of the kind that eddy writes is left as it is: it may have come from a file. */
#include "archive/sidecar.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "util/mem.h"

void sidecar_add_time(struct json *sidecar, const char *name, uint64_t ms)
{
	time_t seconds = ms / 1000;
	_cleanup_free_ char *value = NULL;
	char text[64];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	value = xasprintf("%s.%03uZ", text, (unsigned int)(ms % 1000));
	json_add_string(sidecar, JSON_ROOT, name, value);
}

json_id sidecar_member(struct json *sidecar, json_id object, const char *name, enum json_kind kind)
{
	json_id id = json_member(sidecar, object, name);

	return id == JSON_NONE ? json_add(sidecar, object, name, kind) : id;
}

void sidecar_set_integer(struct json *sidecar, json_id object, const char *name, uint64_t value)
{
	json_set_integer(sidecar, sidecar_member(sidecar, object, name, JSON_INTEGER), value);
}

void sidecar_list_add(struct json *sidecar, json_id list, const char *text, size_t max)
{
	size_t nr = json_count(sidecar, list);

	for (json_id e = json_first(sidecar, list); e != JSON_NONE; e = json_next(sidecar, e))
		if (!strcmp(json_string(sidecar, e), text))
			return;
	if (nr < max)
		json_add_string(sidecar, list, NULL,
				nr < max - 1 ? text : "there was more to note than is kept");
}

void sidecar_note(struct json *sidecar, const char *fmt, ...)
{
	json_id notes = sidecar_member(sidecar, JSON_ROOT, "notes", JSON_ARRAY);
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && json_kind(sidecar, notes) == JSON_ARRAY)
		sidecar_list_add(sidecar, notes, text, SIDECAR_MAX_NOTES);
}

/* Adds to a count of an object; nobody takes 2^63 samples. */
static void add_count(struct json *sidecar, json_id object, const char *name, uint64_t value)
{
	uint64_t have = json_integer(sidecar, json_member(sidecar, object, name));

	sidecar_set_integer(sidecar, object, name, have + value);
}

static uint64_t lose_kept_of(struct json *sidecar, const char *name)
{
	json_id object = json_member(sidecar, JSON_ROOT, name);
	json_id kept = json_member(sidecar, object, "kept");
	uint64_t value = json_integer(sidecar, kept);

	if (value) {
		json_set_integer(sidecar, kept, 0);
		add_count(sidecar, object, "lost", value);
	}
	return value;
}

void sidecar_lose_kept(struct json *sidecar, const char *reason)
{
	uint64_t samples = lose_kept_of(sidecar, "samples");

	lose_kept_of(sidecar, "weight");
	add_count(sidecar, sidecar_member(sidecar, JSON_ROOT, "losses", JSON_OBJECT), reason,
		  samples);
}
