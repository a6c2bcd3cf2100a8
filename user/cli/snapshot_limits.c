// SPDX-License-Identifier: GPL-2.0-or-later
/* One table of limits serves the options and the file. */
#include "cli/snapshot_limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/mem.h"
#include "util/parse.h"

#define DEFAULT_MEMORY_BYTES (UINT64_C(32) << 20)
#define MIN_MEMORY_BYTES     (UINT64_C(1) << 20)

static int parse_number(const char *s, uint64_t *ret_value)
{
	return parse_u64(s, ret_value) < 0 || !*ret_value ? -EINVAL : 0;
}

static int parse_bytes(const char *s, uint64_t *ret_value)
{
	return parse_size_bytes(s, ret_value) < 0 || !*ret_value ? -EINVAL : 0;
}

static int parse_memory(const char *s, uint64_t *ret_value)
{
	return parse_size_bytes(s, ret_value) < 0 || *ret_value < MIN_MEMORY_BYTES ? -EINVAL : 0;
}

static const struct limit {
	const char *name;
	size_t offset;
	int (*parse)(const char *s, uint64_t *ret_value);
	const char *what;
} limits[] = {
	{ "keep-files", offsetof(struct snapshot_limits, keep_files), parse_number,
	  "a number of files, at least 1" },
	{ "keep-bytes", offsetof(struct snapshot_limits, keep_bytes), parse_bytes,
	  "a size such as 500M or 2G" },
	{ "keep-age", offsetof(struct snapshot_limits, keep_age_ns), parse_duration_ns,
	  "a duration such as 12h or 7d" },
	{ "max-memory", offsetof(struct snapshot_limits, max_memory_bytes), parse_memory,
	  "a size of at least 1M" },
};

void snapshot_limits_init(struct snapshot_limits *l)
{
	*l = (struct snapshot_limits){ .max_memory_bytes = DEFAULT_MEMORY_BYTES };
}

bool snapshot_limits_any(const struct snapshot_limits *l)
{
	return l->keep_files || l->keep_bytes || l->keep_age_ns;
}

int snapshot_limits_set(struct snapshot_limits *l, const char *name, const char *value,
			struct diag *ret_diag)
{
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		if (strcmp(limits[i].name, name))
			continue;
		if (limits[i].parse(value, &v) < 0)
			return diag_set(ret_diag, EINVAL, "%s: '%s' is not %s", name, value,
					limits[i].what);
		memcpy((char *)l + limits[i].offset, &v, sizeof(v));
		return 0;
	}
	return -ENOENT;
}

/* "name value" or "name = value"; blank lines and what stands behind '#' do not matter. */
static int read_line(struct snapshot_limits *l, char *line, struct diag *ret_diag)
{
	static const char blanks[] = " \t\r\n=";
	char *save, *name, *value;
	int r;

	line[strcspn(line, "#")] = '\0';
	name = strtok_r(line, blanks, &save);
	if (!name)
		return 0;
	value = strtok_r(NULL, blanks, &save);
	if (!value || strtok_r(NULL, blanks, &save))
		return diag_set(ret_diag, EINVAL, "'%s' and one value were expected", name);
	r = snapshot_limits_set(l, name, value, ret_diag);
	if (r == -ENOENT)
		return diag_set(ret_diag, EINVAL,
				"no limit '%s' (keep-files, keep-bytes, keep-age, max-memory)",
				name);
	return r;
}

int snapshot_limits_read(struct snapshot_limits *l, const char *path, struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	struct snapshot_limits read = *l;
	unsigned int nr = 0;
	size_t cap = 0;

	if (!f)
		return diag_set(ret_diag, errno, "%s: %s", path, strerror(errno));
	while (getline(&line, &cap, f) >= 0) {
		struct diag why = { "" };
		int r = read_line(&read, line, &why);

		nr++;
		if (r < 0)
			return diag_set(ret_diag, -r, "%s:%u: %s", path, nr, why.text);
	}
	if (ferror(f))
		return diag_set(ret_diag, EIO, "%s: cannot be read", path);
	*l = read;
	return 0;
}
