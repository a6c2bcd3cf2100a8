// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof profiles, of eddy and of others.  A location becomes frames once, a sample is then a list
 * of locations.  In those that eddy wrote names are what folded text has and base frames stand in
 * the stacks; in others whose a stack is is said by labels.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/perf_module.h"
#include "input/perf_stack.h"
#include "input/pprof_code.h"
#include "input/pprof_tables.h"
#include "input/pprof_types.h"
#include "input/reader.h"
#include "profile/foreign_name.h"
#include "util/mem.h"

#define MAX_DIGITS	  21
#define DETECT_FIELDS	  64
#define DETECT_MIN_FIELDS 4

struct pprof_reader {
	struct pprof_tables t;
	struct perf_stack stack;
	size_t type; /* of the values that count */
	uint64_t nr_samples;
	const uint8_t *sample; /* for messages */
};

/* ---- locations ---------------------------------------------------------------------------- */

static int fail_sample(const struct pprof_reader *p, const char *what)
{
	return pprof_fail(&p->t, p->sample, what);
}

/* The name of a line's function: *ret_name is empty where it has none. */
static int line_name(const struct pprof_reader *p, struct protobuf line, struct bytes *ret_name)
{
	enum { FUNCTION = 1, NAME = 2, SYSTEM_NAME = 3 };
	const struct pprof_entry *function;
	struct bytes name = { "", 0 }, system_name = name;
	struct protobuf_field f;
	uint64_t id = 0;
	int r;

	while ((r = protobuf_next(&line, &f)) > 0)
		if (f.number == FUNCTION)
			id = f.value;
	function = id ? pprof_find(&p->t.functions, id) : NULL;
	if (r < 0 || !function)
		return fail_sample(p, "a stack names a function that is not there");
	line = function->message;
	while (protobuf_next(&line, &f) > 0)
		if ((f.number == NAME && !pprof_string(&p->t, f.value, &name)) ||
		    (f.number == SYSTEM_NAME && !pprof_string(&p->t, f.value, &system_name)))
			return fail_sample(p, "a function has a name that is not there");
	*ret_name = name.len ? name : system_name;
	return 0;
}

static frame_id unnamed_frame(struct pprof_reader *p, const struct pprof_code *place,
			      enum frame_origin origin)
{
	const struct perf_frame frame = {
		.addr = place->address,
		.module = place->file,
		.module_offset = place->offset,
		.has_module_offset = place->has_offset && origin == FRAME_USER,
	};
	frame_id id;

	perf_stack_push(&p->stack, &frame);
	id = p->stack.frames[--p->stack.nr];
	return id;
}

/* By a name that eddy wrote. */
static frame_id own_frame(struct pprof_reader *p, struct bytes name, struct bytes module,
			  bool is_inlined)
{
	struct frame_table *frames = profile_frames(p->t.r->into);
	frame_id id = frame_table_add_text(frames, name.at, name.len);
	struct frame f = *frame_table_get(frames, id);

	if (p->t.r->opts.with_modules)
		f.module = frame_table_intern(frames, module.at, module.len);
	if (is_inlined && f.origin == FRAME_USER)
		f.origin = FRAME_INLINED;
	return frame_table_add(frames, &f);
}

static frame_id named_frame(struct pprof_reader *p, const struct pprof_code *place,
			    struct bytes name, bool is_inlined)
{
	struct frame_table *frames = profile_frames(p->t.r->into);
	const struct perf_frame where = { .addr = place->address, .module = place->file };
	struct frame f = { .origin = perf_frame_origin(&where, false) };
	struct bytes module;

	module = perf_module_name(&where, f.origin);
	if (p->t.is_own && name.len)
		return own_frame(p, name, module, is_inlined);
	if (!name.len)
		return unnamed_frame(p, place, f.origin);
	f.module = frame_table_intern(frames, module.at, module.len);
	f.name = foreign_name_intern(frames, name.at, name.len);
	if (is_inlined && f.origin == FRAME_USER)
		f.origin = FRAME_INLINED;
	return frame_table_add(frames, &f);
}

/* Lines are innermost first; all but the last are functions inlined there. */
static int make_frames(struct pprof_reader *p, struct pprof_entry *location)
{
	enum { LINE = 4 };
	struct bytes names[PPROF_MAX_LINES];
	struct protobuf m = location->message;
	struct pprof_code place;
	struct protobuf_field f;
	size_t nr = 0;
	int r = pprof_code_find(&p->t, location, p->sample, &place);

	while (r >= 0 && protobuf_next(&m, &f) > 0) {
		if (f.number != LINE)
			continue;
		if (nr == PPROF_MAX_LINES)
			return fail_sample(p, "a location of more than 256 lines");
		r = line_name(p, f.bytes, &names[nr++]);
	}
	if (r < 0)
		return r;
	if (!nr)
		names[nr++] = (struct bytes){ "", 0 };
	location->frames = xcalloc(nr, sizeof(*location->frames));
	location->nr_frames = nr;
	for (size_t i = 0; i < nr; i++)
		location->frames[i] = named_frame(p, &place, names[i], i + 1 < nr);
	if (p->t.r->opts.with_places)
		location->frames[nr - 1] =
			pprof_code_frame(&p->t, &place, location->frames[nr - 1]);
	return reading_check_nodes(p->t.r, p->nr_samples);
}

