// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a function ends no symbol table says for all of them: it is all addresses that belong to
 * its start, one behind the other.
 */
#include "symbol/code_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debug_files.h"
#include "symbol/elf_symbols_parse.h"
#include "symbol/elf_symbols_table.h"
#include "symbol/source_file.h"
#include "util/far_first.h"
#include "util/mem.h"

#define MAX_UNPACKED_BYTES (64u << 20)

struct code_file {
	struct worker_pool *pool;
	struct worker_key key;
	int fd; /* by O_PATH */
	char *path;
	struct far_stat stat;
	struct elf_symbols *symbols;
	int lines_fd; /* where lines are: the file, or its debug file; -1: not looked for */
	struct worker_key lines_key;
	bool has_no_lines, lines_are_checked;
};

/* ---- the file ----------------------------------------------------------------------------- */

static bool has_build_id(const struct elf_symbols *symbols, const struct code_file_name *name)
{
	const struct elf_image *img = elf_symbols_image(symbols);

	return !name->build_id_len || (img->build_id_len == name->build_id_len &&
				       !memcmp(img->build_id, name->build_id, name->build_id_len));
}

static int open_path(struct code_file *f, struct diag *ret_diag)
{
	const struct worker_key key = far_inode(0, 0, OWNER_SYSTEM);
	const struct far_places at = { .root = "", .root_fd = -1, .paths = { f->path }, .nr = 1 };
	struct far_found found;

	if (*f->path != '/')
		return diag_set(ret_diag, EINVAL, "%s: no path of a file", f->path);
	f->fd = far_open_first(f->pool, &key, &at, &found);
	if (f->fd < 0)
		return diag_set(ret_diag, -f->fd, "%s: cannot be opened: %s", f->path,
				strerror(-f->fd));
	f->stat = found.stat;
	f->key = far_inode(found.stat.dev, found.stat.ino, found.stat.owner);
	return 0;
}

static int read_symbols(struct code_file *f, struct diag *ret_diag)
{
	const struct elf_symbols_source source = {
		.pool = f->pool,
		.key = f->key,
		.fd = f->fd,
		.debug_root = "",
		.max_unpacked_bytes = MAX_UNPACKED_BYTES,
		.path = f->path,
		.dev = f->stat.dev,
		.ino = f->stat.ino,
		.uid = f->stat.uid,
	};
	uint64_t cpu_ns;
	int r = elf_symbols_parse(&source, &f->symbols, &cpu_ns);

	if (r >= 0 && elf_symbols_wants_functions(f->symbols))
		elf_symbols_parse_functions(&source, f->symbols, &cpu_ns);
	if (r >= 0)
		return 0;
	return diag_set(ret_diag, -r, "%s: %s", f->path,
			r == -ECHILD	? "its parser gave up on it"
			: r == -ENOEXEC ? "no ELF file of this byte order"
					: strerror(-r));
}

int code_file_open(struct worker_pool *pool, const struct code_file_name *name,
		   struct code_file **ret_file, struct diag *ret_diag)
{
	_cleanup_(code_file_freep) struct code_file *f = xcalloc(1, sizeof(*f));
	int r;

	f->pool = pool;
	f->fd = f->lines_fd = -1;
	f->path = xstrdup(name->path);
	r = open_path(f, ret_diag);
	if (r >= 0)
		r = read_symbols(f, ret_diag);
	if (r < 0)
		return r;
	if (!has_build_id(f->symbols, name))
		return diag_set(ret_diag, ESTALE,
				"%s: another file is there now: its build id differs", f->path);
	*ret_file = take_ptr(f);
	return 0;
}

void code_file_free(struct code_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->lines_fd >= 0)
		close(f->lines_fd);
	elf_symbols_unref(f->symbols);
	free(f->path);
	free(f);
}

bool code_file_address(const struct code_file *f, uint64_t offset, uint64_t *ret_address)
{
	return elf_image_vaddr(elf_symbols_image(f->symbols), offset, ret_address);
}

void code_file_name_address(const struct code_file *f, uint64_t address, struct strbuf *to)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t start;

	if (elf_symbols_find(f->symbols, address, &start) < 0 ||
	    elf_symbols_name(f->symbols, start, &name) < 0)
		return;
	strbuf_add(to, name.bytes, name.len);
	if (address != start)
		strbuf_addf(to, "+0x%llx", (unsigned long long)(address - start));
}

/* ---- its code ----------------------------------------------------------------------------- */

struct bytes_question {
	uint64_t address, len;
};

/* In a parser: the instructions of an ELF file. */
static void parse_code(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_elf_image_ struct elf_image img = { 0 };
	_cleanup_strbuf_ struct strbuf packed = STRBUF_INIT;
	_cleanup_free_ uint8_t *code = NULL;
	struct bytes_question q;
	uint64_t offset, left;

	memcpy(&q, request->bytes, sizeof(q));
	answer->status = elf_image_open(request->fds[0], &img);
	if (answer->status < 0)
		return;
	answer->status = -EBADMSG;
	if (q.len > DISASSEMBLY_MAX_BYTES || !elf_image_bytes_at(&img, q.address, &offset, &left) ||
	    left < q.len)
		return;
	code = xmalloc(q.len);
	answer->status = elf_image_read(&img, offset, code, q.len);
	if (answer->status >= 0)
		answer->status = disassembly_pack(img.machine, q.address, code, q.len, &packed);
	if (answer->status >= 0)
		parsed_give(packed.bytes, packed.len, answer);
}

