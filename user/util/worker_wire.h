/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages with descriptors between processes of one program, over a SOCK_SEQPACKET socket. */
#ifndef EDDY_UTIL_WORKER_WIRE_H
#define EDDY_UTIL_WORKER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WIRE_MAX_FDS 2

/*
 * Sends head and bytes as one message; descriptors that are negative are left out.  Does not wait
 * when may_wait is false.  0 or -errno.
 */
int wire_send(int socket, const void *head, size_t head_len, const void *bytes, size_t len,
	      const int fds[WIRE_MAX_FDS], bool may_wait);

/*
 * Takes the next message: its length, 0 when the other end is closed, or -errno (-EBADMSG: it was
 * longer than the buffer or had more descriptors; they are closed).  fds: those that came, then -1.
 */
ssize_t wire_receive(int socket, void *buf, size_t len, int fds[WIRE_MAX_FDS], bool may_wait);

#endif
