// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of .eh_frame, as they should be and as nobody should write them. */
#include "unwind/eh_frame.h"

#include "unit/unit.h"
#include "unit/unwind/cfi_bytes.h"
#include "unwind/cfi_program.h"

static const struct address_range code = { 0x1000, 0x400000 };
static const uint8_t push_rbp[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16 };

static void init(struct eh_frame *eh)
{
	eh_frame_init(eh, cfi_machine_find(EM_X86_64), &code, 1);
}

static uint8_t *last_copy;

/* Adds exactly these bytes, in memory of their own so that ASan sees reads beyond them. */
static void add(struct eh_frame *eh, const struct cfi_section *section)
{
	struct cfi_section copy = *section;

	free(last_copy);
	last_copy = malloc(section->len ? section->len : 1);
	assert_non_null(last_copy);
	memcpy(last_copy, section->bytes, section->len);
	copy.bytes = last_copy;
	eh_frame_add(eh, &copy);
}

static int free_copy(void **state)
{
	free(last_copy);
	return 0;
}

static void add_bytes(struct eh_frame *eh, const struct cfi_bytes *c)
{
	struct cfi_section section = cfi_section(c);

	add(eh, &section);
}

static void finds_cies_and_fdes(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR"), plain;

	put_fde(&c, cie, 0x3000, 0x40, push_rbp, sizeof(push_rbp));
	plain = put_cie(&c, "zR");
	put_fde(&c, plain, 0x2000, 0x10, NULL, 0);
	put_fde(&c, cie, 0x4000, 0x10, NULL, 0);
	init(&eh);
	add_bytes(&eh, &c);
	eh_frame_sort(&eh);
	assert_int_equal(eh.nr_cies, 2);
	assert_int_equal(eh.nr_fdes, 3);
	assert_int_equal(eh.fdes[0].start, 0x2000);
	assert_int_equal(eh.fdes[0].cie, 1);
	assert_int_equal(eh.fdes[1].start, 0x3000);
	assert_int_equal(eh.fdes[1].end, 0x3040);
	assert_int_equal(eh.fdes[1].code_len, sizeof(push_rbp));
	assert_memory_equal(eh.fdes[1].code, push_rbp, sizeof(push_rbp));
	assert_int_equal(eh.fdes[2].cie, 0);
	assert_int_equal(eh.cies[0].initial.cfa_reg, 7);
	assert_int_equal(eh.cies[0].initial.cfa_off, 8);
	assert_int_equal(eh.cies[0].initial.column[CFI_COLUMN_RA].off, -8);
	for (int i = 0; i < NR_UNWIND_DEFECTS; i++)
		assert_int_equal(eh.defects.count[i], 0);
	eh_frame_deinit(&eh);
}

static void augmentations(void **state)
{
	/* As g++ writes it: personality (indirect, 4 bytes), LSDA, encoding, signal frame. */
	static const uint8_t data[] = { 8, 0x9b, 1, 2, 3, 4, 0x1b, DW_EH_PE_udata4, 0 };
	static const struct {
		const char *text;
		bool usable, is_signal;
	} known[] = { { "zPLRS", true, true },
		      { "eh", false, false },
		      { "zRq", true, false },
		      { "", true, false },
		      { "R", false, false } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct cfi_bytes c = { .n = 0 };
		struct eh_frame eh;
		size_t at = c.n;

		if (i == 0) {
			put32(&c, 0);
			put32(&c, 0);
			put8(&c, 1);
			put(&c, "zPLRS", 6);
			put(&c, (uint8_t[]){ 1, 0x78, 16 }, 3);
			put(&c, data, sizeof(data));
			put_length(&c, at);
		} else {
			put_cie(&c, known[i].text);
		}
		init(&eh);
		add_bytes(&eh, &c);
		assert_int_equal(eh.nr_cies, known[i].usable);
		assert_int_equal(known[i].usable && eh.cies[0].is_signal, known[i].is_signal);
		assert_int_equal(eh.defects.count[UNWIND_DEFECT_CIE], !known[i].usable);
		if (i == 0)
			assert_int_equal(eh.cies[0].encoding, DW_EH_PE_udata4);
		eh_frame_deinit(&eh);
	}
}

static void count_row(void *ctx, uint64_t addr, const struct eddy_unwind_rule *rule)
{
	assert_int_equal(rule->cfa, EDDY_CFA_UNSUP);
	++*(int *)ctx;
}

/* Code that returns through a register of its own is known, and known to be out of reach. */
static void return_address_column(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR");
	int nr_rows = 0;

	/* length, id, version, "zR", code and data alignment */
	assert_int_equal(c.b[cie + 14], 16);
	c.b[cie + 14] = 15;
	put_fde(&c, cie, 0x3000, 0x40, push_rbp, sizeof(push_rbp));
	init(&eh);
	add_bytes(&eh, &c);
	assert_int_equal(eh.nr_fdes, 1);
	assert_true(cfi_program_run_fde(cfi_machine_find(EM_X86_64), &eh.cies[0], &eh.fdes[0],
					count_row, &nr_rows));
	assert_int_equal(nr_rows, 2);
	eh_frame_deinit(&eh);
}

