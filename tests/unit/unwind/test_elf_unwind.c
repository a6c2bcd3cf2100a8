// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of real files, checked address by address against elfutils, which is independent code:
 * at random addresses of the code, the CFA, frame pointer, return address and rbx that our rule
 * names must be those that dwarf_cfi_addrframe() finds.
 *
 * EDDY_UNWIND_PCS sets the addresses per file, EDDY_UNWIND_FILES further files (colon-separated).
 */
#include "unwind/elf_unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#include "unit/unit.h"
#include "util/cleanup.h"
#include "util/mem.h"

/* How one file compared; differences that are meant are counted apart. */
struct tally {
	uint64_t checked;
	uint64_t wrong;
	uint64_t unsupported; /* our rule says so */
	uint64_t uncovered;   /* elfutils has no FDE: padding, entry point */
};

/* The DWARF numbers of a machine. */
struct numbers {
	uint32_t sp, fp, ra, bx;
};

static const struct numbers x86_64 = { 7, 6, 16, 3 };
static const struct numbers arm64 = { 31, 29, 30, 9999 };

/* x86-64 DWARF numbers in the order of enum eddy_gpr. */
static const uint32_t dwarf_of_gpr[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7 };

static bool base_plus(const Dwarf_Op *op, uint32_t reg, int64_t off)
{
	if (op->atom == DW_OP_bregx)
		return op->number == reg && (int64_t)op->number2 == off;
	return op->atom == DW_OP_breg0 + reg && (int64_t)op->number == off;
}

/* The constant added behind a load, in any of the ways to write it. */
static int64_t added(const Dwarf_Op *ops, size_t nops)
{
	if (nops == 0)
		return 0;
	if (ops[0].atom >= DW_OP_lit0 && ops[0].atom <= DW_OP_lit31)
		return ops[0].atom - DW_OP_lit0;
	return (int64_t)ops[0].number;
}

static bool cfa_agrees(const struct eddy_unwind_rule *rule, const struct numbers *n,
		       const Dwarf_Op *ops, size_t nops)
{
	switch (rule->cfa) {
	case EDDY_CFA_SP:
		return nops == 1 && base_plus(&ops[0], n->sp, rule->off);
	case EDDY_CFA_FP:
		return nops == 1 && base_plus(&ops[0], n->fp, rule->off);
	case EDDY_CFA_DEREF_SP:
	case EDDY_CFA_DEREF_FP:
		return nops >= 2 && ops[1].atom == DW_OP_deref &&
		       base_plus(&ops[0], rule->cfa == EDDY_CFA_DEREF_SP ? n->sp : n->fp,
				 rule->off) &&
		       added(ops + 2, nops - 2) == rule->aux;
	case EDDY_CFA_PLT:
		return nops == 9 && base_plus(&ops[0], n->sp, rule->off) &&
		       ops[4].atom == DW_OP_lit0 + rule->aux && ops[5].atom == DW_OP_ge;
	default:
		return rule->cfa >= EDDY_CFA_REG && rule->cfa < EDDY_CFA_REG + EDDY_GPR_IP &&
		       nops == 1 &&
		       base_plus(&ops[0], dwarf_of_gpr[rule->cfa - EDDY_CFA_REG], rule->off);
	}
}

/* Where elfutils says a register of the caller is. */
struct place {
	enum { SAME, UNDEFINED, AT_CFA, IN_REGISTER, AT_FP, OTHER } how;
	int64_t off;
};

static struct place place_of(Dwarf_Frame *frame, uint32_t reg, const struct numbers *n)
{
	Dwarf_Op mem[3], *ops;
	size_t nops;

	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &nops) < 0)
		return (struct place){ .how = OTHER };
	if (nops == 0)
		return (struct place){ .how = ops ? UNDEFINED : SAME };
	if (nops == 1 && ops[0].atom == DW_OP_regx)
		return (struct place){ .how = IN_REGISTER, .off = (int64_t)ops[0].number };
	if (nops <= 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	    (nops == 1 || ops[1].atom == DW_OP_plus_uconst))
		return (struct place){ .how = AT_CFA,
				       .off = nops == 1 ? 0 : (int64_t)ops[1].number };
	/* An expression starts with the CFA on its stack. */
	if (nops == 2 && ops[1].atom == DW_OP_breg0 + n->fp)
		return (struct place){ .how = AT_FP, .off = (int64_t)ops[1].number };
	return (struct place){ .how = OTHER };
}

static bool fp_agrees(const struct eddy_unwind_rule *rule, struct place fp)
{
	switch (rule->fp) {
	case EDDY_FP_SAME:
		return fp.how == SAME;
	case EDDY_FP_CFA:
		return fp.how == AT_CFA && fp.off == rule->fp_off8 * 8;
	case EDDY_FP_DEREF:
		return fp.how == AT_FP && fp.off == rule->fp_off8 * 8;
	default:
		return fp.how == UNDEFINED || fp.how == OTHER || fp.how == IN_REGISTER ||
		       (fp.off & 7);
	}
}

