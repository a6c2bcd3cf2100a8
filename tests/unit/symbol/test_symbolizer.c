// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses to frames: this process on this machine, and a root that the test makes. */
#include "unit/symbol/symbolizer_root.h"

/* ---- this process on this machine --------------------------------------------------------- */

static void test_own_process(void **state)
{
	struct fixture *f = *state;
	frame_id id = symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)test_own_process + 3);

	expect(f, id, "test_own_process", "test_symbolizer", FRAME_USER, false);
	/* Any address of the function is the same frame; another function is another one. */
	assert_int_equal(symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)test_own_process),
			 id);
	assert_int_not_equal(symbolizer_user(f->s, getpid(), (uint64_t)(uintptr_t)module), id);
}

static void test_no_mapping(void **state)
{
	struct fixture *f = *state;
	frame_id id = symbolizer_user(f->s, getpid(), 16);

	expect(f, id, "[unknown]", "", FRAME_USER, true);
	for (int i = 0; i < 5; i++, wait_ms(3))
		assert_int_equal(symbolizer_user(f->s, getpid(), 16), id);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_MAPPING), 1);
}

/* A library that is loaded after the process was met. */
static void test_refreshed(void **state)
{
	struct fixture *f = *state;
	void *lib;
	uint64_t addr;

	symbolizer_process_seen(f->s, getpid());
	lib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		lib = dlopen("libutil.so.1", RTLD_NOW);
	addr = lib ? (uintptr_t)dlsym(lib, "zlibVersion") : 0;
	if (!addr)
		skip();
	assert_string_equal(name(f, symbolizer_user(f->s, getpid(), addr)), "zlibVersion");
	dlclose(lib);
}

/* Met while it lived, it can be named when it has ended. */
static void test_late_samples(void **state)
{
	struct fixture *f = *state;
	uint64_t addr = (uintptr_t)test_late_samples;
	int pipes[2];
	char byte;
	pid_t pid;

	if (test_is_emulated())
		skip();
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0);
	}
	symbolizer_process_seen(f->s, pid);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_string_equal(name(f, symbolizer_user(f->s, pid, addr)), "test_late_samples");
	expect(f, symbolizer_user(f->s, pid, 16), "[unknown]", "", FRAME_USER, true);
	assert_string_equal(name(f, symbolizer_user(f->s, pid, addr)), "test_late_samples");
	assert_int_equal(misses(f, SYMBOL_MISS_NO_PROCESS), 0);
	/* Once it is said to be gone, nothing is known of it. */
	symbolizer_process_gone(f->s, pid);
	assert_true(frame_table_get(f->frames, symbolizer_user(f->s, pid, addr))->unnamed);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_PROCESS), 1);
}

static void test_many_processes(void **state)
{
	struct fixture *f = *state;
	struct symbolizer_stats st;

	for (pid_t pid = 1000000000; pid < 1000010000; pid++)
		symbolizer_process_seen(f->s, pid);
	symbolizer_get_stats(f->s, &st);
	assert_true(st.nr_processes <= 4096);
	assert_string_equal(
		name(f, symbolizer_user(f->s, getpid(), (uintptr_t)test_many_processes)),
		"test_many_processes");
}

/* ---- a root of our own -------------------------------------------------------------------- */

