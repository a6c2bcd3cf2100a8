// SPDX-License-Identifier: GPL-2.0-or-later
/* head | instructions | strings.  What capstone does not know is a byte, or a word, of its own. */
#include "symbol/disassembly.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/mem.h"

#define MAGIC	       0x65616e6e
#define MAX_TEXT_BYTES 255

struct packed_head {
	uint32_t magic, nr;
	uint64_t strings_len;
};

/* ---- in a parser -------------------------------------------------------------------------- */

struct machine {
	csh handle;
	bool is_arm64, is_open;
	size_t step; /* of what is no instruction */
};

static void machine_close(struct machine *m)
{
	if (m->is_open)
		cs_close(&m->handle);
}

static int machine_open(struct machine *m, uint16_t machine)
{
	cs_arch arch = CS_ARCH_X86;
	cs_mode mode = CS_MODE_64;

	m->is_arm64 = machine == EM_AARCH64;
	m->step = m->is_arm64 ? 4 : 1;
	if (machine == EM_386)
		mode = CS_MODE_32;
	else if (m->is_arm64)
		arch = CS_ARCH_ARM64, mode = CS_MODE_ARM;
	else if (machine != EM_X86_64)
		return -ENOTSUP;
	if (cs_open(arch, mode, &m->handle) != CS_ERR_OK)
		return -ENOTSUP;
	m->is_open = true;
	cs_option(m->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (!m->is_arm64)
		cs_option(m->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return 0;
}

static enum code_kind x86_kind(unsigned int id)
{
	switch (id) {
	case X86_INS_STI:
		return CODE_STI;
	case X86_INS_POPF:
	case X86_INS_POPFD:
	case X86_INS_POPFQ:
		return CODE_ENABLE;
	case X86_INS_NOP:
	case X86_INS_INT3:
		return CODE_PADDING;
	case X86_INS_CALL:
	case X86_INS_LCALL:
		return CODE_CALL;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return CODE_RETURN;
	default:
		return CODE_PLAIN;
	}
}

static enum code_kind arm64_kind(const cs_insn *insn)
{
	switch (insn->id) {
	case ARM64_INS_MSR: /* "daifclr, #2", "daif, x0", "icc_pmr_el1, x0" */
		return !strncasecmp(insn->op_str, "daif,", 5) ||
				       !strncasecmp(insn->op_str, "daifclr,", 8) ||
				       !strncasecmp(insn->op_str, "icc_pmr", 7)
			       ? CODE_ENABLE
			       : CODE_PLAIN;
	case ARM64_INS_NOP:
		return CODE_PADDING;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		return CODE_CALL;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
		return CODE_RETURN;
	default:
		return CODE_PLAIN;
	}
}

/* Where it goes to, if it says so; 0: it does not. */
static uint64_t target_of(const struct machine *m, const cs_insn *insn)
{
	const cs_detail *d = insn->detail;

	if (!m->is_arm64)
		return d->x86.op_count == 1 && d->x86.operands[0].type == X86_OP_IMM
			       ? (uint64_t)d->x86.operands[0].imm
			       : 0;
	for (size_t i = d->arm64.op_count; i-- > 0;) /* the last: of cbz and tbz too */
		if (d->arm64.operands[i].type == ARM64_OP_IMM)
			return (uint64_t)d->arm64.operands[i].imm;
	return 0;
}

static void classify(const struct machine *m, const cs_insn *insn, struct code_insn *to)
{
	enum code_kind kind = m->is_arm64 ? arm64_kind(insn) : x86_kind(insn->id);

	if (kind == CODE_PLAIN && cs_insn_group(m->handle, insn, CS_GRP_JUMP))
		kind = CODE_JUMP;
	if (kind == CODE_JUMP || kind == CODE_CALL)
		to->target = target_of(m, insn);
	to->kind = kind;
}

static void text_add(struct strbuf *strings, const char *mnemonic, const char *operands)
{
	strbuf_addf(strings, "%.*s%s%.*s", 63, mnemonic, *operands ? " " : "", 191, operands);
	strbuf_addch(strings, '\0');
}

/* The instruction at *code, which moves on. */
static struct code_insn next(const struct machine *m, cs_insn *insn, const uint8_t **code,
			     size_t *left, uint64_t *address, struct strbuf *strings)
{
	struct code_insn to = { .address = *address, .text = strings->len };

	if (cs_disasm_iter(m->handle, code, left, address, insn)) {
		to.bytes = insn->size;
		classify(m, insn, &to);
		text_add(strings, insn->mnemonic, insn->op_str);
		return to;
	}
	to.bytes = *left < m->step ? *left : m->step;
	to.kind = CODE_BAD;
	text_add(strings, "(bad)", "");
	*code += to.bytes;
	*left -= to.bytes;
	*address += to.bytes;
	return to;
}

int disassembly_pack(uint16_t machine, uint64_t address, const void *code, size_t len,
		     struct strbuf *to)
{
	_cleanup_(machine_close) struct machine m = { 0 };
	_cleanup_strbuf_ struct strbuf strings = STRBUF_INIT, insns = STRBUF_INIT;
	struct packed_head head = { .magic = MAGIC };
	const uint8_t *at = code;
	cs_insn *insn;
	int r = len > DISASSEMBLY_MAX_BYTES ? -E2BIG : machine_open(&m, machine);

	if (r < 0)
		return r;
	insn = cs_malloc(m.handle);
	if (!insn)
		return -ENOMEM;
	while (len) {
		const struct code_insn found = next(&m, insn, &at, &len, &address, &strings);

		strbuf_add(&insns, &found, sizeof(found));
		head.nr++;
	}
	cs_free(insn, 1);
	head.strings_len = strings.len;
	strbuf_add(to, &head, sizeof(head));
	strbuf_add(to, insns.bytes, insns.len);
	strbuf_add(to, strings.bytes, strings.len);
	return 0;
}

/* ---- back, by somebody who believes nothing ----------------------------------------------- */

void disassembly_free(struct disassembly *d)
{
	if (!d)
		return;
	free(d->insns);
	free(d->strings);
	free(d);
}

const char *disassembly_text(const struct disassembly *d, const struct code_insn *insn)
{
	return d->strings + insn->text;
}

const struct code_insn *disassembly_at(const struct disassembly *d, uint64_t address)
{
	size_t low = 0, high = d->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->insns[middle].address == address)
			return &d->insns[middle];
		if (d->insns[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* One behind the other from start to the end, each with a short text of its own. */
static bool is_sound(const struct disassembly *d, uint64_t start, uint64_t code_bytes)
{
	uint64_t address = start, left = code_bytes;

	if (d->nr && (!d->strings_len || d->strings[d->strings_len - 1]))
		return false;
	for (size_t i = 0; i < d->nr; i++) {
		const struct code_insn *insn = &d->insns[i];

		if (insn->address != address || !insn->bytes || insn->bytes > left ||
		    insn->kind >= NR_CODE_KINDS || insn->text >= d->strings_len ||
		    strlen(d->strings + insn->text) > MAX_TEXT_BYTES)
			return false;
		address += insn->bytes;
		left -= insn->bytes;
	}
	return !left;
}

struct disassembly *disassembly_unpack(const char *bytes, size_t len, uint64_t start,
				       uint64_t code_bytes)
{
	_cleanup_(disassembly_freep) struct disassembly *d = NULL;
	struct packed_head head;
	size_t insns_len;

	if (len < sizeof(head))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	insns_len = (size_t)head.nr * sizeof(struct code_insn);
	if (head.magic != MAGIC || head.nr > DISASSEMBLY_MAX_BYTES ||
	    len - sizeof(head) < insns_len || len - sizeof(head) - insns_len != head.strings_len)
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->nr = head.nr;
	d->insns = xcalloc(d->nr, sizeof(*d->insns));
	memcpy(d->insns, bytes + sizeof(head), insns_len);
	d->strings_len = head.strings_len;
	d->strings = xmalloc(d->strings_len);
	memcpy(d->strings, bytes + sizeof(head) + insns_len, d->strings_len);
	return is_sound(d, start, code_bytes) ? take_ptr(d) : NULL;
}

struct disassembly *disassembly_taken(const struct worker_answer *answer, uint64_t start,
				      uint64_t code_bytes)
{
	struct disassembly *d = NULL;
	size_t len = 0;
	const char *bytes = parsed_map(answer, &len);

	if (!bytes)
		return NULL;
	d = disassembly_unpack(bytes, len, start, code_bytes);
	munmap((void *)bytes, len);
	return d;
}
