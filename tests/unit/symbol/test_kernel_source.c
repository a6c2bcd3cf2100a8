// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of kernel addresses: a program that is compiled here is the vmlinux of a root directory,
 * and lies elsewhere in memory than it says.  addr2line of binutils tells what is right.
 */
#include "unit/unit.h"

#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/symbolizer.h"
#include "util/mem.h"

#define MOVED_BY 0xffffffff22000000ull

static const char source[] = "__attribute__((noinline)) int vfs_read(int n)\n"
			     "{\n"
			     "	volatile int k = n;\n"
			     "	return k * 3;\n"
			     "}\n"
			     "int vfs_write(int n)\n"
			     "{\n"
			     "	volatile int k = vfs_read(n);\n"
			     "	return vfs_read(k) + 1;\n"
			     "}\n";

static char root[] = "/tmp/eddy-kernel-XXXXXX";
static uint64_t start, end; /* of the text, in the file */

static bool run(const char *command)
{
	char all[1024];

	snprintf(all, sizeof(all), "cd %s && { %s; } >/dev/null 2>&1", root, command);
	return system(all) == 0;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	to = fopen(path, "w");
	assert_non_null(to);
	assert_int_equal(fwrite(bytes, 1, len, to), len);
	fclose(to);
}

static FILE *ask(const char *command)
{
	char all[1024];
	FILE *from;

	snprintf(all, sizeof(all), "cd %s && %s", root, command);
	from = popen(all, "r");
	assert_non_null(from);
	return from;
}

/* Symbols of the file, moved, as the running kernel would tell them. */
static void write_kallsyms(void)
{
	unsigned long long address;
	char line[256], name[128], type, all[4096] = "";
	FILE *from = ask("nm -n vmlinux");

	while (fgets(line, sizeof(line), from)) {
		assert_int_equal(sscanf(line, "%llx %c %127s", &address, &type, name), 3);
		if (!strcmp(name, "_stext"))
			start = address;
		if (!strcmp(name, "_etext"))
			end = address;
		if (type == 'T' || type == 't')
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%llx T %s\n",
				 address + MOVED_BY, name);
	}
	pclose(from);
	assert_true(start && end > start);
	write_file("proc/kallsyms", all, strlen(all));
}

static void write_notes(const char *build_id_hex)
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
	} note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 0 } };
	Elf64_Nhdr other = { 0, 0, 7 };
	uint8_t bytes[sizeof(other) + sizeof(note)];

	for (size_t i = 0; i < sizeof(note.id); i++) {
		unsigned int byte;

		assert_int_equal(sscanf(build_id_hex + 2 * i, "%2x", &byte), 1);
		note.id[i] = byte;
	}
	memcpy(bytes, &other, sizeof(other));
	memcpy(bytes + sizeof(other), &note, sizeof(note));
	write_file("sys/kernel/notes", bytes, sizeof(bytes));
}

static const char build_id[] = "000102030405060708090a0b0c0d0e0f10111213";

static bool make_kernel(void)
{
	char command[512];

	if (!run("command -v addr2line") || !run("command -v nm"))
		return false;
	snprintf(command, sizeof(command),
		 "gcc -g -gdwarf-4 -O2 -fno-pie -no-pie -nostdlib -static -Wl,-e,vfs_write "
		 "-Wl,--build-id=0x%s -Wl,--defsym=_stext=vfs_read -Wl,-u,_etext -o vmlinux k.c",
		 build_id);
	if (!run(command))
		return false;
	write_kallsyms();
	write_notes(build_id);
	return true;
}

/* The frames of all addresses of the text, as they are after symbolizer_settle(). */
static frame_id *frames_of_text(struct symbolizer *s)
{
	frame_id *frames = xcalloc(end - start, sizeof(*frames));
	frame_id expanded[SYMBOLIZER_MAX_FRAMES];

	for (uint64_t at = start; at < end; at++)
		frames[at - start] = symbolizer_kernel(s, at + MOVED_BY);
	symbolizer_settle(s);
	for (uint64_t i = 0; i < end - start; i++) {
		assert_int_equal(symbolizer_expand(s, frames[i], expanded), 1);
		frames[i] = expanded[0];
	}
	return frames;
}

