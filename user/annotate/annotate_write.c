// SPDX-License-Identifier: GPL-2.0-or-later
/* Places that samples are at, and the code around them, put together row by row. */
#include <stdlib.h>

#include "annotate/annotate_code.h"
#include "profile/frame_text.h"
#include "util/mem.h"

struct listing {
	struct annotation_row *rows;
	size_t nr, cap;
	char **targets; /* to be freed */
	size_t nr_targets, cap_targets;
};

static void listing_deinit(struct listing *l)
{
	for (size_t i = 0; i < l->nr_targets; i++)
		free(l->targets[i]);
	free(l->targets);
	free(l->rows);
}

static struct annotation_row *add_row(struct listing *l, uint64_t address, uint64_t samples)
{
	array_reserve(l->rows, l->cap, l->nr + 1);
	l->rows[l->nr] =
		(struct annotation_row){ .address = address, .samples = samples, .file = "" };
	return &l->rows[l->nr++];
}

static const char *name_target(struct code_finder *finder, const struct found_code *found,
			       uint64_t target, struct listing *l)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	code_finder_name(finder, found, target, &name);
	if (!name.len)
		return NULL;
	array_reserve(l->targets, l->cap_targets, l->nr_targets + 1);
	l->targets[l->nr_targets] = strbuf_detach(&name);
	return l->targets[l->nr_targets++];
}

/* Interrupts come in behind popf, and, behind sti, when one more instruction is done. */
static bool is_landing(const struct disassembly *d, size_t i)
{
	return (i && (d->insns[i - 1].kind == CODE_ENABLE || d->insns[i - 1].kind == CODE_STI)) ||
	       (i > 1 && d->insns[i - 2].kind == CODE_STI);
}

static void add_insn(struct code_finder *finder, const struct found_code *found, size_t i,
		     uint64_t samples, struct listing *l)
{
	const struct function_code *code = &found->code;
	const struct code_insn *insn = &code->code->insns[i];
	struct annotation_row *row = add_row(l, insn->address, samples);

	row->text = disassembly_text(code->code, insn);
	row->file = function_code_line(code, i, &row->line);
	row->is_landing = found->is_kernel && is_landing(code->code, i);
	if (insn->kind == CODE_JUMP && insn->target >= code->start && insn->target < code->end)
		row->jump = insn->target;
	else if (insn->target)
		row->target = name_target(finder, found, insn->target, l);
}

/* Instructions, and between them samples at what is none. */
static void add_rows(struct code_finder *finder, const struct hot_code *hot, size_t first,
		     const struct found_code *found, struct listing *l)
{
	const struct disassembly *d = found->code.code;
	size_t at = first;

	for (size_t i = 0; d && i < d->nr; i++) {
		uint64_t samples = 0;

		for (; at < first + found->nr && found->addresses[at] < d->insns[i].address; at++)
			add_row(l, found->addresses[at], hot->places[at].samples);
		if (at < first + found->nr && found->addresses[at] == d->insns[i].address)
			samples = hot->places[at++].samples;
		add_insn(finder, found, i, samples, l);
	}
	for (; at < first + found->nr; at++)
		add_row(l, found->addresses[at], hot->places[at].samples);
}

static const char *module_of(const struct frame_table *frames, const struct hot_code *hot)
{
	const str_id module = frame_table_get(frames, hot->function)->module;

	if (hot->path)
		return frame_table_str(frames, hot->path, NULL);
	if (module)
		return frame_table_str(frames, module, NULL);
	return frame_table_get(frames, hot->function)->origin == FRAME_KERNEL ? "[kernel]" : "?";
}

/* Where they go, and how many functions did. */
struct sink {
	FILE *out;
	size_t nr;
};

static void write_one(const struct annotate_write_opts *opts, struct sink *to,
		      const struct annotation *annotation)
{
	if (opts->is_tsv) {
		annotation_tsv_write(to->out, annotation, &opts->rows);
		return;
	}
	if (to->nr++)
		putc('\n', to->out);
	annotation_text_write(to->out, annotation, &opts->rows);
}

/* All functions that one of the codes is; placeless samples are told with the first. */
static void write_code(const struct annotate_write_opts *opts, struct code_finder *finder,
		       const struct profile *p, const struct hot_code *hot, struct sink *to)
{
	const struct frame_table *frames = profile_frames(p);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	size_t first = 0;

	frame_text_add_function(&name, frames, hot->function, false);
	do {
		_cleanup_found_code_ struct found_code found = { .code = FUNCTION_CODE_INIT };
		__attribute__((cleanup(listing_deinit))) struct listing l = { 0 };
		struct annotation annotation = {
			.name = name.bytes,
			.module = module_of(frames, hot),
			.total = profile_total(p),
			.placeless = first ? 0 : hot->placeless,
			.is_timer = opts->is_clock,
		};

		code_finder_find(finder, frames, hot, first, &found);
		add_rows(finder, hot, first, &found, &l);
		annotation.rows = l.rows;
		annotation.nr = l.nr;
		annotation.start = found.code.code ? found.code.start : 0;
		annotation.why = found.code.code ? NULL : found.why.text;
		annotation.samples = annotation.placeless;
		for (size_t i = 0; i < found.nr; i++)
			annotation.samples += hot->places[first + i].samples;
		write_one(opts, to, &annotation);
		first += found.nr;
	} while (first < hot->nr);
}

void annotate_write(FILE *out, struct code_finder *finder, const struct profile *p,
		    const struct hot_codes *codes, const struct annotate_write_opts *opts)
{
	struct sink to = { .out = out };

	if (opts->is_tsv)
		annotation_tsv_header(out);
	for (size_t i = 0; i < codes->nr; i++)
		write_code(opts, finder, p, &codes->codes[i], &to);
}
