// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	header -> functions: entry, offset of _func -> _func: name, flags, pcsp
 *	                                                 '-> pairs: change of sp, bytes of code
 *
 * A function keeps the caller's rbp right below its return address once it has a frame.  Where the
 * runtime itself changes the stack (a goroutine calls on the thread's stack: systemstack, vdso) sp
 * says nothing, and rbp still leads back to the goroutine: such a rule may go to a lower address.
 */
#include "unwind/go_pclntab.h"

#include <dwarf.h>
#include <stdbool.h>
#include <string.h>

#include "unwind/byte_reader.h"
#include "util/mem.h"

#define MAX_CFI_BYTES	(64u << 20)
#define MAX_FRAME_BYTES (1 << 24)
#define FLAG_TOP_FRAME	1 /* since 1.17 */
#define FLAG_SP_WRITE	2
#define REG_FP		6
#define REG_SP		7
#define REG_RA		16

/* What differs between versions: sizes and places. */
struct layout {
	uint32_t magic;
	uint8_t text_at, names_at, pctab_at, funcs_at; /* in the header; text_at 0: absolute */
	uint8_t entry_bytes;			       /* in the list of functions and in _func */
	uint8_t name_at, pcsp_at, flag_at;	       /* in _func */
};

static const struct layout layouts[] = {
	{ 0xfffffff1, 24, 32, 56, 64, 4, 4, 16, 41 }, /* 1.20 */
	{ 0xfffffff0, 24, 32, 56, 64, 4, 4, 16, 37 }, /* 1.18 */
	{ 0xfffffffa, 0, 24, 48, 56, 8, 8, 20, 41 },  /* 1.16 */
};

struct pclntab {
	const uint8_t *bytes;
	uint64_t len;
	const struct layout *layout;
	uint64_t nr_funcs, text, names, pctab, funcs;
};

struct func {
	uint64_t start, end;
	uint64_t name; /* offset in the table */
	uint64_t pcsp; /* offset in the table */
	uint8_t flags;
};

enum { CIE_PLAIN, CIE_SIGNAL };

struct writer {
	struct go_cfi *out;
	size_t cie[2];	    /* where they begin */
	uint64_t max_pairs; /* to be read of all functions together */
};

/* ---- reading ------------------------------------------------------------------------------ */

static struct byte_reader reader_at(const struct pclntab *t, uint64_t at)
{
	/* Without bytes there may be no pointer to count from. */
	const uint8_t *end = t->len ? t->bytes + t->len : t->bytes;

	return (struct byte_reader){ .at = at < t->len ? t->bytes + at : end, .end = end };
}

static uint64_t number_at(const struct pclntab *t, uint64_t at, unsigned int size, bool *ok)
{
	struct byte_reader r = reader_at(t, at);
	uint64_t value = size == 8   ? byte_reader_u64(&r)
			 : size == 4 ? byte_reader_u32(&r)
				     : byte_reader_u8(&r);

	*ok &= !r.failed;
	return value;
}

/* A LEB128 number of at most 10 bytes: a function's pairs take time by its code and not more. */
static uint64_t uleb(struct byte_reader *r)
{
	struct byte_reader number = *r;
	uint64_t value;

	if (byte_reader_left(r) > 10)
		number.end = r->at + 10;
	value = byte_reader_uleb(&number);
	r->at = number.at;
	r->failed |= number.failed;
	return value;
}

static bool header_read(struct pclntab *t, uint64_t text)
{
	bool ok = true;
	uint64_t magic = number_at(t, 0, 4, &ok);

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == magic)
			t->layout = &layouts[i];
	/* Padding, the size of instructions, the size of pointers. */
	if (!ok || !t->layout || number_at(t, 4, 4, &ok) != 0x08010000)
		return false;
	t->nr_funcs = number_at(t, 8, 8, &ok);
	t->names = number_at(t, t->layout->names_at, 8, &ok);
	t->pctab = number_at(t, t->layout->pctab_at, 8, &ok);
	t->funcs = number_at(t, t->layout->funcs_at, 8, &ok);
	if (t->layout->text_at) {
		t->text = number_at(t, t->layout->text_at, 8, &ok);
		if (!t->text)
			t->text = text;
	}
	return ok && t->names < t->len && t->pctab < t->len && t->funcs < t->len &&
	       t->nr_funcs <= t->len / (2u * t->layout->entry_bytes);
}

static bool func_read(const struct pclntab *t, uint64_t i, struct func *ret_func)
{
	const struct layout *l = t->layout;
	uint64_t at = t->funcs + i * 2 * l->entry_bytes, info;
	struct func f;
	bool ok = true;

	f.start = t->text + number_at(t, at, l->entry_bytes, &ok);
	f.end = t->text + number_at(t, at + 2u * l->entry_bytes, l->entry_bytes, &ok);
	info = number_at(t, at + l->entry_bytes, l->entry_bytes, &ok);
	if (!ok || f.end <= f.start || info > t->len)
		return false;
	info += t->funcs;
	f.pcsp = number_at(t, info + l->pcsp_at, 4, &ok);
	f.flags = (uint8_t)number_at(t, info + l->flag_at, 1, &ok);
	f.name = t->names + number_at(t, info + l->name_at, 4, &ok);
	*ret_func = f;
	return ok;
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

static size_t fde_begin(struct writer *w, const struct func *f, int cie)
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
static bool put_pairs(struct writer *w, const struct pclntab *t, const struct func *f)
{
	struct byte_reader r = reader_at(t, t->pctab + f->pcsp);
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

static bool is_one_of(const struct pclntab *t, const struct func *f, const char *const *names)
{
	for (; *names; names++)
		if (f->name < t->len && strlen(*names) < t->len - f->name &&
		    !memcmp(t->bytes + f->name, *names, strlen(*names) + 1))
			return true;
	return false;
}

static void put_func(struct writer *w, const struct pclntab *t, const struct func *f)
{
	/* Where goroutines and threads begin; before 1.17 without a flag.  mcall never returns. */
	static const char *const roots[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go",
					     "runtime.mcall", NULL };
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
	struct pclntab t = { .bytes = bytes, .len = len };
	struct go_cfi out = { 0 };
	struct writer w = { .out = &out, .max_pairs = len };
	uint64_t last = 0;
	struct func f;

	if (!header_read(&t, text))
		return out;
	put_cies(&w);
	for (uint64_t i = 0; i < t.nr_funcs && !out.is_cut; i++) {
		if (!func_read(&t, i, &f) || f.start < last)
			continue;
		put_func(&w, &t, &f);
		out.is_cut |= out.len >= MAX_CFI_BYTES;
		last = f.end;
	}
	return out;
}
