// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is read out of code, against the CFI of the same code: for functions of installed files that
 * have both, every rule that is proved must say what the compiler said.  Twice: with functions
 * that are known to begin where FDEs do, and with nothing but the code.  And the functions that
 * are found so must be those of the FDEs.
 *
 * EDDY_CODE_FILES names further files (a pattern), EDDY_CODE_VERBOSE prints each difference.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <elf.h>

#include "elf/cfi_read.h"
#include "unit/unit.h"
#include "unwind/code_rows.h"
#include "unwind/elf_unwind.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define MAX_TEXT_BYTES (8u << 20)

struct tally {
	uint64_t functions, refused; /* known to begin somewhere */
	uint64_t insns, equal, unknown, other, wrong;
	uint64_t untrue; /* of those that differ, where CFI cannot be right */
	/* Functions that begin where FDEs do, and bytes of the right one's, by what was found. */
	uint64_t begins, false_begins, proved_bytes, own_bytes, others_bytes;
};

/* A file's code, its CFI, and what is compared. */
struct subject {
	const char *path;
	struct unwind_rules *rules;
	struct unwind_table *table;
	struct code_range text;
	uint8_t *bytes;
	struct code_entry *begins; /* of FDEs in it, but of parts that are entered with a frame */
	size_t nr_begins, cap_begins;
	struct code_entry *plain; /* FDEs that say nothing */
	size_t nr_plain, cap_plain;
	struct code_entry *fdes; /* all */
	size_t nr_fdes, cap_fdes;
	struct tally *tally;
};

/* ---- a file ------------------------------------------------------------------------------- */

static const struct eddy_unwind_rule *cfi_of(const struct subject *s, uint64_t addr)
{
	return unwind_rules_get(s->rules, unwind_table_find(s->table, addr));
}

static bool begins_function(const struct eddy_unwind_rule *rule)
{
	return rule->cfa == EDDY_CFA_SP && rule->off == 8 && !rule->fp && !rule->bx &&
	       rule->ra == EDDY_RA_CFA;
}

static bool is_silent(const struct cfi_range *range)
{
	for (size_t i = 0; i < range->code_len; i++)
		if (range->code[i])
			return false;
	return true;
}

static void take_range(void *ctx, const struct cfi_range *range)
{
	struct subject *s = ctx;

	if (range->start < s->text.start || range->start >= s->text.end)
		return;
	array_reserve(s->fdes, s->cap_fdes, s->nr_fdes + 1);
	s->fdes[s->nr_fdes++] = (struct code_entry){ range->start, range->start + range->bytes };
	if (is_silent(range)) {
		array_reserve(s->plain, s->cap_plain, s->nr_plain + 1);
		s->plain[s->nr_plain++] =
			(struct code_entry){ range->start, range->start + range->bytes };
	}
	/* Parts that were split off are entered with a frame; some have a nop before it. */
	if (!begins_function(cfi_of(s, range->start)) ||
	    s->bytes[range->start - s->text.start] == 0x90)
		return;
	array_reserve(s->begins, s->cap_begins, s->nr_begins + 1);
	s->begins[s->nr_begins++] =
		(struct code_entry){ range->start, range->start + range->bytes };
}

