// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines and inlined calls of a stripped Go program: lines against `go tool addr2line`, chains of
 * calls against the DWARF of its unstripped twin.  Where no Go compiler is, that is skipped; what
 * damaged tables do is fuzzed.
 *
 * EDDY_GO names another compiler than `go`.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/go_source.h"
#include "util/cleanup.h"
#include "util/strbuf.h"

#define MAX_ASKED 4000
#define GO                                                                                   \
	"env -u GOFLAGS GOCACHE=$PWD/cache GO111MODULE=off CGO_ENABLED=0 GOTOOLCHAIN=local " \
	"${EDDY_GO:-go}"

static char dir[] = "/tmp/eddy-golines-XXXXXX";

static const char source[] = "package main\n"
			     "import \"fmt\"\n"
			     "var sink int\n"
			     "func leaf(n int) int {\n"
			     "	return n*n + sink\n"
			     "}\n"
			     "func middle(n int) int {\n"
			     "	m := leaf(n) ^ 3\n"
			     "	return m + leaf(m)\n"
			     "}\n"
			     "//go:noinline\n"
			     "func work(n int) int {\n"
			     "	for i := 0; i < n; i++ {\n"
			     "		sink += middle(i)\n"
			     "	}\n"
			     "	return sink\n"
			     "}\n"
			     "func main() {\n"
			     "	fmt.Println(work(3), middle(7))\n"
			     "}\n";

static struct {
	uint64_t addresses[MAX_ASKED];
	size_t nr, nr_main;
} asked;

