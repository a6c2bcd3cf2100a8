// SPDX-License-Identifier: GPL-2.0-or-later
/* Line tables of three versions of Go, made here, and what their functions do to the stack. */
#include "unwind/go_pclntab.h"

#include <elf.h>

#include "unit/unit.h"
#include "unwind/unwind_table.h"
#include "util/mem.h"

#define TEXT  0x401000
#define NAMES 0x80
#define PCTAB 0x200
#define FUNCS 0x300
#define BYTES 0x640

/* Changes of sp and bytes of code: 0 for 4 bytes, 24 for 60, 0 for 64 more. */
static const uint8_t pairs[] = { 2, 4, 48, 60, 47, 64, 0 };
/* Three bytes deep: not a stack of 64-bit words. */
static const uint8_t crooked[] = { 2, 4, 6, 124, 0 };

struct version {
	uint32_t magic;
	int entry_bytes, text_at, names_at, pctab_at, funcs_at, name_at, pcsp_at, flag_at;
};

static const struct version versions[] = {
	{ 0xfffffff1, 4, 24, 32, 56, 64, 4, 16, 41 },
	{ 0xfffffff0, 4, 24, 32, 56, 64, 4, 16, 37 },
	{ 0xfffffffa, 8, 0, 24, 48, 56, 8, 20, 41 },
};

struct function {
	const char *name;
	uint32_t pcsp; /* behind PCTAB */
	uint8_t flags;
};

/* 128 bytes of code each. */
static const struct function functions[] = {
	{ "main.ordinary", 1, 0 },
	{ "runtime.goexit", 1, 0 },
	{ "main.top", 1, 1 },
	{ "runtime.nanotime1", 1, 2 },
	{ "runtime.systemstack", 1, 2 },
	{ "runtime.sigreturn__sigaction", 1, 0 },
	{ "main.crooked", 0x40, 0 },
	{ "main.without", 0, 0 },
	{ "runtime.systemstacks", 1, 0 },
	{ "runtime.morestack", 1, 2 },
};

struct self {
	uint8_t bytes[BYTES];
	struct unwind_rules *rules;
	struct unwind_table *table;
};

static void put(struct self *self, size_t at, uint64_t value, size_t len)
{
	assert_true(at + len <= BYTES);
	memcpy(self->bytes + at, &value, len);
}

static void make(struct self *self, const struct version *v)
{
	size_t entry = (size_t)v->entry_bytes, info, name = NAMES;
	uint64_t base = v->text_at ? 0 : TEXT;

	memset(self->bytes, 0, BYTES);
	put(self, 0, v->magic, 4);
	put(self, 6, 1, 1);
	put(self, 7, 8, 1);
	put(self, 8, ARRAY_SIZE(functions), 8);
	if (v->text_at)
		put(self, (size_t)v->text_at, TEXT, 8);
	put(self, (size_t)v->names_at, NAMES, 8);
	put(self, (size_t)v->pctab_at, PCTAB, 8);
	put(self, (size_t)v->funcs_at, FUNCS, 8);
	memcpy(self->bytes + PCTAB + 1, pairs, sizeof(pairs));
	memcpy(self->bytes + PCTAB + 0x40, crooked, sizeof(crooked));
	for (size_t i = 0; i <= ARRAY_SIZE(functions); i++)
		put(self, FUNCS + i * 2 * entry, base + i * 128, entry);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		info = 0x100 + i * 48;
		put(self, FUNCS + i * 2 * entry + entry, info, entry);
		put(self, FUNCS + info + (size_t)v->name_at, name - NAMES, 4);
		put(self, FUNCS + info + (size_t)v->pcsp_at, functions[i].pcsp, 4);
		put(self, FUNCS + info + (size_t)v->flag_at, functions[i].flags, 1);
		strcpy((char *)self->bytes + name, functions[i].name);
		name += strlen(functions[i].name) + 1;
	}
	assert_true(name < PCTAB);
}

