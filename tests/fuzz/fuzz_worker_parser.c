// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes as the message that a parser sends instead of its answer, behind one that says what comes
 * with it.  A real parser sends them, so each is a process that could be anybody's.  What is taken
 * is bounded and its file sealed; whatever came, the next question has an answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/worker_parser.h"
#include "util/worker_process.h"
#include "util/worker_wire.h"

#define ANSWER_FD 3 /* as worker_parser.c */
#define ALL_SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)

/* Of the first byte. */
enum {
	WITH_FILE = 1,
	WITH_SEALS = 2,
	WITH_TWO = 4,	/* as many descriptors as a message can have */
	WITH_TWICE = 8, /* the message comes again: before the answer to the next question */
	WITH_END = 16,	/* and then it has ended */
	NR_WITH = 32,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* In a parser: what a hostile one does. */
static void lie(const struct worker_request *request, struct worker_answer *answer)
{
	const uint8_t with = (uint8_t)request->bytes[0];
	int fds[WIRE_MAX_FDS] = { -1, -1 };

	if (with & WITH_FILE) {
		fds[0] = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (write(fds[0], request->bytes, request->len) < 0 ||
		    (with & WITH_SEALS && fcntl(fds[0], F_ADD_SEALS, ALL_SEALS) < 0))
			_exit(1);
	}
	if (with & WITH_TWO)
		fds[1] = fds[0];
	for (int i = 0; i <= !!(with & WITH_TWICE); i++)
		wire_send(ANSWER_FD, request->bytes + 1, request->len - 1, NULL, 0, fds, true);
	if (with & WITH_END)
		_exit(0);
	if (fds[0] >= 0)
		close(fds[0]);
}

/* In a parser: what an honest one does. */
static void tell(const struct worker_request *request, struct worker_answer *answer)
{
	answer->status = 4711;
}

static int ask(struct worker_parser *p, worker_fn fn, const void *bytes, size_t len,
	       struct worker_answer *ret)
{
	const struct worker_request request = { .bytes = bytes, .len = len, .fds = { -1, -1 } };

	return worker_parse(p, fn, &request, ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct worker_parser *p;
	_cleanup_worker_answer_ struct worker_answer lied = { .fd = -1 }, told = { .fd = -1 };
	int r;

	if (!p)
		p = worker_parser_new();
	if (!size || size > WORKER_MAX_REQUEST || data[0] >= NR_WITH)
		return 0;
	r = ask(p, lie, data, size, &lied);
	require(r == 0 || r == -EPIPE);
	if (!r) {
		require(lied.len <= WORKER_MAX_INLINE);
		require(lied.fd < 0 || fcntl(lied.fd, F_GET_SEALS) == ALL_SEALS);
	}
	/* What was sent too much stands for answers, of the next input too; then come true ones. */
	for (int i = 0; i < 4 && told.status != 4711; i++) {
		worker_answer_deinit(&told);
		told = (struct worker_answer){ .fd = -1 };
		ask(p, tell, "", 1, &told);
	}
	require(told.status == 4711);
	return 0;
}
