// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of readers, and the way from a path to the one whose format it is. */
#include "input/input.h"

#include <errno.h>
#include <string.h>

#include "input/reader.h"
#include "util/mem.h"

/* Asked in this order; the last one takes everything. */
static const struct reader *const readers[] = { &perf_script_reader, &folded_reader };

int reading_check_nodes(const struct reading *r, uint64_t line)
{
	if (profile_nr_nodes(r->into) <= r->opts.max_nodes)
		return 0;
	return reading_too_many_nodes(r, line);
}

int reading_too_many_nodes(const struct reading *r, uint64_t line)
{
	return diag_set(r->ret_diag, E2BIG,
			"%s:%llu: the profile has more than %llu distinct call paths", r->name,
			(unsigned long long)line, (unsigned long long)r->opts.max_nodes);
}

int input_read(FILE *f, const char *name, const struct input_opts *opts, struct profile *into,
	       struct diag *ret_diag)
{
	_cleanup_(source_freep) struct source *source = NULL;
	struct reading reading = { .name = name, .into = into, .ret_diag = ret_diag };
	const char *bytes;
	size_t len, i;
	int r;

	if (opts)
		reading.opts = *opts;
	if (!reading.opts.max_input_bytes)
		reading.opts.max_input_bytes = INPUT_DEFAULT_MAX_BYTES;
	if (!reading.opts.max_nodes)
		reading.opts.max_nodes = INPUT_DEFAULT_MAX_NODES;
	if (reading.opts.ret_remark)
		reading.opts.ret_remark->text[0] = '\0';
	r = source_new(f, name, reading.opts.max_input_bytes, &source, ret_diag);
	if (r < 0)
		return r;
	reading.source = source;
	bytes = source_peek(source, &len);
	/* Behind the magic stands a length of 64 bits, which no text looks like. */
	if (len >= 16 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8)) &&
	    memchr(bytes, '\0', 16))
		return diag_set(ret_diag, EINVAL,
				"%s: perf's own binary format is not read ('perf script -i %s' "
				"prints the text that is)",
				name, name);
	for (i = 0; i + 1 < ARRAY_SIZE(readers); i++)
		if (readers[i]->detect(bytes, len))
			break;
	return readers[i]->read(&reading);
}

int input_read_path(const char *path, const struct input_opts *opts, struct profile *into,
		    struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *opened = NULL;

	if (!strcmp(path, "-"))
		return input_read(stdin, "standard input", opts, into, ret_diag);
	opened = fopen(path, "re");
	if (!opened)
		return diag_set(ret_diag, errno, "%s: %s", path, strerror(errno));
	return input_read(opened, path, opts, into, ret_diag);
}
