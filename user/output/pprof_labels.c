// SPDX-License-Identifier: GPL-2.0-or-later
/* A label is made once for each base frame: there are few, and many samples. */
#include "output/pprof_labels.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/irq.h"
#include "output/protobuf.h"
#include "util/mem.h"
#include "util/text_escape.h"

enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_NUM_UNIT = 4 };

void pprof_labels_init(struct pprof_labels *l, const struct writer_opts *opts, unsigned int field,
		       pprof_put_text_fn put, void *ctx)
{
	*l = (struct pprof_labels){
		.field = field,
		.root = opts->root,
		.nr_bases = opts->nr_bases,
		.is_split = opts->is_split,
		.put = put,
		.ctx = ctx,
		.text = STRBUF_INIT,
		.inner = STRBUF_INIT,
		.of_stack = STRBUF_INIT,
	};
}

void pprof_labels_deinit(struct pprof_labels *l)
{
	for (size_t i = 0; i < l->cap_frames; i++)
		if (l->of_frame[i].bytes)
			strbuf_deinit(&l->of_frame[i]);
	free(l->of_frame);
	if (l->put) {
		strbuf_deinit(&l->text);
		strbuf_deinit(&l->inner);
		strbuf_deinit(&l->of_stack);
	}
}

static uint64_t string_of(struct pprof_labels *l, enum pprof_label_key which)
{
	static const char *const strings[NR_PPROF_LABEL_STRINGS] = {
		[PPROF_COMM] = "comm",	      [PPROF_PID] = "pid",
		[PPROF_TID] = "tid",	      [PPROF_CPU] = "cpu",
		[PPROF_CGROUP] = "cgroup",    [PPROF_CTX] = "ctx",
		[PPROF_BASE] = "pprof::base", [PPROF_TRUE] = "true",
		[PPROF_UNIT] = "unit",	      [PPROF_CONTAINER] = "container",
		[PPROF_PROGRAM] = "program",  [PPROF_HOST] = "host",
	};

	if (!l->strings[which]) {
		strbuf_reset(&l->text);
		strbuf_addstr(&l->text, strings[which]);
		l->strings[which] = l->put(l->ctx, &l->text);
	}
	return l->strings[which];
}

static void add_label(struct pprof_labels *l, struct strbuf *sb, enum pprof_label_key key,
		      unsigned int kind, uint64_t value)
{
	uint64_t name = string_of(l, key);

	strbuf_reset(&l->inner);
	protobuf_add_number(&l->inner, LABEL_KEY, name);
	protobuf_add_number(&l->inner, kind, value);
	if (kind == LABEL_NUM) /* else a number that is 0, a CPU's, would be none */
		protobuf_add_number(&l->inner, LABEL_NUM_UNIT, name);
	protobuf_add_bytes(sb, l->field, l->inner.bytes, l->inner.len);
}

static void add_text(struct pprof_labels *l, struct strbuf *sb, enum pprof_label_key key,
		     const char *text, size_t len)
{
	strbuf_reset(&l->text);
	text_escape(&l->text, text, len);
	add_label(l, sb, key, LABEL_STR, l->put(l->ctx, &l->text));
}

/* "comm", "comm-PID", "comm-PID/TID" */
static void add_task(struct pprof_labels *l, struct strbuf *sb, enum base_frame kind,
		     const char *text, size_t len)
{
	const struct base_frame_task t = base_frame_split(text, len);
	uint64_t pid = 0, tid = 0;
	bool has_tid = kind == BASE_FRAME_THREAD && base_frame_number(t.tid, &tid);
	bool has_pid = (has_tid || (kind == BASE_FRAME_PROCESS && !t.tid.len)) &&
		       base_frame_number(t.pid, &pid);

	/* What is not taken for a label of its own stays with the comm. */
	if (has_pid)
		len = t.comm.len;
	else if (has_tid)
		len = t.pid.at + t.pid.len - text;
	add_text(l, sb, PPROF_COMM, text, len);
	if (has_pid)
		add_label(l, sb, PPROF_PID, LABEL_NUM, pid);
	if (has_tid)
		add_label(l, sb, PPROF_TID, LABEL_NUM, tid);
}

