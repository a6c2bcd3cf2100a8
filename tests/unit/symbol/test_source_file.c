// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs whose debug information `dwz -m` has moved to a file that they have in common: every
 * address is asked for, and is what it was before, or the file is missing and that is told.
 */
#include "unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/source_file.h"

#define MAX_ASKED 2000
#define USER	  54321u

static const char header[] = "volatile int sink;\n"
			     "#define INLINE static inline __attribute__((always_inline))\n"
			     "struct box { int width, height, depth; struct box *next; };\n"
			     "INLINE int innermost_of_the_common_functions(struct box *b)\n"
			     "{\n"
			     "	sink += b->width;\n"
			     "	return sink * b->height;\n"
			     "}\n"
			     "INLINE int between_the_common_functions(struct box *b)\n"
			     "{\n"
			     "	return innermost_of_the_common_functions(b) * b->depth;\n"
			     "}\n"
			     "INLINE int outermost_of_the_common_functions(struct box *b)\n"
			     "{\n"
			     "	return between_the_common_functions(b) +\n"
			     "	       innermost_of_the_common_functions(b->next);\n"
			     "}\n";

static char root[] = "/tmp/eddy-alt-XXXXXX";
static struct worker_pool *pool;
static bool has_tools;

static uint64_t addresses[MAX_ASKED];
static size_t nr_addresses;

static bool run(const char *command)
{
	char all[2048];

	snprintf(all, sizeof(all), "umask 022; cd %s && { %s; } >/dev/null 2>&1", root, command);
	return system(all) == 0;
}

static void in_root(const char *command)
{
	if (!run(command))
		fail_msg("failed: %s", command);
}

static FILE *open_in_root(const char *name, const char *mode)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, mode);
	assert_non_null(f);
	return f;
}

static void write_source(const char *name, const char *function)
{
	FILE *to = open_in_root(name, "w");

	fprintf(to,
		"#include \"common.h\"\n"
		"__attribute__((noinline)) int %s(struct box *b)\n"
		"{\n"
		"	return outermost_of_the_common_functions(b) + 1;\n"
		"}\n"
		"int main(int c, char **v)\n"
		"{\n"
		"	struct box last = { c, 1, 2, 0 }, first = { 3, c, 5, &last };\n"
		"	return %s(&first);\n"
		"}\n",
		function, function);
	fclose(to);
}

/* All addresses of the functions of the program. */
static void ask_functions(void)
{
	unsigned long long start, size;
	char command[256];
	FILE *from;

	snprintf(command, sizeof(command), "nm -nS --defined-only %s/plain | grep -E 'main|work'",
		 root);
	from = popen(command, "r");
	assert_non_null(from);
	nr_addresses = 0;
	while (fscanf(from, "%llx %llx %*s %*s", &start, &size) == 2)
		for (; size && nr_addresses < MAX_ASKED; start++, size--)
			addresses[nr_addresses++] = start;
	pclose(from);
	assert_true(nr_addresses > 20);
}

/* "plain" as it was compiled; in opt, one program like it and another one, for what is common. */
static int setup(void **state)
{
	FILE *to;

	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	in_root("chmod 755 . && mkdir -p opt usr/lib/debug/.dwz usr/lib/debug/.build-id");
	has_tools = run("command -v dwz && command -v gcc && command -v nm");
	if (!has_tools) {
		print_message("SKIPPED: there is no dwz, gcc or nm\n");
		return 0;
	}
	to = open_in_root("common.h", "w");
	fputs(header, to);
	fclose(to);
	write_source("a.c", "work");
	write_source("b.c", "other");
	in_root("gcc -g -O2 -Wl,--build-id -o plain a.c && gcc -g -O2 -o other b.c && "
		"cp plain opt/a && cp other opt/b");
	ask_functions();
	return 0;
}

static int teardown(void **state)
{
	in_root("rm -rf \"$PWD\"");
	return 0;
}

/* ---- asking ------------------------------------------------------------------------------- */

struct ask {
	const char *file; /* below the root; NULL: opt/a */
	const char *root; /* NULL: the one of the test */
	const struct process_root *process_root;
	bool is_there;
	uint32_t uid;
};

