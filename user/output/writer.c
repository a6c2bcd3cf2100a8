// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of output formats, and which of them a file name asks for. */
#include "output/writer.h"

#include <errno.h>
#include <string.h>

#include "output/callgrind.h"
#include "output/dot.h"
#include "output/folded.h"
#include "output/html.h"
#include "output/perf_data.h"
#include "output/pprof.h"
#include "output/speedscope.h"
#include "output/svg.h"
#include "util/mem.h"
#include "util/strbuf.h"

const struct writer *const writers[] = {
	&folded_writer, &folded_gzip_writer, &dot_writer, &callgrind_writer, &perf_data_writer,
	&pprof_writer,	&speedscope_writer,  &svg_writer, &html_writer,	     NULL
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool format_suits_path(const char *suffixes, const char *path)
{
	const char *base = base_of(path);
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

/* "x.folded.json" is what stands beside x.folded. */
static bool is_sidecar_path(const char *path)
{
	_cleanup_free_ char *of = xstrdup(path);
	size_t len = strlen(of), end = strlen(".json");

	if (len <= end || strcmp(of + len - end, ".json"))
		return false;
	of[len - end] = '\0';
	return format_suits_path(folded_writer.suffixes, of) ||
	       format_suits_path(folded_gzip_writer.suffixes, of);
}

static const struct writer *by_path(const char *path)
{
	if (!strcmp(path, "-"))
		return &folded_writer;
	if (!strncmp(base_of(path), "callgrind.out", strlen("callgrind.out")))
		return by_name("callgrind");
	for (const struct writer *const *w = writers; *w; w++)
		if (format_suits_path((*w)->suffixes, path))
			return *w;
	return NULL;
}

/* "; did you mean '.folded'?" of a file's suffix, or "". */
static void suffix_hint(const char *path, char ret_text[NEAR_NAME_BYTES])
{
	struct near_name near = { .typed = strrchr(base_of(path), '.') };
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	*ret_text = '\0';
	if (!near.typed)
		return;
	for (const struct writer *const *w = writers; *w; w++)
		strbuf_addf(&all, "%s ", (*w)->suffixes);
	for (size_t i = 0; i < all.len; i++)
		if (all.bytes[i] == ' ')
			all.bytes[i] = '\0';
	for (size_t i = 0; i < all.len; i += strlen(all.bytes + i) + 1)
		near_name_offer(&near, all.bytes + i);
	near_name_hint(&near, "", ret_text);
}

const struct writer *writer_find(const char *format, const char *path, struct diag *ret_diag)
{
	const struct writer *found = format ? by_name(format) : by_path(path);
	_cleanup_strbuf_ struct strbuf known = STRBUF_INIT;
	char hint[NEAR_NAME_BYTES];

	if (!format && is_sidecar_path(path)) {
		diag_set(ret_diag, EINVAL,
			 "%s: that is the name of the .json beside folded text; write stacks as "
			 "JSON to a .speedscope.json",
			 path);
		return NULL;
	}
	if (found)
		return found;
	for (const struct writer *const *w = writers; *w; w++)
		strbuf_addf(&known, "%s%s (%s)", known.len ? ", " : "", (*w)->name, (*w)->suffixes);
	suffix_hint(path, hint);
	if (format)
		diag_set(ret_diag, EINVAL, "no format '%s'; there are %s", format, known.bytes);
	else
		diag_set(ret_diag, EINVAL,
			 "%s: the suffix names no format (use --format); there are %s%s", path,
			 known.bytes, hint);
	return NULL;
}

void writer_offer_names(struct near_name *near)
{
	for (const struct writer *const *w = writers; *w; w++)
		near_name_offer(near, (*w)->name);
}

bool writer_is_folded(const struct writer *writer)
{
	return writer == &folded_writer || writer == &folded_gzip_writer;
}

bool writer_has_places(const struct writer *writer)
{
	return writer == &pprof_writer || writer == &perf_data_writer;
}

bool writer_has_times(const struct writer *writer)
{
	return writer == &html_writer || writer == &perf_data_writer;
}
