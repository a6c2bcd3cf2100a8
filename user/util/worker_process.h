/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes behind worker_pool.h.  The parent is forked from the program while that is still
 * small; it does nothing but fork workers, so it can always be ended.  Workers run jobs.  None of
 * them has a descriptor of the program's or is in its process group; they end when their sockets
 * are closed, and the parent kills those that are left then.
 */
#ifndef EDDY_UTIL_WORKER_PROCESS_H
#define EDDY_UTIL_WORKER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/worker_pool.h"

#define WORKER_MAX_REQUEST 8192
#define WORKER_MAX_INLINE  (48u << 10) /* of an answer; what is longer stands in a file in memory */
#define WORKER_MAX_ANSWER  (16u << 20)

struct worker_request_head {
	worker_fn fn; /* both are the same program */
	size_t len;
	bool is_urgent;
	bool may_map; /* see worker_request */
};

struct worker_answer_head {
	int64_t status;
	uint64_t len;	 /* of the answer's bytes */
	uint64_t cpu_ns; /* that the worker used since its last answer */
	uint32_t is_inline;
};

/* Forks the parent; its socket, and its PID for waitpid(2).  Negative errno. */
int worker_parent_start(pid_t *ret_pid);
/* Asks it for another worker, whose socket this is.  Negative errno; waits a second at most. */
int worker_parent_fork(int parent, pid_t *ret_pid);

#endif