static bool ra_agrees(const struct eddy_unwind_rule *rule, struct place ra)
{
	switch (rule->ra) {
	case EDDY_RA_CFA:
		return ra.how == AT_CFA && ra.off == -8;
	case EDDY_RA_OFF:
		return ra.how == AT_CFA && ra.off == rule->aux * 8;
	case EDDY_RA_REG:
		return ra.how == IN_REGISTER && ra.off == dwarf_of_gpr[rule->aux];
	default:
		return ra.how == SAME;
	}
}

static bool bx_agrees(const struct eddy_unwind_rule *rule, struct place bx)
{
	/* elfutils 0.188 calls an unmentioned rbx undefined (and rax kept: i386's numbers). */
	if (rule->bx == EDDY_BX_SAME)
		return bx.how == SAME || bx.how == UNDEFINED;
	if (rule->bx == EDDY_BX_LOST)
		return bx.how != SAME;
	return bx.how == AT_CFA && bx.off == -8 * rule->bx;
}

/* One address; *what is set to the part that differs. */
static bool agrees(const struct eddy_unwind_rule *rule, const struct numbers *n, Dwarf_Frame *frame,
		   const char **what)
{
	struct place ra = place_of(frame, n->ra, n);
	bool is_signal = false;
	Dwarf_Op *ops;
	size_t nops;

	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	*what = "end";
	if (rule->cfa == EDDY_CFA_STOP)
		return ra.how == UNDEFINED;
	if (rule->cfa == EDDY_CFA_SIGNAL)
		return is_signal;
	/* Raised on purpose: cfa_is_low() in unwind/cfi_rule.c. */
	if (n == &arm64 && ra.how == AT_CFA && ra.off >= 0)
		return rule->cfa == EDDY_CFA_SP && rule->ra != EDDY_RA_LR;
	*what = "cfa";
	if (dwarf_frame_cfa(frame, &ops, &nops) < 0 || !cfa_agrees(rule, n, ops, nops))
		return false;
	*what = "ra";
	if (!ra_agrees(rule, ra))
		return false;
	*what = "fp";
	if (!fp_agrees(rule, place_of(frame, n->fp, n)))
		return false;
	*what = "bx";
	return n->bx == 9999 || rule->cfa == EDDY_CFA_REG + EDDY_GPR_CX ||
	       bx_agrees(rule, place_of(frame, n->bx, n));
}

/* What a table may cover beyond its FDEs: padding, one byte before a root, the entry, arm64's .plt,
 * code that tells itself. */
static bool may_be_uncovered(const struct eddy_unwind_rule *rule, const struct numbers *n,
			     Dwarf_CFI *cfi, uint64_t pc)
{
	Dwarf_Frame *frame;

	if (n == &arm64 && rule->cfa == EDDY_CFA_SP && rule->fp == EDDY_FP_SAME &&
	    rule->off == (rule->ra == EDDY_RA_LR ? 0 : 16))
		return true;

	if (rule->cfa == EDDY_CFA_NONE || rule->cfa == EDDY_CFA_STOP ||
	    rule->cfa == EDDY_CFA_SIGNAL || rule->ra == EDDY_RA_CODE)
		return true;
	for (uint64_t back = 1; back < 16; back++) {
		if (dwarf_cfi_addrframe(cfi, pc - back, &frame) == 0) {
			free(frame);
			return true;
		}
	}
	return false;
}

/* The beginning and the length of an FDE, where they are 32 bits and the first is relative. */
static bool read_range(const GElf_Shdr *section, const Elf_Data *data, const Dwarf_CFI_Entry *entry,
		       uint64_t *ret_begin, uint64_t *ret_bytes)
{
	const uint8_t *at = entry->fde.start;
	int32_t relative;
	uint32_t bytes;

	if (dwarf_cfi_cie_p(entry) || entry->fde.end - at < 8)
		return false;
	memcpy(&relative, at, sizeof(relative));
	memcpy(&bytes, at + 4, sizeof(bytes));
	*ret_begin = section->sh_addr + (at - (const uint8_t *)data->d_buf) + relative;
	*ret_bytes = bytes;
	return true;
}

