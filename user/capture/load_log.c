// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf has one printing function for the whole process and hands it no context: the log that
 * is open in this thread has to be known to it by a variable.  That is the only reason for the
 * one below; it is set for the time of a load and by nobody else.
 */
#include "capture/load_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

/* The verifier's log is as long as the kernel lets it be: libbpf asks for 16 MiB. */
#define MAX_LOG_BYTES (64u << 20)

static __thread struct load_log *open_log;

static int __attribute__((format(printf, 2, 0)))
log_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = NULL;

	if (!open_log || level != LIBBPF_WARN || open_log->text.len > MAX_LOG_BYTES ||
	    vasprintf(&text, fmt, ap) < 0)
		return 0;
	strbuf_addstr(&open_log->text, text);
	return 0;
}

void load_log_begin(struct load_log *log)
{
	open_log = log;
	log->print = libbpf_set_print(log_print);
}

void load_log_end(struct load_log *log)
{
	open_log = NULL;
	libbpf_set_print(log->print);
}

static bool begins(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(line, with, strlen(with));
}

static bool holds(const char *line, size_t len, const char *what)
{
	return memmem(line, len, what, strlen(what));
}

/* What the verifier adds behind its reason. */
static bool is_statistics(const char *line, size_t len)
{
	return begins(line, len, "processed ") || begins(line, len, "verification time ") ||
	       begins(line, len, "stack depth ");
}

/* What libbpf says of every failure, and of attempts that it then made otherwise. */
static bool is_consequence(const char *line, size_t len)
{
	return holds(line, len, "failed to load object") ||
	       holds(line, len, "failed to load BPF skeleton") ||
	       holds(line, len, ": failed to load: ") ||
	       holds(line, len, "BPF program load failed: ") || holds(line, len, "etrying ");
}

void load_log_reason(const char *text, size_t max_bytes, struct strbuf *ret_line)
{
	const char *verifier = NULL, *other = NULL;
	size_t verifier_len = 0, other_len = 0;
	bool is_inside = false;

	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		size_t len = (end = strchrnul(at, '\n')) - at;

		if (holds(at, len, "-- BEGIN PROG LOAD LOG --")) {
			is_inside = true;
		} else if (holds(at, len, "-- END PROG LOAD LOG --")) {
			is_inside = false;
		} else if (is_inside && len && !is_statistics(at, len)) {
			verifier = at;
			verifier_len = len;
		} else if (!is_inside && len && !is_consequence(at, len)) {
			other = at;
			other_len = len;
		}
	}
	if (verifier) {
		other = verifier;
		other_len = verifier_len;
	}
	if (other && begins(other, other_len, "libbpf: ")) {
		other += strlen("libbpf: ");
		other_len -= strlen("libbpf: ");
	}
	if (other)
		strbuf_add(ret_line, other, other_len < max_bytes ? other_len : max_bytes);
}
