// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_worker [SECONDS]: has reads done by a worker thread of io_uring, which clears memory in the
 * kernel and never was in user mode; waits meanwhile.  The truth is the worker's processor time.
 * Says "cannot" and ends with 77 where io_uring may not be used.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>

#include "work.h"

#define READ_BYTES (16u << 20)

struct ring {
	int fd;
	char *queues; /* both, in one mapping */
	struct io_uring_params p;
	struct io_uring_sqe *sqe;
};

static void cannot(void)
{
	puts("cannot");
	exit(77);
}

static void *ring_map(int fd, size_t bytes, uint64_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);

	if (p == MAP_FAILED)
		cannot();
	return p;
}

static void ring_open(struct ring *r)
{
	size_t submitted, completed;

	r->fd = syscall(SYS_io_uring_setup, 4, &r->p);
	if (r->fd < 0 || !(r->p.features & IORING_FEAT_SINGLE_MMAP))
		cannot();
	submitted = r->p.sq_off.array + r->p.sq_entries * sizeof(uint32_t);
	completed = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	r->queues =
		ring_map(r->fd, submitted > completed ? submitted : completed, IORING_OFF_SQ_RING);
	r->sqe = ring_map(r->fd, r->p.sq_entries * sizeof(*r->sqe), IORING_OFF_SQES);
}

static uint32_t *ring_word(struct ring *r, uint32_t at)
{
	return (uint32_t *)(r->queues + at);
}

/* One read by a worker; returns when it is done. */
static void read_by_worker(struct ring *r, int fd, void *buffer)
{
	uint32_t *tail = ring_word(r, r->p.sq_off.tail), *head = ring_word(r, r->p.cq_off.head);
	uint32_t slot = *tail & *ring_word(r, r->p.sq_off.ring_mask);

	memset(&r->sqe[slot], 0, sizeof(r->sqe[slot]));
	r->sqe[slot].opcode = IORING_OP_READ;
	r->sqe[slot].flags = IOSQE_ASYNC;
	r->sqe[slot].fd = fd;
	r->sqe[slot].addr = (uintptr_t)buffer;
	r->sqe[slot].len = READ_BYTES;
	ring_word(r, r->p.sq_off.array)[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		cannot();
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
}

/* Processor time of the process without that of this thread. */
static uint64_t workers_ns(void)
{
	uint64_t mine = thread_cpu_ns();
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec - mine;
}

int main(int argc, char **argv)
{
	uint64_t ns = work_ns(argc, argv, 1);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	void *buffer = malloc(READ_BYTES);
	struct ring r = { 0 };

	ring_open(&r);
	while (workers_ns() < ns)
		read_by_worker(&r, zero, buffer);
	truth("io_worker", workers_ns());
	return 0;
}