static int compare(const void *left, const void *right)
{
	const struct code_entry *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Whether an address (the key) lies in a range. */
static int compare_inside(const void *key, const void *item)
{
	const struct code_entry *a = key, *range = item;

	return a->addr < range->addr ? -1 : a->addr >= range->end;
}

/* False when there is nothing to compare. */
static bool subject_open(struct subject *s, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_elf_image_ struct elf_image img = { 0 };
	_cleanup_cfi_loaded_ struct cfi_loaded cfi = { 0 };
	const struct elf_section *text;
	struct elf_source source;

	s->path = path;
	if (fd < 0 || elf_source_from_fd(fd, &source) < 0 || elf_image_open(fd, &img) < 0 ||
	    img.machine != EM_X86_64)
		return false;
	text = elf_image_section_by_name(&img, ".text");
	if (!text || text->bytes > MAX_TEXT_BYTES || elf_image_section_by_name(&img, ".gopclntab"))
		return false;
	s->table = elf_unwind_read(&source, s->rules);
	s->bytes = xmalloc(text->bytes);
	if (elf_image_read(&img, text->offset, s->bytes, text->bytes) < 0)
		return false;
	s->text = (struct code_range){ text->addr, text->addr + text->bytes, s->bytes };
	cfi_read_eh_frame(&img, &cfi);
	cfi_section_walk(&cfi.section, &(struct cfi_visitor){ .range = take_range, .ctx = s });
	if (s->nr_begins)
		qsort(s->begins, s->nr_begins, sizeof(*s->begins), compare);
	if (s->nr_fdes)
		qsort(s->fdes, s->nr_fdes, sizeof(*s->fdes), compare);
	if (s->nr_plain)
		qsort(s->plain, s->nr_plain, sizeof(*s->plain), compare);
	return s->nr_begins > 0;
}

static void subject_close(struct subject *s)
{
	unwind_table_free(s->table);
	free(s->bytes);
	free(s->begins);
	free(s->plain);
	free(s->fdes);
}

/* ---- states against CFI ------------------------------------------------------------------- */

enum verdict { EQUAL, UNKNOWN, OTHER, WRONG };

static bool holds(const struct code_value *v, enum code_value_kind kind, int64_t n)
{
	return v->kind == kind && (kind == CODE_ENTRY ? v->reg == n : v->off == n);
}

static bool slot_holds(const struct code_state *s, int32_t off, uint8_t reg)
{
	for (uint32_t i = 0; i < s->nr_slots; i++)
		if (s->slot[i].base == CODE_CFA && s->slot[i].off == off)
			return holds(&s->slot[i].value, CODE_ENTRY, reg);
	return false;
}

static enum verdict cfa_verdict(const struct code_state *state, const struct eddy_unwind_rule *cfi)
{
	uint8_t reg = cfi->cfa == EDDY_CFA_SP ? X86_SP : X86_BP;
	const struct code_value *v = &state->reg[reg];

	if (cfi->cfa != EDDY_CFA_SP && cfi->cfa != EDDY_CFA_FP)
		return OTHER;
	if (v->kind == CODE_UNKNOWN)
		return UNKNOWN;
	return holds(v, CODE_CFA, -(int64_t)cfi->off) ? EQUAL : WRONG;
}

/* A register of the caller: our rule says where (0: in itself), CFI says where. */
static enum verdict saved_verdict(const struct code_state *state, uint8_t reg, int32_t ours,
				  int32_t theirs)
{
	if (ours == theirs || (ours && slot_holds(state, theirs, reg)))
		return EQUAL;
	/* Still in the register, and saved already; or saved still, and back in the register. */
	if (!ours && slot_holds(state, theirs, reg))
		return EQUAL;
	if (!theirs && holds(&state->reg[reg], CODE_ENTRY, reg))
		return EQUAL;
	/* Not changed yet; and a place that something else was written to, as far as we know. */
	if (!ours && holds(&state->reg[reg], CODE_ENTRY, reg))
		return OTHER;
	return WRONG;
}

static enum verdict state_verdict(const struct code_state *state,
				  const struct eddy_unwind_rule *cfi)
{
	struct eddy_unwind_rule ours = code_state_rule(state);
	enum verdict v;

	if (ours.cfa == EDDY_CFA_NONE)
		return UNKNOWN;
	v = cfa_verdict(state, cfi);
	if (v != EQUAL)
		return v;
	if (cfi->fp == EDDY_FP_DEREF || cfi->fp == EDDY_FP_LOST || cfi->bx == EDDY_BX_LOST)
		return OTHER;
	if (ours.fp == EDDY_FP_LOST || ours.bx == EDDY_BX_LOST)
		return UNKNOWN;
	v = saved_verdict(state, X86_BP, ours.fp ? ours.fp_off8 * 8 : 0,
			  cfi->fp ? cfi->fp_off8 * 8 : 0);
	return v == EQUAL ? saved_verdict(state, X86_BX, -8 * ours.bx, -8 * cfi->bx) : v;
}

/*
 * Assembly whose CFI is not true: of functions that push and of which it says nothing (glibc's big
 * numbers), of a `popf` whose `pushf` it does not know (libgcrypt), and where it says of a `ret`
 * that the return address stands elsewhere (OpenSSL).
 */
static bool is_untrue(const struct subject *s, uint64_t addr, const struct eddy_unwind_rule *cfi)
{
	const uint8_t *code = s->bytes + (addr - s->text.start);

	if (bsearch(&(struct code_entry){ .addr = addr }, s->plain, s->nr_plain, sizeof(*s->plain),
		    compare_inside))
		return true;
	return *code == 0x9d ||
	       ((*code == 0xc3 || *code == 0xf3) && (cfi->cfa != EDDY_CFA_SP || cfi->off != 8));
}

static void count(struct subject *s, enum verdict v, uint64_t addr,
		  const struct eddy_unwind_rule *ours)
{
	const struct eddy_unwind_rule *cfi = cfi_of(s, addr);
	struct tally *t = s->tally;

	if (v == WRONG && is_untrue(s, addr, cfi)) {
		t->untrue++;
		return;
	}
	t->insns++;
	t->equal += v == EQUAL;
	t->unknown += v == UNKNOWN;
	t->other += v == OTHER;
	t->wrong += v == WRONG;
	if (v == WRONG && (t->wrong < 10 || getenv("EDDY_CODE_VERBOSE")))
		print_message(
			"%s: 0x%llx: code says cfa %u %d fp %u %d bx %u, CFI %u %d %u %d %u\n",
			s->path, (unsigned long long)addr, ours->cfa, ours->off, ours->fp,
			ours->fp_off8, ours->bx, cfi->cfa, cfi->off, cfi->fp, cfi->fp_off8,
			cfi->bx);
}

static void visit(void *ctx, const struct code_insn *insn, const struct code_state *state)
{
	struct eddy_unwind_rule ours = code_state_rule(state);
	struct subject *s = ctx;

	count(s, state_verdict(state, cfi_of(s, insn->addr)), insn->addr, &ours);
}

static bool is_entry(const void *ctx, uint64_t addr)
{
	const struct code_entry key = { .addr = addr };
	const struct subject *s = ctx;

	return bsearch(&key, s->begins, s->nr_begins, sizeof(key), compare);
}

static uint64_t end_of(const void *ctx, uint64_t addr)
{
	const struct code_entry key = { .addr = addr }, *found;
	const struct subject *s = ctx;

	found = bsearch(&key, s->begins, s->nr_begins, sizeof(key), compare);
	return found ? found->end : 0;
}

static uint16_t keeps_nothing(const void *ctx, uint64_t addr)
{
	return 0;
}

static bool nothing(const void *ctx, uint64_t addr)
{
	return false;
}

static void compare_known(struct subject *s)
{
	_cleanup_code_flow_ struct code_flow flow;
	struct code_world world = { .ranges = &s->text,
				    .nr_ranges = 1,
				    .is_entry = is_entry,
				    .end_of = end_of,
				    .is_endless = nothing,
				    .has_return = nothing,
				    .kept_by = keeps_nothing,
				    .ctx = s,
				    .max_steps = 100 * (s->text.end - s->text.start) };

	code_flow_init(&flow, &world);
	for (size_t i = 0; i < s->nr_begins; i++) {
		s->tally->functions++;
		if (code_flow_run(&flow, s->begins[i].addr, CODE_BEGIN_KNOWN))
			code_flow_visit(&flow, visit, s);
		else
			s->tally->refused++;
	}
}

/* ---- rules against CFI -------------------------------------------------------------------- */

static enum verdict rule_verdict(const struct eddy_unwind_rule *ours,
				 const struct eddy_unwind_rule *cfi)
{
	if (ours->cfa != cfi->cfa || (ours->cfa != EDDY_CFA_SP && ours->cfa != EDDY_CFA_FP))
		return OTHER;
	if (ours->off != cfi->off)
		return WRONG;
	if (cfi->fp > EDDY_FP_CFA || cfi->bx == EDDY_BX_LOST)
		return OTHER;
	if (ours->fp == EDDY_FP_LOST || ours->bx == EDDY_BX_LOST)
		return UNKNOWN;
	/* What is saved and not changed yet, or back and saved still, both may say either way. */
	if ((ours->fp && cfi->fp && ours->fp_off8 != cfi->fp_off8) ||
	    (ours->bx && cfi->bx && ours->bx != cfi->bx))
		return WRONG;
	return EQUAL;
}

static const struct code_entry *fde_of(const struct subject *s, uint64_t addr)
{
	const struct code_entry key = { .addr = addr };

	return bsearch(&key, s->fdes, s->nr_fdes, sizeof(key), compare_inside);
}

static void compare_function(struct subject *s, const struct code_entry *function)
{
	const struct code_entry *fde = fde_of(s, function->addr);
	struct tally *t = s->tally;

	if (!fde)
		return;
	t->begins += fde->addr == function->addr;
	t->false_begins += fde->addr != function->addr;
	if (fde->addr != function->addr && getenv("EDDY_CODE_VERBOSE"))
		print_message("%s: 0x%llx is not the begin of 0x%llx\n", s->path,
			      (unsigned long long)function->addr, (unsigned long long)fde->addr);
	for (uint64_t addr = function->addr; addr < function->end; addr++) {
		fde = fde_of(s, addr);
		t->own_bytes += fde && fde->addr == function->addr;
		t->others_bytes += fde && fde->addr != function->addr;
		if (fde && fde->addr == addr && addr != function->addr &&
		    getenv("EDDY_CODE_VERBOSE"))
			print_message("%s: 0x%llx takes 0x%llx\n", s->path,
				      (unsigned long long)function->addr, (unsigned long long)addr);
	}
}

static void compare_functions(struct subject *s, const struct code_rows *rows)
{
	for (uint64_t at = 0; at < s->text.end - s->text.start; at++)
		s->tally->proved_bytes +=
			rows->rule[0][at] & CODE_ROWS_RULE && fde_of(s, s->text.start + at);
	for (size_t i = 0; i < rows->nr_named; i++)
		compare_function(s, &rows->functions[i]);
}

static void compare_guessed(struct subject *s)
{
	const struct code_entries nothing = { .want_functions = true };
	_cleanup_code_rows_ struct code_rows rows;

	code_rows_find(&s->text, 1, &nothing, s->rules, &rows);
	s->tally->functions += rows.nr_functions;
	s->tally->refused += rows.nr_refused;
	for (uint64_t at = 0; at < s->text.end - s->text.start; at++) {
		uint16_t nr = rows.rule[0][at] & CODE_ROWS_RULE;
		const struct eddy_unwind_rule *ours, *cfi = cfi_of(s, s->text.start + at);

		/* Code without CFI is not what is compared here; nor is padding. */
		if (nr <= UNWIND_RULE_NONE + 1 || cfi->cfa == EDDY_CFA_NONE ||
		    cfi->ra == EDDY_RA_CODE)
			continue;
		ours = unwind_rules_get(s->rules, nr - 1u);
		count(s, rule_verdict(ours, cfi), s->text.start + at, ours);
	}
	compare_functions(s, &rows);
}

/* ---- the files ---------------------------------------------------------------------------- */

static void compare_file(const char *path, struct tally *known, struct tally *guessed)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct subject s = { .rules = rules, .tally = known };

	if (subject_open(&s, path)) {
		compare_known(&s);
		s.tally = guessed;
		compare_guessed(&s);
	}
	subject_close(&s);
}

