// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses to frames: this process on this machine, and a root that the test makes. */
#include "unit/unit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profile/frame_role.h"
#include "symbol/symbolizer.h"
#include "unit/symbol/elf_maker.h"
#include "util/mem.h"

/*
 * A root of our own with two processes, a program and kernel symbols:
 *   PID 7: 10000-12000 /opt/app (text at offset 0x1000, address 0x5000), 20000-21000 anonymous
 */
static const struct made_symbol symbols[] = {
	{ "main", 0x5000, 0x20, STT_FUNC, STB_GLOBAL, 0 },
	{ "_ZN3foo3barEi", 0x5020, 0x20, STT_FUNC, STB_GLOBAL, 0 },
};

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81000100 T vfs_read\n"
			     "ffffffff81000200 T __softirqentry_text_start\n"
			     "ffffffff81000200 T __do_softirq\n"
			     "ffffffff81000300 T _etext\n"
			     "ffffffffc0001000 t ext4_readdir\t[ext4]\n";

struct fixture {
	struct frame_table *frames;
	struct symbolizer *s;
	char root[32]; /* "" until a test makes one */
};

static void start(struct fixture *f, bool no_demangle)
{
	struct symbolizer_opts opts = { .root = f->root, .no_demangle = no_demangle };

	symbolizer_free(f->s);
	f->s = symbolizer_new(f->frames, &opts);
}

static int setup_here(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->frames = frame_table_new();
	start(f, false);
	*state = f;
	return 0;
}

static void write_file(struct fixture *f, const char *name, const void *bytes, size_t len)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	to = fopen(path, "w");
	assert_non_null(to);
	assert_int_equal(fwrite(bytes, 1, len, to), len);
	fclose(to);
}

