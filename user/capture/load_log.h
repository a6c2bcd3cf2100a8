/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libbpf and the kernel's verifier say while BPF is loaded: kept instead of printed, so that
 * a failure can be told in one line, and in full to who asks for it.
 */
#ifndef EDDY_CAPTURE_LOAD_LOG_H
#define EDDY_CAPTURE_LOAD_LOG_H

#include <bpf/libbpf.h>

#include "util/strbuf.h"

struct load_log {
	struct strbuf text;	 /* warnings, one a line, and the verifier's log among them */
	libbpf_print_fn_t print; /* what printed before; put back at the end */
};

/*
 * From begin to end the messages of this thread's calls go to the log, and libbpf's printing
 * function is another one.  The log, zero at first, stays where it is meanwhile; its owner deinits
 * the text.
 */
void load_log_begin(struct load_log *log);
void load_log_end(struct load_log *log);

/*
 * The line of such a text that tells why: the last one of the verifier before its statistics, or
 * else libbpf's last one that is not about what followed from it.  Added to ret_line, at most
 * max_bytes of it; nothing when there is none.  Its bytes are the kernel's: not yet safe for a
 * terminal.
 */
void load_log_reason(const char *text, size_t max_bytes, struct strbuf *ret_line);

#endif
