/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a service manager wants to hear (sd_notify(3), without its library): that we are ready, that
 * we still live, what we do.  Without a manager (NOTIFY_SOCKET is not set) all of it does nothing.
 */
#ifndef EDDY_RUN_SERVICE_H
#define EDDY_RUN_SERVICE_H

#include <stdint.h>

struct service {
	int fd;		      /* a datagram socket that is connected; -1: nobody listens */
	uint64_t watchdog_ns; /* how often it wants a sign of life at least; 0: not at all */
	uint64_t alive_at_ns; /* CLOCK_MONOTONIC: when the next one is sent */
};

/* By NOTIFY_SOCKET (a path, or a name that begins with '@'), WATCHDOG_USEC and WATCHDOG_PID. */
void service_init(struct service *s);
void service_deinit(struct service *s);
#define _cleanup_service_ __attribute__((cleanup(service_deinit)))

/* Sends "READY=1", "STOPPING=1", "STATUS=...", several separated by newlines; never waits. */
void service_notify(const struct service *s, const char *text);
/* Sends "WATCHDOG=1" when half of the time is over; to be called often. */
void service_alive(struct service *s);

#endif
