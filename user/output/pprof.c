// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each message is made and handed to the packer before the next one: strings stand where they are
 * first needed, since readers number them by their order alone.  A location is a node of a small
 * tree: a function that runs, and under it the functions inlined in it, one in the other.
 */
#include "output/pprof.h"

#include <errno.h>
#include <string.h>

#include "output/gzip.h"
#include "output/pprof_labels.h"
#include "output/pprof_mappings.h"
#include "output/protobuf.h"
#include "profile/frame_place.h"
#include "profile/frame_text.h"
#include "util/mem.h"
#include "util/text_escape.h"

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,

	VALUE_TYPE_TYPE = 1,
	VALUE_TYPE_UNIT = 2,

	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,

	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	LINE_LINE = 2,

	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILENAME = 4,
};

struct pprof {
	FILE *to;
	const struct writer_opts *opts;
	struct frame_table *frames;
	struct profile *locations; /* its nodes are the locations; NODE_ROOT is none */
	struct pprof_mappings mappings;
	struct pprof_labels labels;
	frame_id *function; /* by frame: the same without the line, of which there is one */
	bool *is_function;  /* by that: it stands in the file */
	uint64_t nr_strings;
	uint64_t cpu_ns; /* of a sample; 0: there is no such value */
	struct strbuf message, inner, text, packed;
};

static void pprof_deinit(struct pprof *w)
{
	profile_free(w->locations);
	pprof_mappings_deinit(&w->mappings);
	pprof_labels_deinit(&w->labels);
	free(w->function);
	free(w->is_function);
	strbuf_deinit(&w->message);
	strbuf_deinit(&w->inner);
	strbuf_deinit(&w->text);
	strbuf_deinit(&w->packed);
}

/* Writes a field of the profile whose bytes are those of sb. */
static void put_field(struct pprof *w, unsigned int field, const struct strbuf *sb)
{
	strbuf_reset(&w->packed);
	protobuf_add_bytes(&w->packed, field, sb->bytes, sb->len);
	fwrite_unlocked(w->packed.bytes, 1, w->packed.len, w->to);
}

static void put_number(struct pprof *w, unsigned int field, uint64_t value)
{
	strbuf_reset(&w->packed);
	protobuf_add_number(&w->packed, field, value);
	fwrite_unlocked(w->packed.bytes, 1, w->packed.len, w->to);
}

/* Writes a string; its number. */
static uint64_t put_text(void *ctx, const struct strbuf *text)
{
	struct pprof *w = ctx;

	put_field(w, PROFILE_STRING_TABLE, text);
	return w->nr_strings++;
}

static uint64_t put_string(struct pprof *w, const char *s)
{
	strbuf_reset(&w->text);
	strbuf_addstr(&w->text, s);
	return put_text(w, &w->text);
}

static void put_value_type(struct pprof *w, unsigned int field, uint64_t type, uint64_t unit)
{
	strbuf_reset(&w->message);
	protobuf_add_number(&w->message, VALUE_TYPE_TYPE, type);
	protobuf_add_number(&w->message, VALUE_TYPE_UNIT, unit);
	put_field(w, field, &w->message);
}

static void put_header(struct pprof *w)
{
	const struct writer_facts *facts = &w->opts->facts;
	uint64_t none = put_string(w, ""), count = put_string(w, "count"), unit, type;
	const char *event = *facts->event ? facts->event : "events";

	(void)none; /* string 0 is "" in every file */
	type = put_string(w, facts->is_weighed || facts->is_time ? event : "samples");
	unit = facts->is_time ? put_string(w, "microseconds") : count;
	put_value_type(w, PROFILE_SAMPLE_TYPE, type, unit);
	if (w->cpu_ns) {
		type = put_string(w, "cpu");
		unit = put_string(w, "nanoseconds");
		put_value_type(w, PROFILE_SAMPLE_TYPE, type, unit);
		put_value_type(w, PROFILE_PERIOD_TYPE, type, unit);
		put_number(w, PROFILE_PERIOD, w->cpu_ns);
	} else if (facts->period) {
		put_value_type(w, PROFILE_PERIOD_TYPE, put_string(w, event), count);
		put_number(w, PROFILE_PERIOD, facts->period);
	}
	put_number(w, PROFILE_DEFAULT_SAMPLE_TYPE, type);
	put_number(w, PROFILE_TIME_NANOS, facts->start_ns);
	put_number(w, PROFILE_DURATION_NANOS, facts->duration_ns);
	put_number(w, PROFILE_COMMENT, put_string(w, "eddy " EDDY_VERSION));
}

