// SPDX-License-Identifier: GPL-2.0-or-later
/* A difference is explained by a fact about the frame at which the two part, or not at all. */
#include "dwfl_verdict.h"

#define MAX_USER_FRAMES 255 /* of the sampler in this check */

const char *verdict_name(enum verdict v)
{
	static const char *const names[NR_VERDICTS] = {
		[VERDICT_SAME] = "same",
		[VERDICT_LANDING] = "landing",
		[VERDICT_COPY] = "copy",
		[VERDICT_PENDING] = "pending",
		[VERDICT_DEPTH] = "depth",
		[VERDICT_NO_CFI] = "no-cfi",
		[VERDICT_NO_RBX] = "no-rbx",
		[VERDICT_NO_RULE] = "no-rule",
		[VERDICT_ROOT] = "root",
		[VERDICT_NOWHERE] = "nowhere",
		[VERDICT_GONE] = "gone",
		[VERDICT_MOVED] = "moved",
		[VERDICT_UNEXPLAINED] = "unexplained",
	};

	return names[v];
}

#define DWARF_RCX 2
#define DWARF_RBX 3

/* The leaf is where _Unwind_Resume has loaded the landing pad's stack, and jumps there. */
static bool leaf_is_resuming(const struct dwfl_walk *w)
{
	return dwfl_walk_cfa_register(w, w->pcs[0]) == DWARF_RCX ||
	       dwfl_walk_ra_register(w, w->pcs[0]) == DWARF_RCX;
}

static bool is_same_frame(const struct dwfl_walk *w, size_t i, bool *is_landing)
{
	uint64_t frame = w->copy->frames[w->copy->ev.nr_kernel + i];
	uint64_t other = frame & EDDY_FRAME_FILE ? w->elf_pcs[i] : w->pcs[i];

	if (frame & EDDY_FRAME_FILE)
		frame &= EDDY_FRAME_ADDR_MASK;
	if (frame == other)
		return true;
	if (frame != other + 1 || i != 1 || !leaf_is_resuming(w))
		return false;
	*is_landing = true;
	return true;
}

/* A step by frame pointer was refused, could not be made, or led to what is no code. */
static bool is_frame_pointer_end(unsigned int end)
{
	return end == EDDY_END_NOTABLE || end == EDDY_END_NOINFO || end == EDDY_END_JIT ||
	       end == EDDY_END_FPFAIL || end == EDDY_END_FAULT || end == EDDY_END_NOMAP;
}

/* libdwfl has no more frames; the sampler has. */
static enum verdict dwfl_is_shorter(const struct dwfl_walk *w, bool lacks_cfi)
{
	if (w->end.beyond_copy)
		return VERDICT_COPY;
	if (w->end.too_deep)
		return VERDICT_DEPTH;
	if (w->nr_pcs > 1 && dwfl_walk_cfa_register(w, w->pcs[w->nr_pcs - 1]) == DWARF_RBX &&
	    dwfl_walk_loses_register(w, w->pcs[w->nr_pcs - 2], DWARF_RBX))
		return VERDICT_NO_RBX;
	return lacks_cfi ? VERDICT_NO_CFI : VERDICT_UNEXPLAINED;
}

/* The sampler has no more frames; libdwfl has. */
static enum verdict sampler_is_shorter(const struct dwfl_walk *w, bool lacks_cfi)
{
	const struct eddy_stack_event *ev = &w->copy->ev;

	switch (ev->user_end) {
	case EDDY_END_PENDING:
		return VERDICT_PENDING;
	case EDDY_END_DEPTH:
		return ev->nr_user == MAX_USER_FRAMES ? VERDICT_DEPTH : VERDICT_UNEXPLAINED;
	case EDDY_END_UNSUP:
		if (ev->nr_user && dwfl_walk_cfa_operations(w, w->pcs[ev->nr_user - 1]) > 3)
			return VERDICT_NO_RULE;
		break;
	case EDDY_END_NOMAP:
		if (w->nr_pcs == ev->nr_user + 1u && !dwfl_walk_has_file(w, w->pcs[ev->nr_user]))
			return VERDICT_NOWHERE;
		break;
	case EDDY_END_ROOT:
		if (!dwfl_walk_has_file(w, w->pcs[ev->nr_user]))
			return VERDICT_ROOT;
		break;
	default:
		break;
	}
	return lacks_cfi && is_frame_pointer_end(ev->user_end) ? VERDICT_NO_CFI
							       : VERDICT_UNEXPLAINED;
}

enum verdict verdict_find(const struct dwfl_walk *w, bool is_certain, size_t *ret_same)
{
	const struct eddy_stack_event *ev = &w->copy->ev;
	enum verdict v = VERDICT_UNEXPLAINED;
	bool lacks_cfi, is_landing = false;
	size_t n = 0;

	*ret_same = 0;
	if (!w->dwfl || !w->nr_pcs)
		return VERDICT_GONE;
	while (n < ev->nr_user && n < w->nr_pcs && is_same_frame(w, n, &is_landing))
		n++;
	*ret_same = n;
	lacks_cfi = n && !dwfl_walk_has_cfi(w, w->pcs[n - 1]);
	if (n == ev->nr_user && n == w->nr_pcs)
		return is_landing ? VERDICT_LANDING : VERDICT_SAME;
	/* The row before the landing pad, where libdwfl looks, may be another one, or none. */
	if (n == w->nr_pcs && (is_landing || (n == 2 && leaf_is_resuming(w))))
		v = VERDICT_LANDING;
	else if (n == w->nr_pcs)
		v = dwfl_is_shorter(w, lacks_cfi);
	else if (n == ev->nr_user)
		v = sampler_is_shorter(w, lacks_cfi);
	else if (lacks_cfi)
		v = VERDICT_NO_CFI;
	return v == VERDICT_UNEXPLAINED && !is_certain ? VERDICT_MOVED : v;
}
