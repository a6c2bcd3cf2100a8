// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are compressed: "(id) name" the first time, "(id)" afterwards.  A function's identity for
 * the readers is its object, its file and its name, so functions that print alike (two static
 * functions of one file) get their address behind the name.  Where lines are known, each line of a
 * function is written as a block of its own, and readers add them up.
 */
#include "output/callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/strbuf.h"
#include "util/text_escape.h"

struct callgrind {
	FILE *out;
	const struct graph_view *view;
	uint32_t *id;	  /* of each function: the first one that is the same but for its line */
	bool *is_named;	  /* by id: its name stands in the file */
	bool *has_double; /* by id: another one prints like it */
	bool has_lines;
	uint32_t *file; /* of each string: number in the file, 0: none */
	uint32_t nr_files;
	uint32_t
		*object; /* of each module string id + 1, OBJECT_...: number in the file, 0: none */
	uint32_t nr_objects;
};

#define NO_FILE 1 /* "???" */

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

static void put_file(struct callgrind *cg, const char *key, uint32_t f)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const struct frame *frame = frame_table_get(cg->view->frames, f);

	if (!cg->has_lines)
		return;
	if (!frame->file || cg->file[frame->file]) {
		fprintf(cg->out, "%s=(%u)\n", key, frame->file ? cg->file[frame->file] : NO_FILE);
		return;
	}
	cg->file[frame->file] = ++cg->nr_files;
	frame_text_add_file(&name, cg->view->frames, f);
	fprintf(cg->out, "%s=(%u) %s\n", key, cg->nr_files, name.bytes);
}

/* How its keys are called. */
struct function_keys {
	const char *object, *file, *name;
};

static const struct function_keys keys_of_function = { "ob", "fl", "fn" },
				  keys_of_callee = { "cob", "cfi", "cfn" };

static void put_function(struct callgrind *cg, const struct function_keys *keys, uint32_t f)
{
	const struct frame *frame = frame_table_get(cg->view->frames, f);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const uint32_t id = cg->id[f];

	put_object(cg, keys->object, frame);
	put_file(cg, keys->file, f);
	if (cg->is_named[id]) {
		fprintf(cg->out, "%s=(%u)\n", keys->name, id);
		return;
	}
	cg->is_named[id] = true;
	frame_text_add_function(&name, cg->view->frames, f, false);
	fprintf(cg->out, "%s=(%u) %s", keys->name, id, name.bytes);
	if (cg->has_double[id] && frame->is_raw)
		fprintf(cg->out, " @%u", id);
	else if (cg->has_double[id])
		fprintf(cg->out, " @0x%" PRIx64, frame->start);
	putc('\n', cg->out);
}

static uint32_t line_of(const struct callgrind *cg, uint32_t f)
{
	return f < cg->view->graph->nr_functions ? frame_table_get(cg->view->frames, f)->line : 0;
}

static void put_call(struct callgrind *cg, const struct graph_arc *arc)
{
	put_function(cg, &keys_of_callee, arc->callee);
	fprintf(cg->out, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n", arc->frames,
		line_of(cg, arc->callee), line_of(cg, arc->caller), arc->inclusive);
}

static void put_calls(struct callgrind *cg, uint32_t f)
{
	const struct graph *g = cg->view->graph;

	for (uint32_t i = g->out_start[f]; i < g->out_start[f + 1]; i++)
		put_call(cg, &g->arcs[g->out_arc[i]]);
	putc('\n', cg->out);
}

static void find_ids(struct callgrind *cg)
{
	const struct graph_view *v = cg->view;
	uint32_t nr = v->graph->nr_functions;
	_cleanup_free_ frame_id *functions = xcalloc(nr, sizeof(*functions));
	_cleanup_free_ uint32_t *first = NULL;

	for (uint32_t f = 1; f < nr; f++)
		if (graph_has(v->graph, f)) {
			cg->has_lines |= frame_table_get(v->frames, f)->file != 0;
			functions[f] = frame_table_without_line(v->frames, f);
		}
	first = xcalloc(frame_table_nr(v->frames), sizeof(*first));
	for (uint32_t f = 1; f < nr; f++) {
		if (!graph_has(v->graph, f))
			continue;
		if (!first[functions[f]])
			first[functions[f]] = f;
		cg->id[f] = first[functions[f]];
	}
}

struct named {
	uint32_t id;
	size_t at;
	const char *name;
};

static int named_cmp(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Functions in the order of their names: those that print alike are neighbours. */
static void find_doubles(struct callgrind *cg)
{
	uint32_t nr = cg->view->graph->nr_functions;
	_cleanup_free_ struct named *named = xcalloc(nr, sizeof(*named));
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t nr_named = 0;

	for (uint32_t f = 1; f < nr; f++) {
		if (cg->id[f] != f)
			continue;
		named[nr_named++] = (struct named){ .id = f, .at = text.len };
		frame_text_add_function(&text, cg->view->frames, f, false);
		strbuf_addch(&text, '\0');
	}
	for (size_t i = 0; i < nr_named; i++)
		named[i].name = text.bytes + named[i].at;
	qsort(named, nr_named, sizeof(*named), named_cmp);
	for (size_t i = 1; i < nr_named; i++)
		if (!named_cmp(&named[i - 1], &named[i]))
			cg->has_double[named[i - 1].id] = cg->has_double[named[i].id] = true;
}

/* One more than the largest number of a string that is a module or a file. */
static size_t nr_strings(const struct graph_view *v)
{
	str_id largest = 0;

	for (uint32_t i = 0; i < v->nr_functions; i++) {
		const struct frame *frame = frame_table_get(v->frames, v->functions[i]);

		if (frame->module > largest)
			largest = frame->module;
		if (frame->file > largest)
			largest = frame->file;
	}
	return (size_t)largest + 1;
}

void callgrind_write(FILE *out, const struct graph_view *v, const struct graph_opts *opts)
{
	uint32_t nr = v->graph->nr_functions;
	_cleanup_free_ uint32_t *id = xcalloc(nr, sizeof(*id));
	_cleanup_free_ bool *is_named = xcalloc(nr, sizeof(*is_named));
	_cleanup_free_ bool *has_double = xcalloc(nr, sizeof(*has_double));
	_cleanup_free_ uint32_t *object = xcalloc(NR_OBJECTS + nr_strings(v), sizeof(*object));
	_cleanup_free_ uint32_t *file = xcalloc(nr_strings(v), sizeof(*file));
	struct callgrind cg = {
		.out = out,
		.view = v,
		.id = id,
		.is_named = is_named,
		.has_double = has_double,
		.object = object,
		.file = file,
		.nr_files = NO_FILE,
	};

	find_ids(&cg);
	find_doubles(&cg);
	fprintf(out,
		"# callgrind format\nversion: 1\ncreator: eddy " EDDY_VERSION "\n"
		"positions: line\nevents: Samples\nsummary: %" PRIu64 "\n\n",
		v->total);
	put_object(&cg, "ob", frame_table_get(v->frames, FRAME_NONE));
	fprintf(out, "fl=(%d) ???\nfn=(%u) !all\n0 0\n", NO_FILE, nr);
	put_calls(&cg, GRAPH_NOBODY);
	for (uint32_t i = 0; i < v->nr_functions; i++) {
		uint32_t f = v->functions[i];

		put_function(&cg, &keys_of_function, f);
		fprintf(out, "%u %" PRIu64 "\n", line_of(&cg, f), v->graph->functions[f].self);
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
