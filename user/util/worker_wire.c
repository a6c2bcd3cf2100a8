// SPDX-License-Identifier: GPL-2.0-or-later
/* sendmsg(2) and recvmsg(2) with SCM_RIGHTS. */
#include "util/worker_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int wire_send(int socket, const void *head, size_t head_len, const void *bytes, size_t len,
	      const int fds[WIRE_MAX_FDS], bool may_wait)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WIRE_MAX_FDS * sizeof(int))];
	} control = { .bytes = "" };
	struct iovec parts[] = { { (void *)head, head_len }, { (void *)bytes, len } };
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = len ? 2 : 1 };
	int sent[WIRE_MAX_FDS];
	size_t nr = 0;
	ssize_t n;

	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		if (fds && fds[i] >= 0)
			sent[nr++] = fds[i];
	if (nr) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		control.align = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS,
						  .cmsg_len = CMSG_LEN(nr * sizeof(int)) };
		memcpy(CMSG_DATA(&control.align), sent, nr * sizeof(int));
	}
	do
		n = sendmsg(socket, &msg, MSG_NOSIGNAL | (may_wait ? 0 : MSG_DONTWAIT));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Takes the descriptors of a message; false: there were more than there may be. */
static bool take_fds(struct msghdr *msg, int fds[WIRE_MAX_FDS])
{
	size_t nr = 0;
	bool is_fine = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t here = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < here; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (nr < WIRE_MAX_FDS) {
				fds[nr++] = fd;
				continue;
			}
			close(fd);
			is_fine = false;
		}
	}
	return is_fine;
}

ssize_t wire_receive(int socket, void *buf, size_t len, int fds[WIRE_MAX_FDS], bool may_wait)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WIRE_MAX_FDS * sizeof(int))];
	} control;
	struct iovec part = { buf, len };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		fds[i] = -1;
	do
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC | (may_wait ? 0 : MSG_DONTWAIT));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (take_fds(&msg, fds) && !(msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return n;
	for (size_t i = 0; i < WIRE_MAX_FDS; i++)
		if (fds[i] >= 0) {
			close(fds[i]);
			fds[i] = -1;
		}
	return -EBADMSG;
}
