// SPDX-License-Identifier: GPL-2.0-or-later
/* One bounded read, one strict parse; what the members mean is for those who ask. */
#include "archive/sidecar_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/regular_file.h"
#include "util/time_point.h"

/* All of a file of at most max bytes, or -E2BIG.  Its size is not asked: it may be growing. */
static int read_all(int fd, size_t max, char **ret_bytes, size_t *ret_len)
{
	_cleanup_free_ char *bytes = NULL;
	size_t len = 0, cap = 0;

	for (;;) {
		ssize_t n;

		array_reserve(bytes, cap, len + 4096);
		n = read(fd, bytes + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
		if (len > max)
			return -E2BIG;
	}
	*ret_bytes = take_ptr(bytes);
	*ret_len = len;
	return 0;
}

int sidecar_read(const char *path, struct json **ret_json, struct diag *ret_diag)
{
	_cleanup_free_ char *name = xasprintf("%s.json", path);
	_cleanup_close_ int fd = regular_file_open(name);

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0)
		return diag_set(ret_diag, -fd, "%s: %s", name,
				fd == -EINVAL ? "not a regular file" : strerror(-fd));
	return sidecar_read_fd(fd, name, ret_json, ret_diag);
}

int sidecar_read_fd(int fd, const char *name, struct json **ret_json, struct diag *ret_diag)
{
	_cleanup_free_ char *bytes = NULL;
	_cleanup_json_ struct json *json = NULL;
	struct diag why;
	size_t len = 0;
	int r = read_all(fd, SIDECAR_MAX_BYTES, &bytes, &len);

	if (r == -E2BIG)
		return diag_set(ret_diag, EINVAL, "%s: larger than %d bytes", name,
				SIDECAR_MAX_BYTES);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: %s", name, strerror(-r));
	r = json_parse(bytes, len, &json, &why);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: not JSON: %s", name, why.text);
	if (json_kind(json, JSON_ROOT) != JSON_OBJECT ||
	    json_kind(json, json_member(json, JSON_ROOT, "samples")) != JSON_OBJECT)
		return diag_set(ret_diag, EINVAL,
				"%s: not what eddy writes beside a file: no object 'samples'",
				name);
	*ret_json = take_ptr(json);
	return 0;
}

uint64_t sidecar_time_ms(const struct json *sidecar, const char *name)
{
	const char *text = json_string(sidecar, json_member(sidecar, JSON_ROOT, name));
	char seconds[] = "2026-11-20T10:00:00Z";
	size_t len = sizeof(seconds) - 2;
	struct time_point point;

	/* time_point_parse() takes what people type, too: here it is eddy's own form or nothing. */
	if (strlen(text) != len + strlen(".000Z") || text[len] != '.' || !isdigit(text[len + 1]) ||
	    !isdigit(text[len + 2]) || !isdigit(text[len + 3]) || text[len + 4] != 'Z')
		return 0;
	memcpy(seconds, text, len);
	if (time_point_parse(name, seconds, &point, NULL) < 0 || point.kind != TIME_ABSOLUTE ||
	    point.seconds < 0)
		return 0;
	return (uint64_t)point.seconds * 1000 + strtoul(text + len + 1, NULL, 10);
}

bool sidecar_due(const struct json *sidecar, uint64_t *ret_due)
{
	json_id due = json_member(sidecar, json_member(sidecar, JSON_ROOT, "samples"), "due");

	*ret_due = json_integer(sidecar, due);
	return json_kind(sidecar, due) == JSON_INTEGER;
}

enum sidecar_unit sidecar_unit(const struct json *sidecar)
{
	const char *unit = json_string(sidecar, json_member(sidecar, JSON_ROOT, "unit"));

	if (!strcmp(unit, "microseconds"))
		return SIDECAR_MICROSECONDS;
	return strcmp(unit, "events") ? SIDECAR_SAMPLES : SIDECAR_EVENTS;
}

/* What the object says of the stacks in the file. */
static double kept_and_lost(const struct json *sidecar, const char *object)
{
	json_id o = json_member(sidecar, JSON_ROOT, object);

	return (double)json_integer(sidecar, json_member(sidecar, o, "kept")) +
	       json_integer(sidecar, json_member(sidecar, o, "lost"));
}

/*
 * What a file counts are events, of which a sample has several, or microseconds of waits, of which
 * `kept` and `lost` are the sum and `waits` the number.
 */
double sidecar_samples_per_count(const struct json *sidecar)
{
	double samples = kept_and_lost(sidecar, "samples"), weight;
	json_id waits;

	switch (sidecar_unit(sidecar)) {
	case SIDECAR_EVENTS:
		weight = kept_and_lost(sidecar, "weight");
		return weight > samples ? samples / weight : 1;
	case SIDECAR_MICROSECONDS:
		waits = json_member(sidecar, json_member(sidecar, JSON_ROOT, "samples"), "waits");
		weight = json_integer(sidecar, waits);
		return weight > 0 && weight < samples ? weight / samples : 1;
	case SIDECAR_SAMPLES:
		break;
	}
	return 1;
}
