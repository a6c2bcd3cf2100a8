// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcsp of a function are pairs: change of sp, bytes of code.
 *
 * A function keeps the caller's rbp right below its return address once it has a frame.  Where the
 * runtime itself changes the stack (a goroutine calls on the thread's stack: systemstack, vdso) sp
 * says nothing, and rbp still leads back to the goroutine: such a rule may go to a lower address.
 */
#include "unwind/go_pclntab.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "elf/byte_reader.h"
#include "elf/go_functions.h"
#include "util/mem.h"

#define MAX_CFI_BYTES	(64u << 20)
#define MAX_FRAME_BYTES (1 << 24)
#define FLAG_TOP_FRAME	1 /* since 1.17 */
#define FLAG_SP_WRITE	2
#define REG_FP		6
#define REG_SP		7
#define REG_RA		16

enum { CIE_PLAIN, CIE_SIGNAL };

struct writer {
	struct go_cfi *out;
	size_t cie[2];	    /* where they begin */
	uint64_t max_pairs; /* to be read of all functions together */
};

/* ---- reading ------------------------------------------------------------------------------ */

static struct byte_reader pairs_of(const struct go_functions *t, const struct go_function *f)
{
	uint64_t at = t->pctab + f->pcsp;

	return (struct byte_reader){ .at = t->bytes + (at < t->len ? at : t->len),
				     .end = t->bytes + t->len };
}

/* A LEB128 number of at most 10 bytes: a function's pairs take time by its code and not more. */
static uint64_t uleb(struct byte_reader *r)
{
	return byte_reader_uleb_within(r, 10);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put(struct writer *w, const void *bytes, size_t len)
{
	array_reserve(w->out->bytes, w->out->cap, w->out->len + len);
	memcpy(w->out->bytes + w->out->len, bytes, len);
	w->out->len += len;
}

static void put_u8(struct writer *w, uint8_t value)
{
	put(w, &value, 1);
}

static void put_u32(struct writer *w, uint32_t value)
{
	put(w, &value, 4);
}

static void put_u64(struct writer *w, uint64_t value)
{
	put(w, &value, 8);
}

static void put_uleb(struct writer *w, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_u8(w, (uint8_t)(value | 0x80));
	put_u8(w, (uint8_t)value);
}

/* A record begins with its length, which record_end() fills in. */
static size_t record_begin(struct writer *w)
{
	size_t at = w->out->len;

	put_u32(w, 0);
	return at;
}

static void record_end(struct writer *w, size_t at)
{
	uint32_t len = (uint32_t)(w->out->len - at - 4);

	memcpy(w->out->bytes + at, &len, sizeof(len));
}

/* CFA = sp + 8, return address at CFA - 8; one CIE more for frames that the kernel made. */
static void put_cies(struct writer *w)
{
	static const uint8_t body[] = { DW_CFA_def_cfa, REG_SP, 8, DW_CFA_offset | REG_RA, 1 };

	for (int i = CIE_PLAIN; i <= CIE_SIGNAL; i++) {
		size_t at = w->cie[i] = record_begin(w);

		put_u32(w, 0); /* id */
		put_u8(w, 1);  /* version */
		put(w, i == CIE_SIGNAL ? "zS" : "", i == CIE_SIGNAL ? 3 : 1);
		put_u8(w, 1);	 /* unit of code */
		put_u8(w, 0x78); /* unit of data: -8 */
		put_u8(w, REG_RA);
		if (i == CIE_SIGNAL)
			put_u8(w, 0); /* no data */
		put(w, body, sizeof(body));
		record_end(w, at);
	}
}

static size_t fde_begin(struct writer *w, const struct go_function *f, int cie)
{
	size_t at = record_begin(w);

	put_u32(w, (uint32_t)(w->out->len - w->cie[cie]));
	put_u64(w, f->start);
	put_u64(w, f->end - f->start);
	if (cie == CIE_SIGNAL)
		put_u8(w, 0);
	return at;
}

/* The caller's frame by rbp, wherever its stack is. */
static void put_switch(struct writer *w)
{
	static const uint8_t code[] = { DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 16, DW_OP_nop,
					DW_CFA_offset | REG_FP,	   2 };

	put(w, code, sizeof(code));
}

static void put_frame(struct writer *w, uint64_t frame_bytes)
{
	put_u8(w, DW_CFA_def_cfa);
	put_u8(w, REG_SP);
	put_uleb(w, frame_bytes + 8);
	put_u8(w, frame_bytes ? DW_CFA_offset | REG_FP : DW_CFA_same_value);
	put_u8(w, frame_bytes ? 2 : REG_FP);
}

/*
 * Counts a pair, or the end of what is read.  How much code a function has is the table's own
 * claim, and any number of functions may share their pairs, as Go's linker lets equal ones do; so
 * what bounds the work is the number of pairs, those of functions that then turn out to be
 * malformed among them.  Go itself has 30 to 40 bytes of table for each.
 */
static bool take_pair(struct writer *w)
{
	if (w->out->nr_pairs == w->max_pairs || w->out->len >= MAX_CFI_BYTES) {
		w->out->is_cut = true;
		return false;
	}
	w->out->nr_pairs++;
	return true;
}

/*
 * The pairs of a function: change of the value, signed by its lowest bit, and bytes of code for
 * which the new value holds; the value begins at -1, a change of 0 behind the first ends them.
 */
static bool put_pairs(struct writer *w, const struct go_functions *t, const struct go_function *f)
{
	struct byte_reader r = pairs_of(t, f);
	uint64_t pc = f->start, size;
	int64_t value = -1, change;

	while (pc < f->end) {
		uint64_t raw = uleb(&r);

		if (!raw && pc != f->start)
			return !r.failed;
		if (!take_pair(w))
			return false;
		change = raw & 1 ? ~(int64_t)(raw >> 1) : (int64_t)(raw >> 1);
		size = uleb(&r);
		if (r.failed || !size || size > f->end - pc || change > MAX_FRAME_BYTES ||
		    change < -MAX_FRAME_BYTES)
			return false;
		value += change;
		if (value < 0 || value > MAX_FRAME_BYTES || value & 7)
			return false;
		if (value && f->flags & FLAG_SP_WRITE)
			put_switch(w);
		else
			put_frame(w, (uint64_t)value);
		put_u8(w, DW_CFA_advance_loc4);
		put_u32(w, (uint32_t)size);
		pc += size;
	}
	return true;
}

static bool is_one_of(const struct go_functions *t, const struct go_function *f,
		      const char *const *names)
{
	for (; *names; names++)
		if (go_function_is(t, f, *names))
			return true;
	return false;
}

static void put_func(struct writer *w, const struct go_functions *t, const struct go_function *f)
{
	/*
	 * Where goroutines and threads begin; before 1.17 without a flag.  mcall and morestack go
	 * over to the thread's stack and never return: there it begins with them.
	 */
	static const char *const roots[] = { "runtime.goexit",	  "runtime.mstart",
					     "runtime.rt0_go",	  "runtime.mcall",
					     "runtime.morestack", NULL };
	/* They have no frame: rbp is that of their caller, whose own address is not found. */
	static const char *const switches[] = { "runtime.systemstack", "runtime.asmcgocall", NULL };
	static const char *const signals[] = { "runtime.sigreturn", "runtime.sigreturn__sigaction",
					       NULL };
	static const uint8_t undefined[] = { DW_CFA_undefined, REG_RA };
	static const uint8_t signal[] = {
		DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref
	};
	bool is_signal = is_one_of(t, f, signals), ok = true;
	size_t at = fde_begin(w, f, is_signal ? CIE_SIGNAL : CIE_PLAIN);

	if (is_signal)
		put(w, signal, sizeof(signal));
	else if (f->flags & FLAG_TOP_FRAME || is_one_of(t, f, roots))
		put(w, undefined, sizeof(undefined));
	else if (is_one_of(t, f, switches))
		put_switch(w);
	else
		ok = f->pcsp && put_pairs(w, t, f);
	if (ok)
		record_end(w, at);
	else
		w->out->len = at;
}

struct go_cfi go_pclntab_read(const uint8_t *bytes, size_t len, uint64_t text)
{
	struct go_functions t;
	struct go_cfi out = { 0 };
	struct writer w = { .out = &out, .max_pairs = len };
	uint64_t last = 0;
	struct go_function f;

	if (!go_functions_open(&t, bytes, len, text))
		return out;
	put_cies(&w);
	for (uint64_t i = 0; i < t.nr && !out.is_cut; i++) {
		if (!go_functions_get(&t, i, &f) || f.start < last)
			continue;
		put_func(&w, &t, &f);
		out.is_cut |= out.len >= MAX_CFI_BYTES;
		last = f.end;
	}
	return out;
}
