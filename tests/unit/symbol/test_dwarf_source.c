// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every address of programs that are compiled here, against `addr2line -i -f` of binutils, which
 * reads DWARF by itself.  What it says of an address without debug information it has from symbols.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/dwarf_source.h"
#include "symbol/source_parse.h"
#include "util/strbuf.h"

static char dir[] = "/tmp/eddy-source-XXXXXX";

static const char c_source[] = "volatile int sink;\n"
			       "#define INLINE static inline __attribute__((always_inline))\n"
			       "INLINE int leaf(int n)\n"
			       "{\n"
			       "	sink += n;\n"
			       "	return sink * 3;\n"
			       "}\n"
			       "INLINE int middle(int n)\n"
			       "{\n"
			       "	if (n & 1) {\n"
			       "		int k = leaf(n + 1);\n"
			       "		sink ^= k;\n"
			       "	}\n"
			       "	return leaf(n) + leaf(n * 5);\n"
			       "}\n"
			       "static int fact(int n)\n"
			       "{\n"
			       "	sink++;\n"
			       "	return n < 2 ? leaf(n) : n * fact(n - 1) + fact(n - 2);\n"
			       "}\n"
			       "__attribute__((noinline)) int work(int n)\n"
			       "{\n"
			       "	int s = middle(n);\n"
			       "	if (__builtin_expect(n == 77, 0))\n"
			       "		__builtin_trap();\n"
			       "	return s + middle(s);\n"
			       "}\n"
			       "int main(int c, char **v)\n"
			       "{\n"
			       "	return work(c) + fact(c + 20);\n"
			       "}\n";

static const char cxx_source[] =
	"#include <algorithm>\n"
	"#include <vector>\n"
	"volatile int sink;\n"
	"namespace deep { namespace er {\n"
	"template <class T> struct box {\n"
	"	T v;\n"
	"	inline __attribute__((always_inline)) T twice() const { return v + v; }\n"
	"	__attribute__((noinline)) T slow() const { sink++; return twice() * 3; }\n"
	"	struct inner { int f(int n) { sink += n; return n; } };\n"
	"};\n"
	"__attribute__((noinline)) int sum(const std::vector<int> &v)\n"
	"{\n"
	"	int s = 0;\n"
	"	std::for_each(v.begin(), v.end(), [&](int i) { s += box<int>{i}.twice(); });\n"
	"	return s;\n"
	"}\n"
	"} }\n"
	"int main(int c, char **)\n"
	"{\n"
	"	std::vector<int> v;\n"
	"	for (int i = 0; i < c; i++)\n"
	"		v.push_back(i * c);\n"
	"	std::sort(v.begin(), v.end());\n"
	"	return deep::er::sum(v) + deep::er::box<int>{c}.slow() +\n"
	"		deep::er::box<int>::inner().f(c);\n"
	"}\n";

/* Call operators that nobody can link to: of a class, and of a lambda in an inlined function. */
static const char operators_source[] =
	"volatile int sink;\n"
	"namespace {\n"
	"struct item { int price; };\n"
	"template <class T> struct cheaper {\n"
	"	bool operator()(const T &a, int b) const { sink++; return a.price < b; }\n"
	"};\n"
	"template <class F> int twice(F f, int n) { return f(n) + f(n + 1); }\n"
	"}\n"
	"static int of_lambda(const int &k, int c)\n"
	"{\n"
	"	return twice([&](int n) { sink += n; return sink * k; }, c);\n"
	"}\n"
	"int main(int c, char **)\n"
	"{\n"
	"	item i{c};\n"
	"	return cheaper<item>()(i, sink) + of_lambda(c, c);\n"
	"}\n";

static bool run(const char *command)
{
	char all[1024];

	snprintf(all, sizeof(all), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(all) == 0;
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	fclose(to);
}

static int open_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* ---- what is compared --------------------------------------------------------------------- */

#define MAX_ASKED 6000

static struct {
	uint64_t addresses[MAX_ASKED];
	size_t nr;
} asked;

/* All addresses of the program's functions, as nm knows them. */
static void ask_functions(const char *program)
{
	unsigned long long start, size;
	char line[4096], command[256];
	FILE *from, *to;

	snprintf(command, sizeof(command), "cd %s && nm -nS --defined-only %s | grep -i ' [tw] '",
		 dir, program);
	from = popen(command, "r");
	assert_non_null(from);
	snprintf(command, sizeof(command), "%s/addresses", dir);
	to = fopen(command, "w");
	asked.nr = 0;
	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "%llx %llx", &start, &size) != 2)
			continue;
		for (; size && asked.nr < MAX_ASKED; start++, size--) {
			if (asked.nr && start <= asked.addresses[asked.nr - 1])
				continue; /* of an alias */
			asked.addresses[asked.nr++] = start;
			fprintf(to, "0x%llx\n", start);
		}
	}
	pclose(from);
	fclose(to);
	assert_true(asked.nr > 0);
}

