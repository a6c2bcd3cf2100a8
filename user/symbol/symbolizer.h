/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From addresses to frames: the one door of this floor.  Behind it stand kallsyms (kernel,
 * modules, BPF programs), the mappings of processes (address_space), symbol tables of ELF files
 * (elf_symbols, cached by file identity and build id), perf maps of JITs and the demangler.
 *
 * Look-ups are lazy and cached.  What happens to other processes is not an error: an address that
 * cannot be named still gives a frame ("[module+0xOFFSET]" or "[unknown+0xADDRESS]"), and the
 * cause is counted.  Addresses are those of the instruction: the caller has already stepped back
 * from return addresses (they may be the first byte of the next function).
 */
#ifndef EDDY_SYMBOL_SYMBOLIZER_H
#define EDDY_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/frame.h"
#include "util/cleanup.h"
#include "util/diag.h"

struct symbolizer;

struct symbolizer_opts {
	const char *root;   /* stands before /proc and files; NULL or "" for the running system */
	bool no_demangle;   /* print mangled names as they stand in the file */
	uint64_t max_bytes; /* bound for symbol indexes, least recently used go first; 0: 64 MiB */
};

/* Why an address has no name; one counter each (frames, counted when first resolved). */
enum symbol_miss {
	SYMBOL_MISS_NO_PROCESS,	 /* the process was gone before its mappings could be read */
	SYMBOL_MISS_NO_MAPPING,	 /* no mapping holds the address */
	SYMBOL_MISS_ANONYMOUS,	 /* executable memory without a file, and no perf map names it */
	SYMBOL_MISS_NO_FILE,	 /* the mapped file cannot be opened or was replaced */
	SYMBOL_MISS_BAD_ELF,	 /* not ELF, or malformed */
	SYMBOL_MISS_NO_SYMBOL,	 /* no symbol covers the address (stripped) */
	SYMBOL_MISS_NO_KALLSYMS, /* kernel addresses hidden (kptr_restrict) or none */
	NR_SYMBOL_MISSES
};
const char *symbol_miss_name(enum symbol_miss miss); /* "no-process", ... */

struct symbolizer_stats {
	uint64_t misses[NR_SYMBOL_MISSES];
	uint64_t nr_processes, nr_files; /* now held */
	uint64_t bytes;			 /* memory held by tables and caches */
};

/*
 * Interns into `frames` (takes a reference).  Reads kallsyms at once; when that is hidden or
 * unreadable, kernel frames are "[kernel+0xADDRESS]" and counted, it is no error.
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
 * The frame of an address of a process: origin FRAME_USER, or FRAME_JIT for compiled code that
 * /tmp/perf-PID.map names (module "[jit]", start 0: such code moves, its name is what it is).
 * The mappings are read when the process is first met and read again when an address misses: at
 * most once per call, at most once a millisecond, and ever more rarely as long as that brings
 * nothing new.  What is known of a process that has ended stays until symbolizer_process_gone(),
 * or until it was not asked about for a minute (at most 4096 processes are kept).  Executable
 * memory without a file or a name:
 * "[anon+0xADDRESS]".
 */
frame_id symbolizer_user(struct symbolizer *s, pid_t pid, uint64_t addr);
/*
 * Reads the mappings of a process that was not met yet and names nothing: for tests and benchmarks,
 * which take that apart from the look-up.
 */
void symbolizer_process_seen(struct symbolizer *s, pid_t pid);
/* The process called exec, or ended: what is known of its addresses is no longer true. */
void symbolizer_process_gone(struct symbolizer *s, pid_t pid);
/*
 * The process of that PID began at that time (any clock; 0: not known).  One of the same PID that
 * began at another is gone.
 */
void symbolizer_process_started(struct symbolizer *s, pid_t pid, uint32_t started);

/*
 * Files that the sampler names by number.  fd is an open descriptor of the file (taken over: the
 * symbolizer closes it); path is for printing only (its last component is the module name).
 * The same number registered again replaces the file.
 */
void symbolizer_add_file(struct symbolizer *s, uint32_t file, int fd, const char *path);
/* The sampler uses that number no longer. */
void symbolizer_remove_file(struct symbolizer *s, uint32_t file);
/* The frame of an ELF virtual address of such a file; unknown numbers count as NO_FILE. */
frame_id symbolizer_file(struct symbolizer *s, uint32_t file, uint64_t elf_addr);

/*
 * Names go into another table from now on (takes a reference): frames of the old one are never
 * given again.  What is cached of processes and files stays, frames are made anew as they come.
 */
void symbolizer_use_frames(struct symbolizer *s, struct frame_table *frames);
/* Forgets processes and files that nobody asked about for a minute; cheap when called often. */
void symbolizer_age(struct symbolizer *s);

/* The address of a kernel symbol, 0 when there is none; *ret_size (may be NULL) up to the next. */
uint64_t symbolizer_kernel_address(struct symbolizer *s, const char *name, uint64_t *ret_size);

void symbolizer_get_stats(const struct symbolizer *s, struct symbolizer_stats *ret_stats);

#endif
