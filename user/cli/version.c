// SPDX-License-Identifier: GPL-2.0-or-later
/* The one file that is compiled with the commit: it alone is made again when there is another. */
#include "cli/version.h"

#include <bpf/libbpf.h>

#ifndef EDDY_COMMIT
#define EDDY_COMMIT ""
#endif

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "arm64"
#else
#define MACHINE "this machine"
#endif

#ifdef EDDY_NO_ZYDIS
#define WITHOUT "without: Zydis, so stacks end at code that has no unwind tables\n"
#else
#define WITHOUT ""
#endif

void version_print(FILE *to)
{
	fprintf(to,
		"eddy " EDDY_VERSION "%s" EDDY_COMMIT "%s\n"
		"kernels: Linux 5.10 to 6.12 are tested, with BTF; " MACHINE "\n"
		"features: cpu-clock, cycles, software events, tracepoints; stacks by unwind "
		"tables "
		"and frame pointers\n"
		"reads: folded text, perf script text; gzip, xz, zstd, bzip2\n"
		"with: libbpf %s\n" WITHOUT,
		*EDDY_COMMIT ? " (commit " : "", *EDDY_COMMIT ? ")" : "", libbpf_version_string());
}
