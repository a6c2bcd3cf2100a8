/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a worker has foreign bytes parsed.  The worker may open files of everybody, so it looks at
 * none of their bytes: it hands descriptors to its parser, a process of its own that has given up
 * all that parsing does not need (sandbox.h).  What that answers is no better than the bytes:
 * whoever takes it checks it.
 */
#ifndef EDDY_UTIL_WORKER_PARSER_H
#define EDDY_UTIL_WORKER_PARSER_H

#include "util/worker_pool.h"

struct worker_parser;

/* Begins without a process: the first job makes it. */
struct worker_parser *worker_parser_new(void);

/*
 * Has `parse` run on the request, by the parser; NULL is a parser without a process: it is run at
 * once, by the caller.  0 and the answer (to be released), whose descriptor is a file in memory
 * that nobody can change any more, or
 *	-EAGAIN		no such process can be made
 *	-EPIPE		it answered with nonsense, or it died of these bytes and, when that was
 *			within a second, so did a second one; the next job has another
 * Waits for as long as parsing takes: PARSER_CPU_S of processor time at most, three times that long
 * by the clock, or however long it cannot be killed, since a file system does not answer.
 */
int worker_parse(struct worker_parser *p, worker_fn parse, const struct worker_request *request,
		 struct worker_answer *ret_answer);

/*
 * The same for the program, by a worker of the pool and its parser: of bytes and files in memory,
 * which nothing can delay.  0 and the answer, or as worker_pool_run() after patience_ns, in which
 * waiting for a CPU is not counted.  That the parser died is told by the status -EPIPE.
 */
int worker_pool_parse(struct worker_pool *p, worker_fn parse, const struct worker_request *request,
		      uint64_t patience_ns, struct worker_answer *ret_answer);
/* On account of an owner, instead of the system's: a worker that takes too long is his. */
struct worker_account {
	owner_id owner;
	uint64_t patience_ns;
	bool waits_for_cpu; /* as of a worker_job */
};
int worker_pool_parse_for(struct worker_pool *p, const struct worker_account *account,
			  worker_fn parse, const struct worker_request *request,
			  struct worker_answer *ret_answer);

/*
 * All that a job does which has files parsed: those that its descriptors (of O_PATH) are of are
 * opened for reading, as regular_file_reopen() does, and parsed.  Where the first cannot be opened,
 * or worker_parse() fails, the answer's status is why; a second that cannot be is not there.
 */
void worker_parse_files(const struct worker_request *request, worker_fn parse,
			struct worker_answer *answer);

/*
 * For what parses: its process is killed when it computes for longer than that from now on; 0: no
 * longer.  Where no process was made for it nothing happens.
 */
void parser_bound_cpu(const struct worker_request *request, unsigned int ms);

/*
 * For what parses: makes the bytes the file of its answer.  Without memory for it the answer's
 * status is -ENOMEM.
 */
void parsed_give(const void *bytes, size_t len, struct worker_answer *answer);
struct parsed_part {
	const void *bytes;
	size_t len;
};
/* The same of parts, one after the other. */
void parsed_give_parts(const struct parsed_part *parts, size_t nr, struct worker_answer *answer);
/*
 * For who asked: the bytes of that file, to be unmapped by munmap(2); NULL: there are none.  They
 * are not to be trusted.
 */
const char *parsed_map(const struct worker_answer *answer, size_t *ret_len);

/* Its process, and those that come after it, hurry (priority.h), or do no more. */
void worker_parser_hurry(struct worker_parser *p, bool is_urgent);

/* What its processes have used, also those that died, up to the end of the last job. */
uint64_t worker_parser_cpu_ns(const struct worker_parser *p);

#define PARSER_CPU_S	  20
#define PARSER_DATA_BYTES (768ull << 20)
#define PARSER_FILE_BYTES (512ull << 20) /* of one answer */

#endif
