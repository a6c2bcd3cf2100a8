// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel lies elsewhere in memory at each start: its file is asked about distances from one
 * symbol, which kallsyms knows too.
 */
#include "symbol/kernel_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_image.h"
#include "symbol/debug_files.h"
#include "symbol/minute_share.h"
#include "symbol/source_parse.h"
#include "symbol/source_table.h"
#include "util/far_first.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define MAX_NOTES_BYTES (64u << 10)

/* What stands before and behind the release. */
static const char *const places[][2] = {
	{ "/usr/lib/debug/boot/vmlinux-", "" },
	{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
	{ "/lib/modules/", "/build/vmlinux" },
	{ "/boot/vmlinux-", "" },
};

struct kernel_source {
	const char *root;
	uint64_t anchor;
	struct worker_pool *pool;
	uint8_t build_id[ELF_IMAGE_MAX_BUILD_ID];
	size_t build_id_len;
	bool is_sourceless;
	uint64_t failed_ms; /* when it could not be read last; 0: never */
	struct limit_counts limits;
};

/* ---- which kernel it is ------------------------------------------------------------------- */

/* A small file of the kernel's. */
static void small_read(const char *root, const char *path, struct strbuf *to)
{
	_cleanup_free_ char *whole = xasprintf("%s%s", root, path);
	_cleanup_close_ int fd = open(whole, O_RDONLY | O_CLOEXEC);
	char part[4096];
	ssize_t n;

	while (fd >= 0 && to->len < MAX_NOTES_BYTES && (n = read(fd, part, sizeof(part))) > 0)
		strbuf_add(to, part, n);
}

static void build_id_find(struct kernel_source *k)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;

	small_read(k->root, "/sys/kernel/notes", &notes);
	k->build_id_len =
		elf_notes_build_id((const unsigned char *)notes.bytes, notes.len, k->build_id);
}

struct kernel_source *kernel_source_new(const char *root, uint64_t anchor, struct worker_pool *pool)
{
	struct kernel_source *k = xcalloc(1, sizeof(*k));

	k->root = root;
	k->anchor = anchor;
	k->pool = pool;
	build_id_find(k);
	k->is_sourceless = !anchor || !k->build_id_len;
	return k;
}

void kernel_source_free(struct kernel_source *k)
{
	free(k);
}

void kernel_source_add_limits(const struct kernel_source *k, struct limit_counts *to)
{
	to->nr[LIMIT_SOURCES] += k->limits.nr[LIMIT_SOURCES];
}

/* ---- its file ----------------------------------------------------------------------------- */

/* -ENOENT, -ENODATA, -ENOEXEC: that file does not help. */
static bool is_no_source(int r)
{
	return r == -ENOENT || r == -ENODATA || r == -ENOEXEC;
}

static int ask_file(struct source_question *q, int fd, const struct worker_key *key,
		    struct source_table **ret_table)
{
	struct dwarf_alt none;
	uint64_t cpu_ns;

	q->fd = fd;
	q->key = *key;
	return source_parse(q, ret_table, &none, &cpu_ns);
}

static int ask_by_build_id(struct kernel_source *k, struct source_question *q,
			   struct source_table **ret_table)
{
	const struct elf_debug_link link = { 0 };
	const struct debugged_program kernel = {
		.pool = k->pool,
		.key = far_inode(0, 0, OWNER_SYSTEM),
		.root = k->root,
		.build_id = k->build_id,
		.build_id_len = k->build_id_len,
		.link = &link,
	};
	struct debug_search search = { .program = &kernel, .wants_files = true };
	struct debug_file file;
	int r = -ENOENT;

	while (is_no_source(r) && debug_search_next(&search, &file)) {
		_cleanup_close_ int fd = file.fd;

		r = ask_file(q, fd, &file.key, ret_table);
	}
	return r;
}

static int ask_by_release(struct kernel_source *k, struct source_question *q,
			  struct source_table **ret_table)
{
	_cleanup_strbuf_ struct strbuf release = STRBUF_INIT;
	int r = -ENOENT;

	small_read(k->root, "/proc/sys/kernel/osrelease", &release);
	if (!release.len)
		return r;
	release.bytes[strcspn(release.bytes, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places) && is_no_source(r); i++) {
		_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
		const struct worker_key key = far_inode(0, 0, OWNER_SYSTEM);
		struct far_places at = { .root = k->root, .root_fd = -1, .nr = 1 };
		struct far_found found;
		_cleanup_close_ int fd = -1;

		strbuf_addf(&path, "%s%s%s", places[i][0], release.bytes, places[i][1]);
		at.paths[0] = path.bytes;
		fd = far_open_first(k->pool, &key, &at, &found);
		if (fd >= 0 && !found.stat.uid && !found.is_shared)
			r = ask_file(q, fd, &key, ret_table);
	}
	return r;
}

int kernel_source_ask(struct kernel_source *k, const struct source_ask *asked, uint64_t now_ms,
		      struct source_table **ret_table)
{
	struct source_question q = { .pool = k->pool,
				     .alt_fd = -1,
				     .without_alt = true, /* lines are the file's own */
				     .addresses = asked->addresses,
				     .nr = asked->nr,
				     .with_lines = asked->with_lines,
				     .anchor = k->anchor,
				     .build_id = k->build_id,
				     .build_id_len = k->build_id_len };
	int r;

	if (k->is_sourceless)
		return 0;
	if (k->failed_ms && now_ms - k->failed_ms < MINUTE_MS)
		return -ECHILD;
	r = ask_by_build_id(k, &q, ret_table);
	if (is_no_source(r))
		r = ask_by_release(k, &q, ret_table);
	if (is_no_source(r)) {
		k->is_sourceless = true;
		return 0;
	}
	if (r < 0) {
		k->limits.nr[LIMIT_SOURCES]++;
		k->failed_ms = now_ms ? now_ms : 1;
	}
	return r;
}