static void test_kernel(void **state)
{
	struct fixture *f = *state;
	uint64_t size = 0;
	frame_id id = symbolizer_kernel(f->s, 0xffffffff81000110);

	expect(f, id, "vfs_read", "[kernel]", FRAME_KERNEL, false);
	assert_int_equal(frame_table_get(f->frames, id)->start, 0x100); /* and no address */
	assert_int_equal(symbolizer_kernel(f->s, 0xffffffff810001ff), id);
	id = symbolizer_kernel(f->s, 0xffffffff81000210);
	expect(f, id, "__do_softirq", "[kernel]", FRAME_KERNEL, false);
	assert_int_equal(frame_table_get(f->frames, id)->role, FRAME_ROLE_SOFTIRQ_CORE);
	id = symbolizer_kernel(f->s, 0xffffffffc0001000);
	expect(f, id, "ext4_readdir", "ext4", FRAME_KERNEL, false);
	assert_int_equal(frame_table_get(f->frames, id)->start, 0);
	expect(f, symbolizer_kernel(f->s, 0xffffffff81000300), "[kernel]", "[kernel]", FRAME_KERNEL,
	       true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_SYMBOL), 1);
	assert_true(symbolizer_kernel_address(f->s, "vfs_read", &size) == 0xffffffff81000100);
	assert_int_equal(size, 0x100);
	assert_true(symbolizer_kernel_address(f->s, "nothing", &size) == 0);
	assert_int_equal(size, 0x100); /* untouched */
}

static uint64_t place_of(struct fixture *f, uint64_t addr)
{
	const struct frame_place *place =
		frame_table_place(f->frames, symbolizer_kernel(f->s, addr));

	return place ? place->address : 0;
}

/* No instruction of the kernel stands where it is in memory; what is none has no place. */
static void test_kernel_places(void **state)
{
	static const char randomised[] = "ffffffff9a000000 T _text\n"
					 "ffffffff9a000100 T vfs_read\n"
					 "ffffffff9a000300 T _etext\n"
					 "ffffffffc0701000 t bpf_prog_1\t[bpf]\n";
	struct fixture *f = *state;

	write_file(f, "proc/kallsyms", randomised, strlen(randomised));
	start(f, false);
	symbolizer_use_places(f->s, true);
	assert_int_equal(place_of(f, 0xffffffff9a000123), KERNEL_PLACE_TEXT + 0x123);
	assert_int_equal(place_of(f, 0xffffffff9a000400), 0);
	assert_int_equal(place_of(f, 0xffffffffc0701010), KERNEL_PLACE_PASSING + 0x10);
	write_file(f, "proc/kallsyms", "0000000000000000 T _text\n", 25);
	start(f, false);
	symbolizer_use_places(f->s, true);
	assert_int_equal(place_of(f, 0xffffffff9a000123), 0);
}

static void test_hidden_kernel(void **state)
{
	struct fixture *f = *state;

	write_file(f, "proc/kallsyms", "0000000000000000 T vfs_read\n", 28);
	start(f, false);
	expect(f, symbolizer_kernel(f->s, 0xffffffff81000110), "[kernel]", "[kernel]", FRAME_KERNEL,
	       true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_KALLSYMS), 1);
	assert_true(symbolizer_kernel_address(f->s, "vfs_read", NULL) == 0);
}

static void test_user(void **state)
{
	struct fixture *f = *state;
	frame_id id = symbolizer_user(f->s, 7, 0x10010);

	expect(f, id, "main", "app", FRAME_USER, false);
	assert_int_equal(frame_table_get(f->frames, id)->start, 0x5000);
	expect(f, symbolizer_user(f->s, 7, 0x10020), "foo::bar(int)", "app", FRAME_USER, false);
	/* No symbol: the ELF address, not where it stands in the file. */
	id = symbolizer_user(f->s, 7, 0x10100);
	expect(f, id, "[app+0x5100]", "app", FRAME_USER, true);
	assert_int_equal(frame_table_get(f->frames, id)->start, 0x5100);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_SYMBOL), 1);
	/* An address of this run stands nowhere, but tells frames apart. */
	id = symbolizer_user(f->s, 7, 0x20010);
	expect(f, id, "[anon]", "[anon]", FRAME_USER, true);
	assert_true(frame_table_get(f->frames, id)->is_raw);
	assert_int_equal(misses(f, SYMBOL_MISS_ANONYMOUS), 1);
	assert_int_not_equal(symbolizer_user(f->s, 7, 0x20020), id);
	expect(f, symbolizer_user(f->s, 8, 0x10010), "[unknown]", "", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_PROCESS), 1);

	start(f, true);
	expect(f, symbolizer_user(f->s, 7, 0x10020), "_ZN3foo3barEi", "app", FRAME_USER, false);
}