static void debug_frame_of_both_lengths(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct cfi_section section;
	struct eh_frame eh;

	/* 32 bits, version 4: address size 8, segment size 0. */
	put32(&c, 0);
	put32(&c, UINT32_MAX);
	put(&c, (uint8_t[]){ 4, 0, 8, 0, 1, 0x78, 16, DW_CFA_def_cfa, 7, 8 }, 10);
	put_length(&c, 0);
	put32(&c, 20);
	put32(&c, 0);
	put64(&c, 0x2000);
	put64(&c, 0x100);
	/* 64 bits, version 3. */
	uint32_t cie = (uint32_t)c.n;

	put32(&c, UINT32_MAX);
	put64(&c, 16);
	put64(&c, UINT64_MAX);
	put(&c, (uint8_t[]){ 3, 0, 1, 0x78, 16, DW_CFA_def_cfa, 7, 8 }, 8);
	put32(&c, UINT32_MAX);
	put64(&c, 24);
	put64(&c, cie);
	put64(&c, 0x3000);
	put64(&c, 0x100);
	section = cfi_section(&c);
	section.is_debug_frame = true;
	init(&eh);
	add(&eh, &section);
	assert_int_equal(eh.nr_cies, 2);
	assert_int_equal(eh.nr_fdes, 2);
	assert_int_equal(eh.fdes[0].start, 0x2000);
	assert_int_equal(eh.fdes[1].start, 0x3000);
	assert_int_equal(eh.fdes[1].cie, 1);
	eh_frame_deinit(&eh);
}

static void terminators(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct cfi_section section;
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x2000, 0x10, NULL, 0);
	put32(&c, 0);
	put_fde(&c, cie, 0x3000, 0x10, NULL, 0);
	section = cfi_section(&c);
	init(&eh);
	add(&eh, &section);
	assert_int_equal(eh.nr_fdes, 2);
	eh_frame_deinit(&eh);
	section.is_open_ended = true;
	init(&eh);
	add(&eh, &section);
	assert_int_equal(eh.nr_fdes, 1);
	eh_frame_deinit(&eh);
}

/* However many: what stands behind them is found, an odd number or not, up to the end. */
static void many_terminators(void **state)
{
	for (size_t nr = 0; nr < 20; nr++) {
		struct cfi_bytes c = { .n = 0 };
		struct cfi_section section;
		struct eh_frame eh;
		size_t cie = put_cie(&c, "zR");

		for (size_t i = 0; i < nr; i++)
			put32(&c, 0);
		put_fde(&c, cie, 0x2000, 0x10, NULL, 0);
		for (size_t i = 0; i < nr; i++)
			put32(&c, 0);
		put_fde(&c, cie, 0x3000, 0x10, NULL, 0);
		for (size_t i = 0; i < nr; i++)
			put32(&c, 0);
		section = cfi_section(&c);
		init(&eh);
		add(&eh, &section);
		assert_int_equal(eh.nr_fdes, 2);
		assert_int_equal(eh.fdes[1].start, 0x3000);
		for (size_t i = 0; i < NR_UNWIND_DEFECTS; i++)
			assert_int_equal(eh.defects.count[i], 0);
		eh_frame_deinit(&eh);
	}
}

static void truncated_anywhere(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct cfi_section section;
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x2000, 0x10, push_rbp, sizeof(push_rbp));
	put_fde(&c, cie, 0x3000, 0x10, push_rbp, sizeof(push_rbp));
	section = cfi_section(&c);
	for (section.len = 0; section.len < c.n; section.len++) {
		struct eh_frame eh;

		init(&eh);
		add(&eh, &section);
		assert_true(eh.nr_fdes < 2);
		/* Cut within a record: that is a defect; between records it is a shorter file. */
		assert_true(eh.defects.count[UNWIND_DEFECT_RECORD] <= 1);
		eh_frame_deinit(&eh);
	}
}

static void lengths_that_lie(void **state)
{
	static const uint32_t lies[] = { 0x7fffffff, UINT32_MAX, UINT32_MAX - 1, 1000, 1, 2, 3, 5 };

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct cfi_bytes c = { .n = 0 };
		struct eh_frame eh;
		size_t cie = put_cie(&c, "zR"), fde;

		fde = put_fde(&c, cie, 0x2000, 0x10, push_rbp, sizeof(push_rbp));
		memcpy(c.b + fde, &lies[i], 4);
		init(&eh);
		add_bytes(&eh, &c);
		assert_int_equal(eh.nr_fdes, 0);
		assert_true(eh.defects.count[UNWIND_DEFECT_RECORD] +
				    eh.defects.count[UNWIND_DEFECT_ENCODING] +
				    eh.defects.count[UNWIND_DEFECT_CIE] >
			    0);
		eh_frame_deinit(&eh);
	}
}

