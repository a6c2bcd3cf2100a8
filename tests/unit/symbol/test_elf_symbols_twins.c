// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs and their stripped twins: each address belongs to the same function in both.  Which
 * functions there are is asked of readelf (unwind entries) and nm (symbols), not of us.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/elf_symbols_parse.h"
#include "util/strbuf.h"

#define MAX_ENTRIES 100000

static char dir[] = "/tmp/eddy-twins-XXXXXX";

/* Runs a command of the shell in the directory; true when it succeeds. */
__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char command[2048], all[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(all) == 0;
}

static bool has(const char *tool)
{
	return run("command -v %s", tool);
}

static struct elf_symbols *open_file(const char *name)
{
	char path[256];
	struct elf_symbols *t = NULL;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	const struct elf_symbols_source source = { .fd = fd };
	uint64_t cpu_ns;

	assert_int_equal(elf_symbols_parse(&source, &t, &cpu_ns), 0);
	if (elf_symbols_wants_functions(t)) {
		assert_int_equal(elf_symbols_parse_functions(&source, t, &cpu_ns), 0);
		assert_false(elf_symbols_wants_functions(t));
	}
	close(fd);
	return t;
}

struct entry {
	uint64_t start, end;
};

struct entries {
	struct entry *items;
	size_t nr;
};

/* What a command prints, a line an entry: two numbers, of which the second is an end or a size. */
static struct entries read_entries(bool is_size, const char *command)
{
	struct entries e = { calloc(MAX_ENTRIES, sizeof(*e.items)), 0 };
	char all[1024], line[4096];
	FILE *f;

	snprintf(all, sizeof(all), "cd %s && %s", dir, command);
	f = popen(all, "r");
	assert_non_null(f);
	while (e.nr < MAX_ENTRIES && fgets(line, sizeof(line), f)) {
		unsigned long long start, end;

		if (sscanf(line, "%llx %llx", &start, &end) != 2)
			continue;
		end += is_size ? start : 0;
		if (end > start)
			e.items[e.nr++] = (struct entry){ start, end };
	}
	assert_int_equal(pclose(f), 0);
	return e;
}

/* The symbol that covers an address, as nm has it; 0: none, or several that differ. */
static uint64_t nm_start(const struct entries *nm, uint64_t addr)
{
	uint64_t found = 0;

	for (size_t i = 0; i < nm->nr; i++) {
		const struct entry *s = &nm->items[i];

		if (addr < s->start || addr >= s->end || s->start == found)
			continue;
		if (found)
			return 0;
		found = s->start;
	}
	return found;
}

static uint64_t start_at(const struct elf_symbols *t, uint64_t addr)
{
	uint64_t start;

	return elf_symbols_find(t, addr, &start) ? 0 : start;
}

/* All addresses of all unwind entries of a program, a few bytes apart. */
static void compare(const char *what)
{
	struct entries fdes = read_entries(false, "readelf --debug-dump=frames program | "
						  "sed -n 's/.* FDE .*pc=\\(.*\\)\\.\\./\\1 /p'");
	struct entries nm = read_entries(true, "nm -S --defined-only program | "
					       "sed -n 's/ [TtWwi] .*//p'");
	_cleanup_(elf_symbols_freep) struct elf_symbols *whole = open_file("program"),
							*stripped = open_file("stripped"),
							*some = open_file("some");
	size_t nr = 0, nr_other = 0;

	for (size_t i = 0; i < fdes.nr; i++)
		for (uint64_t at = fdes.items[i].start; at < fdes.items[i].end; at += 5) {
			uint64_t known = nm_start(&nm, at);

			assert_int_equal(start_at(stripped, at), start_at(some, at));
			if (!known)
				continue;
			nr++;
			assert_int_equal(start_at(whole, at), known);
			nr_other += start_at(stripped, at) != known;
		}
	print_message("# %s: %zu unwind entries, %zu addresses, %zu of another function\n", what,
		      fdes.nr, nr, nr_other);
	assert_true(nr > 20);
	/* Assembly of the C library: one entry for several symbols, or for a part of one. */
	assert_true(nr_other <= nr / 200);
	free(fdes.items);
	free(nm.items);
}

static const char *name_at(const struct elf_symbols *t, uint64_t addr)
{
	static char name[256];
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
	uint64_t start = start_at(t, addr);

	if (!start || elf_symbols_name(t, start, &to) < 0)
		return "";
	snprintf(name, sizeof(name), "%s", to.bytes);
	return name;
}

/* Where nm has a symbol of the program. */
static uint64_t nm_address(const char *name)
{
	char command[256];
	struct entries nm;
	uint64_t addr;

	snprintf(command, sizeof(command),
		 "nm --defined-only program | sed -n 's/ [Tt] %s$/ ffffffffffff/p'", name);
	nm = read_entries(false, command);
	assert_int_equal(nm.nr, 1);
	addr = nm.items[0].start;
	free(nm.items);
	return addr;
}