/* How many have a line; all of them are functions of the kernel. */
static size_t count_lines(const struct frame_table *t, const frame_id *frames)
{
	size_t nr = 0;

	for (uint64_t i = 0; i < end - start; i++) {
		const struct frame *f = frame_table_get(t, frames[i]);

		assert_int_equal(f->origin, FRAME_KERNEL);
		assert_int_equal(strncmp(frame_table_name(t, frames[i], NULL), "vfs_", 4), 0);
		nr += frame_has_line(f);
	}
	return nr;
}

/* Each address against addr2line. */
static void check_lines(const struct frame_table *t, const frame_id *frames)
{
	char command[256], line[512], mine[512];
	FILE *from;

	snprintf(command, sizeof(command),
		 "for i in $(seq %llu %llu); do printf '0x%%x\\n' $i; done >addresses && "
		 "addr2line -e vmlinux <addresses",
		 (unsigned long long)start, (unsigned long long)end - 1);
	from = ask(command);
	for (uint64_t i = 0; i < end - start; i++) {
		const struct frame *f = frame_table_get(t, frames[i]);

		assert_non_null(fgets(line, sizeof(line), from));
		line[strcspn(line, " \n")] = '\0';
		snprintf(mine, sizeof(mine), "%s:%u", frame_table_str(t, f->file, NULL), f->line);
		if (frame_has_line(f))
			assert_string_equal(mine, line);
	}
	pclose(from);
}

static size_t lines_found(void)
{
	const struct symbolizer_opts opts = { .root = root, .lines = true };
	struct frame_table *t = frame_table_new();
	struct symbolizer *s = symbolizer_new(t, &opts);
	frame_id *frames = frames_of_text(s);
	size_t nr = count_lines(t, frames);

	check_lines(t, frames);
	free(frames);
	symbolizer_free(s);
	frame_table_unref(t);
	return nr;
}

static void by_build_id(void **state)
{
	char path[256];

	if (!make_kernel())
		skip();
	assert_int_equal(lines_found(), 0); /* it is nowhere */
	snprintf(path, sizeof(path),
		 "mkdir -p usr/lib/debug/.build-id/00 && "
		 "cp vmlinux usr/lib/debug/.build-id/00/%s.debug",
		 build_id + 2);
	assert_true(run(path));
	assert_true(lines_found() > (end - start) / 2);
	assert_true(run("rm -r usr/lib/debug/.build-id"));
}

static void by_release(void **state)
{
	if (!make_kernel())
		skip();
	/* The running user's own file in the place of root's would name root's code. */
	assert_true(run("cp vmlinux usr/lib/debug/boot/vmlinux-6.1.0-t"));
	if (!getuid())
		assert_true(lines_found() > (end - start) / 2);
	assert_true(run("chmod 0666 usr/lib/debug/boot/vmlinux-6.1.0-t"));
	assert_int_equal(lines_found(), 0);
	assert_true(run("rm usr/lib/debug/boot/vmlinux-6.1.0-t"));
}

/* That of another build would say wrong lines. */
static void other_kernel(void **state)
{
	if (!make_kernel())
		skip();
	assert_true(run("cp vmlinux usr/lib/debug/boot/vmlinux-6.1.0-t"));
	write_notes("ff0102030405060708090a0b0c0d0e0f10111213");
	assert_int_equal(lines_found(), 0);
	write_file("sys/kernel/notes", "cut", 3);
	assert_int_equal(lines_found(), 0);
	write_notes(build_id);
	assert_true(run("strip -d usr/lib/debug/boot/vmlinux-6.1.0-t"));
	assert_int_equal(lines_found(), 0);
}

static int setup(void **state)
{
	if (!mkdtemp(root))
		return -1;
	write_file("k.c", source, strlen(source));
	return run("mkdir -p proc/sys/kernel sys/kernel usr/lib/debug/boot && "
		   "echo 6.1.0-t >proc/sys/kernel/osrelease")
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(by_release),
		cmocka_unit_test(other_kernel),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
