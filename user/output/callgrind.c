// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are compressed: "(id) name" the first time, "(id)" afterwards.  A function's identity for
 * the readers is its object and its name, so functions that print alike (two static functions of
 * one file) get their address behind the name.
 */
#include "output/callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "util/mem.h"
#include "util/text_escape.h"

struct callgrind {
	FILE *out;
	const struct graph_view *view;
	bool *is_named;	  /* functions whose name stands in the file */
	bool *has_double; /* functions that another one prints like */
	uint32_t
		*object; /* of each module string id + 1, OBJECT_...: number in the file, 0: none */
	uint32_t nr_objects;
};

/* Objects of functions without a module of their own. */
enum { OBJECT_UNKNOWN, OBJECT_KERNEL, OBJECT_JIT, NR_OBJECTS };

static const char *const object_names[] = { "???", "[kernel]", "[jit]" };

static void put_object(struct callgrind *cg, const char *key, const struct frame *frame)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint32_t slot = OBJECT_UNKNOWN;
	size_t len;
	const char *module;

	if (frame->module)
		slot = NR_OBJECTS + frame->module;
	else if (frame->origin == FRAME_KERNEL)
		slot = OBJECT_KERNEL;
	else if (frame->origin == FRAME_JIT)
		slot = OBJECT_JIT;
	if (cg->object[slot]) {
		fprintf(cg->out, "%s=(%u)\n", key, cg->object[slot]);
		return;
	}
	cg->object[slot] = ++cg->nr_objects;
	if (frame->module) {
		module = frame_table_str(cg->view->frames, frame->module, &len);
		text_escape(&name, module, len);
	} else {
		strbuf_addstr(&name, object_names[slot]);
	}
	fprintf(cg->out, "%s=(%u) %s\n", key, cg->object[slot], name.bytes);
}

/* "ob=" and "fn=", or "cob=" and "cfn=". */
static void put_function(struct callgrind *cg, const char *object_key, const char *key, uint32_t f)
{
	const struct frame *frame = frame_table_get(cg->view->frames, f);

	put_object(cg, object_key, frame);
	if (cg->is_named[f]) {
		fprintf(cg->out, "%s=(%u)\n", key, f);
		return;
	}
	cg->is_named[f] = true;
	fprintf(cg->out, "%s=(%u) %s", key, f, cg->view->names[f]);
	if (cg->has_double[f])
		fprintf(cg->out, " @0x%" PRIx64, frame->start);
	putc('\n', cg->out);
}

static void put_call(struct callgrind *cg, const struct graph_arc *arc)
{
	put_function(cg, "cob", "cfn", arc->callee);
	fprintf(cg->out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n", arc->frames, arc->inclusive);
}

static void put_calls(struct callgrind *cg, uint32_t f)
{
	const struct graph *g = cg->view->graph;

	for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++)
		put_call(cg, &g->arcs[g->out_arc[i]]);
	putc('\n', cg->out);
}

/* Functions in the order of their names: those that print alike are neighbours. */
static void find_doubles(struct callgrind *cg)
{
	const struct graph_view *v = cg->view;
	uint32_t nr = v->graph->nr_functions;
	_cleanup_free_ uint32_t *by_rank = xcalloc(nr, sizeof(*by_rank));
	uint32_t before = 0;

	for (uint32_t f = 1; f < nr; f++)
		if (graph_has(v->graph, f))
			by_rank[graph_rank(v->graph, f)] = f;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t f = by_rank[i];

		if (!f)
			continue;
		if (before && !strcmp(v->names[before], v->names[f]))
			cg->has_double[before] = cg->has_double[f] = true;
		before = f;
	}
}

/* The largest number of a module string, for the table of objects. */
static size_t nr_modules(const struct graph_view *v)
{
	str_id largest = 0;

	for (uint32_t i = 0; i < v->nr_functions; i++) {
		const struct frame *frame = frame_table_get(v->frames, v->functions[i]);

		if (frame->module > largest)
			largest = frame->module;
	}
	return (size_t)largest + 1;
}

void callgrind_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	uint32_t nr = v->graph->nr_functions;
	_cleanup_free_ bool *is_named = xcalloc(nr, sizeof(*is_named));
	_cleanup_free_ bool *has_double = xcalloc(nr, sizeof(*has_double));
	_cleanup_free_ uint32_t *object = xcalloc(NR_OBJECTS + nr_modules(v), sizeof(*object));
	struct callgrind cg = {
		.out = out,
		.view = v,
		.is_named = is_named,
		.has_double = has_double,
		.object = object,
	};

	find_doubles(&cg);
	fprintf(out,
		"# callgrind format\nversion: 1\ncreator: eddy " EDDY_VERSION "\n"
		"positions: line\nevents: Samples\nsummary: %" PRIu64 "\n\n",
		v->total);
	put_object(&cg, "ob", frame_table_get(v->frames, FRAME_NONE));
	fprintf(out, "fl=(1) ???\nfn=(%u) !all\n0 0\n", nr);
	put_calls(&cg, GRAPH_NOBODY);
	for (uint32_t i = 0; i < v->nr_functions; i++) {
		uint32_t f = v->functions[i];

		put_function(&cg, "ob", "fn", f);
		fprintf(out, "0 %" PRIu64 "\n", v->graph->functions[f].self);
		put_calls(&cg, f);
	}
	fprintf(out, "totals: %" PRIu64 "\n", v->total);
}

static int write_profile(FILE *to, const struct profile *p, const struct writer_opts *opts,
			 struct diag *ret_diag)
{
	return graph_view_write(to, p, callgrind_write, ret_diag);
}

const struct writer callgrind_writer = {
	.name = "callgrind",
	.suffixes = ".callgrind",
	.write = write_profile,
};