/* What is known by its place has the same name as in the symbol table. */
static void compare_roots(void)
{
	static const char *const roots[] = { "_start", "main", "_init", "_fini" };
	_cleanup_(elf_symbols_freep) struct elf_symbols *stripped = open_file("stripped");

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		assert_string_equal(name_at(stripped, nm_address(roots[i])), roots[i]);
}

/* Makes the twins of what a command compiled as "program", and compares them. */
static void twins(const char *what, const char *compile)
{
	if (!run("rm -f program && %s", compile)) {
		print_message("# %s: cannot be built here\n", what);
		return;
	}
	assert_true(run("strip -o stripped program"));
	assert_true(run("strip -K main -o some program"));
	compare(what);
	compare_roots();
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char c_source[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	"__attribute__((noinline)) static int compare(const void *a, const void *b)\n"
	"{ return *(const int *)a - *(const int *)b; }\n"
	"__attribute__((noinline)) static int deep(int n) { return n ? deep(n - 1) * 3 + n : 1; }\n"
	"__attribute__((noinline)) static void stop(const char *why) { puts(why); exit(1); }\n"
	"__attribute__((noinline)) int rare(int n)\n"
	"{ if (__builtin_expect(n == 77, 0)) { stop(\"77\"); abort(); } return deep(n); }\n"
	"int main(int argc, char **argv)\n"
	"{ int v[64]; for (int i = 0; i < 64; i++) v[i] = rare(i) ^ argc;\n"
	"qsort(v, 64, sizeof(*v), compare); printf(\"%d %zu\\n\", v[0], strlen(argv[0])); }\n";

static const char cxx_source[] =
	"#include <iostream>\n#include <map>\n#include <regex>\n#include <stdexcept>\n"
	"struct shape { virtual ~shape() {} virtual double area() const = 0; };\n"
	"struct square : shape { double a; square(double x) : a(x) {}\n"
	"double area() const override { if (a < 0) throw std::runtime_error(\"a\"); return a * a; "
	"} };\n"
	"int main(int argc, char **argv) { std::map<std::string, int> m;\n"
	"std::regex r(\"([a-z]+)-(x|y)*\"); for (int i = 0; i < argc; i++) m[argv[i]] += i;\n"
	"try { square s(argc - 3); std::cout << s.area() << std::regex_match(argv[0], r); }\n"
	"catch (const std::exception &e) { std::cout << e.what() << m.size(); } }\n";

static const char rust_source[] =
	"use std::collections::BTreeMap;\n"
	"#[inline(never)] fn dig(n: u64) -> u64 { if n == 0 { 1 } else { dig(n - 1) * 3 + n } }\n"
	"fn main() { let mut m = BTreeMap::new(); for a in std::env::args() {\n"
	"*m.entry(a.to_string()).or_insert(0) += dig(a.len() as u64); }\n"
	"let v: Vec<String> = m.iter().map(|(k, v)| format!(\"{k:?} {v}\")).collect();\n"
	"println!(\"{}\", v.join(\" \")); }\n";

static void test_c(void **state)
{
	twins("C", "gcc -O2 -o program p.c");
	twins("C, indirect branch tracking", "gcc -O2 -fcf-protection -o program p.c");
	twins("C, at fixed addresses", "gcc -O2 -no-pie -o program p.c");
	twins("C, static", "gcc -O2 -static -o program p.c");
	twins("C, static, moved", "gcc -O2 -static-pie -o program p.c");
}

static void test_cxx(void **state)
{
	twins("C++", "g++ -O2 -o program p.cc");
}

static void test_rust(void **state)
{
	twins("Rust", "rustc -C opt-level=2 -C debuginfo=0 -o program p.rs");
}

static const char asm_source[] = ".text\n.globl label\nlabel: nop\n nop\n ret\n.p2align 4\n"
				 "covered: .cfi_startproc\n nop\n nop\n nop\n ret\n.cfi_endproc\n"
				 ".p2align 4\nuncovered: nop\n nop\n ret\n"
				 ".p2align 4\nrestores: .cfi_startproc\n nop\n syscall\n"
				 ".cfi_endproc\n"
				 ".p2align 4\n.type sized, @function\nsized: nop\n syscall\n"
				 ".size sized, . - sized\n"
				 ".p2align 4\nexits: .cfi_startproc\n nop\n syscall\n"
				 ".cfi_endproc\nadjoins: .cfi_startproc\n nop\n ret\n"
				 ".cfi_endproc\n"
				 ".section .note.GNU-stack\n";

/* A label without a size ends where a function begins, which needs no symbol for that. */
static void test_label(void **state)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *some = NULL;
	uint64_t label, covered, uncovered, start;

	if (!run("gcc -O2 -o program p.c p.s"))
		skip(); /* another assembler */
	assert_true(run("strip -K main -K label -o some program"));
	some = open_file("some");
	label = nm_address("label");
	covered = nm_address("covered");
	uncovered = nm_address("uncovered");
	assert_string_equal(name_at(some, label + 2), "label");
	assert_int_equal(start_at(some, covered + 2), covered);
	assert_string_equal(name_at(some, covered + 2), "");
	assert_int_equal(elf_symbols_find(some, uncovered + 2, &start), -ENOENT);
}

/*
 * A function that ends in a system call is in it with the address behind itself, which is nobody
 * else's unless another function begins there.
 */
static void test_system_call_at_the_end(void **state)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *some = NULL;
	uint64_t restores, sized, exits, adjoins, start;

	if (!run("gcc -O2 -o program p.c p.s"))
		skip(); /* another assembler */
	assert_true(run("strip -K main -K label -K sized -o some program"));
	some = open_file("some");
	restores = nm_address("restores");
	sized = nm_address("sized");
	exits = nm_address("exits");
	adjoins = nm_address("adjoins");
	assert_int_equal(start_at(some, restores + 2), restores);
	assert_int_equal(start_at(some, restores + 3), restores);
	assert_int_equal(elf_symbols_find(some, restores + 4, &start), -ENOENT);
	assert_string_equal(name_at(some, sized + 3), "sized");
	assert_int_equal(elf_symbols_find(some, sized + 4, &start), -ENOENT);
	assert_int_equal(adjoins, exits + 3);
	assert_int_equal(start_at(some, adjoins), adjoins);
	assert_int_equal(start_at(some, adjoins + 2), adjoins);
}