static bool run(const char *command)
{
	char all[512];

	snprintf(all, sizeof(all), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(all) == 0;
}

static FILE *ask(const char *command)
{
	char all[512];
	FILE *from;

	snprintf(all, sizeof(all), "cd %s && %s", dir, command);
	from = popen(all, "r");
	assert_non_null(from);
	return from;
}

/* Every byte of the program's own functions, some of each other one's. */
static void find_addresses(void)
{
	unsigned long long start, size;
	char line[4096], name[4096];
	FILE *from = ask("nm -nS --defined-only full | grep -i ' t '"), *to;

	asked.nr = asked.nr_main = 0;
	while (fgets(line, sizeof(line), from)) {
		bool is_main;

		if (sscanf(line, "%llx %llx %*c %4095[^\n]", &start, &size, name) != 3 || !size)
			continue;
		is_main = !strncmp(name, "main.", 5);
		for (uint64_t at = 0; at < size && asked.nr < MAX_ASKED; at += is_main ? 1 : 487) {
			asked.addresses[asked.nr++] = start + at;
			asked.nr_main += is_main;
		}
	}
	pclose(from);
	snprintf(line, sizeof(line), "%s/addresses", dir);
	to = fopen(line, "w");
	assert_non_null(to);
	for (size_t i = 0; i < asked.nr; i++)
		fprintf(to, "0x%llx\n", (unsigned long long)asked.addresses[i]);
	fclose(to);
}

typedef int (*read_fn)(const struct dwarf_source *source, struct source_builder *b);

static struct source_table *read_by(read_fn read, const char *name, bool with_lines)
{
	struct dwarf_source q = {
		.alt_fd = -1, .addresses = asked.addresses, .nr = asked.nr, .with_lines = with_lines
	};
	struct source_builder *b = source_builder_new(asked.nr);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct source_table *t;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	q.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(q.fd >= 0);
	assert_int_equal(read(&q, b), 0);
	close(q.fd);
	source_builder_pack(b, &bytes);
	source_builder_free(b);
	t = source_table_unpack(bytes.bytes, bytes.len, asked.nr);
	assert_non_null(t);
	return t;
}

static const struct source_frame *innermost(const struct source_table *t, size_t i)
{
	return t->places[i].nr ? &t->frames[t->places[i].first + t->places[i].nr - 1] : NULL;
}

/* addr2line of Go tells the function that has the code, and the innermost line. */
static void lines_are_those_of_go(void **state)
{
	struct source_table *t;
	char name[4096], place[4096], mine[4096];
	size_t nr_same = 0;
	FILE *from;

	if (!asked.nr)
		skip();
	t = read_by(go_source_read, "stripped", true);
	from = ask(GO " tool addr2line full <addresses");
	for (size_t i = 0; i < asked.nr; i++) {
		const struct source_frame *f = innermost(t, i);

		assert_non_null(fgets(name, sizeof(name), from));
		assert_non_null(fgets(place, sizeof(place), from));
		place[strcspn(place, "\n")] = '\0';
		snprintf(mine, sizeof(mine), "%s:%u", f ? source_table_string(t, f->file) : "?",
			 f ? f->line : 0);
		if (*name == '?') {
			nr_same += !f;
			continue;
		}
		if (strcmp(mine, place) != 0)
			print_message("0x%llx: %s, not %s\n",
				      (unsigned long long)asked.addresses[i], mine, place);
		nr_same += !strcmp(mine, place);
	}
	pclose(from);
	print_message("%zu of %zu lines\n", nr_same, asked.nr);
	assert_int_equal(nr_same, asked.nr);
	source_table_free(t);
}

/* DWARF of Go 1.23 has no line of where functions begin that the compiler made by itself. */
static bool is_same_chain(const struct source_table *a, const struct source_table *b, size_t i)
{
	if (a->places[i].nr != b->places[i].nr)
		return false;
	for (uint32_t n = 0; n < a->places[i].nr; n++) {
		const struct source_frame *x = &a->frames[a->places[i].first + n];
		const struct source_frame *y = &b->frames[b->places[i].first + n];

		if (strcmp(source_table_string(a, x->name), source_table_string(b, y->name)) != 0 ||
		    (x->line != y->line && y->line))
			return false;
	}
	return true;
}

/* The program's own functions: names and lines of calls as its twin's DWARF has them. */
static void calls_are_those_of_dwarf(void **state)
{
	struct source_table *t, *twin;
	size_t nr_inlined = 0, nr_deep = 0, nr_same = 0, nr_known = 0;

	if (!asked.nr)
		skip();
	t = read_by(go_source_read, "stripped", true);
	twin = read_by(dwarf_source_read, "full", true);
	for (size_t i = 0; i < asked.nr; i++) {
		nr_known += twin->places[i].nr > 0;
		nr_inlined += t->places[i].nr > 1;
		nr_deep += t->places[i].nr > 2;
		nr_same += twin->places[i].nr && is_same_chain(t, twin, i);
	}
	print_message("%zu of %zu chains, %zu inlined, %zu deep, %u nameless\n", nr_same, nr_known,
		      nr_inlined, nr_deep, t->nr_nameless);
	assert_int_equal(t->nr_nameless, 0);
	/* Names of generic types are spelled otherwise. */
	assert_true(nr_same >= nr_known - nr_known / 200);
	assert_true(nr_inlined > 50);
	assert_true(nr_deep > 20);
	source_table_free(t);
	source_table_free(twin);
}

static int make_source(void **state)
{
	char path[128];
	FILE *to;

	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/a.go", dir);
	to = fopen(path, "w");
	if (!to)
		return -1;
	fputs(source, to);
	fclose(to);
	return 0;
}

static int build(const char *command)
{
	asked.nr = asked.nr_main = 0;
	if (run(command))
		find_addresses();
	return 0;
}

static int build_fixed(void **state)
{
	return build(GO " build -o full a.go && strip -o stripped full");
}

static int build_moved(void **state)
{
	return build(GO " build -buildmode=pie -o full a.go && strip -o stripped full");
}

static int remove_dir(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", dir, dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lines_are_those_of_go, build_fixed),
		cmocka_unit_test_setup(calls_are_those_of_dwarf, build_fixed),
		cmocka_unit_test_setup(calls_are_those_of_dwarf, build_moved),
	};

	return cmocka_run_group_tests_name("go_source", tests, make_source, remove_dir);
}
