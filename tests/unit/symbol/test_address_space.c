// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of a process to files and offsets: this process, and /proc trees made up. */
#include "unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbol/address_space.h"
#include "unit/elf/elf_maker.h"

struct fixture {
	struct frame_table *frames;
	uint32_t next_space;
	struct address_space_source src;
	char root[32]; /* "" until a test makes one */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->frames = frame_table_new();
	f->next_space = 1;
	f->src = (struct address_space_source){ .root = f->root, .frames = f->frames, .now_ms = 1 };
	f->src.files = file_table_new(f->frames, f->root, 0, &f->next_space);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	file_table_free(f->src.files);
	frame_table_unref(f->frames);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
	if (*f->root)
		assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static const char *module(struct fixture *f, const struct mapping *m)
{
	return frame_table_str(f->frames, m->file ? m->file->module : m->name, NULL);
}

static void test_self(void **state)
{
	struct fixture *f = *state;
	struct address_space as, again;
	const struct mapping *m;
	uint64_t addr = (uintptr_t)test_self;

	assert_true(address_space_read(&f->src, getpid(), &as) > 0);
	for (size_t i = 0; i + 1 < as.nr; i++)
		assert_true(as.mappings[i].end <= as.mappings[i + 1].start);
	m = address_space_find(&as, addr);
	assert_non_null(m);
	assert_string_equal(module(f, m), "test_address_space");
	assert_non_null(mapped_file_symbols(f->src.files, m->file, 1));
	m = address_space_find(&as, (uintptr_t)malloc);
	assert_non_null(m);
	assert_null(address_space_find(&as, 16));
	assert_null(address_space_find(&as, as.mappings[0].start - 1));
	assert_null(address_space_find(&as, UINT64_MAX));
	/* Read again it is the same, down to the files. */
	assert_true(address_space_read(&f->src, getpid(), &again) > 0);
	assert_true(address_space_equal(&as, &again));
	address_space_deinit(&again);
	address_space_deinit(&as);
	assert_int_equal(as.nr, 0);
}

static void test_vdso(void **state)
{
	struct fixture *f = *state;
	struct address_space as;
	bool seen = false;

	assert_true(address_space_read(&f->src, getpid(), &as) > 0);
	for (size_t i = 0; i < as.nr; i++) {
		const struct mapping *m = &as.mappings[i];
		const struct elf_symbols *t;

		if (strcmp(module(f, m), "[vdso]"))
			continue;
		seen = true;
		t = mapped_file_symbols(f->src.files, m->file, 1);
		assert_non_null(t);
		assert_true(elf_symbols_nr(t) > 1);
	}
	address_space_deinit(&as);
	if (!seen)
		skip();
}

/* Memory without a file, a memfd, a file deleted while mapped: all found, each as what it is. */
static void test_kinds(void **state)
{
	struct fixture *f = *state;
	struct made_elf made = { .text_vaddr = 0x5000, .text_bytes = 0x1000 };
	struct strbuf bytes = elf_make(&made);
	char path[] = "/tmp/eddy-test-XXXXXX";
	int memfd = elf_make_fd(&made), fd = mkstemp(path);
	struct address_space as;
	const struct mapping *m;
	char *anon, *mem, *deleted;

	assert_int_equal(write(fd, bytes.bytes, bytes.len), bytes.len);
	anon = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mem = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, memfd, 0x1000);
	deleted = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x1000);
	assert_true(anon != MAP_FAILED && mem != MAP_FAILED && deleted != MAP_FAILED);
	assert_int_equal(unlink(path), 0);

	assert_true(address_space_read(&f->src, getpid(), &as) > 0);
	m = address_space_find(&as, (uintptr_t)anon);
	assert_null(m->file);
	assert_string_equal(module(f, m), "[anon]");
	m = address_space_find(&as, (uintptr_t)mem);
	assert_string_equal(module(f, m), "memfd:test");
	assert_int_equal(m->offset, 0x1000);
	m = address_space_find(&as, (uintptr_t)deleted + 5);
	assert_string_equal(module(f, m), strrchr(path, '/') + 1);
	if (getuid() == 0) { /* only map_files leads there */
		assert_non_null(mapped_file_symbols(f->src.files, m->file, 1));
		m = address_space_find(&as, (uintptr_t)mem);
		assert_non_null(mapped_file_symbols(f->src.files, m->file, 1));
	}
	address_space_deinit(&as);
	munmap(anon, 4096);
	munmap(mem, 4096);
	munmap(deleted, 4096);
	close(memfd);
	close(fd);
	strbuf_deinit(&bytes);
}

/*
 * 700 files: reading the mappings opens some hundreds and no more, and each of the others when it
 * is asked for.
 */
