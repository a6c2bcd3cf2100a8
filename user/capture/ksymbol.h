/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PERF_RECORD_KSYMBOL: bytes in, a symbol of the kernel out. */
#ifndef EDDY_CAPTURE_KSYMBOL_H
#define EDDY_CAPTURE_KSYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KSYMBOL_NAME_BYTES   512 /* KSYM_NAME_LEN of the kernel with its NUL */
#define KSYMBOL_RECORD_BYTES 640 /* no record of this kind is longer */

struct ksymbol {
	uint64_t start;
	uint32_t bytes;
	bool is_gone; /* taken out, else put in */
	bool is_bpf;  /* a program or trampoline; else of kprobes or ftrace */
	uint64_t time_ns;
	char name[KSYMBOL_NAME_BYTES];
};

/*
 * Reads a record of so many bytes, header included, of an event with attr.sample_id_all and no
 * other sample_type than PERF_SAMPLE_TIME.  False: not such a record, or not whole.
 */
bool ksymbol_parse(const void *record, size_t bytes, struct ksymbol *ret_symbol);

#endif
