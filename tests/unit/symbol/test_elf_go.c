// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stripped Go program has the functions of its unstripped twin; which those are is asked of nm.
 * Where no Go compiler is, that is skipped; what a table looks like, and damaged ones, is tested in
 * unwind/test_go_pclntab.c and by fuzzing.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/elf_symbols_read.h"
#include "util/strbuf.h"

static char dir[] = "/tmp/eddy-go-XXXXXX";

static const char source[] =
	"package main\n"
	"import \"fmt\"\n"
	"type stack[T any] struct{ all []T }\n"
	"//go:noinline\n"
	"func (s *stack[T]) push(t T) int { s.all = append(s.all, t); return len(s.all) }\n"
	"//go:noinline\n"
	"func twice(f func(int) int, n int) int { return f(f(n)) }\n"
	"func main() {\n"
	"	s := &stack[string]{}\n"
	"	n := twice(func(i int) int { return i * s.push(\"x\") }, 3)\n"
	"	fmt.Println(n)\n"
	"}\n";

static bool run(const char *command)
{
	char all[512];

	snprintf(all, sizeof(all), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(all) == 0;
}

static struct elf_symbols *open_file(const char *name)
{
	struct elf_symbols *t = NULL;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(
		elf_symbols_read(&(struct elf_symbols_input){ .fd = fd, .debug_fd = -1 }, &t), 0);
	close(fd);
	return t;
}

/* Names of the symbol table and of the runtime differ in what the linker adds. */
static bool is_same_name(const char *full, const char *stripped)
{
	size_t len = strcspn(stripped, "[");

	return !strncmp(full, stripped, len) &&
	       (full[len] == '[' || full[len] == '.' || !full[len]);
}

static void stripped_twin(void **state)
{
	struct elf_symbols *twin;
	struct strbuf name = STRBUF_INIT;
	unsigned int nr = 0, nr_same = 0, nr_main = 0;
	char line[4096], path[256];
	FILE *from;

	if (!run("command -v go") || !run("command -v nm"))
		skip();
	snprintf(path, sizeof(path), "%s/a.go", dir);
	from = fopen(path, "w");
	assert_non_null(from);
	fputs(source, from);
	fclose(from);
	assert_true(run("env -u GOFLAGS GOCACHE=$PWD/cache GO111MODULE=off CGO_ENABLED=0 "
			"go build -o full a.go && strip -o stripped full && "
			"nm -S --defined-only full | grep -i ' t ' >functions"));
	twin = open_file("stripped");
	assert_false(elf_symbols_is_damaged(twin));
	snprintf(path, sizeof(path), "%s/functions", dir);
	from = fopen(path, "r");
	while (fgets(line, sizeof(line), from)) {
		unsigned long long start, size;
		char full[4096];
		uint64_t found = 0;

		if (sscanf(line, "%llx %llx %*c %4095[^\n]", &start, &size, full) != 3 || !size)
			continue;
		nr++;
		strbuf_reset(&name);
		if (elf_symbols_find(twin, start + size - 1, &found) || found != start ||
		    elf_symbols_name(twin, found, &name) < 0 || !is_same_name(full, name.bytes))
			continue;
		nr_same++;
		nr_main += !strncmp(full, "main.", 5);
	}
	fclose(from);
	print_message("%u of %u functions\n", nr_same, nr);
	assert_true(nr > 1000);
	assert_true(nr_same >= nr - nr / 200);
	assert_true(nr_main >= 4);
	strbuf_deinit(&name);
	elf_symbols_unref(twin);
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", dir, dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stripped_twin) };

	return cmocka_run_group_tests_name("elf_go", tests, make_dir, remove_dir);
}
