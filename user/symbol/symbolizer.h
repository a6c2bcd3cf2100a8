/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From addresses to frames: what other layers call.  Behind it stand kallsyms (kernel,
 * modules, BPF programs), the mappings of processes (address_space), symbol tables of ELF files
 * (elf_symbols, cached by file identity and build id), perf maps and jitdumps, the demangler.
 *
 * Look-ups are lazy and cached.  What happens to other processes is not an error: an address that
 * cannot be named still gives a frame, and the cause is counted.  A function without a symbol is
 * "[module+0xSTART]", the ELF address at which its unwind entry begins; an address that none covers
 * is "[module+0xADDRESS]" (of a file that cannot be read: where it stands in that), of a process of
 * which nothing is known "[unknown]".  Addresses are those of the instruction: the caller has
 * already stepped back from return addresses (they may be the first byte of the next function).
 */
#ifndef EDDY_SYMBOL_SYMBOLIZER_H
#define EDDY_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/frame.h"
#include "symbol/kernel_names.h"
#include "util/cleanup.h"
#include "util/diag.h"
#include "util/far_file.h"
#include "util/limit.h"
#include "util/process_root.h"

struct symbolizer;

struct symbolizer_opts {
	const char *root; /* stands before /proc and files; NULL or "" for the running system */
	bool no_demangle; /* print mangled names as they stand in the file */
	bool inlines;	  /* take inlined functions of programs apart, see symbolizer_expand() */
	bool lines;	  /* frames say their lines, the same */
	bool places;	  /* frames of instructions (profile/frame.h), where addresses are known */
	uint64_t max_bytes; /* bound for symbol indexes, least recently used go first; 0: 64 MiB */
	struct worker_pool *pool; /* reads files and mappings of others; NULL: done here */
};

/* Why an address has no name; one counter each (frames, counted when first resolved). */
enum symbol_miss {
	SYMBOL_MISS_NO_PROCESS,	 /* it, or its program, was gone before its mappings were read */
	SYMBOL_MISS_NO_MAPPING,	 /* no mapping holds the address */
	SYMBOL_MISS_ANONYMOUS,	 /* executable memory without a file; no perf map, no jitdump */
	SYMBOL_MISS_NO_FILE,	 /* the mapped file cannot be opened or was replaced */
	SYMBOL_MISS_STALLED,	 /* the mapped file's file system does not answer */
	SYMBOL_MISS_UNPARSED,	 /* no parser read the mapped file */
	SYMBOL_MISS_BAD_ELF,	 /* not ELF, or malformed */
	SYMBOL_MISS_NO_SYMBOL,	 /* no symbol covers the address (stripped) */
	SYMBOL_MISS_NO_KALLSYMS, /* kernel addresses hidden (kptr_restrict) or none */
	NR_SYMBOL_MISSES
};
const char *symbol_miss_name(enum symbol_miss miss); /* "no-process", ... */

struct symbolizer_stats {
	uint64_t misses[NR_SYMBOL_MISSES];
	struct limit_counts limits;
	uint64_t nr_processes, nr_files; /* now held */
	uint64_t bytes;			 /* memory held by tables and caches */
};

/*
 * Interns into `frames` (takes a reference).  Reads kallsyms at once; when that is hidden or
 * unreadable, kernel frames are "[kernel]" and counted, it is no error.
 */
struct symbolizer *symbolizer_new(struct frame_table *frames, const struct symbolizer_opts *opts);
void symbolizer_free(struct symbolizer *s);
DEFINE_FREE(symbolizer, struct symbolizer *, symbolizer_free)

/*
 * The frame of a kernel address: origin FRAME_KERNEL, role from all aliases of the symbol, module
 * "[kernel]" or the module's name ("bpf" for BPF programs).
 */
frame_id symbolizer_kernel(struct symbolizer *s, uint64_t addr);
/*
 * The same for an address that was met at that time, with that number of the follower's, who is
 * asked first when the address is outside the kernel's own text.  Code that came later never names
 * it: unnamed, NO_SYMBOL, when it is not known any more what was there.
 */
frame_id symbolizer_kernel_at(struct symbolizer *s, uint64_t addr,
			      const struct symbolizer_moment *when);
/*
 * The frame of an address of a process: origin FRAME_USER, or FRAME_JIT for compiled code that a
 * jitdump or /tmp/perf-PID.map names (module "[jit]", start 0: such code moves, its name is what it
 * is), by a jitdump that which was there when the program last ran (symbolizer_program_runs()).
 * The mappings are read when the process is first met and read again when an address misses: at
 * most once per call, at most once a millisecond, and ever more rarely as long as that brings
 * nothing new.  What is known of a process that has ended stays until symbolizer_process_gone(),
 * or for some three seconds (at most 4096 processes are kept).  Executable
 * memory without a file or a name is "[anon]": a frame for each address, and one text; so is what
 * is mapped of a deleted file that is not ELF, but for "[memfd:NAME]".
 */
