/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of a user stack.  Entering and leaving user memory costs about 70 ns, whatever is read
 * there (8 bytes 72 ns, 1 KiB 87 ns: SMAP, and a barrier against speculation), so a piece is read
 * at once and serves the frames above.  It never reaches over the end of a page: what is read ahead
 * is there whenever the word that is asked for is, and missing memory is met at the same word as
 * without a window.
 */
#ifndef EDDY_STACK_BPF_H
#define EDDY_STACK_BPF_H

#include "index.bpf.h"
#include "mapping.bpf.h"
#include "maps.bpf.h"
#include "probes.bpf.h"
#include "unwind_call.h"
#include "variables.bpf.h"

#define WINDOW_BYTES   ((EDDY_WINDOW_WORDS - 2) * 8) /* the last two words are for single reads */
#define WINDOW_BELOW   64   /* registers are saved below return addresses */
#define WINDOW_PAGE    4096 /* no page is smaller */
#define MAX_READ_BYTES 16

/*
 * Reads size bytes at addr: the byte of walk.window[] where they stand, or negative.  A word below
 * the window (a register that was saved some frames ago) leaves it where it is: the walk goes up.
 */
__noinline int stack_fetch(__u64 addr, __u32 size)
{
	__u64 page = addr & ~(__u64)(WINDOW_PAGE - 1);
	__u64 start = addr - WINDOW_BELOW, bytes;
	__u32 zero = 0;
	struct eddy_scratch *s = bpf_map_lookup_elem(&scratch, &zero);

	if (!s || size > MAX_READ_BYTES)
		return -1;
	if (addr & 7 || addr + size > page + WINDOW_PAGE ||
	    (s->walk.window_bytes && addr < s->walk.window_addr))
		return bpf_probe_read_user(s->walk.window + WINDOW_BYTES / 8, size, (void *)addr)
			       ? -1
			       : WINDOW_BYTES;
	if (addr - page < WINDOW_BELOW)
		start = page;
	bytes = page + WINDOW_PAGE - start;
	if (bytes > WINDOW_BYTES)
		bytes = WINDOW_BYTES;
	s->walk.window_bytes = 0;
	if (bpf_probe_read_user(s->walk.window, bytes, (void *)start))
		return -1;
	s->walk.window_addr = start;
	s->walk.window_bytes = bytes;
	return addr - start;
}

/* For include/unwind_registers.h: size is a constant; 8 and 16 bytes are words of the stack. */
static __always_inline int stack_read(struct eddy_unwind_state *state, void *dst, __u32 size,
				      __u64 addr)
{
	struct eddy_walk *w = container_of(state, struct eddy_walk, state);
	__u64 *word = dst, at = addr - w->window_addr;
	int fetched;

	if (size > MAX_READ_BYTES) {
		w->window_bytes = 0; /* a signal frame: the walk may go on upon another stack */
		return bpf_probe_read_user(dst, size, (void *)addr);
	}
	if (addr & 7 || at > WINDOW_BYTES || at + size > w->window_bytes) {
		fetched = stack_fetch(addr, size);
		if (fetched < 0)
			return -1;
		at = fetched;
	}
	word[0] = w->window[EDDY_INDEX(at / 8, EDDY_WINDOW_WORDS)];
	if (size > 8)
		word[1] = w->window[EDDY_INDEX(at / 8 + 1, EDDY_WINDOW_WORDS)];
	return 0;
}

/*
 * Whether a call stands before an address: 8 bytes of code, or as many of them as its page has.
 * Global, and so verified on its own.
 */
__noinline int code_calls(__u64 addr)
{
	const __u64 left = addr & (WINDOW_PAGE - 1);
	__u64 code = 0;

	if (!bpf_probe_read_user(&code, sizeof(code), (void *)(addr - sizeof(code))))
		return eddy_unwind_is_call(code, EDDY_ARCH_NATIVE);
	if (!left || left >= sizeof(code) ||
	    bpf_probe_read_user(&code, sizeof(code), (void *)(addr - left)))
		return 0;
	return eddy_unwind_is_call(code << (64 - 8 * left), EDDY_ARCH_NATIVE);
}

/* In memory that is no file's: code there may push an address and jump, as HotSpot interprets. */
static __always_inline bool is_compiled_here(const struct eddy_walk *w, __u64 pc)
{
	const struct eddy_scratch *s = container_of(w, struct eddy_scratch, walk);
	const struct eddy_space *space = &s->space[w->space % EDDY_NR_SPACES];
	int slot = mapping_find(pc);

	return slot >= 0 &&
	       space->mapping[EDDY_INDEX(slot, EDDY_NR_MAPPINGS)].kind == EDDY_MAPPING_ANON;
}

/* Who wants frame pointers alone is told what they say; a return probe stands before no call. */
static __always_inline bool stack_is_called(struct eddy_unwind_state *state, __u64 ra)
{
	const struct eddy_walk *w = container_of(state, struct eddy_walk, state);

	return config.unwind == EDDY_UNWIND_FP || is_probes_area(w, ra) || code_calls(ra) ||
	       is_compiled_here(w, ra);
}

#define EDDY_UNWIND_READ(s, dst, size, addr) stack_read(s, dst, size, addr)
#define EDDY_UNWIND_IS_CALLED(s, ra, arch)   stack_is_called(s, ra)
#include "unwind_step.h"

#endif
