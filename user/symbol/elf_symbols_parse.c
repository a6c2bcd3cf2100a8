// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Most files are read at once, where they are: one question to a worker and its parser.  What takes
 * long to parse must not be mistaken for a file system that does not answer, so of a file with much
 * to read, or to unpack, there is a copy first, and then as much time as parsing may take.
 */
#include "symbol/elf_symbols_parse.h"

#include <errno.h>
#include <string.h>

#include "elf/elf_copy.h"
#include "symbol/debug_files.h"
#include "symbol/elf_symbols_pack.h"
#include "symbol/elf_symbols_read.h"
#include "symbol/elf_symbols_table.h"

#define AT_ONCE_BYTES	   (48u << 20)	/* of parts of a file: some 30 ms */
#define AT_ONCE_CODE_BYTES (128u << 10) /* without unwind entries: some 100 ms at most */

struct wanted {
	uint64_t max_parts_bytes; /* 0: however much is to be read */
	uint64_t max_unpacked_bytes;
	uint64_t only_functions;
	uint64_t debug_is_checked;
};

/* ---- in a parser -------------------------------------------------------------------------- */

static bool is_within(const struct elf_source *source, const struct wanted *wanted)
{
	_cleanup_elf_parts_ struct elf_parts parts = { 0 };
	enum elf_parts_for use = wanted->only_functions ? ELF_PARTS_FUNCTIONS : ELF_PARTS_TABLES;

	return !wanted->max_parts_bytes || (elf_parts_find_source(source, use, &parts) >= 0 &&
					    parts.bytes <= wanted->max_parts_bytes);
}

static void parse(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *table = NULL;
	_cleanup_elf_source_ struct elf_source source = { .fd = -1 };
	struct elf_symbols_input in = { .fd = request->fds[0],
					.source = &source,
					.debug_fd = request->fds[1] };
	struct wanted wanted;
	int r;

	memcpy(&wanted, request->bytes, sizeof(wanted));
	in.max_unpacked_bytes = wanted.max_unpacked_bytes;
	in.debug_is_checked = wanted.debug_is_checked;
	in.max_code_bytes = wanted.max_parts_bytes ? AT_ONCE_CODE_BYTES : 0;
	r = request->may_map ? elf_source_map(in.fd, &source) : elf_source_from_fd(in.fd, &source);
	if (r < 0) {
		answer->status = r == -EINVAL ? -ENOEXEC : r;
		return;
	}
	answer->status = !is_within(&source, &wanted) ? -EFBIG
			 : wanted.only_functions      ? elf_symbols_read_functions(&in, &table)
						      : elf_symbols_read(&in, &table);
	if (answer->status < 0)
		return;
	elf_symbols_give(table, answer);
}

/* ---- in a worker -------------------------------------------------------------------------- */

static void at_once_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, parse, answer);
}

/* ---- in the program ----------------------------------------------------------------------- */

/* 0 and the table that the answer holds, or as elf_symbols_parse(). */
static int answer_take(const struct worker_answer *answer, struct elf_symbols **ret_table)
{
	int r = worker_answer_error(answer);

	if (r < 0)
		return r == -EPIPE ? -ECHILD : r;
	*ret_table = elf_symbols_taken(answer);
	return *ret_table ? 0 : -ECHILD;
}

/* -EFBIG: there is more to read than can be at once. */
static int read_at_once(const struct elf_symbols_source *source, bool only_functions,
			struct elf_symbols **ret_table, uint64_t *cpu_ns)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const struct wanted wanted = { .max_parts_bytes = AT_ONCE_BYTES,
				       .only_functions = only_functions };
	const int fds[2] = { source->fd, -1 };
	const struct worker_job job = { .fn = at_once_job,
					.key = source->key,
					.bytes = &wanted,
					.len = sizeof(wanted),
					.fds = fds };
	int r = worker_pool_run(source->pool, &job, &a);

	if (r < 0)
		return r;
	*cpu_ns += a.cpu_ns;
	return answer_take(&a, ret_table);
}

