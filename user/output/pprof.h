/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof: profile.proto, gzip-compressed, as `go tool pprof` and what is built on it read it.
 *
 *	sample_type	samples/count and, where it is known what a sample stands for,
 *			cpu/nanoseconds, the default; counts of events: EVENT/count alone
 *	location	an instruction, or a function of which no more is known, with the inlined
 *			ones in it as further lines; its address is that of the instruction, or
 *			where the function begins, in its file as ELF has it; of the kernel in
 *			memory, where it is known
 *	mapping		a file that code is from, with its build id, start, limit and offset as if
 *			it were mapped where ELF has it: where it was differs by process.  Of
 *			functions alone from 0 to behind the last of them.  The kernel is
 *			[kernel.kallsyms]_text.
 *	label		what the base frame says: comm, pid, tid, cpu or cgroup; and ctx: task,
 *			softirq, hardirq, nmi
 *
 * Not there: addresses of JITs' code, which are others each time; source files and lines, which a
 * frame does not keep.  Names are those of folded text; what is a line is not called so besides.
 */
#ifndef EDDY_OUTPUT_PPROF_H
#define EDDY_OUTPUT_PPROF_H

#include "output/writer.h"

extern const struct writer pprof_writer;

/*
 * A difference as `pprof -diff_base` has it: samples of `after`, and those of `before` as negative
 * numbers with the label pprof::base.  Both over one frame table.  0 or -errno with a diag.
 */
int pprof_write_diff(FILE *to, const struct profile *before, const struct profile *after,
		     const struct writer_opts *opts, struct diag *ret_diag);

#endif