static void test_many_files(void **state)
{
	enum { NR = 700, MOST = 512 };
	struct fixture *f = *state;
	struct made_elf made = { .text_vaddr = 0x5000, .text_bytes = 0x1000 };
	struct strbuf bytes = elf_make(&made);
	char dir[] = "/tmp/eddy-test-XXXXXX", path[64];
	char *code[NR];
	struct address_space as;
	size_t nr_unopened = 0;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < NR; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fd = open(path, O_RDWR | O_CREAT, 0600);
		assert_int_equal(write(fd, bytes.bytes, bytes.len), bytes.len);
		code[i] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x1000);
		assert_true(code[i] != MAP_FAILED);
		close(fd);
	}
	assert_true(address_space_read(&f->src, getpid(), &as) > NR);
	for (int i = 0; i < NR; i++) {
		struct mapping *m = address_space_find(&as, (uintptr_t)code[i]);

		assert_int_equal(m->file->fd < 0, m->is_unopened);
		nr_unopened += m->is_unopened;
		if (m->is_unopened)
			address_space_open(&f->src, getpid(), m);
		assert_false(m->is_unopened);
		assert_non_null(mapped_file_symbols(f->src.files, m->file, 1));
		munmap(code[i], 4096);
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	assert_true(nr_unopened >= NR - MOST);
	address_space_deinit(&as);
	rmdir(dir);
	strbuf_deinit(&bytes);
}

static void test_no_process(void **state)
{
	struct fixture *f = *state;
	struct address_space as;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	assert_true(address_space_read(&f->src, pid, &as) <= 0); /* a zombie has no memory */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(address_space_read(&f->src, pid, &as) < 0);
}

static void *end_first_thread(void *arg)
{
	pause();
	return NULL;
}

/* The first thread ends, another goes on: the memory is still there. */
static void test_first_thread_ended(void **state)
{
	struct fixture *f = *state;
	struct address_space as;
	pthread_t thread;
	siginfo_t info;
	pid_t pid;
	int n = 0;

	if (test_is_emulated())
		skip();
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, end_first_thread, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	for (int i = 0; i < 500; i++) {
		char path[64], line[256] = "";
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		stat = fopen(path, "r");
		assert_non_null(stat);
		assert_non_null(fgets(line, sizeof(line), stat));
		fclose(stat);
		if (strstr(line, ") Z "))
			break;
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	}
	n = address_space_read(&f->src, pid, &as);
	assert_true(n > 0);
	assert_non_null(address_space_find(&as, (uintptr_t)test_first_thread_ended));
	address_space_deinit(&as);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED), 0);
}

/* ROOT/proc/7/maps names ROOT/lib.so; dev and ino tell whether that is the file that is mapped. */
static void write_maps(struct fixture *f, const struct stat *st, uint64_t ino)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/proc/7/maps", f->root);
	to = fopen(path, "w");
	assert_non_null(to);
	fprintf(to, "7000-8000 r-xp 00001000 %x:%x %llu   /a\\012lib.so\n", major(st->st_dev),
		minor(st->st_dev), (unsigned long long)ino);
	fprintf(to, "1000-2000 r-xp 00000000 00:00 0\n"); /* not sorted */
	fclose(to);
}

static void test_replaced_file(void **state)
{
	struct fixture *f = *state;
	struct made_elf made = { .text_vaddr = 0x5000, .text_bytes = 0x1000 };
	struct strbuf bytes = elf_make(&made);
	struct address_space as;
	const struct mapping *m;
	char path[128];
	struct stat st;
	FILE *to;

	strcpy(f->root, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(path, sizeof(path), "%s/proc", f->root);
	assert_int_equal(mkdir(path, 0755), 0);
	strcat(path, "/7");
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/a\nlib.so", f->root);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(bytes.bytes, 1, bytes.len, to);
	fclose(to);
	assert_int_equal(stat(path, &st), 0);

	write_maps(f, &st, st.st_ino + 1); /* another file was mapped */
	assert_int_equal(address_space_read(&f->src, 7, &as), 2);
	assert_int_equal(as.nr, 2);
	assert_null(address_space_find(&as, 0x1800)->file);
	m = address_space_find(&as, 0x7010);
	assert_string_equal(module(f, m), "a\nlib.so");
	assert_null(mapped_file_symbols(f->src.files, m->file, 1));
	assert_int_equal(m->file->miss, SYMBOL_MISS_NO_FILE);
	address_space_deinit(&as);

	write_maps(f, &st, st.st_ino);
	assert_int_equal(address_space_read(&f->src, 7, &as), 2);
	m = address_space_find(&as, 0x7010);
	assert_non_null(mapped_file_symbols(f->src.files, m->file, 1));
	address_space_deinit(&as);
	strbuf_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_self, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vdso, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first_thread_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaced_file, setup, teardown),
	};

	return cmocka_run_group_tests_name("address_space", tests, NULL, NULL);
}
