// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gen_folded STACKS FUNCTIONS DEPTH SHARING [SEED]: a folded file of that many distinct stacks on
 * standard output, sorted, the same for the same arguments.
 *
 * Stacks are random walks over a random call graph of FUNCTIONS functions whose names are 6 to 60
 * bytes long (25 on average), DEPTH frames deep on average.  SHARING, 1 to 99, is the percentage
 * with which a walk follows a function's favourite callee: the higher, the longer the prefixes that
 * stacks share.  0: every stack has a root of its own and shares nothing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../random.h"

struct params {
	uint64_t stacks, functions, depth, sharing, seed;
};

static void *check(void *p)
{
	if (!p) {
		fputs("gen_folded: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static char *make_name(uint64_t seed, uint64_t nr)
{
	static const char *const words[] = {
		"tcp", "read", "alloc",	 "page", "std::", "vector",
		"get", "hash", "update", "node", "queue", "Handler::"
	};
	size_t nr_words = sizeof(words) / sizeof(*words);
	uint64_t h = test_mix(seed ^ nr * 77), n = 1 + h % 5;
	char name[128];
	size_t len = 0;

	for (uint64_t i = 0; i < n; i++)
		len += sprintf(name + len, "%s_", words[(h >> (8 + 8 * i)) % nr_words]);
	len += sprintf(name + len, "%llx", (unsigned long long)nr);
	if (h >> 62 == 0)
		len += sprintf(name + len, "(int, char const*)");
	else if (h >> 62 == 1)
		len += sprintf(name + len, "_[k]");
	return check(strdup(name));
}

/* The callee of a function that this step of a walk takes. */
static uint64_t step(const struct params *p, uint64_t function, uint64_t random)
{
	uint64_t which = 0;

	if (!p->sharing)
		return random % p->functions;
	if (random % 100 >= p->sharing)
		which = 1 + (random >> 32) % 7;
	return test_mix(p->seed ^ (function * 8 + which)) % p->functions;
}

static char *make_line(const struct params *p, char *const *names, uint64_t nr, uint64_t *state)
{
	uint64_t depth = 1 + p->depth / 2 + test_random_from(state) % p->depth, function = 0, hash;
	size_t len = 0, cap = 64 + depth * 128;
	char *line = check(malloc(cap)), *fit;

	if (!p->sharing)
		len = sprintf(line, "job_%llu;", (unsigned long long)nr);
	hash = nr * !p->sharing;
	for (uint64_t i = 0; i < depth; i++) {
		len += sprintf(line + len, "%s%s", i ? ";" : "", names[function]);
		hash = test_mix(hash ^ function);
		function = step(p, function, test_random_from(state));
	}
	/* The count hangs on the stack, so that stacks met twice are equal lines. */
	len += sprintf(line + len, " %llu", (unsigned long long)(1 + hash % 97));
	fit = realloc(line, len + 1);
	return fit ? fit : line;
}

static int line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint64_t sort_unique(char **lines, uint64_t nr)
{
	uint64_t out = 0;

	qsort(lines, nr, sizeof(*lines), line_cmp);
	for (uint64_t i = 0; i < nr; i++) {
		if (out && !strcmp(lines[out - 1], lines[i]))
			free(lines[i]);
		else
			lines[out++] = lines[i];
	}
	return out;
}

static void generate(const struct params *p)
{
	char **names = check(calloc(p->functions, sizeof(*names)));
	char **lines = check(calloc(p->stacks, sizeof(*lines)));
	uint64_t state = p->seed, nr = 0;

	for (uint64_t i = 0; i < p->functions; i++)
		names[i] = make_name(p->seed, i);
	for (int round = 0; nr < p->stacks && round < 100; round++) {
		for (; nr < p->stacks; nr++)
			lines[nr] = make_line(p, names, nr, &state);
		nr = sort_unique(lines, nr);
	}
	for (uint64_t i = 0; i < nr; i++)
		puts(lines[i]);
}

int main(int argc, char **argv)
{
	struct params p = { .seed = 1 };

	if (argc < 5 || argc > 6) {
		fputs("usage: gen_folded STACKS FUNCTIONS DEPTH SHARING [SEED]\n", stderr);
		return 2;
	}
	p.stacks = strtoull(argv[1], NULL, 10);
	p.functions = strtoull(argv[2], NULL, 10);
	p.depth = strtoull(argv[3], NULL, 10);
	p.sharing = strtoull(argv[4], NULL, 10);
	if (argc > 5)
		p.seed = strtoull(argv[5], NULL, 10);
	if (!p.stacks || !p.functions || !p.depth || p.sharing > 99)
		return 2;
	generate(&p);
	return fflush(stdout) ? 1 : 0;
}
