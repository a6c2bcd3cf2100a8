// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places in the source of files, by what they or their debug files say.  Parsing is on account of
 * the file's owner, of the same share as that of symbols.
 */
#include <errno.h>

#include "symbol/debug_files.h"
#include "symbol/elf_symbols_table.h"
#include "symbol/mapped_file_table.h"
#include "symbol/source_file.h"
#include "symbol/source_table.h"

#define PARSING_NS 20000000000ull /* of a minute, as mapped_file_symbols.c */

struct asked_file {
	const struct debugged_program *program;
	bool is_there; /* in the process's root, which is not ours */
	uint64_t now_ms;
};

void mapped_file_wait(struct mapped_file *f, int nr)
{
	const bool did = f->nr_sites > 0;

	f->nr_sites += nr;
	f->refs += (int)(f->nr_sites > 0) - (int)did;
}

/* A file of whose addresses something is missing counts once. */
static void count_once(struct file_table *t, const struct mapped_file *f, enum limit limit,
		       uint32_t *counted_space)
{
	t->limits.nr[limit] += *counted_space != f->space;
	*counted_space = f->space;
}

/* Asks one file of the program: itself, or its debug file. */
static int ask(struct file_table *t, struct mapped_file *f, const struct asked_file *asked,
	       const struct source_question *q, struct source_table **ret_table)
{
	const owner_id owner = owner_of_uid(f->uid);
	struct source_asked told;
	int r;

	if (!minute_share_bound(&t->parsing, owner, SOURCE_PARSE_NS, PARSING_NS, asked->now_ms))
		return -ECHILD;
	r = source_file_ask(asked->program, asked->is_there, q, ret_table, &told);
	minute_share_note(&t->parsing, owner, told.cpu_ns);
	t->limits.nr[LIMIT_DEBUG_FILES] += told.nr_refused;
	if (r >= 0 && told.lacks_alt)
		count_once(t, f, LIMIT_ALT_FILES, &f->altless_space);
	return r;
}

static struct debugged_program program_of(const struct file_table *t, const struct mapped_file *f)
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
	};
}

static int ask_itself(struct file_table *t, struct mapped_file *f, struct source_question *q,
		      uint64_t now_ms, struct source_table **ret_table)
{
	const struct debugged_program program = program_of(t, f);
	const struct asked_file asked = { &program, f->root, now_ms };

	q->fd = f->fd;
	return ask(t, f, &asked, q, ret_table);
}

/* The same question to its debug file; -ENOENT: there is none. */
static int ask_separate(struct file_table *t, struct mapped_file *f, struct source_question *q,
			uint64_t now_ms, struct source_table **ret_table)
{
	const struct elf_symbols *symbols = mapped_file_symbols(t, f, now_ms);
	struct debugged_program program = program_of(t, f);
	struct debug_search search = { .program = &program, .wants_files = true };
	struct debug_file file;

	if (!symbols)
		return -ENOENT;
	program.build_id = symbols->img.build_id;
	program.build_id_len = symbols->img.build_id_len;
	program.link = &symbols->link;
	while (debug_search_next(&search, &file)) {
		const struct asked_file asked = { &program, file.is_there, now_ms };
		_cleanup_close_ int fd = file.fd;
		int r;

		q->fd = fd;
		q->key = file.key;
		q->build_id = file.is_checked ? NULL : program.build_id;
		q->build_id_len = program.build_id_len;
		r = ask(t, f, &asked, q, ret_table);
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
		r = ask_itself(t, f, &q, now_ms, ret_table);
		if (r == -ENODATA)
			r = ask_separate(t, f, &q, now_ms, ret_table);
		if (r == -ENODATA || r == -ENOEXEC || r == -ENOENT) {
			f->sourceless_space = f->space;
			return 0;
		}
	}
	if (r >= 0) {
		t->limits.nr[LIMIT_NAMELESS] += (*ret_table)->nr_nameless;
		if ((*ret_table)->nr_split)
			count_once(t, f, LIMIT_SPLIT, &f->split_space);
		return r;
	}
	t->limits.nr[LIMIT_SOURCES]++;
	f->source_failed_ms = now_ms ? now_ms : 1;
	return r;
}