/* A table of the bytes; its rules are new ones. */
static void build(struct self *self, size_t len)
{
	static const struct address_range code = { TEXT, TEXT + 0x10000 };
	static const struct unwind_table_hints hints = { 0 };
	/* A copy of that length, so that a read behind it is seen. */
	uint8_t *copy = xmalloc(len ? len : 1);
	struct cfi_section section = { 0 };
	struct go_cfi cfi;
	struct eh_frame eh;

	memcpy(copy, self->bytes, len);
	cfi = go_pclntab_read(copy, len, 0);
	free(copy);
	section.bytes = cfi.bytes;
	section.len = cfi.len;
	unwind_table_free(self->table);
	unwind_rules_free(self->rules);
	self->rules = unwind_rules_new();
	self->table = xcalloc(1, sizeof(*self->table));
	eh_frame_init(&eh, cfi_machine_find(EM_X86_64), &code, 1);
	if (cfi.len)
		eh_frame_add(&eh, &section);
	eh_frame_sort(&eh);
	unwind_table_build(self->table, &eh, self->rules, &hints);
	eh_frame_deinit(&eh);
	free(cfi.bytes);
}

static struct eddy_unwind_rule rule_at(const struct self *self, size_t function, uint64_t off)
{
	uint64_t addr = TEXT + function * 128 + off;

	return *unwind_rules_get(self->rules, unwind_table_find(self->table, addr));
}

static void is_frame(const struct self *self, size_t function, uint64_t off, int32_t bytes)
{
	struct eddy_unwind_rule r = rule_at(self, function, off);

	assert_int_equal(r.cfa, EDDY_CFA_SP);
	assert_int_equal(r.off, bytes + 8);
	assert_int_equal(r.ra, EDDY_RA_CFA);
	assert_int_equal(r.fp, bytes ? EDDY_FP_CFA : EDDY_FP_SAME);
	assert_int_equal(r.fp_off8, bytes ? -2 : 0);
}

static void is_switch(const struct self *self, size_t function, uint64_t off)
{
	struct eddy_unwind_rule r = rule_at(self, function, off);

	assert_int_equal(r.cfa, EDDY_CFA_SWITCH);
	assert_int_equal(r.off, 16);
	assert_int_equal(r.fp, EDDY_FP_CFA);
	assert_int_equal(r.fp_off8, -2);
}

static void what_functions_do(void **state)
{
	struct self self = { .table = NULL };

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		make(&self, &versions[v]);
		build(&self, BYTES);
		is_frame(&self, 0, 0, 0);
		is_frame(&self, 0, 3, 0);
		is_frame(&self, 0, 4, 24);
		is_frame(&self, 0, 63, 24);
		is_frame(&self, 0, 64, 0);
		is_frame(&self, 0, 126, 0);
		assert_int_equal(rule_at(&self, 1, 9).cfa, EDDY_CFA_STOP);
		assert_int_equal(rule_at(&self, 2, 9).cfa, EDDY_CFA_STOP);
		is_frame(&self, 3, 0, 0);
		is_switch(&self, 3, 4);
		is_switch(&self, 4, 0);
		assert_int_equal(rule_at(&self, 5, 9).cfa, EDDY_CFA_SIGNAL);
		assert_int_equal(rule_at(&self, 6, 9).cfa, EDDY_CFA_NONE);
		assert_int_equal(rule_at(&self, 7, 9).cfa, EDDY_CFA_NONE);
		is_frame(&self, 8, 4, 24);
		assert_int_equal(rule_at(&self, 9, 9).cfa, EDDY_CFA_STOP);
	}
	unwind_table_free(self.table);
	unwind_rules_free(self.rules);
}

static void not_a_table(void **state)
{
	struct self self = { .table = NULL };

	build(&self, 0);
	assert_int_equal(self.table->nr_pages, 0);
	make(&self, &versions[0]);
	put(&self, 0, 0xfffffff2, 4); /* a version to come */
	build(&self, BYTES);
	assert_int_equal(self.table->nr_pages, 0);
	make(&self, &versions[0]);
	put(&self, 7, 4, 1); /* 32 bits */
	build(&self, BYTES);
	assert_int_equal(self.table->nr_pages, 0);
	make(&self, &versions[0]);
	put(&self, 8, 1ull << 60, 8); /* functions without end */
	build(&self, BYTES);
	assert_int_equal(self.table->nr_pages, 0);
	unwind_table_free(self.table);
	unwind_rules_free(self.rules);
}

