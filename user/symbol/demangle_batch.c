// SPDX-License-Identifier: GPL-2.0-or-later
/* An answer is, for each name, the length of what it means (0: nothing) and its bytes. */
#include "symbol/demangle_batch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "symbol/demangle.h"
#include "util/strbuf.h"
#include "util/worker_process.h"

#define NAMES_PER_TIMER 8 /* a system call for each would take as long as a name */

/* ---- in a parser -------------------------------------------------------------------------- */

/* Where to tell at which name it is; NULL. */
static volatile uint32_t *progress_map(int fd)
{
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

void demangle_batch_parse(const struct worker_request *request, struct worker_answer *answer)
{
	volatile uint32_t *progress = progress_map(request->fds[0]);
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT, pretty = STRBUF_INIT;
	const char *name = request->bytes, *end = name + request->len, *nul;
	uint32_t at = 0;

	for (; name < end && (nul = memchr(name, '\0', end - name)); name = nul + 1, at++) {
		uint16_t len;

		if (all.len + sizeof(len) + DEMANGLE_MAX_BYTES > WORKER_MAX_INLINE)
			break;
		if (progress)
			*progress = at;
		if (at % NAMES_PER_TIMER == 0)
			parser_bound_cpu(request, DEMANGLE_NAME_MS);
		strbuf_reset(&pretty);
		len = demangle(name, &pretty) ? pretty.len : 0;
		strbuf_add(&all, &len, sizeof(len));
		strbuf_add(&all, pretty.bytes, len);
	}
	parser_bound_cpu(request, 0);
	if (progress)
		munmap((void *)progress, sizeof(*progress));
	answer->len = all.len;
	answer->bytes = all.len ? strbuf_detach(&all) : NULL;
}

/* ---- in the program ----------------------------------------------------------------------- */

int demangle_batch_of(const struct worker_answer *answer, struct demangled *names, size_t nr)
{
	const char *at = answer->bytes, *end = at + answer->len;
	size_t i = 0;

	for (; i < nr && at < end; i++) {
		uint16_t len;

		if (end - at < (ptrdiff_t)sizeof(len))
			return -EPIPE;
		memcpy(&len, at, sizeof(len));
		at += sizeof(len);
		if (len > end - at || len > DEMANGLE_MAX_BYTES || memchr(at, '\0', len))
			return -EPIPE;
		names[i] = (struct demangled){ len ? at : NULL, len };
		at += len;
	}
	return i && at == end ? (int)i : -EPIPE;
}
