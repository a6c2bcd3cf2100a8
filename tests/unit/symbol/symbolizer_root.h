/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A root directory with a /proc, programs and maps, and a symbolizer that looks there. */
#ifndef EDDY_UNIT_SYMBOL_SYMBOLIZER_ROOT_H
#define EDDY_UNIT_SYMBOL_SYMBOLIZER_ROOT_H

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
#include "profile/kernel_place.h"
#include "symbol/symbolizer.h"
#include "unit/elf/elf_maker.h"
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

static inline void expect(struct fixture *f, frame_id id, const char *want_name,
			  const char *want_module, enum frame_origin origin, bool unnamed)
{
	const struct frame *frame = frame_table_get(f->frames, id);

	assert_int_not_equal(id, FRAME_NONE);
	assert_string_equal(name(f, id), want_name);
	assert_string_equal(module(f, id), want_module);
	assert_int_equal(frame->origin, origin);
	assert_int_equal(frame->unnamed, unnamed);
}

static inline uint64_t limit(struct fixture *f, enum limit limit)
{
	struct symbolizer_stats st;

	symbolizer_get_stats(f->s, &st);
	return st.limits.nr[limit];
}

static inline uint64_t misses(struct fixture *f, enum symbol_miss miss)
{
	struct symbolizer_stats st;

	symbolizer_get_stats(f->s, &st);
	return st.misses[miss];
}

static inline void wait_ms(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

#endif
