// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written is read back as what it was, whatever threads and functions are called: written
 * again it is the same text, no sample becomes an interrupt's, and no function the kernel's.
 */
#include "unit/unit.h"

#include <stdio.h>

#include "analysis/irq.h"
#include "input/input.h"
#include "output/folded.h"
#include "profile/foreign_name.h"
#include "util/mem.h"
#include "util/strbuf.h"

/* What names are made of here: pieces of all that means something in a line. */
static const char *const parts[] = {
	"[",	   "]",	       "_[k]",	  "_[j]",      "_[py]",	      "hardirq",
	"softirq", "nmi",      "lost:",	  "a",	       "b",	      ";",
	":",	   " ",	       " 123",	  " 7",	       "#",	      "# ",
	"\n",	   "\r",       "\t",	  "\x1b[31m",  "\\",	      "\\x5b",
	"+0x10",   "[anon]",   "unknown", "truncated", "asm_sysvec_", "\xe2\x80\xae",
	"\xff",	   "0",	       "-12",	  "/34",       " 1 2.5:",     " c: ",
	"[000]",   "\xc2\x85",
};

static void make_name(struct strbuf *sb)
{
	strbuf_reset(sb);
	for (uint64_t n = 1 + test_random_below(5); n; n--)
		strbuf_addstr(sb, parts[test_random_below(ARRAY_SIZE(parts))]);
}

static char *folded(const struct profile *p)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(folded_writer.write(f, p, NULL, NULL), 0);
	fclose(f);
	return text;
}

static struct profile *read_text(const char *text)
{
	struct profile *p = profile_new(NULL);
	struct diag diag = { "" };
	FILE *f = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(f);
	if (input_read(f, "text", NULL, p, &diag) < 0)
		fail_msg("%s\n%s", diag.text, text);
	fclose(f);
	return p;
}

static node_id push(struct profile *p, node_id at, const struct strbuf *name, uint8_t origin)
{
	struct frame_table *t = profile_frames(p);
	struct frame f = { .origin = origin };

	f.name = foreign_name_intern(t, name->bytes, name->len);
	return profile_child(p, at, frame_table_add(t, &f));
}

/* Stacks as a capture has them: a thread, its functions, and those of the kernel. */
static struct profile *make_capture(void)
{
	static const uint8_t origins[] = { FRAME_USER, FRAME_USER, FRAME_JIT, FRAME_INLINED };
	struct profile *p = profile_new(NULL);
	struct frame_table *t = profile_frames(p);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	frame_id syscall = frame_table_add_text(t, "do_syscall_64_[k]", 17);
	frame_id interrupt = frame_table_add_text(t, "asm_sysvec_x_[k]", 16);

	for (uint64_t n = 1 + test_random_below(6); n; n--) {
		node_id at;

		make_name(&name);
		at = push(p, NODE_ROOT, &name, FRAME_BASE);
		for (uint64_t depth = test_random_below(4); depth; depth--) {
			make_name(&name);
			at = push(p, at, &name, origins[test_random_below(ARRAY_SIZE(origins))]);
		}
		if (test_random_below(2))
			at = profile_child(p, at, syscall);
		if (!test_random_below(4))
			at = profile_child(p, at, interrupt);
		profile_add(p, at, 1 + test_random_below(1000));
	}
	/* Else nothing says that kernel frames are marked. */
	profile_add(p, profile_child(p, NODE_ROOT, syscall), 1);
	return p;
}

static void expect_same_classes(const struct profile *a, const struct profile *b)
{
	_cleanup_irq_map_ struct irq_map *x = irq_map_new(a), *y = irq_map_new(b);
	struct irq_counts of_a, of_b;

	irq_count(x, &of_a);
	irq_count(y, &of_b);
	assert_memory_equal(&of_a, &of_b, sizeof(of_a));
	for (node_id n = 1; n < x->nr_boundaries; n++)
		assert_false(x->boundaries[n].is_marked);
	for (node_id n = 1; n < y->nr_boundaries; n++)
		assert_false(y->boundaries[n].is_marked);
}

static uint64_t kernel_weight(const struct profile *p)
{
	uint64_t sum = 0;

	for (node_id n = 1; n < profile_nr_nodes(p); n++) {
		const struct frame *f = frame_table_get(profile_frames(p), profile_frame(p, n));

		if (f->origin == FRAME_KERNEL)
			sum += profile_self(p, n);
	}
	return sum;
}

static void test_captures(void **state)
{
	for (int round = 0; round < 20000; round++) {
		_cleanup_profile_ struct profile *p = make_capture(), *back = NULL;
		_cleanup_free_ char *once = folded(p), *twice = NULL;

		back = read_text(once);
		twice = folded(back);
		assert_string_equal(twice, once);
		assert_int_equal(profile_total(back), profile_total(p));
		assert_int_equal(kernel_weight(back), kernel_weight(p));
		expect_same_classes(p, back);
	}
}

/* A line of a file that somebody else has written: its bytes are what they are. */
static void add_line(struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t depth = 1 + test_random_below(4);

	for (uint64_t i = 0; i < depth; i++) {
		make_name(&name);
		for (size_t j = 0; j < name.len; j++)
			if (strchr(";\n\r#", name.bytes[j]))
				name.bytes[j] = 'x';
		strbuf_addstr(text, i ? ";" : "");
		strbuf_addstr(text, name.bytes);
	}
	strbuf_addf(text, " %u\n", 1 + (unsigned int)test_random_below(1000));
}

static void test_files_of_others(void **state)
{
	for (int round = 0; round < 20000; round++) {
		_cleanup_profile_ struct profile *p = NULL, *back = NULL;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		_cleanup_free_ char *once = NULL, *twice = NULL;

		strbuf_addstr(&text, "main;f_[k] 1\n"); /* so that it is folded text */
		for (uint64_t n = test_random_below(5); n; n--)
			add_line(&text);
		p = read_text(text.bytes);
		once = folded(p);
		back = read_text(once);
		twice = folded(back);
		assert_string_equal(twice, once);
		assert_int_equal(kernel_weight(back), kernel_weight(p));
	}
}

/* Forms keep their meaning in files: who reads one back has them from eddy, or from a like tool. */
static void test_forms_are_kept(void **state)
{
	static const char text[] = "[hardirq];asm_sysvec_x_[k] 5\n"
				   "[lost:ring-full] 2\n"
				   "\\x5bhardirq];main 1\n"
				   "a;[anon];[truncated];[libc.so.6+0x10] 3\n"
				   "a;f_[k]_[k] 4\n"
				   "a;f_\\x5bk] 6\n"
				   "sh 123;read_[k] 7\n";
	_cleanup_profile_ struct profile *p = read_text(text);
	_cleanup_free_ char *once = folded(p);
	_cleanup_irq_map_ struct irq_map *map = irq_map_new(p);
	struct irq_counts counts;

	assert_string_equal(once, text);
	irq_count(map, &counts);
	assert_int_equal(counts.samples[IRQ_HARDIRQ], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_files_of_others),
		cmocka_unit_test(test_forms_are_kept),
	};

	return cmocka_run_group_tests_name("folded_read_back", tests, NULL, NULL);
}