static void add_base(struct pprof_labels *l, struct strbuf *sb, enum base_frame kind,
		     const char *text, size_t len)
{
	static const enum pprof_label_key keys[NR_BASE_FRAMES] = {
		[BASE_FRAME_CGROUP] = PPROF_CGROUP,	  [BASE_FRAME_UNIT] = PPROF_UNIT,
		[BASE_FRAME_CONTAINER] = PPROF_CONTAINER, [BASE_FRAME_PROGRAM] = PPROF_PROGRAM,
		[BASE_FRAME_HOST] = PPROF_HOST,
	};
	struct base_frame_task task;
	uint64_t cpu;

	switch (kind) {
	case BASE_FRAME_COMM:
	case BASE_FRAME_PROCESS:
	case BASE_FRAME_THREAD:
		add_task(l, sb, kind, text, len);
		break;
	case BASE_FRAME_CPU:
		task = base_frame_split(text, len);
		if (!task.tid.len && base_frame_number(task.pid, &cpu))
			add_label(l, sb, PPROF_CPU, LABEL_NUM, cpu);
		break;
	case BASE_FRAME_CGROUP:
	case BASE_FRAME_UNIT:
	case BASE_FRAME_CONTAINER:
	case BASE_FRAME_PROGRAM:
	case BASE_FRAME_HOST:
		add_text(l, sb, keys[kind], text, len);
		break;
	case BASE_FRAME_NONE:
	case NR_BASE_FRAMES:
		break;
	}
}

/* "[hardirq]" and its like. */
static bool is_class_mark(const char *text)
{
	for (int class = 0; class < NR_IRQ_CLASSES; class ++) {
		const char *mark = irq_class_mark(class);

		if (mark && !strcmp(mark, text))
			return true;
	}
	return false;
}

/* A frame at the beginning of a stack: does it say whose that is? */
static bool is_base(const struct pprof_labels *l, enum frame_origin origin, size_t place)
{
	return origin == FRAME_BASE || (origin == FRAME_USER && place < l->nr_bases);
}

/* False: no frame behind it says whose the stack is. */
static bool make(struct pprof_labels *l, const struct frame_table *frames, frame_id frame,
		 size_t place, struct strbuf *sb)
{
	size_t len;
	const char *text = frame_table_name(frames, frame, &len);

	if (is_class_mark(text)) { /* without its brackets */
		add_text(l, sb, PPROF_CTX, text + 1, len - 2);
		return false;
	}
	if (!len || !is_base(l, frame_table_get(frames, frame)->origin, place))
		return false;
	/* Other marks are of no task: a comm in brackets is escaped where it comes from. */
	if (*text == '[')
		return place + 1 < base_frames_nr(&l->root);
	add_base(l, sb, base_frames_kind(&l->root, place), text, len);
	if (l->is_split && place + 1 == base_frames_nr(&l->root))
		add_text(l, sb, PPROF_CTX, "task", strlen("task"));
	return true;
}

static const struct strbuf *labels_of_frame(struct pprof_labels *l,
					    const struct frame_table *frames, frame_id first)
{
	size_t had = l->cap_frames;
	struct strbuf *sb;

	array_reserve(l->of_frame, l->cap_frames, (size_t)first + 1);
	memset(l->of_frame + had, 0, (l->cap_frames - had) * sizeof(*l->of_frame));
	sb = &l->of_frame[first];
	if (!sb->bytes) {
		*sb = (struct strbuf)STRBUF_INIT;
		make(l, frames, first, 0, sb);
	}
	return sb;
}

const struct strbuf *pprof_labels_of(struct pprof_labels *l, const struct frame_table *frames,
				     const frame_id *first, size_t nr)
{
	if (base_frames_nr(&l->root) < 2)
		return labels_of_frame(l, frames, *first);
	strbuf_reset(&l->of_stack);
	for (size_t i = 0; i < nr && i < base_frames_nr(&l->root); i++)
		if (!make(l, frames, first[i], i, &l->of_stack))
			break;
	return &l->of_stack;
}

void pprof_labels_add_base(struct pprof_labels *l, struct strbuf *sb)
{
	add_label(l, sb, PPROF_BASE, LABEL_STR, string_of(l, PPROF_TRUE));
}