static uint32_t tell_module_seq(void *ctx)
{
	return *(const uint32_t *)ctx;
}

static void tell_nothing(void *ctx)
{
}

/* Code that comes and goes at one address, and modules: each sample has the name of its time. */
static void test_followed_kernel(void **state)
{
	static const char before[] = "ffffffff81000000 T _stext\nffffffff81000100 T vfs_read\n"
				     "ffffffff81000200 T _etext\n"
				     "ffffffffc0100000 t one_read\t[one]\n"
				     "ffffffffc0200000 t bpf_prog_1_old\t[bpf]\n";
	static const char after[] = "ffffffff81000000 T _stext\nffffffff81000100 T vfs_read\n"
				    "ffffffff81000200 T _etext\n"
				    "ffffffffc0100000 t two_read\t[two]\n";
	const uint64_t code = 0xffffffffc0200010, module = 0xffffffffc0100010;
	struct kernel_code_change change = { .start = 0xffffffffc0200000,
					     .bytes = 0x20,
					     .time_ns = 100,
					     .name = "bpf_prog_1_old",
					     .is_gone = true,
					     .is_bpf = true };
	struct fixture *f = *state;
	uint32_t seq = 0;
	const struct symbolizer_follower follower = { tell_nothing, tell_module_seq, &seq };

	write_file(f, "proc/kallsyms", before, strlen(before));
	start(f, false);
	symbolizer_follow_kernel(f->s, &follower);
#define AT(addr, time, seq) \
	name(f, symbolizer_kernel_at(f->s, addr, &(struct symbolizer_moment){ time, seq }))
	assert_string_equal(AT(code, 50, 0), "bpf_prog_1_old");
	assert_string_equal(AT(code + 4096, 50, 0), "[kernel]");
	symbolizer_kernel_change(f->s, &change);
	change.time_ns = 200;
	change.name = "bpf_prog_2_new";
	change.is_gone = false;
	symbolizer_kernel_change(f->s, &change);
	assert_string_equal(AT(code, 250, 0), "bpf_prog_2_new");
	assert_string_equal(AT(code, 50, 0), "bpf_prog_1_old");
	assert_string_equal(AT(code, 250, 0), "bpf_prog_2_new");
	assert_string_equal(AT(code + 0x10, 250, 0), "[kernel]");
	/* Of a module's time nothing is read before somebody was sampled in it. */
	assert_string_equal(AT(module, 300, 0), "one_read");
	write_file(f, "proc/kallsyms", after, strlen(after));
	seq = 2;
	assert_string_equal(AT(module, 400, 2), "two_read");
	assert_string_equal(AT(module, 300, 0), "one_read");
	assert_string_equal(AT(module, 350, 1), "[kernel]");
	assert_string_equal(AT(0xffffffff81000110, 350, 1), "vfs_read");
	symbolizer_kernel_lost(f->s);
	assert_string_equal(AT(code, 450, 2), "[kernel]");
#undef AT
}

/* Process 7 began at `started`, its program was seen at ran_ns. */
static bool runs(struct fixture *f, uint32_t started, uint32_t exec_id, uint64_t ran_ns)
{
	const struct symbolizer_program program = { 7, started, exec_id, ran_ns };

	return symbolizer_program_runs(f->s, &program);
}

