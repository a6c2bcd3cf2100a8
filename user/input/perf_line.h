/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two kinds of lines of `perf script` text (tools/perf/builtin-script.c,
 * util/evsel_fprintf.c), taken apart without copying.
 *
 *	swapper     0 [000]  2874.420019:   20408163 cpu-clock: 	a sample, its frames follow
 *		ffffffff821f2c2b do_idle+0xb ([kernel.kallsyms])	a frame
 *	ls  9015/9016 2874.420061: page-faults:  7e62 main+0x2 (/usr/bin/ls)
 *								a sample of one frame
 *
 * Which fields a header has was chosen with `perf script -F`; all of them may be missing.
 */
#ifndef EDDY_INPUT_PERF_LINE_H
#define EDDY_INPUT_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/bytes.h"

struct perf_header {
	struct bytes comm;   /* may hold blanks and numbers */
	struct bytes pid;    /* not there: a number alone is the thread's, as perf prints it */
	struct bytes tid;    /* decimal digits, or "-1" */
	struct bytes cpu;    /* decimal digits */
	struct bytes event;  /* without its colon, with modifiers: "cycles:u" */
	struct bytes period; /* decimal digits */
	struct bytes tail;   /* behind the event: one frame, a tracepoint's fields, or nothing */
	bool has_time;
	bool is_record; /* a PERF_RECORD_... line (--show-mmap-events and the like): no sample */
};

struct perf_frame {
	uint64_t addr;
	struct bytes symbol; /* without "+0xOFFSET"; not there: perf said [unknown] */
	struct bytes module; /* as perf prints it: a path, "[kernel.kallsyms]", "[unknown]" */
	uint64_t module_offset;
	bool has_module_offset; /* "(libc.so.6+0x1234)", of `perf script -F +dsoff` */
};

/*
 * True when the line is a header by itself: comm, pid or pid/tid, then at least a time or an event,
 * in perf's order; or without the comm, but with a time; *ret is set.
 */
bool perf_header_parse(const char *line, size_t len, struct perf_header *ret_header);
/*
 * True when the line is a header if a frame follows it: a comm, a pid, an event, or two of them.
 * Hardly a line is none.
 */
bool perf_header_parse_bare(const char *line, size_t len, struct perf_header *ret_header);
/*
 * True when the line is a sample of one frame without time and event: comm, pid or both or nothing,
 * and an address in a column as wide as perf prints it; the frame is the header's tail.
 */
bool perf_header_parse_short(const char *line, size_t len, struct perf_header *ret_header);
/* True when the line is a frame: blanks, a hexadecimal address, and what -F left of the rest. */
bool perf_frame_parse(const char *line, size_t len, struct perf_frame *ret_frame);
/* The same for a frame in a header's line, which registers or instructions may follow. */
bool perf_tail_parse(struct bytes tail, struct perf_frame *ret_frame);
bool perf_line_is_blank(const char *line, size_t len);
/* True when the line is a period alone, ten columns wide as perf prints it: a bare header. */
bool perf_line_is_period(const char *line, size_t len);
/* True when the line holds what -F adds behind a stack: instructions, registers, branches. */
bool perf_line_is_extra(const char *line, size_t len);

#endif