static struct source_table *ask(const struct ask *a, struct source_asked *ret)
{
	static const struct elf_debug_link link = { 0 };
	const struct debugged_program program = { .pool = pool,
						  .root = a->root ? a->root : root,
						  .process_root = a->process_root,
						  .uid = a->uid,
						  .link = &link };
	struct source_question q = {
		.pool = pool, .addresses = addresses, .nr = nr_addresses, .with_lines = true
	};
	struct source_table *t = NULL;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, a->file ? a->file : "opt/a");
	q.fd = open(path, O_PATH | O_CLOEXEC);
	assert_true(q.fd >= 0);
	assert_int_equal(source_file_ask(&program, a->is_there, &q, &t, ret), nr_addresses);
	close(q.fd);
	return t;
}

static const char *text(const struct source_table *t, uint32_t at)
{
	return source_table_string(t, at);
}

static bool is_same(const struct source_table *a, const struct source_table *b)
{
	for (size_t i = 0; i < nr_addresses; i++)
		if (a->places[i].nr != b->places[i].nr)
			return false;
	for (size_t i = 0; i < a->nr_frames; i++) {
		const struct source_frame *x = &a->frames[i], *y = &b->frames[i];

		if (strcmp(text(a, x->name), text(b, y->name)) != 0 ||
		    strcmp(text(a, x->file), text(b, y->file)) != 0 || x->line != y->line)
			return false;
	}
	return true;
}

static void is_whole(const struct ask *a)
{
	struct source_asked told;
	struct source_table *plain = ask(&(struct ask){ .file = "plain" }, &told), *t;

	assert_false(told.lacks_alt);
	assert_int_equal(plain->nr_nameless, 0);
	assert_true(plain->nr_frames > nr_addresses + 50);
	t = ask(a, &told);
	assert_false(told.lacks_alt);
	assert_int_equal(told.nr_refused, 0);
	assert_int_equal(t->nr_nameless, 0);
	assert_true(is_same(plain, t));
	source_table_free(plain);
	source_table_free(t);
}

/* The further file is not used; so many were there and not believed. */
static void is_lacking(const struct ask *a, uint64_t nr_refused)
{
	struct source_asked told;
	struct source_table *t = ask(a, &told);

	assert_true(told.lacks_alt);
	assert_int_equal(told.nr_refused, nr_refused);
	assert_true(t->nr_nameless > 0);
	source_table_free(t);
}

/* Entries that are the same move to that file, by that name; "": by the way to it. */
static void dwz(const char *file, const char *name)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "cp plain opt/a && cp other opt/b && dwz -m %s %s%s opt/a opt/b", file,
		 *name ? "-M " : "-r", name);
	in_root(command);
	in_root("readelf -SW opt/a | grep -q gnu_debugaltlink");
}

/* ---- where it is looked for --------------------------------------------------------------- */

static void needs_tools(void)
{
	if (!has_tools)
		skip();
}

static void by_its_name(void **state)
{
	needs_tools();
	dwz("usr/lib/debug/.dwz/it", "/usr/lib/debug/.dwz/it");
	is_whole(&(struct ask){ 0 });
	in_root("rm usr/lib/debug/.dwz/it");
	is_lacking(&(struct ask){ 0 }, 0);
}

static void below_the_debug_root(void **state)
{
	needs_tools();
	dwz("it", "/opt/shared/it");
	in_root("mkdir -p usr/lib/debug/opt/shared && mv it usr/lib/debug/opt/shared/");
	is_whole(&(struct ask){ 0 });
}

/* Of a link to a file the directory of the file counts. */
static void beside_who_names_it(void **state)
{
	needs_tools();
	dwz("usr/lib/debug/.dwz/it", "");
	is_whole(&(struct ask){ 0 });
	in_root("mkdir far && ln -s ../opt/a far/a");
	is_whole(&(struct ask){ .file = "far/a" });
	in_root("rm far/a && mv opt/a far/a && mv usr/lib/debug/.dwz/it it");
	is_lacking(&(struct ask){ .file = "far/a" }, 0);
}

static void put_by_build_id(const char *below)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "id=$(readelf -n it | sed -n 's/.*Build ID: //p') && "
		 "dir=%s/usr/lib/debug/.build-id/${id%%${id#??}} && mkdir -p $dir && "
		 "mv it $dir/${id#??}.debug",
		 below);
	in_root(command);
}

static void by_build_id(void **state)
{
	needs_tools();
	dwz("it", "/nowhere/it");
	is_lacking(&(struct ask){ 0 }, 0);
	put_by_build_id(".");
	is_whole(&(struct ask){ 0 });
}

