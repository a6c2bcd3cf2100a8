// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of output formats, and which of them a file name asks for. */
#include "output/writer.h"

#include <errno.h>
#include <string.h>

#include "output/callgrind.h"
#include "output/dot.h"
#include "output/folded.h"
#include "util/strbuf.h"

const struct writer *const writers[] = { &folded_writer, &folded_gzip_writer, &dot_writer,
					 &callgrind_writer, NULL };

static bool has_suffix(const char *base, const char *suffixes)
{
	size_t base_len = strlen(base);

	while (*suffixes) {
		size_t len = strcspn(suffixes, " ");

		if (base_len > len && !memcmp(base + base_len - len, suffixes, len))
			return true;
		suffixes += len;
		suffixes += strspn(suffixes, " ");
	}
	return false;
}

static const struct writer *by_name(const char *name)
{
	for (const struct writer *const *w = writers; *w; w++)
		if (!strcmp((*w)->name, name))
			return *w;
	return NULL;
}

static const struct writer *by_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (!strcmp(path, "-"))
		return &folded_writer;
	if (!strncmp(base, "callgrind.out", strlen("callgrind.out")))
		return by_name("callgrind");
	for (const struct writer *const *w = writers; *w; w++)
		if (has_suffix(base, (*w)->suffixes))
			return *w;
	return NULL;
}

const struct writer *writer_find(const char *format, const char *path, struct diag *ret_diag)
{
	const struct writer *found = format ? by_name(format) : by_path(path);
	_cleanup_strbuf_ struct strbuf known = STRBUF_INIT;

	if (found)
		return found;
	for (const struct writer *const *w = writers; *w; w++)
		strbuf_addf(&known, "%s%s (%s)", known.len ? ", " : "", (*w)->name, (*w)->suffixes);
	if (format)
		diag_set(ret_diag, EINVAL, "no format '%s'; there are %s", format, known.bytes);
	else
		diag_set(ret_diag, EINVAL,
			 "%s: the suffix names no format (use --format); there are %s", path,
			 known.bytes);
	return NULL;
}

bool writer_is_folded(const struct writer *writer)
{
	return writer == &folded_writer || writer == &folded_gzip_writer;
}