static struct source_table *ask(int fd)
{
	const struct dwarf_source source = { .fd = fd,
					     .alt_fd = -1,
					     .addresses = asked.addresses,
					     .nr = asked.nr,
					     .with_lines = true };
	struct source_builder *b = source_builder_new(asked.nr);
	struct strbuf bytes = STRBUF_INIT;
	struct source_table *t;

	assert_int_equal(dwarf_source_read(&source, b), 0);
	source_builder_pack(b, &bytes);
	source_builder_free(b);
	t = source_table_unpack(bytes.bytes, bytes.len, asked.nr);
	assert_non_null(t);
	strbuf_deinit(&bytes);
	return t;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Of DWARF 5 the addr2line of binutils 2.40 names wrong files. */
static bool with_files;

struct tally {
	unsigned int nr_known, nr_inlined, deepest;
};

static const char *name_of(const struct source_table *t, const struct source_frame *f)
{
	return source_table_string(t, f->name);
}

/*
 * Are these two lines of addr2line the frame?  Of functions that the linker has no name for, since
 * their arguments are local types, it has none either and names another one.
 */
static bool is_frame(const struct source_table *t, const struct source_frame *f, const char *name,
		     const char *place)
{
	char mine[SOURCE_NAME_BYTES + 32];

	if (strcmp(name, name_of(t, f)) != 0 && !strchr(name_of(t, f), '<'))
		return false;
	if (!f->line)
		return strstr(place, ":?") != NULL;
	if (!with_files)
		return strtoul(strrchr(place, ':') + 1, NULL, 10) == f->line;
	snprintf(mine, sizeof(mine), "%s:%u", base_of(source_table_string(t, f->file)), f->line);
	return !strcmp(mine, base_of(place));
}

static void chomp(char *line)
{
	char *discriminator = strstr(line, " (discriminator");

	line[strcspn(line, "\n")] = '\0';
	if (discriminator)
		*discriminator = '\0';
}

/* Reads frames up to the next address. */
static void check_address(const struct source_table *t, size_t i, FILE *from, struct tally *tally)
{
	const struct source_place *p = &t->places[i];
	char name[8192], place[8192];
	uint32_t nr = 0;
	int c;

	while ((c = getc(from)) != EOF && ungetc(c, from) != EOF && c != '0') {
		assert_non_null(fgets(name, sizeof(name), from));
		assert_non_null(fgets(place, sizeof(place), from));
		chomp(name);
		chomp(place);
		if (p->nr && (nr >= p->nr ||
			      !is_frame(t, &t->frames[p->first + p->nr - 1 - nr], name, place)))
			fail_msg("0x%llx: frame %u of %u is %s at %s, not of %s",
				 (unsigned long long)asked.addresses[i], nr, p->nr, name, place,
				 nr < p->nr ? name_of(t, &t->frames[p->first + p->nr - 1 - nr])
					    : "any");
		if (!p->nr && !strstr(place, ":?") && !strstr(place, ":0"))
			fail_msg("0x%llx: nothing known, but %s at %s",
				 (unsigned long long)asked.addresses[i], name, place);
		nr++;
	}
	if (p->nr)
		assert_int_equal(nr, p->nr);
	tally->nr_known += p->nr > 0;
	tally->nr_inlined += p->nr > 1;
	if (p->nr > tally->deepest)
		tally->deepest = p->nr;
}

/* The program's addresses, by the debug information of that file. */
static struct tally compare(const char *program, const char *debug)
{
	struct tally tally = { 0 };
	char line[8192], command[256];
	int fd = open_file(debug);
	struct source_table *t;
	FILE *from;

