// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel gives such a record to the events of the CPU on which it is made, so there is one
 * event a CPU, with a ring of its own.  A ring of 16 KiB holds some 200 records; they are read
 * before an address outside the kernel's own text is named, and ten times a second at least.
 */
#include "capture/kernel_text.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/cpus.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define RING_PAGES    4
#define MAX_PROGRAMS  65536
#define MAX_FUNCTIONS 4096 /* of one program */

struct listener {
	uint32_t cpu;
	int fd;
	struct perf_event_mmap_page *ring;
	uint64_t seen_ns; /* time enabled when it was last looked at */
};

struct kernel_text {
	struct kernel_text_consumer consumer;
	size_t page_bytes;
	int poll_fd; /* readable when a record has come */
	struct listener *items;
	size_t nr, cap;
};

/* Copies bytes out of a ring, around its end. */
static void ring_copy(const struct kernel_text *k, const struct listener *l, uint64_t at, void *to,
		      size_t bytes)
{
	size_t size = RING_PAGES * k->page_bytes, from = at % size;
	const char *data = (const char *)l->ring + k->page_bytes;
	size_t first = bytes < size - from ? bytes : size - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, bytes - first);
}

static void record_take(struct kernel_text *k, const void *record, size_t bytes)
{
	const struct perf_event_header *h = record;
	struct ksymbol symbol;
	uint64_t lost[2];

	if (h->type == PERF_RECORD_LOST && bytes >= sizeof(*h) + sizeof(lost)) {
		memcpy(lost, h + 1, sizeof(lost)); /* id, number */
		k->consumer.lost(k->consumer.ctx, lost[1]);
	} else if (ksymbol_parse(record, bytes, &symbol)) {
		k->consumer.symbol(k->consumer.ctx, &symbol);
	}
}

static void listener_poll(struct kernel_text *k, const struct listener *l)
{
	uint64_t head = __atomic_load_n(&l->ring->data_head, __ATOMIC_ACQUIRE), at;
	_Alignas(8) char record[KSYMBOL_RECORD_BYTES];
	struct perf_event_header h;

	for (at = l->ring->data_tail; head - at >= sizeof(h); at += h.size) {
		ring_copy(k, l, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			break;
		if (h.size > sizeof(record))
			continue;
		ring_copy(k, l, at, record, h.size);
		record_take(k, record, h.size);
	}
	__atomic_store_n(&l->ring->data_tail, head, __ATOMIC_RELEASE);
}

static int listener_open_fd(uint32_t cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
		.ksymbol = 1,
		.watermark = 1,
		.wakeup_watermark = 1, /* each record */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool listener_add(struct kernel_text *k, uint32_t cpu)
{
	_cleanup_close_ int fd = listener_open_fd(cpu);
	void *ring;

	if (fd < 0)
		return false;
	ring = mmap(NULL, (1 + RING_PAGES) * k->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (ring == MAP_FAILED)
		return false;
	epoll_ctl(k->poll_fd, EPOLL_CTL_ADD, fd, &(struct epoll_event){ .events = EPOLLIN });
	array_reserve(k->items, k->cap, k->nr + 1);
	k->items[k->nr++] = (struct listener){ .cpu = cpu, .fd = take_fd(&fd), .ring = ring };
	return true;
}

static bool listens_on(const struct kernel_text *k, uint32_t cpu)
{
	for (size_t i = 0; i < k->nr; i++)
		if (k->items[i].cpu == cpu)
			return true;
	return false;
}

static void listener_close(const struct kernel_text *k, const struct listener *l)
{
	munmap(l->ring, (1 + RING_PAGES) * k->page_bytes);
	close(l->fd);
}

/* An event does not come back with its CPU: its time stands still. */
static bool is_dead(struct listener *l)
{
	uint64_t value[2] = { 0 }, before = l->seen_ns;

	if (read(l->fd, value, sizeof(value)) != sizeof(value))
		return true;
	l->seen_ns = value[1];
	return value[1] == before;
}

void kernel_text_follow_cpus(struct kernel_text *k)
{
	_cleanup_free_ uint32_t *online = NULL;
	size_t nr;

	if (!k || cpus_online(&online, &nr) < 0)
		return;
	for (size_t i = k->nr; i-- > 0;) {
		if (!is_dead(&k->items[i]))
			continue;
		listener_poll(k, &k->items[i]);
		listener_close(k, &k->items[i]);
		k->items[i] = k->items[--k->nr];
		k->consumer.lost(k->consumer.ctx, 0);
	}
	for (size_t i = 0; i < nr; i++)
		if (!listens_on(k, online[i]))
			listener_add(k, online[i]);
}

struct kernel_text *kernel_text_open(const struct kernel_text_consumer *consumer)
{
	struct kernel_text *k = xcalloc(1, sizeof(*k));

	k->consumer = *consumer;
	k->page_bytes = sysconf(_SC_PAGESIZE);
	k->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	kernel_text_follow_cpus(k);
	if (!k->nr) {
		kernel_text_free(k);
		return NULL;
	}
	return k;
}

void kernel_text_free(struct kernel_text *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nr; i++)
		listener_close(k, &k->items[i]);
	if (k->poll_fd >= 0)
		close(k->poll_fd);
	free(k->items);
	free(k);
}

int kernel_text_poll_fd(const struct kernel_text *k)
{
	return k ? k->poll_fd : -1;
}

void kernel_text_poll(struct kernel_text *k)
{
	for (size_t i = 0; k && i < k->nr; i++)
		if (__atomic_load_n(&k->items[i].ring->data_head, __ATOMIC_RELAXED) !=
		    k->items[i].ring->data_tail)
			listener_poll(k, &k->items[i]);
}

static void program_sizes(struct kernel_text *k, int fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info), nr;
	_cleanup_free_ uint64_t *starts = NULL;
	_cleanup_free_ uint32_t *lens = NULL;

	if (bpf_obj_get_info_by_fd(fd, &info, &bytes) < 0)
		return;
	nr = info.nr_jited_ksyms;
	if (!nr || nr != info.nr_jited_func_lens || nr > MAX_FUNCTIONS)
		return;
	starts = xcalloc(nr, sizeof(*starts));
	lens = xcalloc(nr, sizeof(*lens));
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr,
		.jited_ksyms = (uintptr_t)starts,
		.nr_jited_func_lens = nr,
		.jited_func_lens = (uintptr_t)lens,
	};
	bytes = sizeof(info);
	if (bpf_obj_get_info_by_fd(fd, &info, &bytes) < 0 || info.nr_jited_ksyms != nr)
		return;
	for (uint32_t i = 0; i < nr; i++)
		if (starts[i] && lens[i])
			k->consumer.size(k->consumer.ctx, starts[i], lens[i]);
}

void kernel_text_sizes(struct kernel_text *k)
{
	uint32_t id = 0;

	for (int i = 0; k && i < MAX_PROGRAMS && !bpf_prog_get_next_id(id, &id); i++) {
		_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0 && (errno == EPERM || errno == EACCES))
			return;
		if (fd >= 0)
			program_sizes(k, fd);
	}
}
