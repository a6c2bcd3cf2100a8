// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files below a directory that is the root: where they are looked for, which are believed,
 * and those of a process that has another root.
 */
#include "symbol/debug_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbol/elf_symbols_parse.h"
#include "unit/elf/elf_maker.h"
#include "unit/unit.h"

#define TEXT  0x5000ull
#define USER  54321u /* somebody */
#define OTHER 54322u

static const char build_id[] = "0123456789abcdefghij";
#define BY_BUILD_ID "usr/lib/debug/.build-id/30/3132333435363738396162636465666768696a.debug"

static const struct made_symbol symbols[] = {
	{ "public", TEXT, 0x20, STT_FUNC, STB_GLOBAL, 0 },
	{ "private", TEXT + 0x20, 0x20, STT_FUNC, STB_LOCAL, 0 },
};

static char root[] = "/tmp/eddy-debug-XXXXXX";

static void in_root(const char *command)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "umask 022; cd '%s' && %s", root, command);
	assert_int_equal(system(whole), 0);
}

static int setup(void **state)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	assert_non_null(mkdtemp(root));
	in_root("chmod 755 . && mkdir -p opt/.debug usr/lib/debug/opt usr/lib/debug/.build-id/30");
	return 0;
}

static int teardown(void **state)
{
	in_root("rm -rf \"$PWD\"");
	return 0;
}

/* A debug file with a private function of that name. */
static struct strbuf debug_bytes(const char *name, const char *id)
{
	struct made_symbol own[2] = { symbols[0], symbols[1] };
	struct made_elf m = { .text_vaddr = TEXT,
			      .text_bytes = 0x100,
			      .symtab = own,
			      .nr_symtab = 2,
			      .build_id = id };

	own[1].name = name;
	return elf_make(&m);
}

static uint32_t crc_of(const struct strbuf *bytes)
{
	return crc32(0, (const unsigned char *)bytes->bytes, bytes->len);
}

/* Writes it below the root; its CRC. */
static uint32_t put(const char *path, const char *name, const char *id)
{
	struct strbuf bytes = debug_bytes(name, id);
	uint32_t crc = crc_of(&bytes);
	char whole[256];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	f = fopen(whole, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.bytes, 1, bytes.len, f), bytes.len);
	assert_int_equal(fchmod(fileno(f), 0644), 0);
	fclose(f);
	strbuf_deinit(&bytes);
	return crc;
}

struct program {
	const char *id;	  /* NULL: none */
	const char *link; /* the same */
	uint32_t crc, uid;
	const struct process_root *process_root;
	const char *path; /* NULL: /opt/app */
};

/* The private function's name, "" when it has none, and how many files were not believed. */
static const char *name_of(const struct program *p, uint64_t *ret_refused)
{
	struct made_elf m = { .text_vaddr = TEXT,
			      .text_bytes = 0x100,
			      .dynsym = symbols,
			      .nr_dynsym = 1,
			      .build_id = p->id };
	_cleanup_(elf_symbols_freep) struct elf_symbols *t = NULL;
	_cleanup_strbuf_ struct strbuf to = STRBUF_INIT;
	char link[300] = "";
	static char name[64];
	_cleanup_close_ int fd = -1;
	uint64_t cpu_ns;

	if (p->link) {
		size_t at = (strlen(p->link) + 4) & ~3ul;

		strcpy(link, p->link);
		memcpy(link + at, &p->crc, sizeof(p->crc));
		m.debuglink = link;
		m.debuglink_bytes = at + sizeof(p->crc);
	}
	fd = elf_make_fd(&m);
	const struct elf_symbols_source source = { .fd = fd,
						   .debug_root = root,
						   .path = p->path ? p->path : "/opt/app",
						   .uid = p->uid,
						   .process_root = p->process_root };

	assert_int_equal(elf_symbols_parse(&source, &t, &cpu_ns), 0);
	if (elf_symbols_name(t, TEXT + 0x20, &to) < 0)
		strbuf_reset(&to);
	snprintf(name, sizeof(name), "%s", to.len ? to.bytes : "");
	if (ret_refused)
		*ret_refused = elf_symbols_nr_refused(t);
	return name;
}