/* ---- locations ----------------------------------------------------------------------------- */

/* May the frame be a line of its caller's location? */
static bool is_inlined(const struct pprof *w, const struct profile *p, node_id n)
{
	node_id parent = profile_parent(p, n);

	return parent != NODE_ROOT &&
	       frame_table_get(w->frames, profile_frame(p, n))->origin == FRAME_INLINED &&
	       frame_table_get(w->frames, profile_frame(p, parent))->origin != FRAME_BASE;
}

/* The location of each node of p; free() it. */
static node_id *find_locations(struct pprof *w, const struct profile *p)
{
	size_t nr = profile_nr_nodes(p);
	node_id *at = xcalloc(nr, sizeof(*at));

	if (profile_self(p, NODE_ROOT)) /* "[empty]" */
		at[NODE_ROOT] = profile_child(w->locations, NODE_ROOT, FRAME_NONE);
	for (node_id n = 1; n < nr; n++)
		at[n] = profile_child(w->locations,
				      is_inlined(w, p, n) ? at[profile_parent(p, n)] : NODE_ROOT,
				      profile_frame(p, n));
	return at;
}

/*
 * What a line of a location says need not be said of the function, which is one wherever it is
 * inlined.  Without places, inlined functions are joined with their own before.
 */
static bool is_line(const struct pprof *w, const struct frame *f)
{
	return f->origin == FRAME_INLINED && frame_table_has_places(w->frames);
}

/* Lines of one file in one function are one function of the format. */
static void find_functions(struct pprof *w)
{
	size_t nr = profile_nr_nodes(w->locations);

	w->function = xcalloc(frame_table_nr(w->frames), sizeof(*w->function));
	for (node_id n = 1; n < nr; n++) {
		const frame_id frame = profile_frame(w->locations, n);
		struct frame f;

		if (w->function[frame])
			continue;
		f = *frame_table_get(w->frames, frame_function(w->frames, frame));
		f.line = 0;
		w->function[frame] = frame_table_add(w->frames, &f);
	}
	w->is_function = xcalloc(frame_table_nr(w->frames), sizeof(*w->is_function));
}

static void put_function(struct pprof *w, frame_id frame)
{
	const struct frame *f = frame_table_get(w->frames, frame);
	uint64_t name, system_name, file = 0;
	size_t len;

	if (w->is_function[frame])
		return;
	w->is_function[frame] = true;
	strbuf_reset(&w->text);
	frame_text_add_function(&w->text, w->frames, frame, w->opts->no_annotate || is_line(w, f));
	name = system_name = put_text(w, &w->text);
	if (f->shown) { /* demangled: what it is called in its file */
		const char *raw = frame_table_str(w->frames, f->name, &len);

		strbuf_reset(&w->text);
		text_escape(&w->text, raw, len);
		system_name = put_text(w, &w->text);
	}
	if (f->file) {
		strbuf_reset(&w->text);
		frame_text_add_file(&w->text, w->frames, frame);
		file = put_text(w, &w->text);
	}
	strbuf_reset(&w->message);
	protobuf_add_number(&w->message, FUNCTION_ID, (uint64_t)frame + 1);
	protobuf_add_number(&w->message, FUNCTION_NAME, name);
	protobuf_add_number(&w->message, FUNCTION_SYSTEM_NAME, system_name);
	protobuf_add_number(&w->message, FUNCTION_FILENAME, file);
	put_field(w, PROFILE_FUNCTION, &w->message);
}