/* The PID is used again: addresses of the new process must not get names of the dead one. */
static void test_pid_used_again(void **state)
{
	static const char other[] = "20000-21000 rwxp 0 00:00 0\n";
	struct fixture *f = *state;

	runs(f, 100, 1, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	write_file(f, "proc/7/maps", other, strlen(other));
	/* What is not known to have ended stays for samples that come late. */
	runs(f, 100, 1, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	runs(f, 0, 1, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	runs(f, 200, 1, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "[unknown]");
	write_maps(f);
	runs(f, 300, 1, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
}

/* Names go into another table: the same ones as in the first, and of the first nothing is left. */
static void test_other_frames(void **state)
{
	static const uint64_t addrs[] = { 0x10010, 0x10020, 0x10100, 0x20010, 0x30000 };
	struct fixture *f = *state;
	struct frame_table *old;
	char *names[ARRAY_SIZE(addrs)], *modules[ARRAY_SIZE(addrs)], *kernel_name;

	kernel_name = xstrdup(name(f, symbolizer_kernel(f->s, 0xffffffff81000110)));
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		frame_id id = symbolizer_user(f->s, 7, addrs[i]);

		names[i] = xstrdup(name(f, id));
		modules[i] = xstrdup(module(f, id));
	}
	for (int round = 0; round < 3; round++) {
		old = f->frames;
		f->frames = frame_table_new();
		symbolizer_use_frames(f->s, f->frames);
		frame_table_unref(old);
		for (size_t i = ARRAY_SIZE(addrs); i-- > 0;) {
			frame_id id = symbolizer_user(f->s, 7, addrs[i]);

			assert_string_equal(name(f, id), names[i]);
			assert_string_equal(module(f, id), modules[i]);
		}
		assert_string_equal(name(f, symbolizer_kernel(f->s, 0xffffffff81000110)),
				    kernel_name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++) {
		free(names[i]);
		free(modules[i]);
	}
	free(kernel_name);
}

static void test_missing_file(void **state)
{
	struct fixture *f = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	assert_int_equal(unlink(path), 0);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "[app+0x1010]", "app", FRAME_USER, true);
	assert_int_equal(symbolizer_user(f->s, 7, 0x10010), symbolizer_user(f->s, 7, 0x10010));
	assert_int_equal(misses(f, SYMBOL_MISS_NO_FILE), 1);
}

static void test_bad_elf(void **state)
{
	struct fixture *f = *state;

	write_file(f, "opt/app", "\177ELF and no more", 16);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "[app+0x1010]", "app", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_BAD_ELF), 1);
}

/* The program is truncated after its symbols were read: its names are here. */
static void test_truncated(void **state)
{
	struct fixture *f = *state;
	char path[64];

	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	assert_int_equal(truncate(path, 100), 0);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	expect(f, symbolizer_user(f->s, 7, 0x10030), "foo::bar(int)", "app", FRAME_USER, false);
}

static void test_jit(void **state)
{
	struct fixture *f = *state;
	char status[64];
	frame_id id;

	expect(f, symbolizer_user(f->s, 7, 0x20010), "[anon]", "[anon]", FRAME_USER, true);
	snprintf(status, sizeof(status), "Uid:\t%u\t%u\nNSpid:\t7\t1\n", getuid(), getuid());
	write_file(f, "proc/7/status", status, strlen(status));
	write_file(f, "proc/7/root/tmp/perf-1.map", "20000 40 js;f\n20800 10 js;f\n", 28);
	wait_ms(10);
	id = symbolizer_user(f->s, 7, 0x20010);
	expect(f, id, "js;f", "[jit]", FRAME_JIT, false);
	assert_int_equal(symbolizer_user(f->s, 7, 0x20800), id); /* compiled twice, one function */
	expect(f, symbolizer_user(f->s, 7, 0x20100), "[anon]", "[anon]", FRAME_USER, true);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
}

/* Compiled code in memory that has a file: the same text in each run, wherever it stands. */
static void test_shared_memory(void **state)
{
	static const struct {
		const char *path, *name;
	} rows[] = { { "/memfd:code (deleted)", "[memfd:code]" },
		     { "/opt/ffiAbCdEf (deleted)", "[anon]" },
		     { "/opt/data", "[data+0x1010]" } };
	struct fixture *f = *state;
	char path[128], text[512], status[64];

	snprintf(status, sizeof(status), "Uid:\t%u\t%u\nNSpid:\t7\t1\n", getuid(), getuid());
	write_file(f, "proc/7/status", status, strlen(status));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stat st;

		write_file(f, rows[i].path, "no ELF", 6);
		snprintf(path, sizeof(path), "%s%s", f->root, rows[i].path);
		assert_int_equal(stat(path, &st), 0);
		snprintf(text, sizeof(text), "10000-12000 r-xp 00001000 %x:%x %llu %s\n",
			 major(st.st_dev), minor(st.st_dev), (unsigned long long)st.st_ino,
			 rows[i].path);
		write_file(f, "proc/7/maps", text, strlen(text));
		symbolizer_process_gone(f->s, 7);
		assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), rows[i].name);
		write_file(f, "proc/7/root/tmp/perf-1.map", "10000 40 jitted\n", 16);
		symbolizer_process_gone(f->s, 7);
		assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "jitted");
		snprintf(path, sizeof(path), "%s/proc/7/root/tmp/perf-1.map", f->root);
		assert_int_equal(unlink(path), 0);
	}
}

