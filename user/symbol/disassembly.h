/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine code as instructions, in the syntax of the GNU assembler.  A parser makes it (capstone
 * reads foreign bytes) and hands it over as bytes; what those say is checked before it is believed.
 */
#ifndef EDDY_SYMBOL_DISASSEMBLY_H
#define EDDY_SYMBOL_DISASSEMBLY_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"
#include "util/strbuf.h"
#include "util/worker_parser.h"

#define DISASSEMBLY_MAX_BYTES (1u << 20) /* of code */

#if defined(__aarch64__)
#define DISASSEMBLY_NATIVE EM_AARCH64
#else
#define DISASSEMBLY_NATIVE EM_X86_64
#endif

enum code_kind {
	CODE_PLAIN,
	CODE_JUMP,    /* to target, if that is not 0 */
	CODE_CALL,    /* the same */
	CODE_RETURN,  /* also of interrupts */
	CODE_ENABLE,  /* may let interrupts in: popf, msr daif */
	CODE_STI,     /* lets them in behind the next instruction */
	CODE_PADDING, /* nothing: nop, int3 */
	CODE_BAD,     /* no instruction */
	NR_CODE_KINDS
};

struct code_insn {
	uint64_t address, target;
	uint32_t text; /* of the strings */
	uint8_t bytes;
	uint8_t kind; /* enum code_kind */
	uint16_t zero;
};

struct disassembly {
	struct code_insn *insns; /* by address, one behind the other */
	size_t nr;
	char *strings; /* NUL-terminated one by one */
	size_t strings_len;
};

void disassembly_free(struct disassembly *d); /* NULL is fine */
DEFINE_FREE(disassembly, struct disassembly *, disassembly_free)

const char *disassembly_text(const struct disassembly *d, const struct code_insn *insn);
/* The instruction that begins there; NULL: none. */
const struct code_insn *disassembly_at(const struct disassembly *d, uint64_t address);

/* In a parser: adds what the code at an address is, packed.  -ENOTSUP: of no known machine. */
int disassembly_pack(uint16_t machine, uint64_t address, const void *code, size_t len,
		     struct strbuf *to);
/* Of bytes that are not to be trusted, of that much code at start; NULL: they are none. */
struct disassembly *disassembly_unpack(const char *bytes, size_t len, uint64_t start,
				       uint64_t code_bytes);
struct disassembly *disassembly_taken(const struct worker_answer *answer, uint64_t start,
				      uint64_t code_bytes);

#endif
