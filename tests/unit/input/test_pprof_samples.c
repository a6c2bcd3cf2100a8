// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof of whoever wrote it: packed or not, in any order, with whatever in it.  What is referred to
 * and is not there, is told with its place, and nothing is larger than its bytes allow.
 */
#include "unit/unit.h"

#include "unit/input/read.h"
#include "util/mem.h"
#include "util/strbuf.h"

static void varint(struct strbuf *sb, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		strbuf_addch(sb, (char)(v | 0x80));
	strbuf_addch(sb, (char)v);
}

static void number(struct strbuf *sb, unsigned int field, uint64_t v)
{
	varint(sb, field << 3);
	varint(sb, v);
}

static void bytes(struct strbuf *sb, unsigned int field, const char *at, size_t len)
{
	varint(sb, field << 3 | 2);
	varint(sb, len);
	strbuf_add(sb, at, len);
}

/* A message of numbers: { field, value }..., ended by field 0. */
static void message(struct strbuf *sb, unsigned int field, const uint64_t (*numbers)[2])
{
	_cleanup_strbuf_ struct strbuf m = STRBUF_INIT;

	for (; (*numbers)[0]; numbers++)
		number(&m, (*numbers)[0], (*numbers)[1]);
	bytes(sb, field, m.bytes, m.len);
}
#define MESSAGE(sb, field, ...) message(sb, field, (const uint64_t[][2]){ __VA_ARGS__, { 0 } })

enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING };

static const char *const strings[] = {
	"",	     "samples", "count", "main",   "leaf",  "/bin/app",		"pid",
	"[hardirq]", "comm",	"w;x",	 "in_[k]", "bytes", "[kernel.kallsyms]"
};

static void add_strings(struct strbuf *sb)
{
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		bytes(sb, STRING, strings[i], strlen(strings[i]));
}

static void add_function(struct strbuf *sb, uint64_t id, uint64_t name)
{
	MESSAGE(sb, FUNCTION, { 1, id }, { 2, name });
}

/* A location with lines of these functions; 0 ends them. */
static void add_location(struct strbuf *sb, uint64_t id, uint64_t address, const uint64_t *lines)
{
	_cleanup_strbuf_ struct strbuf m = STRBUF_INIT;

	number(&m, 1, id);
	number(&m, 2, id >> 32 ? id >> 32 : 1); /* its mapping */
	number(&m, 3, address);
	for (; *lines; lines++)
		MESSAGE(&m, 4, { 1, *lines });
	bytes(sb, LOCATION, m.bytes, m.len);
}

static void add_tables(struct strbuf *sb)
{
	MESSAGE(sb, MAPPING, { 1, 1 }, { 2, 0x400000 }, { 3, 0x500000 }, { 4, 0x1000 }, { 5, 5 });
	MESSAGE(sb, MAPPING, { 1, 2 }, { 2, 0xffffffff81000000 }, { 5, 12 });
	add_function(sb, UINT64_MAX, 3); /* ids are any numbers */
	add_function(sb, 7, 4);
	add_function(sb, 8, 7);
	add_function(sb, 9, 10);
	add_location(sb, 1, 0x401000, (uint64_t[]){ 7, UINT64_MAX, 0 }); /* leaf in main */
	add_location(sb, 2, 0x401234, (uint64_t[]){ 0 });
	add_location(sb, 3, 0x401300, (uint64_t[]){ 8, 0 });
	add_location(sb, 4, 0x401400, (uint64_t[]){ 9, 0 });
	add_location(sb, 2ull << 32, 0xffffffff81000010, (uint64_t[]){ 7, 0 });
}

/* What stands before the samples. */
static void begin(struct strbuf *sb)
{
	MESSAGE(sb, TYPE, { 1, 1 }, { 2, 2 });
	add_tables(sb);
	add_strings(sb);
}

static int read_into(struct profile *p, const struct strbuf *sb, const struct input_opts *opts,
		     struct diag *ret_diag)
{
	return read_bytes(sb->bytes, sb->len, opts, p, ret_diag);
}

static void test_stacks(void **state)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT, label = STRBUF_INIT, packed = STRBUF_INIT;
	const uint64_t kernel = 2ull << 32;
	struct diag diag;

	/* Samples first, packed and not. */
	MESSAGE(&sb, SAMPLE, { 1, 1 }, { 1, 2 }, { 2, 5 });
	varint(&packed, kernel);
	varint(&packed, 3);
	varint(&packed, 4);
	bytes(&label, 1, packed.bytes, packed.len);
	number(&label, 2, 3);
	MESSAGE(&label, 3, { 1, 8 }, { 2, 9 });
	bytes(&sb, SAMPLE, label.bytes, label.len);
	MESSAGE(&sb, SAMPLE, { 1, 1 }, { 2, 0 });
	begin(&sb);
	assert_int_equal(read_into(p, &sb, NULL, &diag), 0);
	assert_int_equal(profile_total(p), 8);
	assert_int_equal(weight_of(p, "[app+0x2234];main;leaf_[i]", NULL), 5);
	/* Names of others are no forms of eddy's own. */
	assert_int_equal(weight_of(p, "w;x;in_\\x5bk];\\x5bhardirq];leaf_[k]", NULL), 3);
}