/* exec: the same PID, other mappings. */
static void test_exec(void **state)
{
	struct fixture *f = *state;

	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	write_file(f, "proc/7/maps", "10000-12000 r-xp 0 00:00 0\n", 27);
	symbolizer_process_gone(f->s, 7);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "[anon]", "[anon]", FRAME_USER, true);
	symbolizer_process_gone(f->s, 7);
	symbolizer_process_gone(f->s, 7); /* twice does no harm */
}

static uint64_t tell_begun(void *ctx, pid_t pid)
{
	return *(const uint64_t *)ctx;
}

/* An address of a program is never named by the mappings of the one after it. */
static void test_program_before_exec(void **state)
{
	static const char other[] = "30000-31000 rwxp 0 00:00 0\n";
	struct fixture *f = *state;
	uint64_t begun_ns = 0;

	symbolizer_use_begun(f->s, tell_begun, &begun_ns);
	/* exec came before anything was read: at 300 for what was seen at 200. */
	begun_ns = 300;
	assert_false(runs(f, 100, 1, 200));
	expect(f, symbolizer_unknown(f->s, 0x10010), "[unknown]", "", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_PROCESS), 1);
	/* The new program is named, also while samples of the old one come late. */
	assert_true(runs(f, 100, 2, 400));
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	assert_false(runs(f, 100, 1, 200));
	assert_true(runs(f, 100, 2, 400));
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	/* Its mappings are read again when it misses, but not after it is over. */
	begun_ns = 500;
	write_file(f, "proc/7/maps", other, strlen(other));
	assert_true(runs(f, 100, 2, 450));
	usleep(3000);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x30010)), "[unknown]");
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	assert_true(runs(f, 100, 3, 600));
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x30010)), "[anon]");
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "[unknown]");
	symbolizer_use_begun(f->s, NULL, NULL);
}

/* exec between the reading of mappings and the question whether it came. */
struct exec_meanwhile {
	unsigned int nr_asked;
};

static uint64_t tell_meanwhile(void *ctx, pid_t pid)
{
	struct exec_meanwhile *e = ctx;

	return e->nr_asked++ ? 300 : 0;
}

static void test_exec_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct exec_meanwhile e = { 0 };

	symbolizer_use_begun(f->s, tell_meanwhile, &e);
	assert_true(runs(f, 100, 1, 200));
	assert_int_equal(e.nr_asked, 2);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "[unknown]");
	assert_true(runs(f, 100, 2, 400));
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	symbolizer_use_begun(f->s, NULL, NULL);
}

static void add_file(struct fixture *f, uint32_t number, int fd, const char *path)
{
	symbolizer_add_file(f->s, number, &(struct met_file){ .fd = fd, .path = path });
}

