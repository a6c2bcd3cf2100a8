/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring of an event whose samples a BPF program takes: nothing comes through it but the kernel's
 * THROTTLE and UNTHROTTLE records, the only exact way to learn that it held the event back, and for
 * how long.
 */
#ifndef EDDY_CAPTURE_THROTTLE_RING_H
#define EDDY_CAPTURE_THROTTLE_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

struct throttle_ring {
	struct perf_event_mmap_page *pages; /* NULL: it could not be mapped, nothing is known */
	size_t page_bytes;
	uint64_t since_ns; /* held back since then, by the event's clock; 0: it is not */
	uint64_t nr;	   /* times that it was held back */
	uint64_t ns;	   /* together; what records that found no room tell is estimated */
};

/*
 * Of an event that is open and has no ring.  nr and ns stay, so that one that is opened again goes
 * on counting.  Without room for it (locked memory) pages is NULL: then the others do nothing.
 */
void throttle_ring_map(struct throttle_ring *r, int event_fd);
/* Reads what is there.  Small as it is, it fills up in some 60 records. */
void throttle_ring_poll(struct throttle_ring *r);
/* nr and ns stay. */
void throttle_ring_unmap(struct throttle_ring *r);

#endif
