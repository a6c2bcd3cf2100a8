// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file system of one file that stops answering: stall_fs DIRECTORY FILE open|read|getattr serves
 * FILE as DIRECTORY/program by /dev/fuse.  From SIGUSR1 on requests of that kind are taken and
 * never answered, until this process ends: by a signal, or after two minutes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PROGRAM	      2 /* its number; the directory's is 1 */
#define REQUEST_BYTES (1 << 17)
#define SECONDS	      120

static volatile sig_atomic_t is_stalling;
static char *bytes;
static struct stat file;

static void on_signal(int sig)
{
	is_stalling = 1;
}

static void answer(int dev, uint64_t unique, int err, const void *out, size_t len)
{
	struct fuse_out_header head = { .len = sizeof(head) + (err ? 0 : len),
					.error = -err,
					.unique = unique };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)out, len } };

	/* Fails when the request was given up meanwhile. */
	if (writev(dev, parts, err || !len ? 1 : 2) < 0)
		return;
}

static struct fuse_attr attr_of(uint64_t node)
{
	struct fuse_attr a = { .ino = node, .nlink = 1, .blksize = 4096 };

	a.mode = node == PROGRAM ? S_IFREG | 0755 : S_IFDIR | 0755;
	a.size = node == PROGRAM ? file.st_size : 0;
	a.blocks = a.size / 512;
	a.mtime = 1000000;
	return a;
}

/* Neither names nor attributes may be kept: they are asked for each time. */
static void lookup(int dev, const struct fuse_in_header *in)
{
	struct fuse_entry_out out = { .nodeid = PROGRAM, .attr = attr_of(PROGRAM) };

	answer(dev, in->unique, strcmp((const char *)(in + 1), "program") ? ENOENT : 0, &out,
	       sizeof(out));
}

static void read_program(int dev, const struct fuse_in_header *in)
{
	const struct fuse_read_in *asked = (const void *)(in + 1);
	size_t len = asked->size, size = file.st_size;

	if (asked->offset > size)
		len = 0;
	else if (len > size - asked->offset)
		len = size - asked->offset;
	answer(dev, in->unique, 0, bytes + (len ? asked->offset : 0), len);
}

static void serve(int dev, const struct fuse_in_header *in)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 0, .max_write = 4096
	};
	struct fuse_open_out opened = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };
	struct fuse_attr_out attr = { .attr = attr_of(in->nodeid) };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(dev, in->unique, 0, &init, sizeof(init));
		return;
	case FUSE_LOOKUP:
		lookup(dev, in);
		return;
	case FUSE_GETATTR:
		answer(dev, in->unique, 0, &attr, sizeof(attr));
		return;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(dev, in->unique, 0, &opened, sizeof(opened));
		return;
	case FUSE_READ:
		read_program(dev, in);
		return;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		answer(dev, in->unique, 0, NULL, 0);
		return;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return; /* nobody waits */
	}
	answer(dev, in->unique, ENOSYS, NULL, 0);
}

static int read_whole(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || fstat(fd, &file) < 0)
		return -1;
	bytes = malloc(file.st_size);
	n = read(fd, bytes, file.st_size);
	close(fd);
	return n == file.st_size ? 0 : -1;
}

int main(int argc, char **argv)
{
	static char request[REQUEST_BYTES] __attribute__((aligned(8)));
	const struct fuse_in_header *in = (const void *)request;
	uint32_t stalled;
	char options[128];
	int dev;

	if (argc != 4 || read_whole(argv[2]) < 0)
		return 2;
	stalled = !strcmp(argv[3], "open")   ? FUSE_OPEN
		  : !strcmp(argv[3], "read") ? FUSE_READ
					     : FUSE_GETATTR;
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 dev);
	if (dev < 0 || mount("stall", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) < 0) {
		perror("stall_fs");
		return 77;
	}
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	alarm(SECONDS);
	puts("mounted");
	fflush(stdout);
	for (;;) {
		ssize_t n = read(dev, request, sizeof(request));

		if (n < 0 && (errno == EINTR || errno == ENOENT || errno == EAGAIN))
			continue;
		if (n < (ssize_t)sizeof(*in))
			return 0;
		request[n < (ssize_t)sizeof(request) ? n : (ssize_t)sizeof(request) - 1] = '\0';
		if (!is_stalling || in->opcode != stalled)
			serve(dev, in);
	}
}