/* Lines are the functions from the innermost inlined one to that which they are inlined in. */
static void put_location(struct pprof *w, node_id location)
{
	node_id n = location, outermost = location;
	struct pprof_place place;

	for (; n != NODE_ROOT; n = profile_parent(w->locations, n)) {
		put_function(w, w->function[profile_frame(w->locations, n)]);
		outermost = n;
	}
	place = pprof_mappings_place(&w->mappings, w->frames,
				     profile_frame(w->locations, outermost));
	strbuf_reset(&w->message);
	protobuf_add_number(&w->message, LOCATION_ID, location);
	protobuf_add_number(&w->message, LOCATION_MAPPING_ID, place.mapping);
	protobuf_add_number(&w->message, LOCATION_ADDRESS, place.address);
	for (n = location; n != NODE_ROOT; n = profile_parent(w->locations, n)) {
		const frame_id frame = profile_frame(w->locations, n);

		strbuf_reset(&w->inner);
		protobuf_add_number(&w->inner, LINE_FUNCTION_ID, (uint64_t)w->function[frame] + 1);
		protobuf_add_number(&w->inner, LINE_LINE, frame_table_get(w->frames, frame)->line);
		protobuf_add_bytes(&w->message, LOCATION_LINE, w->inner.bytes, w->inner.len);
	}
	put_field(w, PROFILE_LOCATION, &w->message);
}

static void put_mapping(struct pprof *w, size_t i)
{
	uint64_t name, build_id = 0;

	pprof_mappings_name(&w->mappings, i, w->frames, &w->text);
	name = put_text(w, &w->text);
	if (pprof_mappings_build_id(&w->mappings, i, w->frames, &w->text))
		build_id = put_text(w, &w->text);
	strbuf_reset(&w->message);
	pprof_mappings_add(&w->mappings, i, name, build_id, &w->message);
	put_field(w, PROFILE_MAPPING, &w->message);
}

static void put_locations(struct pprof *w)
{
	size_t nr = profile_nr_nodes(w->locations);

	find_functions(w);
	for (node_id n = 1; n < nr; n++) /* lines are where their location is */
		if (profile_parent(w->locations, n) == NODE_ROOT)
			pprof_mappings_use(&w->mappings, w->frames, profile_frame(w->locations, n));
	for (size_t i = 0; i < w->mappings.nr; i++)
		put_mapping(w, i);
	for (node_id n = 1; n < nr; n++)
		put_location(w, n);
}

/* ---- samples ------------------------------------------------------------------------------- */

/* One side of a difference, or all there is. */
struct part {
	const struct profile *p;
	bool is_base; /* of a difference: what is taken away */
};

/* The frames that a stack begins with, the outermost first. */
struct beginning {
	frame_id frames[BASE_FRAMES_MAX];
	size_t nr;
};

static void beginning_push(struct beginning *b, frame_id outermost)
{
	b->nr += b->nr < BASE_FRAMES_MAX;
	memmove(b->frames + 1, b->frames, (b->nr - 1) * sizeof(*b->frames));
	b->frames[0] = outermost;
}

/* Adds location_id, leaf first. */
static void add_stack(struct pprof *w, const struct part *part, const node_id *at, node_id node,
		      struct beginning *ret_beginning)
{
	struct beginning b = { .nr = 0 };

	strbuf_reset(&w->inner);
	if (node == NODE_ROOT)
		protobuf_add_varint(&w->inner, at[NODE_ROOT]);
	for (node_id n = node; n != NODE_ROOT; n = profile_parent(part->p, n)) {
		protobuf_add_varint(&w->inner, at[n]);
		while (is_inlined(w, part->p, n)) /* a line of the location above */
			n = profile_parent(part->p, n);
		beginning_push(&b, profile_frame(part->p, n));
	}
	if (!b.nr)
		beginning_push(&b, profile_frame(part->p, NODE_ROOT));
	protobuf_add_bytes(&w->message, SAMPLE_LOCATION_ID, w->inner.bytes, w->inner.len);
	*ret_beginning = b;
}

