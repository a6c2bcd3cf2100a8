/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in a directory of the test, and a table of them. */
#ifndef EDDY_UNIT_SYMBOL_MAPPED_FILES_H
#define EDDY_UNIT_SYMBOL_MAPPED_FILES_H

#include "unit/unit.h"

#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/mapped_file.h"
#include "unit/elf/elf_maker.h"

static const struct made_symbol symbols[] = {
	{ "public", 0x5000, 16, STT_FUNC, STB_GLOBAL, 0 },
	{ "private", 0x5010, 16, STT_FUNC, STB_LOCAL, 0 },
};

struct fixture {
	struct frame_table *frames;
	uint32_t next_space;
	struct file_table *t;
	char dir[32];
};

static void make_table(struct fixture *f, uint64_t max_bytes)
{
	file_table_free(f->t);
	f->t = file_table_new(f->frames, "", max_bytes, &f->next_space);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->frames = frame_table_new();
	f->next_space = 1;
	make_table(f, 0);
	strcpy(f->dir, "/tmp/eddy-test-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	file_table_free(f->t);
	frame_table_unref(f->frames);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static void write_bytes(const struct fixture *f, const char *name, const struct strbuf *bytes)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(bytes->bytes, 1, bytes->len, to);
	fclose(to);
}

/* Writes an ELF file of that name; full: with .symtab, else the public symbol only. */
static void write_elf(struct fixture *f, const char *name, const char *build_id, bool full)
{
	struct made_elf m = { .text_vaddr = 0x5000, .text_bytes = 0x100, .build_id = build_id };
	struct strbuf bytes;

	if (full)
		m.symtab = symbols, m.nr_symtab = 2;
	else
		m.dynsym = symbols, m.nr_dynsym = 1;
	bytes = elf_make(&m);
	write_bytes(f, name, &bytes);
	strbuf_deinit(&bytes);
}

/* A stripped one whose .gnu_debugdata unpacks to some `bytes`, most of them names. */
static inline void write_packed_elf(struct fixture *f, const char *name, const char *build_id,
				    size_t bytes)
{
	enum { NAME_BYTES = 1000 };
	size_t nr = bytes / NAME_BYTES;
	struct made_symbol *many = calloc(nr, sizeof(*many));
	char *names = malloc(nr * NAME_BYTES);
	struct made_elf inner = {
		.text_vaddr = 0x5000, .text_bytes = 16 * nr, .symtab = many, .nr_symtab = nr
	};
	struct made_elf outer = { .text_vaddr = 0x5000,
				  .text_bytes = 16 * nr,
				  .build_id = build_id,
				  .dynsym = symbols,
				  .nr_dynsym = 1 };
	struct strbuf plain, whole;
	size_t packed_len = 0, cap;
	unsigned char *packed;

	for (size_t i = 0; i < nr; i++) {
		char *n = names + i * NAME_BYTES;

		memset(n, 'n', NAME_BYTES - 1);
		n[snprintf(n, NAME_BYTES, "f%zu", i)] = '_';
		n[NAME_BYTES - 1] = '\0';
		many[i] = (struct made_symbol){ n, 0x5000 + 16 * i, 16, STT_FUNC, STB_GLOBAL, 0 };
	}
	plain = elf_make(&inner);
	cap = lzma_stream_buffer_bound(plain.len);
	packed = malloc(cap);
	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, (uint8_t *)plain.bytes,
						 plain.len, packed, &packed_len, cap),
			 LZMA_OK);
	outer.debugdata = packed;
	outer.debugdata_bytes = packed_len;
	whole = elf_make(&outer);
	write_bytes(f, name, &whole);
	strbuf_deinit(&whole);
	strbuf_deinit(&plain);
	free(packed);
	free(names);
	free(many);
}

static int open_here(const char *path, uint64_t dev, uint64_t ino)
{
	const struct worker_key key = far_inode(dev, ino, OWNER_SYSTEM);
	struct far_stat st = { .dev = dev, .ino = ino };

	return far_open_regular(NULL, &key, &(struct far_path){ "", path }, &st);
}

/* What a process that maps the file does; the reference is the caller's. */
static struct mapped_file *get(struct fixture *f, const char *name, uint64_t now_ms)
{
	char path[128];
	struct stat st;
	bool wants_fd;
	struct mapped_file *m;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(stat(path, &st), 0);
	m = mapped_file_get(f->t, &(struct file_key){ st.st_dev, st.st_ino, path, strlen(path) },
			    now_ms, &wants_fd);
	if (wants_fd)
		mapped_file_set_fd(f->t, m, open_here(path, st.st_dev, st.st_ino), NULL);
	return m;
}

/* Writes it in place, at a time that no other version of it has. */
static inline void write_elf_at(struct fixture *f, const char *name, const char *build_id,
				bool full, time_t mtime)
{
	const struct timespec times[2] = { { mtime, 0 }, { mtime, 0 } };
	char path[128];

	write_elf(f, name, build_id, full);
	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* What the sampler does for a file that it gives another number; the reference is the caller's. */
static inline struct mapped_file *announce(struct fixture *f, const char *name, uint64_t now_ms)
{
	struct mapped_file *m = get(f, name, now_ms);
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	mapped_file_set_fd(f->t, m, open_here(path, 0, 0), NULL);
	return m;
}

static inline int nr_open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static inline size_t nr_symbols(struct fixture *f, struct mapped_file *m, uint64_t now_ms)
{
	return elf_symbols_nr(mapped_file_symbols(f->t, m, now_ms));
}

#endif
