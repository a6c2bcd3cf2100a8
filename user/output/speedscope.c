// SPDX-License-Identifier: GPL-2.0-or-later
/* Written as it goes: nothing of the size of the file is ever in memory. */
#include "output/speedscope.h"

#include <errno.h>
#include <inttypes.h>

#include "profile/frame_text.h"
#include "util/json.h"
#include "util/mem.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct speedscope {
	FILE *to;
	const struct profile *p;
	const struct writer_opts *opts;
	uint32_t *number; /* of each frame in the file, from 1; 0: not used */
	frame_id *frames; /* used ones by number */
	uint32_t nr_frames;
	uint64_t weight_of_one;
};

static void use_frame(struct speedscope *s, frame_id frame)
{
	if (s->number[frame])
		return;
	s->frames[s->nr_frames] = frame;
	s->number[frame] = ++s->nr_frames;
}

/* The frames in the order in which stacks hold them, a stack without frames "[empty]". */
static void number_frames(struct speedscope *s)
{
	if (profile_self(s->p, NODE_ROOT))
		use_frame(s, FRAME_NONE);
	for (node_id n = 1; n < profile_nr_nodes(s->p); n++)
		use_frame(s, profile_frame(s->p, n));
}

static void put_frames(const struct speedscope *s)
{
	const struct frame_table *frames = profile_frames(s->p);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t len;

	for (uint32_t i = 0; i < s->nr_frames; i++) {
		const struct frame *f = frame_table_get(frames, s->frames[i]);
		const char *file = frame_table_str(frames, f->file ?: f->module, &len);

		strbuf_reset(&text);
		frame_text_add_function(&text, frames, s->frames[i], s->opts->no_annotate);
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", s->to);
		json_write_string(s->to, text.bytes, text.len);
		if (len) {
			fputs(",\"file\":", s->to);
			json_write_string(s->to, file, len);
		}
		if (f->line)
			fprintf(s->to, ",\"line\":%" PRIu32, f->line);
		putc('}', s->to);
	}
}

static void put_stack(const struct speedscope *s, node_id node)
{
	_cleanup_free_ node_id *path = NULL;
	size_t depth = profile_chain(s->p, node, &path);

	if (!depth)
		fprintf(s->to, "[%" PRIu32 "]", s->number[FRAME_NONE] - 1);
	for (size_t i = 0; i < depth; i++)
		fprintf(s->to, "%c%" PRIu32, i ? ',' : '[',
			s->number[profile_frame(s->p, path[i])] - 1);
	if (depth)
		putc(']', s->to);
}

static void put_stacks(const struct speedscope *s)
{
	const char *before = "\n";

	for (node_id n = 0; n < profile_nr_nodes(s->p); n++) {
		if (!profile_self(s->p, n))
			continue;
		fputs(before, s->to);
		put_stack(s, n);
		before = ",\n";
	}
}

static void put_weights(const struct speedscope *s)
{
	const char *before = "";

	for (node_id n = 0; n < profile_nr_nodes(s->p); n++) {
		if (!profile_self(s->p, n))
			continue;
		fprintf(s->to, "%s%" PRIu64, before, profile_self(s->p, n) * s->weight_of_one);
		before = ",\n";
	}
}

static int speedscope_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
			    struct diag *ret_diag)
{
	size_t nr = frame_table_nr(profile_frames(p));
	_cleanup_free_ uint32_t *number = xcalloc(nr, sizeof(*number));
	_cleanup_free_ frame_id *frames = xcalloc(nr, sizeof(*frames));
	struct speedscope s = { to, p, opts, number, frames, 0, 1 };
	uint64_t end = profile_total(p);
	const char *unit = "none";

	/* Beyond 2^63 ns its counts say more than a time that is wrong. */
	if (opts->facts.period_ns && !__builtin_mul_overflow(end, opts->facts.period_ns, &end) &&
	    end <= INT64_MAX) {
		s.weight_of_one = opts->facts.period_ns;
		unit = "nanoseconds";
	} else {
		end = profile_total(p);
		unit = opts->facts.is_time ? "microseconds" : unit;
	}
	number_frames(&s);
	fputs("{\"$schema\":\"" SCHEMA "\",\n\"exporter\":\"eddy " EDDY_VERSION "\",\n"
	      "\"shared\":{\"frames\":[",
	      to);
	put_frames(&s);
	fprintf(to,
		"]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"eddy\",\"unit\":\"%s\",\n"
		"\"startValue\":0,\"endValue\":%" PRIu64 ",\n\"samples\":[",
		unit, end);
	put_stacks(&s);
	fputs("],\n\"weights\":[", to);
	put_weights(&s);
	fputs("]}]}\n", to);
	return 0;
}

const struct writer speedscope_writer = { "speedscope", ".speedscope.json .json",
					  speedscope_write };