frame_id symbolizer_user(struct symbolizer *s, pid_t pid, uint64_t addr);
/*
 * Reads the mappings of a process that was not met yet and names nothing: for tests and benchmarks,
 * which take that apart from the look-up.
 */
void symbolizer_process_seen(struct symbolizer *s, pid_t pid);
/* The process called exec, or ended: what is known of its addresses is no longer true. */
void symbolizer_process_gone(struct symbolizer *s, pid_t pid);
/* A program of a process: what runs under a PID from one exec to the next. */
struct symbolizer_program {
	pid_t pid;
	uint32_t started; /* when the process began, by any clock; 0: not known */
	uint32_t exec_id; /* which of its programs */
	uint64_t ran_ns;  /* it ran at that time, CLOCK_MONOTONIC; 0: not known */
};
/*
 * Addresses of that PID are of this program from now on: what is known of another one is forgotten.
 * False: its mappings are not known, and those that can be read now may be another program's; then
 * its addresses are symbolizer_unknown().
 */
bool symbolizer_program_runs(struct symbolizer *s, const struct symbolizer_program *program);
/* Tells when the program that a PID runs now began, see process_begun_fn; NULL: nobody does. */
void symbolizer_use_begun(struct symbolizer *s, uint64_t (*begun)(void *ctx, pid_t pid), void *ctx);

/*
 * From now on: what is in kallsyms of BPF programs and the like stands at the beginning, changes
 * come from the follower, who has listened since before the symbolizer was made.
 */
void symbolizer_follow_kernel(struct symbolizer *s, const struct symbolizer_follower *follower);
void symbolizer_kernel_change(struct symbolizer *s, const struct kernel_code_change *change);
/* Changes were lost: nothing is known of such code until kallsyms is read again. */
void symbolizer_kernel_lost(struct symbolizer *s);
/* The frame of an address of which nothing is known: "[unknown]", NO_PROCESS. */
frame_id symbolizer_unknown(struct symbolizer *s, uint64_t addr);

/*
 * Files that the sampler names by number.  The descriptor is taken over: the symbolizer closes it;
 * the path's last component is the module name, and debug files are looked for beside it.
 * The same number registered again replaces the file.
 */
void symbolizer_add_file(struct symbolizer *s, uint32_t file, const struct met_file *met);
/* The sampler uses that number no longer. */
void symbolizer_remove_file(struct symbolizer *s, uint32_t file);
/*
 * A file of a number whose descriptor was closed and that can be named only when it is handed in
 * again, by symbolizer_add_file(); 0: no (other) such file.  To be asked when symbolizer_age() was
 * called, about once a second.
 */
uint32_t symbolizer_next_lost(struct symbolizer *s);
/* The frame of an ELF virtual address of such a file; unknown numbers count as NO_FILE. */
frame_id symbolizer_file(struct symbolizer *s, uint32_t file, uint64_t elf_addr);

/*
 * Names go into another table from now on (takes a reference): frames of the old one are never
 * given again.  What is cached of processes and files stays, frames are made anew as they come.
 */
void symbolizer_use_frames(struct symbolizer *s, struct frame_table *frames);
/* From now on frames are instructions (opts.places), or are none any more. */
void symbolizer_use_places(struct symbolizer *s, bool places);
/*
 * With a pool, parsers demangle names: a frame has its mangled name for a while, for a second at
 * most when symbolizer_age() is called.  This waits for those that are left, as long as
 * demangle_queue_run(); to be called before names are shown.  With inlines or lines it reads those
 * of all addresses that were met.
 */
void symbolizer_settle(struct symbolizer *s);
/*
 * With inlines or lines a user frame stands for an address (origin FRAME_SITE): then these are the
 * frames that it stands for, outermost first, the function that has the code and those inlined into
 * it (origin FRAME_INLINED), as far as they are known; of another frame itself.  To be asked after
 * symbolizer_settle(), before anybody looks.
 */
#define SYMBOLIZER_MAX_FRAMES 1025
size_t symbolizer_expand(struct symbolizer *s, frame_id frame,
			 frame_id ret_frames[SYMBOLIZER_MAX_FRAMES]);
/* Are there such frames in the table? */
bool symbolizer_has_sites(const struct symbolizer *s);
/*
 * Forgets processes and files that nobody asked about for a minute, and what processes that have
 * ended kept open; to be called about once a second.
 */
void symbolizer_age(struct symbolizer *s);

/*
 * Somebody waits for what is not named yet: from that moment on (CLOCK_MONOTONIC) files of users
 * are read no more, and their addresses go without names, which is counted.  Any thread may call
 * it.
 */
void symbolizer_end_by(struct symbolizer *s, uint64_t mono_ns);

/* The address of a kernel symbol, 0 when there is none; *ret_size (may be NULL) up to the next. */
uint64_t symbolizer_kernel_address(struct symbolizer *s, const char *name, uint64_t *ret_size);

void symbolizer_get_stats(const struct symbolizer *s, struct symbolizer_stats *ret_stats);

#endif