/* Each place is looked at after those before it. */
static void places_by_link(void **state)
{
	struct program p = { .link = "app.debug" };
	uint64_t refused;

	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 0);
	p.crc = put("usr/lib/debug/opt/app.debug", "third", NULL);
	assert_string_equal(name_of(&p, NULL), "third");
	p.crc = put("opt/.debug/app.debug", "second", NULL);
	assert_string_equal(name_of(&p, &refused), "second");
	assert_int_equal(refused, 0);
	p.crc = put("opt/app.debug", "first", NULL);
	assert_string_equal(name_of(&p, NULL), "first");
	p.path = "/elsewhere/app";
	assert_string_equal(name_of(&p, NULL), "");
}

/* One with another CRC is counted, and the next place is looked at. */
static void another_crc(void **state)
{
	struct program p = { .link = "app.debug" };
	uint64_t refused;

	p.crc = put("opt/app.debug", "first", NULL) + 1;
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	p.crc = put("opt/.debug/app.debug", "second", NULL);
	assert_string_equal(name_of(&p, &refused), "second");
	assert_int_equal(refused, 1);
}

/* The right CRC does not help where both say that they are not one program. */
static void another_build_id(void **state)
{
	struct program p = { .link = "app.debug", .id = build_id };
	uint64_t refused;

	p.crc = put("opt/app.debug", "first", "another-build-id-000");
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	p.crc = put("opt/app.debug", "first", build_id);
	assert_string_equal(name_of(&p, &refused), "first");
	p.crc = put("opt/app.debug", "first", NULL);
	assert_string_equal(name_of(&p, &refused), "first");
	/* Nothing but the place says that a file without a build id is this program's. */
	p.link = NULL;
	put(BY_BUILD_ID, "by_id", NULL);
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	/* By build id goes before by link. */
	put(BY_BUILD_ID, "by_id", build_id);
	p.link = "app.debug";
	assert_string_equal(name_of(&p, &refused), "by_id");
}