/* Cut anywhere, and with any byte another one: no read outside, and rules that exist. */
static void damaged(void **state)
{
	struct self self = { .table = NULL };

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
		make(&self, &versions[v]);
		for (size_t len = 0; len < BYTES; len += 7)
			build(&self, len);
		for (size_t at = 0; at < BYTES; at += 3) {
			uint8_t was = self.bytes[at];

			self.bytes[at] ^= (uint8_t)(1u << at % 8);
			build(&self, BYTES);
			for (size_t f = 0; f < ARRAY_SIZE(functions); f++)
				assert_true(unwind_table_find(self.table, TEXT + f * 128 + 9) <
					    unwind_rules_count(self.rules));
			self.bytes[at] = was;
		}
	}
	unwind_table_free(self.table);
	unwind_rules_free(self.rules);
}

/*
 * A table of `funcs` functions with 1 GiB of code in all, which share one run of pairs: it fills
 * the rest of the table, is a byte of code each, and ends there or in a frame of crooked size.
 */
static uint8_t *make_shared(const struct version *v, size_t funcs, size_t len, bool is_crooked)
{
	size_t entry = (size_t)v->entry_bytes, info = 0x10 + (funcs + 1) * 2 * entry;
	size_t pctab = FUNCS + info + 0x30, code = (1u << 30) / funcs, at = pctab + 1;
	uint8_t *bytes = xcalloc(1, len);
	struct self head;

	make(&head, v);
	memcpy(bytes, head.bytes, FUNCS);
	memcpy(bytes + v->pctab_at, &(uint64_t){ pctab }, 8);
	memcpy(bytes + 8, &(uint64_t){ funcs }, 8);
	for (size_t i = 0; i <= funcs; i++) {
		uint64_t pair[2] = { (v->text_at ? 0 : TEXT) + i * code, info };

		memcpy(bytes + FUNCS + i * 2 * entry, &pair[0], entry);
		memcpy(bytes + FUNCS + i * 2 * entry + entry, &pair[1], entry);
	}
	bytes[FUNCS + info + (size_t)v->pcsp_at] = 1;
	for (size_t i = 0; at + 4 < len; at += 2, i++) {
		bytes[at] = !i ? 2 : i % 2 ? 16 : 15; /* to 0, then 8 up and 8 down */
		bytes[at + 1] = 1;
	}
	if (is_crooked) {
		bytes[at] = 6;
		bytes[at + 1] = 1;
	}
	return bytes;
}

/* What a table says of itself is much; the work for it is not. */
static void work_is_linear(void **state)
{
	const size_t len = 32768;

	for (size_t v = 0; v < ARRAY_SIZE(versions); v++)
		for (int is_crooked = 0; is_crooked < 2; is_crooked++) {
			uint8_t *bytes = make_shared(&versions[v], 100, len, is_crooked);
			struct go_cfi cfi = go_pclntab_read(bytes, len, 0);

			/* Some were read to their end. */
			assert_true(cfi.nr_pairs > len / 4 && cfi.nr_pairs <= len);
			assert_true(cfi.is_cut);
			assert_true(cfi.len <= 16 * len);
			assert_true(cfi.cap <= 32 * len);
			free(cfi.bytes);
			free(bytes);
		}
}

/* One function whose CFI alone would be 80 MiB, and one that comes behind it. */
static void cfi_is_bounded(void **state)
{
	const size_t len = 16u << 20;
	uint8_t *bytes = make_shared(&versions[0], 2, len, false);
	struct go_cfi cfi = go_pclntab_read(bytes, len, 0);

	assert_true(cfi.is_cut);
	assert_true(cfi.nr_pairs <= len / 2);
	assert_true(cfi.len <= 64u << 20);
	free(cfi.bytes);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_functions_do), cmocka_unit_test(not_a_table),
		cmocka_unit_test(damaged),	     cmocka_unit_test(work_is_linear),
		cmocka_unit_test(cfi_is_bounded),
	};

	return cmocka_run_group_tests_name("go_pclntab", tests, NULL, NULL);
}