static void cie_pointers_that_lie(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR"), fde, i;

	/* To itself, to another FDE, into the middle of the CIE, before the section, ahead. */
	fde = put_fde(&c, c.n, 0x2000, 0x10, NULL, 0);
	put_fde(&c, fde, 0x2100, 0x10, NULL, 0);
	put_fde(&c, cie + 4, 0x2200, 0x10, NULL, 0);
	put_fde(&c, cie - 64, 0x2300, 0x10, NULL, 0);
	put_fde(&c, c.n + 25, 0x2400, 0x10, NULL, 0);
	put_cie(&c, "zR");
	init(&eh);
	add_bytes(&eh, &c);
	assert_int_equal(eh.nr_fdes, 0);
	assert_true(eh.defects.count[UNWIND_DEFECT_CIE] >= 4);
	eh_frame_deinit(&eh);
	/* A pointer of any value does no harm. */
	for (i = 0; i < 2000; i++) {
		uint32_t random = (uint32_t)test_random();

		memcpy(c.b + fde + 4, &random, 4);
		init(&eh);
		add_bytes(&eh, &c);
		assert_true(eh.nr_fdes <= 1);
		eh_frame_deinit(&eh);
	}
}

static void addresses_outside_the_code(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0, 0x100, NULL, 0);		 /* dropped by the linker */
	put_fde(&c, cie, 0x400000, 0x100, NULL, 0);	 /* behind */
	put_fde(&c, cie, 0x3fff00, UINT32_MAX, NULL, 0); /* reaches beyond: cut */
	put_fde(&c, cie, 0x2000, 0, NULL, 0);		 /* empty */
	init(&eh);
	add_bytes(&eh, &c);
	assert_int_equal(eh.nr_fdes, 1);
	assert_int_equal(eh.fdes[0].end, 0x400000);
	assert_int_equal(eh.defects.count[UNWIND_DEFECT_OUTSIDE], 2);
	eh_frame_deinit(&eh);
}

static void overlapping_fdes(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR");

	put_fde(&c, cie, 0x2000, 0x100, push_rbp, sizeof(push_rbp));
	put_fde(&c, cie, 0x2000, 0x80, NULL, 0);
	put_fde(&c, cie, 0x2080, 0x20, NULL, 0);
	put_fde(&c, cie, 0x20a0, 0x20, NULL, 0);
	init(&eh);
	add_bytes(&eh, &c);
	eh_frame_sort(&eh);
	assert_int_equal(eh.nr_fdes, 3);
	assert_int_equal(eh.fdes[0].code_len, sizeof(push_rbp)); /* the first of two equals */
	assert_int_equal(eh.fdes[0].end, 0x2080);
	assert_int_equal(eh.fdes[1].end, 0x20a0);
	assert_int_equal(eh.fdes[2].end, 0x20c0);
	assert_int_equal(eh.defects.count[UNWIND_DEFECT_OVERLAP], 2);
	eh_frame_deinit(&eh);
}

static void sorts_any_order(void **state)
{
	struct cfi_bytes c = { .n = 0 };
	struct eh_frame eh;
	size_t cie = put_cie(&c, "zR");

	for (int i = 0; i < 200; i++)
		put_fde(&c, cie, 0x1000 + (uint32_t)test_random_below(0x3000) * 64,
			1 + (uint32_t)test_random_below(200), NULL, 0);
	init(&eh);
	add_bytes(&eh, &c);
	eh_frame_sort(&eh);
	assert_true(eh.nr_fdes > 100);
	for (size_t i = 0; i < eh.nr_fdes; i++) {
		assert_true(eh.fdes[i].start < eh.fdes[i].end);
		assert_true(i == 0 || eh.fdes[i - 1].end <= eh.fdes[i].start);
	}
	eh_frame_deinit(&eh);
}

/* Memory is bounded by what real files have, whatever the section says. */
static void too_many_cies(void **state)
{
	static const uint8_t smallest[] = { 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 16 };
	const size_t nr = 70000;
	uint8_t *bytes = malloc(nr * sizeof(smallest));
	struct cfi_section section = { .bytes = bytes, .len = nr * sizeof(smallest) };
	struct eh_frame eh;

	assert_non_null(bytes);
	for (size_t i = 0; i < nr; i++)
		memcpy(bytes + i * sizeof(smallest), smallest, sizeof(smallest));
	init(&eh);
	eh_frame_add(&eh, &section);
	assert_int_equal(eh.nr_cies, 65536);
	assert_int_equal(eh.defects.count[UNWIND_DEFECT_CIE], nr - 65536);
	eh_frame_deinit(&eh);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_cies_and_fdes),
		cmocka_unit_test(augmentations),
		cmocka_unit_test(return_address_column),
		cmocka_unit_test(debug_frame_of_both_lengths),
		cmocka_unit_test(terminators),
		cmocka_unit_test(many_terminators),
		cmocka_unit_test(truncated_anywhere),
		cmocka_unit_test(lengths_that_lie),
		cmocka_unit_test(cie_pointers_that_lie),
		cmocka_unit_test(addresses_outside_the_code),
		cmocka_unit_test(overlapping_fdes),
		cmocka_unit_test(sorts_any_order),
		cmocka_unit_test(too_many_cies),
	};

	return cmocka_run_group_tests_name("eh_frame", tests, NULL, free_copy);
}
