// SPDX-License-Identifier: GPL-2.0-or-later
/* What programs choose, and how much of it is taken. */
#include "unit/symbol/symbolizer_root.h"

#include <stdlib.h>
#include <string.h>

#include "util/name_cut.h"

#define LONG_BYTES 3000

/* A program whose two functions have names that differ in their last byte. */
static void write_long_names(struct fixture *f, char names[2][LONG_BYTES + 1])
{
	struct made_symbol named[2];
	struct made_elf m = {
		.text_vaddr = 0x5000, .text_bytes = 0x2000, .symtab = named, .nr_symtab = 2
	};
	struct strbuf bytes;

	for (int i = 0; i < 2; i++) {
		memset(names[i], 'f', LONG_BYTES);
		names[i][LONG_BYTES - 1] = (char)('0' + i);
		names[i][LONG_BYTES] = '\0';
		named[i] = (struct made_symbol){ names[i], 0x5000 + 0x20 * i, 0x20,
						 STT_FUNC, STB_GLOBAL,	      0 };
	}
	bytes = elf_make(&m);
	write_file(f, "opt/app", bytes.bytes, bytes.len);
	strbuf_deinit(&bytes);
	write_maps(f);
}

static void long_names_are_cut_and_stay_apart(void **state)
{
	char names[2][LONG_BYTES + 1];
	struct fixture *f = *state;
	frame_id a, b;

	write_long_names(f, names);
	a = symbolizer_user(f->s, 7, 0x10000);
	b = symbolizer_user(f->s, 7, 0x10020);
	assert_int_equal(strlen(name(f, a)), NAME_MAX_BYTES);
	assert_int_equal(strlen(name(f, b)), NAME_MAX_BYTES);
	assert_string_not_equal(name(f, a), name(f, b));
	assert_false(frame_table_get(f->frames, a)->unnamed);
	assert_int_equal(limit(f, LIMIT_NAMES), 2);
	/* Once each, however often they are asked for. */
	assert_int_equal(symbolizer_user(f->s, 7, 0x10001), a);
	assert_int_equal(limit(f, LIMIT_NAMES), 2);
}

static void long_names_of_compiled_code_are_cut(void **state)
{
	struct strbuf map = STRBUF_INIT;
	struct fixture *f = *state;
	const char *cut;
	char status[64];

	strbuf_addstr(&map, "20000 100 ");
	for (int i = 0; i < LONG_BYTES; i++)
		strbuf_addch(&map, 'j');
	strbuf_addch(&map, '\n');
	snprintf(status, sizeof(status), "Uid:\t%u\t%u\nNSpid:\t7\t1\n", getuid(), getuid());
	write_file(f, "proc/7/status", status, strlen(status));
	write_file(f, "proc/7/root/tmp/perf-1.map", map.bytes, map.len);
	strbuf_deinit(&map);
	cut = name(f, symbolizer_user(f->s, 7, 0x20010));
	assert_int_equal(cut[0], 'j');
	assert_int_equal(strlen(cut), NAME_MAX_BYTES);
	assert_int_equal(limit(f, LIMIT_NAMES), 1);
}

/* A process of a user, with 20000-21000 anonymous, and a perf map of so many lines for it. */
static void write_process(struct fixture *f, int pid, uint32_t uid, int nr_lines)
{
	static const char *const dirs[] = { "", "/root", "/root/tmp" };
	char path[128], text[128];
	FILE *map;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/proc/%d%s", f->root, pid, dirs[i]);
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
	}
	snprintf(path, sizeof(path), "proc/%d/status", pid);
	snprintf(text, sizeof(text), "Uid:\t%u\t%u\nNSpid:\t%d\n", uid, uid, pid);
	write_file(f, path, text, strlen(text));
	snprintf(path, sizeof(path), "proc/%d/maps", pid);
	strcpy(text, "20000-21000 rwxp 0 00:00 0\n");
	write_file(f, path, text, strlen(text));
	snprintf(path, sizeof(path), "%s/proc/%d/root/tmp/perf-%d.map", f->root, pid, pid);
	map = fopen(path, "w");
	assert_non_null(map);
	for (int i = 1; i < nr_lines; i++)
		fprintf(map, "%x 1 function of some other name\n", 0x100000 + i);
	fputs("20000 100 compiled\n", map);
	fclose(map);
	assert_int_equal(chown(path, uid, uid), 0);
}

/* Maps of a user that are larger than all there may be take no names from others. */
static void a_large_map_is_its_owners_loss(void **state)
{
	struct fixture *f = *state;

	if (getuid())
		skip();
	write_process(f, 7, 3000, 1200000);
	write_process(f, 8, 3001, 2);
	write_process(f, 9, 0, 2);
	assert_string_not_equal(name(f, symbolizer_user(f->s, 7, 0x20010)), "compiled");
	assert_int_not_equal(limit(f, LIMIT_JIT), 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 8, 0x20010)), "compiled");
	assert_string_equal(name(f, symbolizer_user(f->s, 9, 0x20010)), "compiled");
}

/* What a user's share was when his maps were read does not stay his when others come. */
static void a_share_that_sinks_is_kept(void **state)
{
	struct fixture *f = *state;
	struct symbolizer_stats stats;

	if (getuid())
		skip();
	for (int pid = 7; pid < 15; pid++)
		write_process(f, pid, 3000, 300000);
	write_process(f, 20, 3001, 2);
	write_process(f, 21, 3002, 2);
	for (int round = 0; round < 4; round++) {
		for (int pid = 7; pid < 15; pid++) {
			symbolizer_user(f->s, pid, 0x20500);
			usleep(20000);
			symbolizer_user(f->s, pid, 0x20600); /* nowhere: it is looked at again */
		}
		for (int pid = 20; pid < 22; pid++)
			assert_string_equal(name(f, symbolizer_user(f->s, pid, 0x20010)),
					    "compiled");
	}
	symbolizer_get_stats(f->s, &stats);
	assert_true(stats.bytes < 48 << 20); /* a half of 64 MiB, and the room of arrays */
}

#define rooted(test) cmocka_unit_test_setup_teardown(test, setup_root, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		rooted(long_names_are_cut_and_stay_apart),
		rooted(long_names_of_compiled_code_are_cut),
		rooted(a_large_map_is_its_owners_loss),
		rooted(a_share_that_sinks_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
