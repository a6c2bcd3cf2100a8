// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that lies where its owner says, and files that tell when somebody opens them.
 *	elsewhere spin SECONDS [FILE]   runs a loop in anonymous memory, or mapped from a new FILE
 *	elsewhere fifo PATH FLAG        makes a FIFO; makes FLAG once somebody opened it to read
 *	elsewhere terminal PATH FLAG    makes PATH a link to a terminal; FLAG once that was opened
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CODE_BYTES 4096

/* f(n): counts n down to zero. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const unsigned int code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
#error "a loop for this machine"
#endif

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *code_map(const char *path)
{
	int fd = -1, flags = MAP_PRIVATE | (path ? 0 : MAP_ANONYMOUS);
	void *p;

	if (path) {
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
		if (fd < 0 || ftruncate(fd, CODE_BYTES) < 0 ||
		    write(fd, code, sizeof(code)) != sizeof(code))
			fail(path);
	}
	p = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);
	if (p == MAP_FAILED)
		fail("mmap");
	if (!path)
		memcpy(p, code, sizeof(code));
	__builtin___clear_cache(p, (char *)p + sizeof(code));
	return p;
}

static void spin(int seconds, const char *path)
{
	void (*loop)(unsigned long) = (void (*)(unsigned long))code_map(path);
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end)
		loop(10000000);
}

static void tell(const char *flag)
{
	close(open(flag, O_WRONLY | O_CREAT, 0644));
}

static void fifo(const char *path, const char *flag)
{
	if (mkfifo(path, 0666) < 0 || open(path, O_WRONLY) < 0)
		fail(path);
	tell(flag);
}

/* The master hangs up when the last of those who opened the terminal has closed it. */
static void terminal(const char *path, const char *flag)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	struct pollfd p = { .fd = fd };

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || symlink(ptsname(fd), path) < 0)
		fail(path);
	while (!(p.revents & POLLHUP))
		poll(&p, 1, -1);
	tell(flag);
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "spin"))
		spin(atoi(argv[2]), argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "fifo"))
		fifo(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "terminal"))
		terminal(argv[2], argv[3]);
	else
		return 2;
	return 0;
}
