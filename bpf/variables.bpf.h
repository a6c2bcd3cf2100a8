/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All variables of the program: who writes which, and when.  What is of one CPU or one sample
 * stands in maps instead (maps.bpf.h).
 */
#ifndef EDDY_VARIABLES_BPF_H
#define EDDY_VARIABLES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sampler_abi.h"

char LICENSE[] SEC("license") = "GPL";

/* ---- fixed before the program is loaded: constants to the verifier ------------------------ */

const volatile struct eddy_config config = {};

/* The value of a file that user space has yet to be told of. */
static const struct eddy_unwind_file pending_file = { .kind = EDDY_FILE_PENDING };

/* ---- written by user space ---------------------------------------------------------------- */

/* Raised to end a window: read once by each program, see include/sampler_abi.h. */
__u32 turn;

/* Written before sampling starts. */
struct eddy_idle idle;

/* The window of waits. */
struct eddy_wait_window wait_window;

/* ---- written by both ---------------------------------------------------------------------- */

/* User space fills it before sampling starts; the program clears is_on when a stack differed. */
struct eddy_orc kernel_orc;

/* The program raises module_seq; user space the rest, bpf_serial while samples are taken. */
struct eddy_text text;

/* ---- written by the program, read by user space ------------------------------------------- */

/* When the programs of processes began: include/sampler_abi.h. */
__u64 begun_ns[EDDY_NR_BEGUN];

/* ---- of the program alone ----------------------------------------------------------------- */

/* Thread groups whose stacks were sent lately: a new one wakes user space, which reads its maps. */
#define NR_SEEN 4096
__u32 seen[NR_SEEN];

/* THREAD_SIZE as found in a task's stack area; 0: not yet. */
__u64 thread_bytes;

/*
 * Our PID namespace, once a task of it was met, and how deep it lies. It lasts as long as we do.
 */
const struct pid_namespace *pid_space;
__u32 pid_space_level;

#endif
