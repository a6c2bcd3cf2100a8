// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of readers, and the way from a path to the one whose format it is. */
#include "input/input.h"

#include <errno.h>
#include <string.h>

#include "input/lines.h"
#include "input/reader.h"
#include "util/machine_memory.h"
#include "util/mem.h"
#include "util/regular_file.h"

/* Asked in this order; the last one takes everything. */
static const struct reader *const readers[] = { &pprof_reader, &perf_script_reader,
						&folded_reader };

int reading_check_more_nodes(const struct reading *r, uint64_t line, uint64_t more)
{
	uint64_t nodes = profile_nr_nodes(r->into) + more;
	uint64_t bytes = nodes * INPUT_NODE_BYTES + frame_table_bytes(profile_frames(r->into));

	if (nodes > r->opts.max_nodes)
		return diag_set(r->ret_diag, E2BIG,
				"%s:%llu: the profile has more than %llu distinct call paths",
				r->name, (unsigned long long)line,
				(unsigned long long)r->opts.max_nodes);
	if (bytes > r->max_memory_bytes)
		return diag_set(r->ret_diag, E2BIG,
				"%s:%llu: its stacks take more than %llu MiB of memory "
				"(--max-input raises the limit)",
				r->name, (unsigned long long)line,
				(unsigned long long)r->max_memory_bytes >> 20);
	return 0;
}

int reading_check_nodes(const struct reading *r, uint64_t line)
{
	return reading_check_more_nodes(r, line, 0);
}

/* Half of the memory is for what else there is. */
static uint64_t default_memory_bytes(void)
{
	uint64_t half = machine_memory_bytes() / 2;

	return half < INPUT_DEFAULT_MAX_BYTES ? half : INPUT_DEFAULT_MAX_BYTES;
}

static void set_limits(struct reading *r, const struct input_opts *opts)
{
	if (opts)
		r->opts = *opts;
	r->max_memory_bytes = r->opts.max_input_bytes ?: default_memory_bytes();
	if (!r->opts.max_input_bytes)
		r->opts.max_input_bytes = INPUT_DEFAULT_MAX_BYTES;
	if (!r->opts.max_nodes)
		r->opts.max_nodes = INPUT_DEFAULT_MAX_NODES;
}

bool input_is_too_large(const struct input_opts *opts, uint64_t nr_nodes, const struct profile *in)
{
	struct reading limits = { 0 };

	set_limits(&limits, opts);
	return nr_nodes > limits.opts.max_nodes ||
	       nr_nodes * INPUT_NODE_BYTES + frame_table_bytes(profile_frames(in)) >
		       limits.max_memory_bytes;
}

/* nr: lines that look like those of a diff, where all do. */
static int check_diff(const struct reading *r, size_t nr)
{
	if (nr >= FOLDED_DIFF_MIN_LINES)
		return diag_set(r->ret_diag, EINVAL,
				"%s: two counts a line: this is what a diff writes, and not a "
				"profile (eddy diff reads the two files that it was made of)",
				r->name);
	if (nr && r->opts.ret_remark && !r->opts.only_regular) /* snapshots are eddy's */
		diag_set(r->opts.ret_remark, 0,
			 "%s: two numbers end each line: read as a name that ends in one, and a "
			 "count; of a diff, name the two files it was made of",
			 r->name);
	return 0;
}

int input_read(FILE *f, const char *name, const struct input_opts *opts, struct profile *into,
	       struct diag *ret_diag)
{
	_cleanup_(source_freep) struct source *source = NULL;
	struct reading reading = { .name = name, .into = into, .ret_diag = ret_diag };
	const char *bytes;
	size_t len, i;
	int r;

	set_limits(&reading, opts);
	if (reading.opts.ret_remark)
		reading.opts.ret_remark->text[0] = '\0';
	if (reading.opts.ret_unit)
		*reading.opts.ret_unit = (struct input_unit){ .is_count = true };
	r = source_new(f, name, reading.opts.max_input_bytes, &source, ret_diag);
	if (r < 0)
		return r;
	source_set_listener(source, reading.opts.listener);
	reading.source = source;
	bytes = source_peek(source, &len);
	/* Behind the magic stands a length of 64 bits, which no text looks like. */
	if (len >= 16 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8)) &&
	    memchr(bytes, '\0', 16))
		return diag_set(ret_diag, EINVAL,
				"%s: perf's own binary format is not read ('perf script -i %s' "
				"prints the text that is)",
				name, name);
	if (len >= 3 && !memcmp(bytes, BYTE_ORDER_MARK, 3)) {
		bytes += 3;
		len -= 3;
	}
	for (i = 0; i + 1 < ARRAY_SIZE(readers); i++)
		if (readers[i]->detect(bytes, len))
			break;
	if (readers[i] == &folded_reader) {
		r = check_diff(&reading, folded_nr_diff_lines(bytes, len));
		if (r < 0)
			return r;
	}
	return readers[i]->read(&reading);
}

static FILE *open_regular(const char *path)
{
	_cleanup_close_ int fd = regular_file_open(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		errno = -fd;
	if (f)
		take_fd(&fd);
	return f;
}

int input_read_path(const char *path, const struct input_opts *opts, struct profile *into,
		    struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *opened = NULL;

	if (!strcmp(path, "-"))
		return input_read(stdin, "standard input", opts, into, ret_diag);
	opened = opts && opts->only_regular ? open_regular(path) : fopen(path, "re");
	if (!opened)
		return diag_set(ret_diag, errno, "%s: %s", path,
				errno == EINVAL ? "not a regular file" : strerror(errno));
	return input_read(opened, path, opts, into, ret_diag);
}
