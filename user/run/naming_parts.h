/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a queue for names is made of, for the files that are one: naming.c, naming_thread.c. */
#ifndef EDDY_RUN_NAMING_PARTS_H
#define EDDY_RUN_NAMING_PARTS_H

#include <pthread.h>

#include "run/naming.h"
#include "util/fair_share.h"
#include "util/far_file.h"

#define NAMING_MAX_LOST 256 /* files that are told of at a time */

enum message_kind {
	MESSAGE_STACK,
	MESSAGE_COUNT,
	MESSAGE_TIME,
	MESSAGE_WAIT,
	MESSAGE_FORGET,
	MESSAGE_FILE,
	MESSAGE_FILE_GONE,
	MESSAGE_EXEC,
	MESSAGE_CGROUP,
	MESSAGE_AGE,
	MESSAGE_HOLD,
};

struct message {
	uint32_t kind;
	uint32_t bytes; /* with this, and up to the next */
};

struct count_message {
	struct message head;
	uint32_t tag, state;
	uint64_t samples; /* MESSAGE_TIME: the moment */
	uint64_t weight;
};

struct file_message {
	struct message head;
	uint32_t file;
	int fd; /* -1: none */
	bool has_stat;
	struct far_stat stat;
	struct process_root *root; /* a reference; NULL */
	char path[];
};

struct file_gone_message {
	struct message head;
	uint64_t file;
};

struct buffer {
	char *bytes;
	size_t len, cap;
};

struct naming {
	struct naming_opts opts;
	uint32_t next_tag; /* of who drains */
	int wake_fd;	   /* eventfd: there is something in `in`, and the thread sleeps */
	pthread_t thread;
	bool has_thread;
	bool is_urgent;	      /* the thread's */
	pthread_mutex_t lock; /* for all that follows */
	pthread_cond_t changed;
	struct buffer in, out;	   /* out: the thread's */
	size_t done;		   /* of `out`; the same */
	struct fair_share *shares; /* of stacks in `in` */
	bool is_asleep, is_held, stop;
	uint32_t lost[NAMING_MAX_LOST];
	size_t nr_lost;
	struct limit_counts limits;
};

/* The message that stands there; NULL behind the last one. */
static inline const struct message *message_at(const struct buffer *b, size_t at)
{
	return at < b->len ? (const void *)(b->bytes + at) : NULL;
}

/* ---- naming_thread.c ---------------------------------------------------------------------- */

/* The thread; arg: the queue. */
void *naming_work(void *arg);
/* What MESSAGE_AGE says. */
void naming_do_age(struct naming *n);

#endif
