// SPDX-License-Identifier: GPL-2.0-or-later
/* Which file is the jitdump of a process, what it names there, and that it is read on. */
#include "unit/symbol/symbolizer_root.h"

#include "symbol/process_table.h"
#include "unit/symbol/jit_dump_maker.h"

/* PID 7, which is 1 in its own namespace, maps that file as `shown`, and 20000-21000 anonymous. */
static void write_dump(struct fixture *f, const char *shown, const struct strbuf *bytes)
{
	char path[128], text[512];
	struct stat st;

	snprintf(text, sizeof(text), "Uid:\t%u\t%u\nNSpid:\t7\t1\n", getuid(), getuid());
	write_file(f, "proc/7/status", text, strlen(text));
	write_file(f, "opt/written", bytes->bytes, bytes->len);
	snprintf(path, sizeof(path), "%s/opt/written", f->root);
	assert_int_equal(stat(path, &st), 0);
	snprintf(text, sizeof(text),
		 "20000-21000 rwxp 0 00:00 0\n30000-31000 r-xp 0 %x:%x %llu %s\n", major(st.st_dev),
		 minor(st.st_dev), (unsigned long long)st.st_ino, shown);
	write_file(f, "proc/7/maps", text, strlen(text));
	snprintf(text, sizeof(text), "%s/proc/7/map_files", f->root);
	mkdir(text, 0755);
	strcat(text, "/30000-31000");
	unlink(text);
	assert_int_equal(symlink(path, text), 0);
	symbolizer_process_gone(f->s, 7);
}

/* The file is found by its name alone, and opened by its mapping, whatever became of the name. */
static void found_by_name(void **state)
{
	static const struct {
		const char *shown;
		bool is_found;
	} rows[] = {
		{ "/opt/jit-1.dump", true },
		{ "/root/.debug/jit/java-jit-20261122.XX/jit-1.dump (deleted)", true },
		{ "/opt/jit-7.dump", false }, /* somebody else's, of that PID in there */
		{ "/opt/jit-1.dump.old", false },
		{ "/opt/xjit-1.dump", false },
		{ "/opt/jit-1.dump/x", false },
	};
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf dump = STRBUF_INIT;

	dump_begin(&dump, 1, 0);
	dump_load(&dump, &(struct dumped){ 1, 100, 0x20000, 0x40, 1, "compiled" });
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		write_dump(f, rows[i].shown, &dump);
		if (rows[i].is_found)
			expect(f, symbolizer_user(f->s, 7, 0x20010), "compiled", "[jit]", FRAME_JIT,
			       false);
		else
			expect(f, symbolizer_user(f->s, 7, 0x20010), "[anon]", "[anon]", FRAME_USER,
			       true);
	}
}

static const char *name_then(struct fixture *f, uint64_t addr, uint64_t ran_ns)
{
	const struct symbolizer_program program = { .pid = 7, .ran_ns = ran_ns };

	assert_true(symbolizer_program_runs(f->s, &program));
	return name(f, symbolizer_user(f->s, 7, addr));
}

/* Memory is used again: each sample has the name of its time, and what is cached is no obstacle. */
static void named_by_time(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf dump = STRBUF_INIT;
	static const char map[] = "20000 1000 by_the_map\n";

	dump_begin(&dump, 1, 0);
	dump_load(&dump, &(struct dumped){ 1, 100, 0x20000, 0x40, 1, "first" });
	dump_load(&dump, &(struct dumped){ 1, 300, 0x20000, 0x40, 2, "second" });
	write_file(f, "proc/7/root/tmp/perf-1.map", map, sizeof(map) - 1);
	write_dump(f, "/opt/jit-1.dump", &dump);
	assert_string_equal(name_then(f, 0x20010, 150), "first");
	assert_string_equal(name_then(f, 0x20010, 299), "first");
	assert_string_equal(name_then(f, 0x20010, 300), "second");
	assert_string_equal(name_then(f, 0x20010, 1ull << 40), "second");
	/* What the dump does not know, a perf map may. */
	assert_string_equal(name_then(f, 0x20100, 300), "by_the_map");
}

/* Code that comes to an address with a name is heard of, though nobody asks for another one. */
static void read_on(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf dump = STRBUF_INIT, name = STRBUF_INIT;
	uint32_t next_space = 1, space;
	struct file_table *files = file_table_new(f->frames, f->root, 0, &next_space);
	struct process_table *t = process_table_new(f->frames, f->root, files, &next_space);
	struct process *p;

	dump_begin(&dump, 1, 0);
	dump_load(&dump, &(struct dumped){ 1, 100, 0x20000, 0x40, 1, "first" });
	write_dump(f, "/opt/jit-1.dump", &dump);
	p = process_table_add(t, 7, 0, 1000);
	process_read_jit(t, p, 1000);
	assert_non_null(p->jit[JIT_DUMP]);
	dump_load(&dump, &(struct dumped){ 1, 300, 0x20000, 0x40, 2, "second" });
	write_file(f, "opt/written", dump.bytes, dump.len);
	space = p->space;
	process_follow_jit(t, p, 1001);
	assert_int_equal(p->space, space);
	process_follow_jit(t, p, 3600000);
	assert_int_not_equal(p->space, space);
	assert_int_equal(perf_map_name(p->jit[JIT_DUMP], 0x20010, 0, &name), 0);
	assert_string_equal(name.bytes, "second");
	/* Nothing new: the next time is later. */
	space = p->space;
	process_follow_jit(t, p, 7200000);
	assert_int_equal(p->space, space);
	assert_true(p->jit_wait_ms > 1000);
	process_table_free(t);
	file_table_free(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found_by_name, setup_root, teardown),
		cmocka_unit_test_setup_teardown(named_by_time, setup_root, teardown),
		cmocka_unit_test_setup_teardown(read_on, setup_root, teardown),
	};

	return cmocka_run_group_tests_name("jit_dump", tests, NULL, NULL);
}