static void write_maps(struct fixture *f)
{
	char path[128], maps[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	assert_int_equal(stat(path, &st), 0);
	snprintf(maps, sizeof(maps),
		 "10000-12000 r-xp 00001000 %x:%x %llu /opt/app\n20000-21000 rwxp 0 00:00 0\n",
		 major(st.st_dev), minor(st.st_dev), (unsigned long long)st.st_ino);
	write_file(f, "proc/7/maps", maps, strlen(maps));
}

static void write_app(struct fixture *f)
{
	struct made_elf m = {
		.text_vaddr = 0x5000, .text_bytes = 0x2000, .symtab = symbols, .nr_symtab = 2
	};
	struct strbuf bytes = elf_make(&m);

	write_file(f, "opt/app", bytes.bytes, bytes.len);
	strbuf_deinit(&bytes);
}

static int setup_root(void **state)
{
	static const char *const dirs[] = { "opt", "proc", "proc/7", "proc/7/root",
					    "proc/7/root/tmp" };
	struct fixture *f;
	char path[128];

	setup_here(state);
	f = *state;
	strcpy(f->root, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->root, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	write_file(f, "proc/kallsyms", kernel, strlen(kernel));
	write_app(f);
	write_maps(f);
	start(f, false);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	symbolizer_free(f->s);
	frame_table_unref(f->frames);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
	if (*f->root)
		assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static const char *name(struct fixture *f, frame_id id)
{
	return frame_table_name(f->frames, id, NULL);
}

static const char *module(struct fixture *f, frame_id id)
{
	return frame_table_str(f->frames, frame_table_get(f->frames, id)->module, NULL);
}

static void expect(struct fixture *f, frame_id id, const char *want_name, const char *want_module,
		   enum frame_origin origin, bool unnamed)
{
	const struct frame *frame = frame_table_get(f->frames, id);

	assert_int_not_equal(id, FRAME_NONE);
	assert_string_equal(name(f, id), want_name);
	assert_string_equal(module(f, id), want_module);
	assert_int_equal(frame->origin, origin);
	assert_int_equal(frame->unnamed, unnamed);
}

static uint64_t misses(struct fixture *f, enum symbol_miss miss)
{
	struct symbolizer_stats st;

	symbolizer_get_stats(f->s, &st);
	return st.misses[miss];
}

static void wait_ms(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

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

	expect(f, id, "[unknown+0x10]", "", FRAME_USER, true);
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
	expect(f, symbolizer_user(f->s, pid, 16), "[unknown+0x10]", "", FRAME_USER, true);
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
	assert_true(frame_table_get(f->frames, id)->start == 0xffffffff81000100);
	assert_int_equal(symbolizer_kernel(f->s, 0xffffffff810001ff), id);
	id = symbolizer_kernel(f->s, 0xffffffff81000210);
	expect(f, id, "__do_softirq", "[kernel]", FRAME_KERNEL, false);
	assert_int_equal(frame_table_get(f->frames, id)->role, FRAME_ROLE_SOFTIRQ_CORE);
	expect(f, symbolizer_kernel(f->s, 0xffffffffc0001000), "ext4_readdir", "ext4", FRAME_KERNEL,
	       false);
	expect(f, symbolizer_kernel(f->s, 0xffffffff81000300), "[kernel+0xffffffff81000300]",
	       "[kernel]", FRAME_KERNEL, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_SYMBOL), 1);
	assert_true(symbolizer_kernel_address(f->s, "vfs_read", &size) == 0xffffffff81000100);
	assert_int_equal(size, 0x100);
	assert_true(symbolizer_kernel_address(f->s, "nothing", &size) == 0);
	assert_int_equal(size, 0x100); /* untouched */
}

static void test_hidden_kernel(void **state)
{
	struct fixture *f = *state;

	write_file(f, "proc/kallsyms", "0000000000000000 T vfs_read\n", 28);
	start(f, false);
	expect(f, symbolizer_kernel(f->s, 0xffffffff81000110), "[kernel+0xffffffff81000110]",
	       "[kernel]", FRAME_KERNEL, true);
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
	/* No symbol: the offset in the file, not the address. */
	id = symbolizer_user(f->s, 7, 0x10100);
	expect(f, id, "[app+0x1100]", "app", FRAME_USER, true);
	assert_int_equal(frame_table_get(f->frames, id)->start, 0x1100);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_SYMBOL), 1);
	expect(f, symbolizer_user(f->s, 7, 0x20010), "[anon+0x20010]", "[anon]", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_ANONYMOUS), 1);
	expect(f, symbolizer_user(f->s, 8, 0x10010), "[unknown+0x10010]", "", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_PROCESS), 1);

	start(f, true);
	expect(f, symbolizer_user(f->s, 7, 0x10020), "_ZN3foo3barEi", "app", FRAME_USER, false);
}

/* The PID is used again: addresses of the new process must not get names of the dead one. */
static void test_pid_used_again(void **state)
{
	static const char other[] = "20000-21000 rwxp 0 00:00 0\n";
	struct fixture *f = *state;

	symbolizer_process_started(f->s, 7, 100);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	write_file(f, "proc/7/maps", other, strlen(other));
	/* What is not known to have ended stays for samples that come late. */
	symbolizer_process_started(f->s, 7, 100);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	symbolizer_process_started(f->s, 7, 0);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "main");
	symbolizer_process_started(f->s, 7, 200);
	assert_string_equal(name(f, symbolizer_user(f->s, 7, 0x10010)), "[unknown+0x10010]");
	write_maps(f);
	symbolizer_process_started(f->s, 7, 300);
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

/* The program is truncated after its symbols were indexed: names are lost, offsets stay. */
static void test_truncated(void **state)
{
	struct fixture *f = *state;
	char path[64];

	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	assert_int_equal(truncate(path, 100), 0);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	expect(f, symbolizer_user(f->s, 7, 0x10030), "[app+0x1030]", "app", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_BAD_ELF), 1);
}

