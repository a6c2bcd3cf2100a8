/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small sets of stacks for tests of the call graph: from text, or at random, kept as plain lists
 * beside the profile made of them, so that models can count the obvious way.
 */
#ifndef EDDY_TESTS_STACKS_H
#define EDDY_TESTS_STACKS_H

#include <stdio.h>

#include "analysis/callgraph.h"
#include "profile/profile.h"
#include "unit/unit.h"

enum { STACKS_MAX = 64, STACK_DEPTH_MAX = 24, STACKS_FUNCTIONS_MAX = 64 };

struct stack {
	frame_id frames[STACK_DEPTH_MAX];
	size_t nr;
	uint64_t weight;
};

struct stacks {
	struct stack list[STACKS_MAX];
	size_t nr;
	struct profile *profile;
	struct callgraph *cg;
};

static inline frame_id stacks_frame(struct stacks *s, const char *name)
{
	return frame_table_add_text(profile_frames(s->profile), name, strlen(name));
}

static inline void stacks_init(struct stacks *s)
{
	memset(s, 0, sizeof(*s));
	s->profile = profile_new(NULL);
	s->cg = callgraph_new();
}

static inline void stacks_deinit(struct stacks *s)
{
	callgraph_free(s->cg);
	profile_free(s->profile);
}

/* Adds the last stack of the list to the profile. */
static inline void stacks_commit(struct stacks *s)
{
	struct stack *stack = &s->list[s->nr - 1];
	node_id n = profile_stack(s->profile, stack->frames, stack->nr);

	assert_int_equal(profile_add(s->profile, n, stack->weight), 0);
}

/* "m;a;b 3 m;a 2": folded text with blanks for the ends of lines. */
static inline void stacks_parse(struct stacks *s, const char *text)
{
	char name[64];
	size_t len = 0;
	struct stack *stack = &s->list[s->nr];

	stack->nr = 0;
	for (; *text; text++) {
		if (*text != ';' && *text != ' ') {
			name[len++] = *text;
			continue;
		}
		name[len] = '\0';
		stack->frames[stack->nr++] = stacks_frame(s, name);
		len = 0;
		if (*text == ';')
			continue;
		stack->weight = strtoull(text + 1, (char **)&text, 10);
		s->nr++;
		stacks_commit(s);
		stack = &s->list[s->nr];
		stack->nr = 0;
		if (!*text)
			break; /* *text is the blank before the next stack */
	}
}

static inline void stacks_update(struct stacks *s)
{
	assert_int_equal(callgraph_update(s->cg, s->profile, NULL), 0);
}

static inline void stacks_make(struct stacks *s, const char *text)
{
	stacks_init(s);
	stacks_parse(s, text);
	stacks_update(s);
}

static inline bool stack_has(const struct stack *stack, frame_id f)
{
	for (size_t i = 0; i < stack->nr; i++)
		if (stack->frames[i] == f)
			return true;
	return false;
}

/*
 * A random walk of up to `depth` frames among nr_functions.  Kinds: 0 mostly forward, sometimes
 * back; 1 a sparse graph of two callees each; 2 any word; 3 any word without a repetition, whose
 * cycles are all phantoms.
 */
static inline void stacks_add_random(struct stacks *s, uint32_t nr_functions, size_t depth,
				     unsigned int kind)
{
	struct stack *stack = &s->list[s->nr++];
	uint32_t f = test_random_below(kind >= 2 ? nr_functions : 1 + nr_functions / 4);
	size_t nr = 1 + test_random_below(depth);

	stack->nr = 0;
	stack->weight = test_random_below(8) ? 1 + test_random_below(20) : 0;
	for (size_t i = 0; i < nr; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%02u", f);
		if (kind == 3 && stack_has(stack, stacks_frame(s, name)))
			break;
		stack->frames[stack->nr++] = stacks_frame(s, name);
		switch (kind) {
		case 0:
			f = test_random_below(6) ? f + 1 + test_random_below(2)
						 : test_random_below(nr_functions);
			break;
		case 1:
			f = f * 2 + 1 + test_random_below(2);
			break;
		default:
			f = test_random_below(nr_functions);
		}
		f %= nr_functions;
	}
	stacks_commit(s);
}

static inline void stacks_random(struct stacks *s)
{
	uint32_t nr_functions = 2 + test_random_below(14);
	size_t nr = 1 + test_random_below(16), depth = 1 + test_random_below(16);
	unsigned int kind = test_random_below(4);

	stacks_init(s);
	for (size_t i = 0; i < nr; i++)
		stacks_add_random(s, nr_functions, depth, kind);
	stacks_update(s);
}

static inline uint32_t stacks_function(struct stacks *s, const char *name)
{
	uint32_t f = stacks_frame(s, name);

	assert_true(f < callgraph_graph(s->cg)->nr_functions);
	return f;
}

/* The arc's number; nobody is "". */
static inline uint32_t stacks_arc(struct stacks *s, const char *caller, const char *callee)
{
	const struct graph *g = callgraph_graph(s->cg);
	uint32_t u = *caller ? stacks_function(s, caller) : 0, v = stacks_function(s, callee);

	for (uint32_t a = 0; a < g->nr_arcs; a++)
		if (g->arcs[a].caller == u && g->arcs[a].callee == v)
			return a;
	fail_msg("no arc %s>%s", caller, callee);
	return 0;
}

static inline const struct component *stacks_component(struct stacks *s, const char *name)
{
	return cycles_of(callgraph_cycles(s->cg), stacks_function(s, name));
}

#endif