	ask_functions(program);
	t = ask(fd);
	close(fd);
	snprintf(command, sizeof(command), "cd %s && addr2line -a -i -f -e %s <addresses", dir,
		 debug);
	from = popen(command, "r");
	assert_non_null(from);
	for (size_t i = 0; i < asked.nr; i++) {
		assert_non_null(fgets(line, sizeof(line), from));
		assert_int_equal(strtoull(line, NULL, 16), asked.addresses[i]);
		check_address(t, i, from, &tally);
	}
	assert_int_equal(pclose(from), 0);
	source_table_free(t);
	return tally;
}

/* The program is "a". */
static void compare_built(const char *command, unsigned int deepest)
{
	struct tally tally;

	if (!run("command -v addr2line") || !run("command -v gcc"))
		skip();
	assert_true(run(command));
	tally = compare("a", "a");
	print_message("%zu addresses, %u known, %u inlined, %u deep: %s\n", asked.nr,
		      tally.nr_known, tally.nr_inlined, tally.deepest, command);
	assert_true(tally.nr_known > asked.nr / 3);
	assert_true(tally.nr_inlined > 20);
	assert_true(tally.deepest >= deepest);
}

static void dwarf_4(void **state)
{
	with_files = true;
	compare_built("gcc -gdwarf-4 -O3 -o a a.c", 4);
	if (run("command -v g++"))
		compare_built("g++ -gdwarf-4 -O2 -o a a.cc", 5);
	with_files = false;
}

static void dwarf_5(void **state)
{
	compare_built("gcc -gdwarf-5 -O3 -o a a.c", 4);
}

static void packed_sections(void **state)
{
	compare_built("gcc -g -gz=zlib -O3 -o a a.c", 4);
}

static void link_time(void **state)
{
	compare_built("gcc -g -O3 -flto -o a a.c", 4);
}

static void without_aranges(void **state)
{
	compare_built("gcc -g -O3 -o a a.c && objcopy -R .debug_aranges a", 4);
}

/* More units than are kept at a time: names and paths stay what they are. */
static void many_units(void **state)
{
	with_files = true;
	compare_built(
		"for i in $(seq 70); do echo \"int f$i(int n) { int a_$i(int); return a_$i(n)\""
		" \"+ $i; } static inline __attribute__((always_inline)) int in$i(int n)\""
		" \"{ volatile int k = n * $i; return k; }\""
		" \"int a_$i(int n) { return in$i(n) + in$i(n + 1); }\" >u$i.c; done; "
		"echo 'int main(int c, char **v) { return c; }' >u0.c && "
		"gcc -g -gdwarf-4 -O1 -o a u*.c",
		2);
	with_files = false;
}

static void cxx(void **state)
{
	if (!run("command -v g++"))
		skip();
	compare_built("g++ -g -O2 -o a a.cc", 5);
}

static void other_compiler(void **state)
{
	if (!run("command -v clang"))
		skip();
	compare_built("clang -g -O2 -o a a.c", 3);
}

static void separate_file(void **state)
{
	if (!run("command -v addr2line") || !run("command -v gcc"))
		skip();
	assert_true(run("gcc -g -O2 -o a a.c && objcopy --only-keep-debug a a.debug && "
			"strip -g a"));
	assert_true(compare("a", "a.debug").nr_inlined > 20);
}

static bool has_name(const struct source_table *t, const char *name)
{
	for (size_t i = 0; i < t->nr_frames; i++)
		if (!strcmp(name_of(t, &t->frames[i]), name))
			return true;
	return false;
}

static void call_operators(void **state)
{
	struct source_table *t;
	int fd;

	if (!run("command -v g++"))
		skip();
	assert_true(run("g++ -g -O2 -o a operators.cc"));
	ask_functions("a");
	fd = open_file("a");
	t = ask(fd);
	close(fd);
	assert_true(has_name(t, "cheaper<(anonymous namespace)::item>::operator()"));
	assert_true(has_name(t, "<lambda operators.cc:11>"));
	assert_false(has_name(t, "operator()"));
	source_table_free(t);
}

/* Functions that stand in .dwo files are not known, but lines are: those of the innermost ones. */
static void compare_split(const char *compiler, const char *split)
{
	struct source_table *whole, *t;
	unsigned int nr_lines = 0;
	char command[256];
	int fd;

	snprintf(command, sizeof(command), "command -v %s", compiler);
	if (!run(command))
		skip();
	snprintf(command, sizeof(command), "%s -g -O2 -o whole a.c && %s %s -O2 -o a a.c", compiler,
		 compiler, split);
	assert_true(run(command));
	ask_functions("a");
	fd = open_file("whole");
	whole = ask(fd);
	close(fd);
	fd = open_file("a");
	t = ask(fd);
	close(fd);
	assert_int_equal(whole->nr_split, 0);
	assert_int_equal(t->nr_split, 1);
	for (size_t i = 0; i < asked.nr; i++) {
		const struct source_place *is = &t->places[i], *was = &whole->places[i];

		if (!is->nr)
			continue;
		assert_int_equal(is->nr, 1);
		assert_true(was->nr > 0);
		assert_int_equal(t->frames[is->first].line,
				 whole->frames[was->first + was->nr - 1].line);
		assert_string_equal(base_of(source_table_string(t, t->frames[is->first].file)),
				    "a.c");
		nr_lines++;
	}
	assert_true(nr_lines > asked.nr / 3);
	source_table_free(whole);
	source_table_free(t);
}

static void split_files(void **state)
{
	compare_split("gcc", "-g -gsplit-dwarf");
	compare_split("gcc", "-gdwarf-4 -gsplit-dwarf");
}

/* Without .debug_aranges: by the ranges of what is left of the units. */
static void split_files_of_clang(void **state)
{
	compare_split("clang", "-g -gsplit-dwarf");
}

/* Entries that units share stand in one of their own. */
static void moved_entries(void **state)
{
	if (!run("command -v dwz"))
		skip();
	compare_built("gcc -g -O3 -o a a.c && dwz a", 4);
	if (run("command -v g++"))
		compare_built("g++ -g -O2 -o a a.cc && dwz a", 5);
}

static void no_dwarf(void **state)
{
	const struct dwarf_source source = {
		.fd = open_file("a"), .alt_fd = -1, .addresses = asked.addresses, .nr = 1
	};
	struct dwarf_source text = { .fd = open_file("a.c"), .alt_fd = -1 };
	struct source_builder *b;

	if (!run("command -v gcc"))
		skip();
	b = source_builder_new(1);
	assert_int_equal(dwarf_source_read(&source, b), -ENODATA);
	assert_int_equal(dwarf_source_read(&text, b), -ENOEXEC);
	source_builder_free(b);
	close(source.fd);
	close(text.fd);
}

/* ---- by way of a parser ------------------------------------------------------------------- */

static struct source_question question(struct worker_pool *pool, int fd)
{
	return (struct source_question){ .pool = pool,
					 .fd = fd,
					 .alt_fd = -1,
					 .addresses = asked.addresses,
					 .nr = asked.nr,
					 .with_lines = true };
}

static void same_table(const struct source_table *a, const struct source_table *b)
{
	assert_int_equal(a->nr_frames, b->nr_frames);
	assert_int_equal(a->strings_len, b->strings_len);
	assert_memory_equal(a->strings, b->strings, a->strings_len);
	assert_memory_equal(a->frames, b->frames, a->nr_frames * sizeof(*a->frames));
}

static void parsers_say_the_same(void **state)
{
	struct source_table *here, *there = NULL;
	struct worker_pool *pool = NULL;
	struct source_question q;
	struct dwarf_alt alt;
	uint64_t cpu_ns;
	int fd;

	if (!run("command -v gcc"))
		skip();
	assert_true(run("gcc -g -O2 -o a a.c"));
	ask_functions("a");
	fd = open_file("a");
	here = ask(fd);
	assert_int_equal(worker_pool_new(&pool), 0);
	q = question(pool, fd);
	assert_int_equal(source_parse(&q, &there, &alt, &cpu_ns), asked.nr);
	same_table(here, there);
	assert_true(cpu_ns > 0);
	source_table_free(there);
	source_table_free(here);
	close(fd);
	q.fd = open_file("a.c");
	assert_int_equal(source_parse(&q, &there, &alt, &cpu_ns), -ENOEXEC);
	close(q.fd);
	worker_pool_free(pool);
}

/* More addresses than go together: far apart, in a file that knows none of them. */
static void many_addresses(void **state)
{
	struct source_table *t = NULL;
	struct source_question q;
	struct dwarf_alt alt;
	uint64_t cpu_ns;
	int r, fd;

	if (!run("command -v gcc"))
		skip();
	assert_true(run("gcc -g -O2 -o a a.c"));
	asked.nr = MAX_ASKED;
	for (size_t i = 0; i < asked.nr; i++)
		asked.addresses[i] = (i + 1) << 44;
	fd = open_file("a");
	q = question(NULL, fd);
	r = source_parse(&q, &t, &alt, &cpu_ns);
	assert_in_range(r, 500, MAX_ASKED - 1);
	assert_int_equal(t->nr, r);
	assert_int_equal(t->nr_frames, 0);
	source_table_free(t);
	close(fd);
}

static int make_dir(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	write_file("a.c", c_source);
	write_file("a.cc", cxx_source);
	write_file("operators.cc", operators_source);
	return 0;
}

static int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dwarf_4),	   cmocka_unit_test(dwarf_5),
		cmocka_unit_test(packed_sections), cmocka_unit_test(link_time),
		cmocka_unit_test(without_aranges), cmocka_unit_test(cxx),
		cmocka_unit_test(other_compiler),  cmocka_unit_test(separate_file),
		cmocka_unit_test(no_dwarf),	   cmocka_unit_test(parsers_say_the_same),
		cmocka_unit_test(many_addresses),  cmocka_unit_test(many_units),
		cmocka_unit_test(split_files),	   cmocka_unit_test(split_files_of_clang),
		cmocka_unit_test(moved_entries),   cmocka_unit_test(call_operators),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