static void expect(const struct strbuf *sb, const struct input_opts *opts, int err,
		   const char *text)
{
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	struct diag diag = { "" };

	assert_int_equal(read_into(p, sb, opts, &diag), -err);
	if (!strstr(diag.text, text))
		fail_msg("'%s' is not in '%s'", text, diag.text);
}

/* One sample in it, and what it is refused for. */
#define EXPECT(text, ...)                                                           \
	do {                                                                        \
		_cleanup_strbuf_ struct strbuf sb_ = STRBUF_INIT;                   \
		begin(&sb_);                                                        \
		message(&sb_, SAMPLE, (const uint64_t[][2]){ __VA_ARGS__, { 0 } }); \
		expect(&sb_, NULL, EINVAL, text);                                   \
	} while (0)

static void test_refused(void **state)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT, twice = STRBUF_INIT, none = STRBUF_INIT;

	EXPECT("a stack names a location that is not there", { 1, 77 }, { 2, 1 });
	EXPECT("more or fewer values", { 1, 1 });
	EXPECT("more or fewer values", { 1, 1 }, { 2, 1 }, { 2, 1 });
	EXPECT("a negative value: a difference is no profile", { 1, 1 }, { 2, UINT64_MAX });
	begin(&sb);
	add_function(&sb, 10, 4000);
	add_location(&sb, 10, 0, (uint64_t[]){ 10, 0 });
	add_location(&sb, 11, 0, (uint64_t[]){ 11, 0 });
	add_location(&sb, 99ull << 32, 0, (uint64_t[]){ 7, 0 });
	strbuf_add(&twice, sb.bytes, sb.len);
	MESSAGE(&sb, SAMPLE, { 1, 10 }, { 2, 1 });
	expect(&sb, NULL, EINVAL, "a function has a name that is not there");
	sb.len = twice.len;
	MESSAGE(&sb, SAMPLE, { 1, 11 }, { 2, 1 });
	expect(&sb, NULL, EINVAL, "a stack names a function that is not there");
	sb.len = twice.len;
	MESSAGE(&sb, SAMPLE, { 1, 99ull << 32 }, { 2, 1 });
	expect(&sb, NULL, EINVAL, "whose mapping is not there");
	add_function(&twice, 7, 3);
	expect(&twice, NULL, EINVAL, "of one id");
	MESSAGE(&none, TYPE, { 1, 1 }, { 2, 2 });
	expect(&none, NULL, EINVAL, "in: byte 0 unpacked: the first string is not empty");
	bytes(&none, STRING, "", 0);
	strbuf_addch(&none, 0x12);
	expect(&none, NULL, EINVAL, "in: byte 9 unpacked: cut off");
}

/* A location of many lines, in a stack many times: the frames are more than the bytes. */
static void test_bounds(void **state)
{
	const struct input_opts few = { .max_nodes = 10000 };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT, sample = STRBUF_INIT, ids = STRBUF_INIT;
	uint64_t lines[258] = { 0 };

	for (size_t i = 0; i < 256; i++)
		lines[i] = 7;
	begin(&sb);
	add_location(&sb, 5, 0, lines);
	for (size_t i = 0; i < 1000; i++)
		varint(&ids, 5);
	bytes(&sample, 1, ids.bytes, ids.len);
	number(&sample, 2, 1);
	bytes(&sb, SAMPLE, sample.bytes, sample.len);
	expect(&sb, &few, E2BIG, "more than 10000 distinct call paths");
	strbuf_reset(&sb);
	lines[256] = 7;
	begin(&sb);
	add_location(&sb, 5, 0, lines);
	MESSAGE(&sb, SAMPLE, { 1, 5 }, { 2, 1 });
	expect(&sb, NULL, EINVAL, "a location of more than 256 lines");
}

/* By chance: never more than an error. */
static void test_damaged(void **state)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	begin(&sb);
	MESSAGE(&sb, SAMPLE, { 1, 1 }, { 1, 2 }, { 2, 5 });
	for (size_t at = 0; at < sb.len; at++)
		for (int bit = 0; bit < 8; bit++) {
			_cleanup_profile_ struct profile *p = profile_new(NULL);
			struct diag diag = { "" };

			sb.bytes[at] ^= (char)(1 << bit);
			if (read_into(p, &sb, NULL, &diag) < 0)
				assert_true(*diag.text);
			sb.bytes[at] ^= (char)(1 << bit);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("pprof_samples", tests, NULL, NULL);
}