/* In a worker. */
static void code_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, parse_code, answer);
}

static int read_code(struct code_file *f, struct function_code *ret)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const struct bytes_question q = { ret->start, ret->end - ret->start };
	const int fds[2] = { f->fd, -1 };
	const struct worker_job job = { .fn = code_job,
					.key = f->key,
					.bytes = &q,
					.len = sizeof(q),
					.fds = fds,
					.patience_ns = SOURCE_PARSE_NS,
					.is_computing = true };
	int r = worker_pool_run(f->pool, &job, &a);

	r = r < 0 ? r : worker_answer_error(&a);
	if (r < 0)
		return r == -EPIPE ? -ECHILD : r;
	ret->code = disassembly_taken(&a, ret->start, q.len);
	return ret->code ? 0 : -ECHILD;
}

/* Where what belongs to start ends, behind last. */
static uint64_t find_end(const struct code_file *f, uint64_t start, uint64_t last)
{
	const uint64_t most = start + DISASSEMBLY_MAX_BYTES;
	uint64_t end = last, of;

	while (end < most && !elf_symbols_cover(f->symbols, end, &of) && of == start)
		end++;
	return end;
}

/* ---- its lines ---------------------------------------------------------------------------- */

static struct debugged_program program_of(const struct code_file *f)
{
	const struct elf_image *img = elf_symbols_image(f->symbols);

	return (struct debugged_program){
		.pool = f->pool,
		.key = f->key,
		.dev = f->stat.dev,
		.ino = f->stat.ino,
		.uid = f->stat.uid,
		.root = "",
		.path = f->path,
		.build_id = img->build_id,
		.build_id_len = img->build_id_len,
		.link = &f->symbols->link,
	};
}

static int ask_fd(struct code_file *f, const uint64_t *addresses, size_t nr,
		  struct source_table **ret_table)
{
	const struct debugged_program program = program_of(f);
	const struct source_question q = {
		.pool = f->pool,
		.key = f->lines_key,
		.fd = f->lines_fd,
		.alt_fd = -1,
		.addresses = addresses,
		.nr = nr,
		.with_lines = true,
		.build_id = f->lines_are_checked ? NULL : program.build_id,
		.build_id_len = program.build_id_len,
	};
	struct source_asked told;

	return source_file_ask(&program, false, &q, ret_table, &told);
}

static bool is_no_source(int r)
{
	return r == -ENODATA || r == -ENOEXEC || r == -ENOENT;
}

/* The first question finds out which file answers it. */
static int ask_debug_files(struct code_file *f, const uint64_t *addresses, size_t nr,
			   struct source_table **ret_table)
{
	const struct debugged_program program = program_of(f);
	struct debug_search search = { .program = &program, .wants_files = true };
	struct debug_file file;
	int r = -ENOENT;

	while (is_no_source(r) && debug_search_next(&search, &file)) {
		close(f->lines_fd);
		f->lines_fd = file.fd;
		f->lines_key = file.key;
		f->lines_are_checked = file.is_checked;
		r = ask_fd(f, addresses, nr, ret_table);
	}
	return r;
}

static int ask_lines(void *ctx, const uint64_t *addresses, size_t nr,
		     struct source_table **ret_table)
{
	struct code_file *f = ctx;
	const bool is_first = f->lines_fd < 0;
	int r;

	if (f->has_no_lines)
		return 0;
	if (is_first) {
		f->lines_fd = dup(f->fd);
		f->lines_key = f->key;
		f->lines_are_checked = true;
	}
	r = f->lines_fd < 0 ? -EMFILE : ask_fd(f, addresses, nr, ret_table);
	if (is_first && is_no_source(r))
		r = ask_debug_files(f, addresses, nr, ret_table);
	f->has_no_lines = r <= 0;
	return r;
}

int code_file_function(struct code_file *f, uint64_t first, uint64_t last,
		       struct function_code *ret, struct diag *ret_diag)
{
	uint64_t of;
	int r;

	if (elf_symbols_find(f->symbols, first, &ret->start) < 0)
		ret->start = first;
	if (elf_symbols_find(f->symbols, last, &of) < 0 || of != ret->start || last < first)
		last = first;
	ret->end = find_end(f, ret->start, last);
	if (ret->end <= last) /* nothing says where it begins or ends */
		ret->end = last + 1;
	r = read_code(f, ret);
	if (r < 0)
		return diag_set(ret_diag, -r, "%s: its code cannot be read: %s", f->path,
				r == -ECHILD	? "the parser gave up on it"
				: r == -ENOTSUP ? "of another machine"
						: strerror(-r));
	function_code_find_lines(ret, ask_lines, f);
	return 0;
}