/* ---- samples ------------------------------------------------------------------------------ */

/* What labels say of a sample. */
struct labels {
	struct perf_header header;
	char pid[MAX_DIGITS], tid[MAX_DIGITS], cpu[MAX_DIGITS];
};

static void take_number(struct bytes *to, char digits[MAX_DIGITS], uint64_t number)
{
	to->len = snprintf(digits, MAX_DIGITS, "%" PRIu64, number);
	to->at = digits;
}

static int add_label(const struct pprof_reader *p, struct protobuf label, struct labels *l)
{
	struct bytes key = { "", 0 }, text = key;
	struct protobuf_field f;
	uint64_t number = 0;
	int r;

	while ((r = protobuf_next(&label, &f)) > 0) {
		if (f.number == 3)
			number = f.value;
		if ((f.number == 1 && !pprof_string(&p->t, f.value, &key)) ||
		    (f.number == 2 && !pprof_string(&p->t, f.value, &text)))
			r = -EINVAL;
		if (r < 0)
			break;
	}
	if (r < 0)
		return fail_sample(p, "a label that is none, or whose text is not there");
	if (bytes_are(key, "comm"))
		l->header.comm = text;
	else if (bytes_are(key, "pid") && !text.len)
		take_number(&l->header.pid, l->pid, number);
	else if (bytes_are(key, "tid") && !text.len)
		take_number(&l->header.tid, l->tid, number);
	else if (bytes_are(key, "cpu") && !text.len)
		take_number(&l->header.cpu, l->cpu, number);
	return 0;
}

static int add_locations(struct pprof_reader *p, const struct protobuf_field *f)
{
	uint8_t scratch[10];
	struct protobuf ids = protobuf_numbers(f, scratch);
	uint64_t id;
	int r;

	while ((r = protobuf_next_number(&ids, &id)) > 0) {
		struct pprof_entry *location = pprof_find(&p->t.locations, id);

		if (!location)
			return fail_sample(p, "a stack names a location that is not there");
		if (!location->frames)
			r = make_frames(p, location);
		if (r < 0)
			return r;
		perf_stack_push_ids(&p->stack, location->frames, location->nr_frames);
		r = reading_check_more_nodes(p->t.r, p->nr_samples, p->stack.nr);
		if (r < 0)
			return r;
	}
	return r < 0 ? fail_sample(p, "a list of locations that is cut off") : 0;
}

/* The value of the type that counts, where it is among these; *at: how many were before. */
static int find_value(const struct pprof_reader *p, const struct protobuf_field *f, size_t *at,
		      uint64_t *ret_value)
{
	uint8_t scratch[10];
	struct protobuf values = protobuf_numbers(f, scratch);
	uint64_t value;
	int r;

	while ((r = protobuf_next_number(&values, &value)) > 0)
		if ((*at)++ == p->type)
			*ret_value = value;
	return r < 0 ? fail_sample(p, "a list of values that is cut off") : 0;
}

