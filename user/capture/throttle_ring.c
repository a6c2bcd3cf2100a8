// SPDX-License-Identifier: GPL-2.0-or-later
/* One page for the head and one for records. */
#include "capture/throttle_ring.h"

#include <sys/mman.h>
#include <unistd.h>

void throttle_ring_map(struct throttle_ring *r, int event_fd)
{
	void *pages;

	r->page_bytes = sysconf(_SC_PAGESIZE);
	r->since_ns = 0;
	pages = mmap(NULL, 2 * r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event_fd, 0);
	r->pages = pages == MAP_FAILED ? NULL : pages;
}

/* Every second record that did not fit said that the event was held back, as long as others. */
static void lost(struct throttle_ring *r, uint64_t nr_records)
{
	uint64_t nr = nr_records / 2;

	r->ns += r->nr ? nr * (r->ns / r->nr) : 0;
	r->nr += nr;
	r->since_ns = 0;
}

/* words: what follows the header; for all that are looked at there are two at least. */
static void record(struct throttle_ring *r, uint32_t type, const uint64_t words[2])
{
	switch (type) {
	case PERF_RECORD_THROTTLE:
		r->nr++;
		r->since_ns = words[0];
		break;
	case PERF_RECORD_UNTHROTTLE:
		if (r->since_ns && words[0] > r->since_ns)
			r->ns += words[0] - r->since_ns;
		r->since_ns = 0;
		break;
	case PERF_RECORD_LOST:
		lost(r, words[1]);
		break;
	}
}

void throttle_ring_poll(struct throttle_ring *r)
{
	const char *data = (const char *)r->pages + r->page_bytes;
	uint64_t head, tail;

	if (!r->pages)
		return;
	head = __atomic_load_n(&r->pages->data_head, __ATOMIC_ACQUIRE);
	for (tail = r->pages->data_tail; tail + sizeof(struct perf_event_header) <= head;) {
		/* Records are multiples of 8 bytes, so a header and a word never wrap. */
		const struct perf_event_header *h = (void *)(data + tail % r->page_bytes);
		const uint64_t words[2] = {
			*(const uint64_t *)(data + (tail + 8) % r->page_bytes),
			*(const uint64_t *)(data + (tail + 16) % r->page_bytes),
		};

		if (!h->size)
			break;
		record(r, h->type, words);
		tail += h->size;
	}
	__atomic_store_n(&r->pages->data_tail, head, __ATOMIC_RELEASE);
}

void throttle_ring_unmap(struct throttle_ring *r)
{
	if (r->pages)
		munmap(r->pages, 2 * r->page_bytes);
	r->pages = NULL;
}
