// SPDX-License-Identifier: GPL-2.0-or-later
/* The protocol is one datagram of lines; losing one does no harm, waiting for one might. */
#include "run/service.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/parse.h"

static int connect_to(const char *name)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(name);

	if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof(to.sun_path))
		return -1;
	memcpy(to.sun_path, name, len);
	if (name[0] == '@') /* an abstract one: no file, its name begins with a NUL */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to,
			      offsetof(struct sockaddr_un, sun_path) + len) < 0)
		return -1;
	return take_fd(&fd);
}

/* WATCHDOG_USEC, unless it is meant for another process. */
static uint64_t read_watchdog_ns(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t v;

	if (pid && (parse_u64(pid, &v) < 0 || v != (uint64_t)getpid()))
		return 0;
	return usec && !parse_u64(usec, &v) && v < UINT64_MAX / 1000 ? v * 1000 : 0;
}

void service_init(struct service *s)
{
	const char *name = getenv("NOTIFY_SOCKET");

	*s = (struct service){ .fd = name ? connect_to(name) : -1 };
	if (s->fd >= 0)
		s->watchdog_ns = read_watchdog_ns();
}

void service_deinit(struct service *s)
{
	if (s->fd >= 0)
		close(s->fd);
}

void service_notify(const struct service *s, const char *text)
{
	if (s->fd >= 0)
		send(s->fd, text, strlen(text), MSG_NOSIGNAL);
}

void service_alive(struct service *s)
{
	uint64_t now;

	if (!s->watchdog_ns)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < s->alive_at_ns)
		return;
	service_notify(s, "WATCHDOG=1");
	s->alive_at_ns = now + s->watchdog_ns / 2;
}
