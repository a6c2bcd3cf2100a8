// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places in the source of files, by what they or their debug files say.  Parsing is on account of
 * the file's owner, of the same share as that of symbols.
 */
#include <errno.h>

#include "symbol/debug_files.h"
#include "symbol/elf_symbols_table.h"
#include "symbol/mapped_file_table.h"
#include "symbol/source_parse.h"
#include "symbol/source_table.h"

#define PARSING_NS 20000000000ull /* of a minute, as mapped_file_symbols.c */

void mapped_file_wait(struct mapped_file *f, int nr)
{
	const bool did = f->nr_sites > 0;

	f->nr_sites += nr;
	f->refs += (int)(f->nr_sites > 0) - (int)did;
}

static int ask(struct file_table *t, struct mapped_file *f, struct source_question *q,
	       uint64_t now_ms, struct source_table **ret_table)
{
	const owner_id owner = owner_of_uid(f->uid);
	uint64_t cpu_ns;
	int r;

	if (!minute_share_bound(&t->parsing, owner, SOURCE_PARSE_NS, PARSING_NS, now_ms))
		return -ECHILD;
	r = source_parse(q, ret_table, &cpu_ns);
	minute_share_note(&t->parsing, owner, cpu_ns);
	return r;
}

static struct debugged_program program_of(const struct file_table *t, const struct mapped_file *f,
					  const struct elf_symbols *symbols)
{
	return (struct debugged_program){
		.pool = t->pool,
		.key = mapped_file_key(f),
		.dev = f->dev,
		.ino = f->ino,
		.uid = f->uid,
		.root = t->root,
		.path = f->path,
		.process_root = f->root,
		.build_id = symbols->img.build_id,
		.build_id_len = symbols->img.build_id_len,
		.link = &symbols->link,
	};
}

/* The same question to its debug file; -ENOENT: there is none. */
static int ask_separate(struct file_table *t, struct mapped_file *f, struct source_question *q,
			uint64_t now_ms, struct source_table **ret_table)
{
	const struct elf_symbols *symbols = mapped_file_symbols(t, f, now_ms);
	struct debugged_program program;
	struct debug_search search = { .program = &program, .wants_files = true };
	struct debug_file file;

	if (!symbols)
		return -ENOENT;
	program = program_of(t, f, symbols);
	while (debug_search_next(&search, &file)) {
		_cleanup_close_ int fd = file.fd;
		int r;

		q->fd = fd;
		q->key = file.key;
		q->build_id = file.is_checked ? NULL : program.build_id;
		q->build_id_len = program.build_id_len;
		r = ask(t, f, q, now_ms, ret_table);
		if (r != -ENODATA && r != -ENOEXEC && r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

int mapped_file_source(struct file_table *t, struct mapped_file *f, const struct source_ask *asked,
		       uint64_t now_ms, struct source_table **ret_table)
{
	struct source_question q = { .pool = t->pool,
				     .key = mapped_file_key(f),
				     .alt_fd = -1,
				     .addresses = asked->addresses,
				     .nr = asked->nr,
				     .with_lines = asked->with_lines };
	int r = -ENOENT;

	if (f->sourceless_space == f->space)
		return 0;
	if (f->source_failed_ms && now_ms - f->source_failed_ms < MINUTE_MS)
		return -ECHILD;
	if (mapped_file_reopen(t, f)) {
		q.fd = f->fd;
		r = ask(t, f, &q, now_ms, ret_table);
		if (r == -ENODATA)
			r = ask_separate(t, f, &q, now_ms, ret_table);
		if (r == -ENODATA || r == -ENOEXEC || r == -ENOENT) {
			f->sourceless_space = f->space;
			return 0;
		}
	}
	if (r >= 0) {
		t->limits.nr[LIMIT_NAMELESS] += (*ret_table)->nr_nameless;
		return r;
	}
	t->limits.nr[LIMIT_SOURCES]++;
	f->source_failed_ms = now_ms ? now_ms : 1;
	return r;
}