static void compare_glob(const char *pattern, struct tally *known, struct tally *guessed)
{
	glob_t found = { 0 };

	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			compare_file(found.gl_pathv[i], known, guessed);
	globfree(&found);
}

static void print_tally(const char *what, const struct tally *t)
{
	print_message("%s: %llu functions, %llu refused; %llu: %llu equal, %llu unknown, %llu in "
		      "other words, %llu wrong; %llu where CFI is\n",
		      what, (unsigned long long)t->functions, (unsigned long long)t->refused,
		      (unsigned long long)t->insns, (unsigned long long)t->equal,
		      (unsigned long long)t->unknown, (unsigned long long)t->other,
		      (unsigned long long)t->wrong, (unsigned long long)t->untrue);
}

/* A function may begin late, and go on behind a jump that is not understood: of few bytes. */
static void rules_and_functions_are_those_of_cfi(void **state)
{
	static const char *const globs[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",	    "/lib/x86_64-linux-gnu/libm.so.6",
		"/lib/x86_64-linux-gnu/libz.so.1",	    "/lib/x86_64-linux-gnu/libgcc_s.so.1",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/bin/bash",
	};
	struct tally known = { 0 }, guessed = { 0 };

	if (getenv("EDDY_CODE_FILES")) {
		compare_glob(getenv("EDDY_CODE_FILES"), &known, &guessed);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
			compare_glob(globs[i], &known, &guessed);
	}
	print_tally("known", &known);
	print_tally("guessed", &guessed);
	print_message("functions: %llu begin where FDEs do, %llu elsewhere; of %llu bytes %llu "
		      "the right one's, %llu another's\n",
		      (unsigned long long)guessed.begins, (unsigned long long)guessed.false_begins,
		      (unsigned long long)guessed.proved_bytes,
		      (unsigned long long)guessed.own_bytes,
		      (unsigned long long)guessed.others_bytes);
	assert_int_equal(known.wrong, 0);
	assert_int_equal(guessed.wrong, 0);
	assert_true(known.refused * 10 < known.functions);
	assert_true(known.equal * 100 > known.insns * 95);
	assert_true(guessed.false_begins * 100 < guessed.begins);
	assert_true(guessed.others_bytes * 100 < guessed.own_bytes);
	assert_true(guessed.own_bytes * 100 > guessed.proved_bytes * 70);
}

static void elsewhere(void **state)
{
	skip(); /* no program of that machine runs here, and its code is not decoded */
}

int main(void)
{
	const struct CMUnitTest no_tests[] = {
		cmocka_unit_test(elsewhere),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_and_functions_are_those_of_cfi),
	};

#ifndef __x86_64__
	if (ARRAY_SIZE(tests))
		return cmocka_run_group_tests(no_tests, NULL, NULL);
#endif
	(void)no_tests;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
