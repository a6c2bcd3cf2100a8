// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irq_udp_flood [SECONDS [tcp|udp [ADDRESS]]]: a sender on the first CPU floods a receiver on the
 * last one, and a third process spins in user space on both in turn; for SECONDS by the clock.
 * The processes are called flood_send, flood_recv and flood_spin.  ADDRESS (127.0.0.1) is that of
 * the receiver; with "send" or "recv" in place of the protocol only that side of UDP runs, so
 * that the two may stand in different network namespaces (port 9009).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 9009

static struct timespec end;

static int time_is_left(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
}

static void pin(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set); /* a hint: elsewhere the load is the same */
}

static void be(const char *name)
{
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(300); /* whatever happens, it ends */
}

static int receive(int fd)
{
	char buffer[65536];
	uint64_t nr = 0;

	be("flood_recv");
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	while (time_is_left()) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), 0);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
		nr += n > 0;
	}
	printf("truth received %llu\n", (unsigned long long)nr);
	return 0;
}

static int flood(int fd, int is_tcp)
{
	char buffer[1400] = "";
	uint64_t nr = 0;

	be("flood_send");
	pin(0);
	while (time_is_left())
		for (int i = 0; i < 64; i++) {
			ssize_t n = send(fd, buffer, sizeof(buffer), MSG_NOSIGNAL);

			if (n < 0 && is_tcp)
				return 0; /* the receiver has ended */
			nr += n > 0;	  /* UDP: ECONNREFUSED until the receiver is there */
		}
	printf("truth sent %llu\n", (unsigned long long)nr);
	return 0;
}

/* All in user space: every kernel frame on its stack is somebody else's. */
static __attribute__((noinline)) int spin(void)
{
	volatile uint64_t x = 0;

	be("flood_spin");
	while (time_is_left())
		for (int i = 0; i < 10000000; i++)
			x += i;
	return 0;
}

static int socket_bound(int type, const char *address, struct sockaddr_in *at)
{
	struct timeval patience = { .tv_usec = 200000 };
	int fd = socket(AF_INET, type, 0), one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	inet_pton(AF_INET, address, &at->sin_addr);
	return bind(fd, (struct sockaddr *)at, sizeof(*at)) ? -1 : fd;
}

static int one_side(int is_sender, const char *address)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd;

	if (!is_sender) {
		fd = socket_bound(SOCK_DGRAM, "0.0.0.0", &at);
		return fd < 0 ? 1 : receive(fd);
	}
	inet_pton(AF_INET, address, &at.sin_addr);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)))
		return 1;
	return flood(fd, 0);
}

static int all_three(int is_tcp, const char *address)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket_bound(is_tcp ? SOCK_STREAM : SOCK_DGRAM, address, &at), from, status,
	    bad = 0;
	pid_t pids[2];

	if (fd < 0 || (is_tcp && listen(fd, 1)) || getsockname(fd, (struct sockaddr *)&at, &len))
		return 1;
	from = socket(AF_INET, is_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
	if (from < 0 || connect(from, (struct sockaddr *)&at, len))
		return 1;
	if (is_tcp && (fd = accept(fd, NULL, NULL)) < 0)
		return 1;
	pids[0] = fork();
	if (!pids[0]) {
		close(from);
		exit(receive(fd));
	}
	pids[1] = fork();
	if (!pids[1]) {
		close(fd);
		exit(flood(from, is_tcp));
	}
	close(fd);
	close(from);
	spin();
	for (int i = 0; i < 2; i++)
		bad |= waitpid(pids[i], &status, 0) < 0 || status;
	return bad;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	const char *what = argc > 2 ? argv[2] : "udp", *address = argc > 3 ? argv[3] : "127.0.0.1";

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	end.tv_nsec += (seconds - (time_t)seconds) * 1e9;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	if (!strcmp(what, "send") || !strcmp(what, "recv"))
		return one_side(what[0] == 's', address);
	return all_three(!strcmp(what, "tcp"), address);
}