static void put_sample(struct pprof *w, const struct part *part, const node_id *at, node_id node)
{
	uint64_t weight = profile_self(part->p, node);
	const struct strbuf *labels;
	struct beginning b;

	if (part->is_base)
		weight = -weight;
	strbuf_reset(&w->message);
	add_stack(w, part, at, node, &b);
	strbuf_reset(&w->inner);
	protobuf_add_varint(&w->inner, weight);
	if (w->cpu_ns)
		protobuf_add_varint(&w->inner, weight * w->cpu_ns);
	protobuf_add_bytes(&w->message, SAMPLE_VALUE, w->inner.bytes, w->inner.len);
	labels = pprof_labels_of(&w->labels, w->frames, b.frames, b.nr);
	strbuf_add(&w->message, labels->bytes, labels->len);
	if (part->is_base)
		pprof_labels_add_base(&w->labels, &w->message);
	put_field(w, PROFILE_SAMPLE, &w->message);
}

static void put_samples(struct pprof *w, const struct part *part, const node_id *at)
{
	for (node_id n = 0; n < profile_nr_nodes(part->p); n++)
		if (profile_self(part->p, n))
			put_sample(w, part, at, n);
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Time of a sample, where the sum of all is a number of the format. */
static uint64_t find_cpu_ns(const struct part *parts, size_t nr, const struct writer_opts *opts)
{
	uint64_t ns;

	for (size_t i = 0; i < nr; i++)
		if (__builtin_mul_overflow(profile_total(parts[i].p), opts->facts.period_ns, &ns) ||
		    ns > INT64_MAX)
			return 0;
	return opts->facts.period_ns;
}

static void write_parts(FILE *to, const struct part *parts, size_t nr,
			const struct writer_opts *opts)
{
	__attribute__((cleanup(pprof_deinit))) struct pprof w = {
		.to = to,
		.opts = opts,
		.frames = profile_frames(parts[0].p),
		.locations = profile_new(profile_frames(parts[0].p)),
		.cpu_ns = find_cpu_ns(parts, nr, opts),
		.message = STRBUF_INIT,
		.inner = STRBUF_INIT,
		.text = STRBUF_INIT,
		.packed = STRBUF_INIT,
	};
	_cleanup_free_ node_id *first = find_locations(&w, parts[0].p);
	_cleanup_free_ node_id *second = nr > 1 ? find_locations(&w, parts[1].p) : NULL;

	put_header(&w);
	pprof_labels_init(&w.labels, opts, SAMPLE_LABEL, put_text, &w);
	put_locations(&w);
	put_samples(&w, &parts[0], first);
	if (nr > 1)
		put_samples(&w, &parts[1], second);
}

static int write_packed(FILE *to, const struct part *parts, size_t nr,
			const struct writer_opts *opts, struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *packed = gzip_stream_new_single(to, GZIP_LEVEL);

	if (!packed)
		return diag_set(ret_diag, ENOMEM, "gzip does not start");
	write_parts(packed, parts, nr, opts);
	return 0;
}

static int pprof_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
		       struct diag *ret_diag)
{
	const struct part all = { .p = p };

	return write_packed(to, &all, 1, opts, ret_diag);
}

int pprof_write_diff(FILE *to, const struct profile *before, const struct profile *after,
		     const struct writer_opts *opts, struct diag *ret_diag)
{
	const struct part parts[] = { { .p = after }, { .p = before, .is_base = true } };

	return write_packed(to, parts, 2, opts, ret_diag);
}

const struct writer pprof_writer = { "pprof", ".pb.gz .pprof", pprof_write };
