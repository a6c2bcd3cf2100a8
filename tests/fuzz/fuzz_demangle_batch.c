// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as names for a parser and as its answer: bounded, and never more than was asked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/demangle_batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct worker_answer *answer, size_t nr)
{
	struct demangled names[16];
	int told = demangle_batch_of(answer, names, nr < 16 ? nr : 16);
	size_t sum = 0;

	for (int i = 0; i < told; i++) {
		if (!names[i].name)
			continue;
		if (!names[i].len || names[i].len > DEMANGLE_MAX_BYTES ||
		    memchr(names[i].name, '\0', names[i].len))
			abort();
		sum += names[i].len;
	}
	if (told == 0 || told > 16 || (told > 0 && sum > answer->len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct worker_request request = { .bytes = (const char *)data,
						.len = size,
						.fds = { -1, -1 } };
	struct worker_answer answer = { .bytes = (char *)data, .len = size, .fd = -1 };
	size_t nr = 0;

	check(&answer, 16);
	for (size_t i = 0; i < size; i++)
		nr += !data[i];
	answer = (struct worker_answer){ .fd = -1 };
	demangle_batch_parse(&request, &answer);
	if (nr && !answer.len)
		abort();
	if (nr)
		check(&answer, nr);
	worker_answer_deinit(&answer);
	return 0;
}