static void in_the_cache(void **state)
{
	char cache[64];

	needs_tools();
	dwz("it", "/nowhere/it");
	in_root("id=$(readelf -n it | sed -n 's/.*Build ID: //p') && mkdir -p cache/$id && "
		"mv it cache/$id/debuginfo");
	is_lacking(&(struct ask){ 0 }, 0);
	snprintf(cache, sizeof(cache), "%s/cache", root);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	is_whole(&(struct ask){ 0 });
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

/* Who was met in another root names a file of that root, and none of ours. */
static void in_another_root(void **state)
{
	struct ask a = { .file = "box/opt/a", .is_there = true };

	needs_tools();
	dwz("it", "/opt/shared");
	in_root("mkdir -p proc/7/ns box && ln -sfn 'mnt:[1]' proc/7/ns/mnt && mv opt box/ && "
		"echo '0 0 4294967295' >proc/7/uid_map && ln -sfn \"$PWD/box\" proc/7/root && "
		"mkdir opt && cp it opt/shared");
	a.process_root = process_root_open(pool, &(struct asked_root){ .root = root, .pid = 7 });
	assert_non_null(a.process_root);
	is_lacking(&a, 0);
	in_root("cp it box/opt/shared && rm opt/shared");
	is_whole(&a);
	/* A file of ours that names it does not mean theirs. */
	a.is_there = false;
	is_lacking(&a, 0);
	/* A name that leads out of the root stays in it. */
	a.is_there = true;
	in_root("mv box/opt/shared opt/shared && ln -s ../../opt/shared box/opt/shared");
	is_lacking(&a, 0);
	in_root("rm box/opt/shared && mkdir -p box/usr");
	put_by_build_id("box");
	is_whole(&a);
	process_root_unref((struct process_root *)a.process_root);
}

/* ---- which one is believed ---------------------------------------------------------------- */

static void another_build_id(void **state)
{
	needs_tools();
	dwz("it", "/opt/shared");
	in_root("cp plain opt/shared");
	is_lacking(&(struct ask){ 0 }, 1);
	in_root("echo no ELF file >opt/shared");
	is_lacking(&(struct ask){ 0 }, 1);
	in_root("mkdir -p usr/lib/debug/opt && cp it usr/lib/debug/opt/shared && rm opt/shared");
	is_whole(&(struct ask){ 0 });
}

static void whose_it_is(void **state)
{
	struct ask a = { .uid = USER };

	needs_tools();
	if (geteuid())
		skip();
	dwz("opt/shared", "/opt/shared");
	in_root("chown 54321:54321 opt/shared");
	is_whole(&a);
	a.uid = 0;
	is_lacking(&a, 1);
	in_root("chown 0:0 opt/shared && chmod 666 opt/shared");
	is_lacking(&a, 1);
}

/* Names that lead to what nobody may open, or nowhere. */
static void hostile_names(void **state)
{
	static const char *const names[] = { "/opt/pipe", "/opt/dir",	     "/opt/loop",
					     "/opt/zero", "/proc/self/fd/0", "/opt/a",
					     "/" };
	char name[1100], command[1300];
	struct source_asked told;
	struct source_table *t;

	needs_tools();
	in_root("mkfifo opt/pipe && mkdir opt/dir && ln -s loop opt/loop && "
		"ln -s /dev/zero opt/zero");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		dwz("it", names[i]);
		is_lacking(&(struct ask){ .root = i < 3 ? NULL : "" }, 0);
	}
	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	snprintf(command, sizeof(command),
		 "cp plain opt/a && cp other opt/b && dwz -m it -M %s opt/a opt/b", name);
	in_root(command);
	/* Such a name is none. */
	t = ask(&(struct ask){ 0 }, &told);
	assert_false(told.lacks_alt);
	assert_true(t->nr_nameless > 0);
	source_table_free(t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static int make_pool(void **state)
{
	return worker_pool_new(&pool);
}

static int free_pool(void **state)
{
	worker_pool_free(pool);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_its_name),	TEST(below_the_debug_root), TEST(beside_who_names_it),
		TEST(by_build_id),	TEST(in_the_cache),	    TEST(in_another_root),
		TEST(another_build_id), TEST(whose_it_is),	    TEST(hostile_names),
	};

	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	return cmocka_run_group_tests(tests, make_pool, free_pool);
}