static Elf_Data *read_section(Elf *elf, const char *name, GElf_Shdr *ret_shdr)
{
	Elf_Scn *section = NULL;
	const char *its;
	size_t names;

	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section))) {
		its = gelf_getshdr(section, ret_shdr) ? elf_strptr(elf, names, ret_shdr->sh_name)
						      : NULL;
		if (its && !strcmp(its, name))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/*
 * Does an FDE cover it that elfutils does not find?  That bisects .eh_frame_hdr and gives up where
 * an empty FDE begins at the same address; here all of them are read.
 */
static bool is_behind_empty_fde(Elf *elf, uint64_t pc)
{
	unsigned char *ident = (unsigned char *)elf_getident(elf, NULL);
	uint64_t begin, bytes, at_empty = 0, found = 1;
	Dwarf_Off off = 0, next;
	Dwarf_CFI_Entry entry;
	GElf_Shdr shdr;
	Elf_Data *data = read_section(elf, ".eh_frame", &shdr);

	for (; data && !dwarf_next_cfi(ident, data, true, off, &next, &entry); off = next) {
		if (!read_range(&shdr, data, &entry, &begin, &bytes))
			continue;
		if (!bytes && begin <= pc && begin > at_empty)
			at_empty = begin;
		if (begin <= pc && pc - begin < bytes)
			found = begin;
	}
	return found == at_empty;
}

static void check_pc(const char *path, const struct eddy_unwind_rule *rule, Elf *elf,
		     Dwarf_CFI *cfi, uint64_t pc, const struct numbers *n, struct tally *tally)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	const char *what = "uncovered";

	tally->checked++;
	if (rule->cfa == EDDY_CFA_UNSUP) {
		tally->unsupported++;
	} else if (dwarf_cfi_addrframe(cfi, pc, &frame) < 0) {
		frame = NULL;
		tally->uncovered++;
		if (may_be_uncovered(rule, n, cfi, pc) || is_behind_empty_fde(elf, pc))
			return;
		tally->wrong++;
	} else if (!agrees(rule, n, frame, &what)) {
		tally->wrong++;
	} else {
		return;
	}
	if (rule->cfa != EDDY_CFA_UNSUP && tally->wrong < 10)
		print_message("%s: 0x%llx: %s differs (cfa %u off %d fp %u %d ra %u bx %u)\n", path,
			      (unsigned long long)pc, what, rule->cfa, rule->off, rule->fp,
			      rule->fp_off8, rule->ra, rule->bx);
}

static uint64_t pcs_per_file(void)
{
	const char *text = getenv("EDDY_UNWIND_PCS");

	return text ? strtoull(text, NULL, 0) : 2000;
}

/* Compares one file; false when it cannot be opened or has no table. */
static bool check_file(const char *path, struct unwind_rules *rules, struct tally *tally)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(unwind_table_freep) struct unwind_table *table = NULL;
	struct elf_source source;
	uint64_t n = pcs_per_file();
	Dwarf_CFI *cfi;
	Elf *elf;

	if (fd < 0 || elf_source_from_fd(fd, &source) < 0)
		return false;
	table = elf_unwind_read(&source, rules);
	if (table->kind != EDDY_FILE_TABLE)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	cfi = dwarf_getcfi_elf(elf);
	for (uint64_t i = 0; cfi && i < n; i++) {
		const struct eddy_unwind_segment *s =
			&table->segment[test_random_below(table->nr_segments)];
		uint64_t pc = s->begin + test_random_below(s->end - s->begin) + s->delta;

		if (table->elf_machine == EM_AARCH64)
			pc &= ~3ull;
		check_pc(path, unwind_rules_get(rules, unwind_table_find(table, pc)), elf, cfi, pc,
			 table->elf_machine == EM_AARCH64 ? &arm64 : &x86_64, tally);
	}
	dwarf_cfi_end(cfi);
	elf_end(elf);
	return cfi != NULL;
}

static void check_glob(const char *pattern, size_t limit, struct unwind_rules *rules,
		       struct tally *tally, size_t *nr_files)
{
	glob_t found = { 0 };
	size_t step;

	if (glob(pattern, 0, NULL, &found) == 0) {
		step = found.gl_pathc / limit + 1;
		for (size_t i = 0; i < found.gl_pathc; i += step)
			*nr_files += check_file(found.gl_pathv[i], rules, tally);
	}
	globfree(&found);
}

static void agrees_with_elfutils(void **state)
{
	static const char *const globs[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/x86_64-linux-gnu/libgcc_s.so.1",
		"/lib/x86_64-linux-gnu/lib*.so.*",
		"/usr/lib/aarch64-linux-gnu/lib*.so.*",
		"/usr/lib/gcc/*/*/cc1",
		"/usr/bin/[a-z]*",
		"/usr/aarch64-linux-gnu/lib/*.so.*",
	};
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	struct tally tally = { 0 };
	size_t nr_files = check_file("/proc/self/exe", rules, &tally);

	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		check_glob(globs[i], 12, rules, &tally, &nr_files);
	if (getenv("EDDY_UNWIND_FILES"))
		check_glob(getenv("EDDY_UNWIND_FILES"), 100000, rules, &tally, &nr_files);
	print_message("%zu files, %llu addresses: %llu wrong, %llu unsupported, %llu uncovered\n",
		      nr_files, (unsigned long long)tally.checked, (unsigned long long)tally.wrong,
		      (unsigned long long)tally.unsupported, (unsigned long long)tally.uncovered);
	assert_true(nr_files >= 10);
	assert_int_equal(tally.wrong, 0);
	/* Rules that cannot be expressed are rare; measured: fewer than one row in 100,000. */
	assert_true(tally.unsupported * 1000 <= tally.checked);
}