/* Functions that call, branch, loop and switch, and of which no unwind entry tells. */
static void write_bare_source(void)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_addstr(&s, "__attribute__((noinline)) int leaf(int n) { return n * 7 + 3; }\n"
			  "int (*volatile hook)(int) = leaf;\n");
	for (int i = 0; i < 60; i++)
		strbuf_addf(&s,
			    "__attribute__((noinline)) static int bare%d(int n) {\n"
			    "for (int i = n; i < %d; i++) n += hook(i) ^ leaf(n);\n"
			    "switch (n & 7) { case 0: return leaf(n); case 1: n += 3; break;\n"
			    "case 2: n = leaf(n) * 3; break; case 3: return n ^ %d;\n"
			    "case 4: n *= 5; break; case 6: return leaf(n) * %d; }\n"
			    "return n + %s; }\n",
			    i, i + 3, i * 31, i + 2, i ? "0" : "1");
	strbuf_addstr(&s, "int all(int n) { return 0");
	for (int i = 0; i < 60; i++)
		strbuf_addf(&s, " + bare%d(n)", i);
	strbuf_addstr(&s, "; }\n");
	write_file("bare.c", s.bytes);
}

/*
 * Of code without unwind entries functions are what the code proves: no address is another one's,
 * and a label that has no size does not take them.
 */
static void test_no_unwind_entries(void **state)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *stripped = NULL, *some = NULL;
	size_t nr = 0, nr_own = 0, nr_other = 0;
	struct entries nm;

	write_bare_source();
	write_file("first.s", ".text\n.globl label\n.p2align 4\nlabel: xor %eax, %eax\n ret\n"
			      ".section .note.GNU-stack\n");
	write_file("end.c", "extern int all(int);\n"
			    "int main(int argc, char **argv) { return all(argc); }\n");
	if (!run("gcc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -c bare.c first.s && "
		 "gcc -O2 -o program first.o bare.o end.c"))
		skip(); /* another assembler */
	assert_true(run("strip -o stripped program && strip -K label -o some program"));
	stripped = open_file("stripped");
	some = open_file("some");
	nm = read_entries(true, "nm -S --defined-only program | "
				"sed -n 's/ [Tt] \\(bare.*\\|all\\|leaf\\)$//p'");
	assert_true(nm.nr >= 62);
	for (size_t i = 0; i < nm.nr; i++)
		for (uint64_t at = nm.items[i].start; at < nm.items[i].end; at++, nr++) {
			uint64_t start = start_at(stripped, at);

			nr_own += start == nm.items[i].start;
			nr_other += start && start != nm.items[i].start;
			assert_string_equal(name_at(some, at), "");
		}
	print_message("# no unwind entries: %zu bytes, %zu of their own function, %zu of another\n",
		      nr, nr_own, nr_other);
#ifdef __x86_64__
	assert_true(nr_own * 10 > nr * 8);
#endif
	assert_int_equal(nr_other, 0);
	assert_string_equal(name_at(some, nm_address("label")), "label");
	free(nm.items);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	write_file("p.c", c_source);
	write_file("p.cc", cxx_source);
	write_file("p.rs", rust_source);
	write_file("p.s", asm_source);
	return has("gcc") && has("strip") && has("readelf") && has("nm") ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_system_call_at_the_end),
		cmocka_unit_test(test_no_unwind_entries),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