static void test_jit(void **state)
{
	struct fixture *f = *state;
	char status[64];
	frame_id id;

	expect(f, symbolizer_user(f->s, 7, 0x20010), "[anon+0x20010]", "[anon]", FRAME_USER, true);
	snprintf(status, sizeof(status), "Uid:\t%u\t%u\nNSpid:\t7\t1\n", getuid(), getuid());
	write_file(f, "proc/7/status", status, strlen(status));
	write_file(f, "proc/7/root/tmp/perf-1.map", "20000 40 js;f\n20800 10 js;f\n", 28);
	wait_ms(10);
	id = symbolizer_user(f->s, 7, 0x20010);
	expect(f, id, "js;f", "[jit]", FRAME_JIT, false);
	assert_int_equal(symbolizer_user(f->s, 7, 0x20800), id); /* compiled twice, one function */
	expect(f, symbolizer_user(f->s, 7, 0x20100), "[anon+0x20100]", "[anon]", FRAME_USER, true);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
}

/* exec: the same PID, other mappings. */
static void test_exec(void **state)
{
	struct fixture *f = *state;

	expect(f, symbolizer_user(f->s, 7, 0x10010), "main", "app", FRAME_USER, false);
	write_file(f, "proc/7/maps", "10000-12000 r-xp 0 00:00 0\n", 27);
	symbolizer_process_gone(f->s, 7);
	expect(f, symbolizer_user(f->s, 7, 0x10010), "[anon+0x10010]", "[anon]", FRAME_USER, true);
	symbolizer_process_gone(f->s, 7);
	symbolizer_process_gone(f->s, 7); /* twice does no harm */
}

static void test_numbered_files(void **state)
{
	struct fixture *f = *state;
	struct made_elf other = { .text_vaddr = 0x5000, .text_bytes = 0x100 };
	char path[64];
	frame_id id;

	expect(f, symbolizer_file(f->s, 3, 0x5010), "[unknown+0x5010]", "", FRAME_USER, true);
	assert_int_equal(misses(f, SYMBOL_MISS_NO_FILE), 1);
	snprintf(path, sizeof(path), "%s/opt/app", f->root);
	symbolizer_add_file(f->s, 3, open(path, O_RDONLY | O_CLOEXEC), "/opt/app");
	id = symbolizer_file(f->s, 3, 0x5010);
	expect(f, id, "main", "app", FRAME_USER, false);
	/* The same frame as by process and address. */
	assert_int_equal(symbolizer_user(f->s, 7, 0x10010), id);
	expect(f, symbolizer_file(f->s, 3, 0x5100), "[app+0x1100]", "app", FRAME_USER, true);
	/* The same number again: another file. */
	symbolizer_add_file(f->s, 3, elf_make_fd(&other), "/opt/other");
	expect(f, symbolizer_file(f->s, 3, 0x5010), "[other+0x1010]", "other", FRAME_USER, true);
	symbolizer_remove_file(f->s, 3);
	symbolizer_remove_file(f->s, 3);
	expect(f, symbolizer_file(f->s, 3, 0x5010), "[unknown+0x5010]", "", FRAME_USER, true);
	symbolizer_add_file(f->s, 4, -1, "/gone");
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
		symbolizer_add_file(f->s, i, open(path, O_RDONLY | O_CLOEXEC), "/opt/lib.so");
		assert_string_equal(name(f, symbolizer_file(f->s, i, 0x5010)), builds[i]);
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
		here(test_own_process),	     here(test_no_mapping),
		here(test_refreshed),	     here(test_late_samples),
		here(test_many_processes),   rooted(test_kernel),
		rooted(test_hidden_kernel),  rooted(test_user),
		rooted(test_pid_used_again), rooted(test_other_frames),
		rooted(test_missing_file),   rooted(test_bad_elf),
		rooted(test_truncated),	     rooted(test_jit),
		rooted(test_exec),	     rooted(test_numbered_files),
		rooted(test_overwritten),    cmocka_unit_test(test_miss_names),
	};

	return cmocka_run_group_tests_name("symbolizer", tests, NULL, NULL);
}