/* ---- files that lie ------------------------------------------------------------------------- */

/* The test program itself, in memory. */
static uint8_t *read_self(size_t *ret_len)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_source source = { 0 };
	uint8_t *bytes;

	assert_true(fd >= 0 && elf_source_from_fd(fd, &source) == 0);
	bytes = xmalloc(source.len);
	assert_int_equal(elf_source_read(&source, bytes, source.len, 0), 0);
	assert_int_equal(elf_source_read(&source, bytes, 2, source.len - 1), -ENODATA);
	*ret_len = source.len;
	return bytes;
}

static struct unwind_table *read_bytes(const uint8_t *bytes, size_t len, struct unwind_rules *rules)
{
	struct elf_source source = elf_source_from_bytes(bytes, len);

	return elf_unwind_read(&source, rules);
}

static void same_table_without_section_headers(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_(unwind_table_freep) struct unwind_table *with = NULL, *without = NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t len;

	bytes = read_self(&len);
	with = read_bytes(bytes, len, rules);
	memset(bytes + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	without = read_bytes(bytes, len, rules);
	assert_int_equal(without->kind, EDDY_FILE_TABLE);
	assert_int_equal(with->nr_fdes, without->nr_fdes);
	assert_int_equal(with->nr_rows, without->nr_rows);
	assert_memory_equal(with->row, without->row, with->nr_rows * sizeof(with->row[0]));
}

static void files_that_are_no_elf(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_free_ uint8_t *bytes = NULL;
	struct unwind_table *t;
	size_t len;

	bytes = read_self(&len);
	for (int i = 0; i < 5; i++) {
		static const size_t at[] = { 0, EI_CLASS, EI_DATA, offsetof(Elf64_Ehdr, e_machine),
					     offsetof(Elf64_Ehdr, e_phentsize) };
		uint8_t saved = bytes[at[i]];

		bytes[at[i]] = 0xee;
		t = read_bytes(bytes, len, rules);
		bytes[at[i]] = saved;
		assert_int_equal(t->kind, EDDY_FILE_NOTABLE);
		assert_int_equal(t->nr_segments, 0);
		unwind_table_free(t);
	}
	t = read_bytes(bytes, 0, rules);
	assert_int_equal(t->kind, EDDY_FILE_NOTABLE);
	unwind_table_free(t);
}

static void truncated_and_flipped_files(void **state)
{
	_cleanup_(unwind_rules_freep) struct unwind_rules *rules = unwind_rules_new();
	_cleanup_free_ uint8_t *bytes = NULL;
	unsigned int nr_tables = 0;
	struct unwind_table *t;
	size_t len, at;

	bytes = read_self(&len);
	for (int i = 0; i < 300; i++) {
		t = read_bytes(bytes, test_random_below(len), rules);
		nr_tables += t->kind == EDDY_FILE_TABLE;
		unwind_table_free(t);
	}
	/* Headers first, they lie best; a flipped byte stays flipped. */
	for (int i = 0; i < 600; i++) {
		at = test_random_below(i % 2 ? 1024 : len);
		bytes[at] ^= (uint8_t)(1u << test_random_below(8));
		t = read_bytes(bytes, len, rules);
		nr_tables += t->kind == EDDY_FILE_TABLE;
		assert_true(t->nr_segments >= (t->kind == EDDY_FILE_TABLE));
		assert_true(t->nr_segments <= EDDY_UNWIND_MAX_SEGMENTS);
		unwind_table_free(t);
		if (i % 20 == 0) {
			free(bytes);
			bytes = read_self(&len);
		}
	}
	assert_true(nr_tables > 50);
}

static void only_regular_files_are_read(void **state)
{
	struct elf_source source = { .len = 7 };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(elf_source_from_fd(fds[0], &source), -EINVAL);
	assert_int_equal(source.len, 7);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(elf_source_from_fd(fds[0], &source), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_elfutils),
		cmocka_unit_test(same_table_without_section_headers),
		cmocka_unit_test(files_that_are_no_elf),
		cmocka_unit_test(truncated_and_flipped_files),
		cmocka_unit_test(only_regular_files_are_read),
	};

	return cmocka_run_group_tests_name("elf_unwind", tests, NULL, NULL);
}
