// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FILE.timeline: whatever is read without complaint adds up, is in order, and is written and read
 * back as it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/timeline_read.h"
#include "output/timeline_text.h"
#include "util/cleanup.h"
#include "util/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool read_text(const void *bytes, size_t len, struct timeline_file *ret_file)
{
	_cleanup_fclose_ FILE *f = len ? fmemopen((void *)bytes, len, "r") : NULL;
	struct diag diag = { "" };

	if (!f)
		return false;
	if (timeline_read(f, "in", ret_file, &diag) >= 0)
		return true;
	if (!*diag.text)
		abort();
	return false;
}

static char *write_text(const struct timeline_file *file, size_t *ret_len)
{
	struct writer_lines lines = { .nr_lines = file->nr_lines, .total = file->total };
	_cleanup_free_ uint32_t *line = NULL;
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	for (size_t i = 0; i < file->timeline->nr; i++)
		if (file->timeline->cells[i].node >= lines.nr_nodes)
			lines.nr_nodes = (size_t)file->timeline->cells[i].node + 1;
	lines.line = line = xcalloc(lines.nr_nodes, sizeof(*line));
	for (size_t n = 0; n < lines.nr_nodes; n++)
		line[n] = n;
	timeline_text_write(f, file->timeline, &lines);
	if (fclose(f))
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	_cleanup_free_ char *once = NULL, *twice = NULL;
	struct timeline_file file, again;
	uint64_t sum = 0;
	size_t n1, n2;

	if (!read_text(bytes, len, &file))
		return 0;
	for (size_t i = 0; i < file.timeline->nr; i++) {
		const struct timeline_cell *c = &file.timeline->cells[i];

		sum += c->weight;
		if (c->slot >= file.timeline->nr_slots || c->node > file.nr_lines || !c->node)
			abort();
	}
	if (sum != file.timeline->weight)
		abort();
	/* Numbers of lines are indexes here: large ones are not tried again. */
	if (file.nr_lines < 1 << 16) {
		once = write_text(&file, &n1);
		if (!read_text(once, n1, &again))
			abort();
		twice = write_text(&again, &n2);
		if (n1 != n2 || memcmp(once, twice, n1))
			abort();
		timeline_free(again.timeline);
	}
	timeline_free(file.timeline);
	return 0;
}