/* A CRC is not made of a file of any length: its build id counts, if it has one. */
static void large_files(void **state)
{
	struct program p = { .link = "app.debug", .id = build_id };
	uint64_t refused;

	put("opt/app.debug", "first", build_id);
	in_root("truncate -s 65M opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "first");
	p.id = NULL;
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
}

static void whose_they_are(void **state)
{
	struct program p = { .link = "app.debug", .uid = USER };
	uint64_t refused;

	if (geteuid())
		skip();
	p.crc = put("opt/app.debug", "first", NULL);
	assert_string_equal(name_of(&p, NULL), "first");
	in_root("chown 54321:54321 opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "first");
	in_root("chown 54322:54322 opt/app.debug");
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	p.uid = 0;
	in_root("chown 54321:54321 opt/app.debug");
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	/* What everybody may write, or a group with others in it, is nobody's word. */
	p.uid = USER;
	in_root("chmod 664 opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "first");
	in_root("chgrp 54322 opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "");
	in_root("chown 0:0 opt/app.debug && chmod 666 opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "");
	in_root("chmod 644 opt/app.debug");
	assert_string_equal(name_of(&p, NULL), "first");
}

/* Links lead to files of the same root, and a link is no path. */
static void links(void **state)
{
	struct program p = { .id = build_id };

	put("opt/real", "first", build_id);
	in_root("ln -s /opt/real " BY_BUILD_ID);
	assert_string_equal(name_of(&p, NULL), "first");
	in_root("ln -sf \"$PWD/opt/real\" " BY_BUILD_ID);
	assert_string_equal(name_of(&p, NULL), "");
	in_root("rm " BY_BUILD_ID);
	p = (struct program){ .link = "../usr/out", .crc = put("usr/out", "out", NULL) };
	assert_string_equal(name_of(&p, NULL), "");
	p.link = "..";
	assert_string_equal(name_of(&p, NULL), "");
	/* What is neither a file nor a link to one is not opened. */
	in_root("mkfifo opt/pipe && ln -s /opt/pipe opt/app.debug");
	p.link = "app.debug";
	assert_string_equal(name_of(&p, NULL), "");
}

/* ---- another root ------------------------------------------------------------------------- */

/* PID 7, by a /proc that is made up. */
static struct process_root *there(void)
{
	return process_root_open(NULL, &(struct asked_root){ .root = root, .pid = 7 });
}

static void make_process(const char *to, const char *uid_map)
{
	char command[512];

	in_root("mkdir -p proc/7/ns box/opt box/usr/lib/debug/.build-id/30 &&"
		"ln -sfn 'mnt:[1]' proc/7/ns/mnt");
	snprintf(command, sizeof(command), "ln -sfn %s proc/7/root && echo '%s' >proc/7/uid_map",
		 to, uid_map);
	in_root(command);
}

static void in_another_root(void **state)
{
	_cleanup_(process_root_freep) struct process_root *r = NULL;
	struct program p = { .link = "app.debug", .id = build_id };

	make_process("\"$PWD/box\"", "0 0 4294967295");
	r = there();
	assert_non_null(r);
	p.process_root = r;
	p.crc = put("opt/app.debug", "ours", NULL); /* beside another program of that path */
	assert_string_equal(name_of(&p, NULL), "");
	p.crc = put("box/opt/app.debug", "theirs", NULL);
	assert_string_equal(name_of(&p, NULL), "");
	p.path = "/box/opt/app"; /* as a path stands in /proc after chroot(2): not below it here */
	assert_string_equal(name_of(&p, NULL), "");
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/box/opt/app", root);
		p.path = path;
		assert_string_equal(name_of(&p, NULL), "theirs");
		put("box/" BY_BUILD_ID, "by_id", build_id);
		assert_string_equal(name_of(&p, NULL), "by_id");
		/* The process may have ended. */
		in_root("rm -r proc");
		assert_string_equal(name_of(&p, NULL), "by_id");
		/* A link that leads out of it leads nowhere. */
		in_root("mv box/" BY_BUILD_ID " outside &&"
			"ln -s ../../../../../../outside box/" BY_BUILD_ID
			" && rm box/opt/app.debug");
		assert_string_equal(name_of(&p, NULL), "");
	}
	put(BY_BUILD_ID, "system", build_id);
	assert_string_equal(name_of(&p, NULL), "system");
}

/* Who is root there names what is of that user namespace, and nothing of ours. */
static void root_of_users(void **state)
{
	_cleanup_(process_root_freep) struct process_root *r = NULL;
	struct program p = { .id = build_id, .uid = USER };
	uint64_t refused;

	make_process("\"$PWD/box\"", "0 100000 65536");
	r = there();
	p.process_root = r;
	assert_true(process_root_rules(r, 100000, 101000));
	assert_true(process_root_rules(r, 100000, 165535));
	assert_false(process_root_rules(r, 100000, 165536));
	assert_false(process_root_rules(r, 100000, 0));
	assert_false(process_root_rules(r, 100001, 101000));
	if (geteuid())
		return;
	put("box/" BY_BUILD_ID, "theirs", build_id);
	in_root("chown 100000:100000 box/" BY_BUILD_ID);
	assert_string_equal(name_of(&p, &refused), "");
	assert_int_equal(refused, 1);
	p.uid = 0;
	assert_string_equal(name_of(&p, NULL), "");
	p.uid = 101000;
	assert_string_equal(name_of(&p, NULL), "theirs");
}

static void roots_that_are_ours(void **state)
{
	make_process("/", "0 0 4294967295");
	assert_null(there()); /* other mounts, the same directory */
	make_process("/none", "0 0 4294967295");
	assert_null(there());
	in_root("rm -r proc/7/ns");
	make_process("\"$PWD/box\"", "0 0 1");
	in_root("rm -r proc/7/ns");
	assert_null(there());
	assert_null(process_root_open(NULL, &(struct asked_root){ .root = "", .pid = getpid() }));
	assert_null(process_root_open(NULL, &(struct asked_root){ .root = "", .pid = 1 << 30 }));
	process_root_unref(NULL);
	assert_null(process_root_ref(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(places_by_link),  TEST(another_crc),    TEST(another_build_id),
		TEST(large_files),     TEST(whose_they_are), TEST(links),
		TEST(in_another_root), TEST(root_of_users),  TEST(roots_that_are_ours),
	};

	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