static void test_numbered_files(void **state)
{
	struct fixture *f = *state;
	struct made_elf other = { .text_vaddr = 0x5000, .text_bytes = 0x100 };
	char path[64];
	frame_id id;

	expect(f, symbolizer_file(f->s, 3, 0x5010), "[unknown]", "", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_FILE), 1);
	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	add_file(f, 3, open(path, O_RDONLY | O_CLOEXEC), "/opt/app");
	id = symbolizer_file(f->s, 3, 0x5010);
	expect(f, id, "main", "app", FRAME_USER, false);
	/* The same frame as by process and address. */
	assert_int_equal(symbolizer_user(f->s, 7, 0x10010), id);
	expect(f, symbolizer_file(f->s, 3, 0x5100), "[app+0x5100]", "app", FRAME_USER, true);
	/* The same number again: another file. */
	add_file(f, 3, elf_make_fd(&other), "/opt/other");
	expect(f, symbolizer_file(f->s, 3, 0x5010), "[other+0x5010]", "other", FRAME_USER, true);
	symbolizer_remove_file(f->s, 3);
	symbolizer_remove_file(f->s, 3);
	expect(f, symbolizer_file(f->s, 3, 0x5010), "[unknown]", "", FRAME_USER, true);
	add_file(f, 4, -1, "/gone");
	expect(f, symbolizer_file(f->s, 4, 0x5010), "[gone+0x5010]", "gone", FRAME_USER, true);
}

/* A library is built three times within a second: names are those of the build that runs. */
static void test_overwritten(void **state)
{
	static const char *const builds[] = { "first", "second", "third" };
	struct fixture *f = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/opt/lib.so", f->root);
	for (uint32_t i = 0; i < ARRAY_SIZE(builds); i++) {
		const struct made_symbol one = { builds[i], 0x5000, 0x20, STT_FUNC, STB_GLOBAL, 0 };
		/* Another size is seen, however coarse the clock is. */
		struct made_elf m = { .text_vaddr = 0x5000,
				      .text_bytes = 0x100 + i * 0x100,
				      .symtab = &one,
				      .nr_symtab = 1 };
		struct strbuf bytes = elf_make(&m);

		write_file(f, "opt/lib.so", bytes.bytes, bytes.len);
		strbuf_deinit(&bytes);
		add_file(f, i + 1, open(path, O_RDONLY | O_CLOEXEC), "/opt/lib.so");
		assert_string_equal(name(f, symbolizer_file(f->s, i + 1, 0x5010)), builds[i]);
	}
}

static void test_miss_names(void **state)
{
	for (int i = 0; i < NR_SYMBOL_MISSES; i++) {
		assert_non_null(symbol_miss_name(i));
		assert_string_not_equal(symbol_miss_name(i), "unknown");
	}
}

#define here(test)   cmocka_unit_test_setup_teardown(test, setup_here, teardown)
#define rooted(test) cmocka_unit_test_setup_teardown(test, setup_root, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		here(test_own_process),
		here(test_no_mapping),
		here(test_refreshed),
		here(test_late_samples),
		here(test_many_processes),
		rooted(test_kernel),
		rooted(test_hidden_kernel),
		rooted(test_user),
		rooted(test_kernel_places),
		rooted(test_pid_used_again),
		rooted(test_other_frames),
		rooted(test_missing_file),
		rooted(test_bad_elf),
		rooted(test_truncated),
		rooted(test_jit),
		rooted(test_shared_memory),
		rooted(test_followed_kernel),
		rooted(test_exec),
		rooted(test_program_before_exec),
		rooted(test_exec_meanwhile),
		rooted(test_numbered_files),
		rooted(test_overwritten),
		cmocka_unit_test(test_miss_names),
	};

	return cmocka_run_group_tests_name("symbolizer", tests, NULL, NULL);
}