static bool is_in(struct bytes digits, const uint32_t *list, size_t nr)
{
	const uint64_t number = strtoull(digits.at, NULL, 10);

	for (size_t i = 0; i < nr; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* 1, 0: it is not asked for, -EINVAL: it does not say. */
static int is_taken(const struct pprof_reader *p, const struct perf_header *h)
{
	const struct input_opts *o = &p->t.r->opts;

	if (o->nr_pids && !h->pid.len)
		return fail_sample(p, "--pid: the sample has no label pid");
	if (o->nr_tids && !h->tid.len)
		return fail_sample(p, "--tid: the sample has no label tid");
	return (!o->nr_pids || is_in(h->pid, o->pids, o->nr_pids)) &&
	       (!o->nr_tids || is_in(h->tid, o->tids, o->nr_tids));
}

static int count_sample(struct pprof_reader *p, struct labels *l, uint64_t value)
{
	const struct base_frames *root = &p->t.r->opts.root;
	int r = is_taken(p, &l->header);

	if (r <= 0)
		return r;
	if (value > INT64_MAX)
		return fail_sample(p, "a negative value: a difference is no profile");
	if (!value)
		return 0;
	p->nr_samples++;
	if (!l->header.comm.len && (base_frames_have(root, BASE_FRAME_PROCESS) ||
				    base_frames_have(root, BASE_FRAME_THREAD)))
		l->header.comm = (struct bytes){ "?", 1 };
	if (p->t.is_own)
		p->stack.nr_bases = 0;
	else
		perf_stack_set_base(&p->stack, &l->header);
	if (perf_stack_add(&p->stack, value) < 0)
		return diag_set(p->t.r->ret_diag, EOVERFLOW,
				"%s: the values add up to more than 9223372036854775807",
				p->t.r->name);
	return reading_check_nodes(p->t.r, p->nr_samples);
}

static int read_sample(struct pprof_reader *p, const struct protobuf_field *sample)
{
	enum { LOCATION_ID = 1, VALUE = 2, LABEL = 3 };
	struct protobuf m = sample->bytes;
	struct protobuf_field f;
	struct labels labels = { 0 };
	uint64_t value = 0;
	size_t nr_values = 0;
	int r;

	p->sample = sample->begin;
	perf_stack_drop_frames(&p->stack);
	while ((r = protobuf_next(&m, &f)) > 0) {
		if (f.number == LOCATION_ID)
			r = add_locations(p, &f);
		else if (f.number == VALUE)
			r = find_value(p, &f, &nr_values, &value);
		else if (f.number == LABEL)
			r = add_label(p, f.bytes, &labels);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return fail_sample(p, "a sample that is no message");
	if (nr_values != p->t.nr_types)
		return fail_sample(p, "a sample with more or fewer values than there are types");
	return count_sample(p, &labels, value);
}

static int read_samples(struct pprof_reader *p)
{
	struct protobuf m = { p->t.bytes, p->t.bytes + p->t.len };
	struct protobuf_field f;
	int r = 0;

	while (r >= 0 && protobuf_next(&m, &f) > 0)
		if (f.number == PPROF_SAMPLE)
			r = read_sample(p, &f);
	return r;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* What --root asks for and no sample has. */
static int check_root(const struct pprof_reader *p)
{
	const char *need = perf_stack_need(&p->stack);

	if (p->t.is_own || !p->nr_samples || p->stack.nr_unknown != p->nr_samples)
		return 0;
	if (need)
		return diag_set(p->t.r->ret_diag, ENODATA,
				"%s: --root: the samples have no label %s", p->t.r->name, need);
	return diag_set(p->t.r->ret_diag, ENODATA,
			"%s: --root: pprof files of others do not have it", p->t.r->name);
}

static int pprof_read(struct reading *r)
{
	struct pprof_reader p = { 0 };
	int err;

	if (r->opts.by_period)
		return diag_set(r->ret_diag, EINVAL,
				"%s: --by is of perf script text; of pprof --event chooses what is "
				"counted",
				r->name);
	perf_stack_init(&p.stack, r);
	err = pprof_tables_read(&p.t, r);
	if (err >= 0)
		err = pprof_choose_type(&p.t, &p.type);
	if (err >= 0)
		err = read_samples(&p);
	if (err >= 0)
		err = check_root(&p);
	if (err >= 0)
		pprof_tell_unit(&p.t, p.type);
	perf_stack_deinit(&p.stack);
	pprof_tables_deinit(&p.t);
	return err;
}

/* Is the field one that a profile has, and of the kind that it has there? */
static bool is_profile_field(const struct protobuf_field *f)
{
	const uint32_t messages = 1u << PPROF_SAMPLE_TYPE | 1u << PPROF_SAMPLE |
				  1u << PPROF_MAPPING | 1u << PPROF_LOCATION |
				  1u << PPROF_FUNCTION | 1u << PPROF_STRING_TABLE |
				  1u << PPROF_PERIOD_TYPE;

	if (f->number > PPROF_LAST)
		return false;
	return f->number == PPROF_COMMENT || f->is_bytes == (messages >> f->number & 1);
}

static bool has_control(const uint8_t *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (b[i] < '\b')
			return true;
	return false;
}

/*
 * Text has no such control characters, and its letters would be fields of other kinds.  Some
 * writers begin with the empty string or the types of values, which is enough.
 */
static bool pprof_detect(const char *bytes, size_t len)
{
	const uint8_t *b = (const uint8_t *)bytes;
	struct protobuf m = { b, b + len };
	struct protobuf_field f;
	size_t nr = 0;

	if (len < 2)
		return false;
	if (b[0] == 0x32 && b[1] == 0)
		return true;
	if (b[0] == 0x0a && (b[1] == 0 || (len > 2 && (b[2] == 0x08 || b[2] == 0x10))))
		return true;
	while (nr < DETECT_FIELDS && protobuf_next(&m, &f) > 0 && is_profile_field(&f))
		nr++;
	return nr >= DETECT_MIN_FIELDS && has_control(b, len);
}

const struct reader pprof_reader = { "pprof", pprof_detect, pprof_read };
