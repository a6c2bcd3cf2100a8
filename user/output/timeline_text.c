// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of lines take the place of nodes, and are sorted like them. */
#include "output/timeline_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/mem.h"

static void write_head(FILE *to, const struct timeline *t, const struct writer_lines *lines)
{
	const struct {
		const char *name;
		uint64_t value;
	} head[] = {
		{ "slot_ns", t->slot_ns },    { "asked_ns", t->asked_ns },
		{ "start_ms", t->start_ms },  { "slots", t->nr_slots },
		{ "lines", lines->nr_lines }, { "total", lines->total },
		{ "timed", t->weight },	      { "untimed", t->untimed },
	};

	fputs("eddy timeline 1\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(head); i++)
		fprintf(to, "%s %" PRIu64 "\n", head[i].name, head[i].value);
}

void timeline_text_write(FILE *to, const struct timeline *t, const struct writer_lines *lines)
{
	_cleanup_timeline_ struct timeline *own = timeline_copy(t);
	_cleanup_free_ node_id *line_of = xcalloc(lines->nr_nodes, sizeof(*line_of));

	for (size_t n = 0; n < lines->nr_nodes; n++)
		line_of[n] = lines->line[n] ? lines->line[n] : NODE_DROP;
	timeline_move(own, line_of);
	timeline_sort(own);
	write_head(to, own, lines);
	for (size_t i = 0; i < own->nr; i++) {
		const struct timeline_cell *c = &own->cells[i];

		if (!i || c->slot != own->cells[i - 1].slot)
			fprintf(to, "%s%" PRIu32, i ? "\n" : "", c->slot);
		fprintf(to, " %" PRIu32, c->node);
		if (c->weight != 1)
			fprintf(to, "*%" PRIu64, c->weight);
	}
	if (own->nr)
		putc('\n', to);
}
