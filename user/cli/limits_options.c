// SPDX-License-Identifier: GPL-2.0-or-later
/* One table of rows serves the options and the file. */
#include "cli/limits_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

#define MIN_MEMORY_BYTES (UINT64_C(1) << 20)

/* clang-format off */
const struct option_row limits_option_rows[] = {
	{ OPTION_COUNT("keep-files", NULL, struct snapshot_limits, keep_files, 1, UINT64_MAX),
	  .what = "a number of files, at least 1" },
	{ OPTION_SIZE("keep-bytes", NULL, struct snapshot_limits, keep_bytes, 1, UINT64_MAX),
	  .what = "a size such as 500M or 2G" },
	{ OPTION_DURATION("keep-age", NULL, struct snapshot_limits, keep_age_ns, 1, UINT64_MAX),
	  .what = "a duration such as 12h or 7d" },
	{ OPTION_SIZE("max-memory", NULL, struct snapshot_limits, max_memory_bytes,
		      MIN_MEMORY_BYTES, UINT64_MAX),
	  .what = "a size of at least 1M" },
	{ 0 },
};
/* clang-format on */

static int take(struct snapshot_limits *l, const char *name, const char *value,
		struct diag *ret_diag)
{
	for (const struct option_row *row = limits_option_rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row->take(row, l, value, ret_diag);
	return diag_set(ret_diag, EINVAL,
			"no limit '%s' (keep-files, keep-bytes, keep-age, max-memory)", name);
}

/*
 * "name value" or "name = value"; blank lines and what stands behind '#' do not matter.  Messages
 * are those of the options, but for the dashes.
 */
static int read_line(struct snapshot_limits *l, char *line, struct diag *ret_diag)
{
	static const char blanks[] = " \t\r\n=";
	struct diag why = { "" };
	char *save, *name, *value;

	line[strcspn(line, "#")] = '\0';
	name = strtok_r(line, blanks, &save);
	if (!name)
		return 0;
	value = strtok_r(NULL, blanks, &save);
	if (!value || strtok_r(NULL, blanks, &save))
		return diag_set(ret_diag, EINVAL, "'%s' and one value were expected", name);
	if (take(l, name, value, &why) < 0)
		return diag_set(ret_diag, EINVAL, "%s", why.text + strspn(why.text, "-"));
	return 0;
}

int limits_options_read(struct snapshot_limits *l, const char *path, struct diag *ret_diag)
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