static int read_copy(const struct elf_symbols_source *source, const struct wanted *wanted,
		     int debug_fd, struct elf_symbols **ret_table, uint64_t *cpu_ns)
{
	const enum elf_parts_for use =
		wanted->only_functions ? ELF_PARTS_FUNCTIONS : ELF_PARTS_SYMBOLS;
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	_cleanup_close_ int fd = elf_copy(source->pool, &source->key, source->fd, use);
	const struct worker_request request = { .bytes = (const char *)wanted,
						.len = sizeof(*wanted),
						.fds = { fd, debug_fd } };
	const struct worker_account account = { .owner = source->key.owner,
						.patience_ns = ELF_SYMBOLS_PARSE_NS };
	int r;

	if (fd < 0)
		return fd;
	r = worker_pool_parse_for(source->pool, &account, parse, &request, &a);
	*cpu_ns += r == -ETIMEDOUT ? ELF_SYMBOLS_PARSE_NS : a.cpu_ns;
	if (r < 0)
		return r == -ETIMEDOUT ? -ECHILD : r;
	return answer_take(&a, ret_table);
}

static struct debugged_program program_of(const struct elf_symbols_source *source,
					  const struct elf_symbols *table)
{
	return (struct debugged_program){
		.pool = source->pool,
		.key = source->key,
		.dev = source->dev,
		.ino = source->ino,
		.uid = source->uid,
		.root = source->debug_root,
		.path = source->path,
		.process_root = source->process_root,
		.build_id = table->img.build_id,
		.build_id_len = table->img.build_id_len,
		.link = &table->link,
	};
}

/*
 * Of a table that is not full: reads the first debug file that is the program's into another one.
 * 0: there was one; -ENOENT: none; or as elf_symbols_parse().
 */
static int read_debug_file(const struct elf_symbols_source *source, struct elf_symbols **ret_table,
			   struct debug_search *search)
{
	struct debug_file file;

	while (debug_search_next(search, &file)) {
		_cleanup_close_ int fd = file.fd;
		_cleanup_(elf_symbols_freep) struct elf_symbols *found = NULL;
		const struct wanted wanted = { .debug_is_checked = file.is_checked };
		int r = read_copy(source, &wanted, fd, &found, &search->cpu_ns);

		if (r >= 0 && elf_symbols_is_full(found)) {
			*ret_table = take_ptr(found);
			return 0;
		}
		if (r < 0 && r != -ECHILD)
			return r;
		search->nr_refused++;
		if (r == -ECHILD) /* another one may take as long */
			break;
	}
	return -ENOENT;
}

/* Replaces a table that is not full by one that has more, if that is to be had. */
static int read_more(const struct elf_symbols_source *source, struct elf_symbols **table,
		     uint64_t *cpu_ns)
{
	const struct wanted unpacked = { .max_unpacked_bytes = source->max_unpacked_bytes };
	const struct debugged_program program = program_of(source, *table);
	struct debug_search search = { .program = &program };
	struct elf_symbols *more = NULL;
	int r = source->debug_root ? read_debug_file(source, &more, &search) : -ENOENT;

	*cpu_ns += search.cpu_ns;
	if (r == -ENOENT) {
		r = 0;
		if (source->max_unpacked_bytes && elf_symbols_has_left_out(*table))
			r = read_copy(source, &unpacked, -1, &more, cpu_ns);
	}
	if (r < 0)
		return r;
	if (more) {
		elf_symbols_unref(*table);
		*table = more;
	}
	(*table)->nr_refused = search.nr_refused;
	return 0;
}

int elf_symbols_parse(const struct elf_symbols_source *source, struct elf_symbols **ret_table,
		      uint64_t *ret_cpu_ns)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *table = NULL;
	int r;

	*ret_cpu_ns = 0;
	r = read_at_once(source, false, &table, ret_cpu_ns);
	if (r == -EFBIG)
		r = read_copy(source, &(struct wanted){ 0 }, -1, &table, ret_cpu_ns);
	if (r >= 0 && !elf_symbols_is_full(table))
		r = read_more(source, &table, ret_cpu_ns);
	if (r < 0)
		return r;
	*ret_table = take_ptr(table);
	return 0;
}

int elf_symbols_parse_functions(const struct elf_symbols_source *source, struct elf_symbols *table,
				uint64_t *ret_cpu_ns)
{
	_cleanup_(elf_symbols_freep) struct elf_symbols *functions = NULL;
	int r;

	*ret_cpu_ns = 0;
	r = read_at_once(source, true, &functions, ret_cpu_ns);
	if (r == -EFBIG)
		r = read_copy(source, &(struct wanted){ .only_functions = true }, -1, &functions,
			      ret_cpu_ns);
	if (r < 0)
		return r;
	elf_symbols_add_functions(table, functions);
	return 0;
}
