// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The glue of this floor.  Three levels of one bounded cache (frame_cache.h) stand before the
 * work, each keyed by (space, address):
 *
 *   space of a process    + address          -> frame    nearly every frame of every sample
 *   space of a file       + ELF address      -> frame    a new process runs known code
 *   space of a file + 1   + symbol's start   -> frame    another address of a known function
 *
 * Behind them: bisection of mappings and symbols, one pread(2) for the name, the demangler.
 * Frames of addresses that could not be placed carry RETRY in the first level: they are looked up
 * again once the process may be read again.
 */
#include "symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/frame_cache.h"
#include "symbol/kallsyms.h"
#include "symbol/mapped_file.h"
#include "symbol/process_table.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define FILE_BUCKETS	256
#define CACHE_ENTRIES	65536
#define SPACE_KERNEL	1
#define SPACE_FIRST	2
#define SPACE_LAST	(UINT32_MAX - 1024)
#define RETRY		(1u << 31)
#define KALLSYMS_MIN_MS 5000
#define KALLSYMS_MAX_MS 600000

struct numbered_file {
	struct numbered_file *next;
	uint32_t number;
	struct mapped_file *file;
};

struct symbolizer {
	struct frame_table *frames;
	char *root;
	bool no_demangle;
	struct kallsyms *kallsyms; /* NULL: hidden or none */
	uint64_t kallsyms_ms, kallsyms_wait_ms;
	struct file_table *files;
	struct frame_cache *cache;
	uint32_t next_space;
	str_id kernel_module, jit_module;

	struct process_table *processes;
	struct numbered_file *numbered[FILE_BUCKETS];

	struct strbuf name, pretty; /* scratch */
	uint64_t misses[NR_SYMBOL_MISSES];
	uint64_t now_ms; /* when the clock was last asked */
};

const char *symbol_miss_name(enum symbol_miss miss)
{
	static const char *const names[NR_SYMBOL_MISSES] = {
		[SYMBOL_MISS_NO_PROCESS] = "no-process",   [SYMBOL_MISS_NO_MAPPING] = "no-mapping",
		[SYMBOL_MISS_ANONYMOUS] = "anonymous",	   [SYMBOL_MISS_NO_FILE] = "no-file",
		[SYMBOL_MISS_BAD_ELF] = "bad-elf",	   [SYMBOL_MISS_NO_SYMBOL] = "no-symbol",
		[SYMBOL_MISS_NO_KALLSYMS] = "no-kallsyms",
	};

	return miss < NR_SYMBOL_MISSES ? names[miss] : "unknown";
}

static uint64_t now_ms(struct symbolizer *s)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return s->now_ms = (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- frames ------------------------------------------------------------------------------- */

/*
 * "[module+0xOFFSET]", where the brackets of "[kernel]" and "[anon]" are not doubled; module 0 is
 * "unknown".  The cause is counted when such a frame is made.
 */
static frame_id unnamed(struct symbolizer *s, str_id module, uint64_t offset,
			enum frame_origin origin, enum symbol_miss miss)
{
	size_t before = frame_table_nr(s->frames), len;
	const char *name = frame_table_str(s->frames, module, &len);
	struct frame f = { .module = module, .start = offset, .origin = origin, .unnamed = true };
	frame_id id;

	if (len > 2 && name[0] == '[' && name[len - 1] == ']')
		name++, len -= 2;
	strbuf_reset(&s->pretty);
	strbuf_addch(&s->pretty, '[');
	if (len)
		strbuf_add(&s->pretty, name, len);
	else
		strbuf_addstr(&s->pretty, "unknown");
	strbuf_addf(&s->pretty, "+0x%" PRIx64 "]", offset);
	f.name = frame_table_intern(s->frames, s->pretty.bytes, s->pretty.len);
	id = frame_table_add(s->frames, &f);
	s->misses[miss] += frame_table_nr(s->frames) > before;
	return id;
}

static str_id display_name(struct symbolizer *s, const struct strbuf *raw)
{
	strbuf_reset(&s->pretty);
	if (!s->no_demangle && demangle(raw->bytes, &s->pretty))
		return frame_table_intern(s->frames, s->pretty.bytes, s->pretty.len);
	return frame_table_intern(s->frames, raw->bytes, raw->len);
}

/* ---- kernel ------------------------------------------------------------------------------- */

static void kallsyms_load(struct symbolizer *s)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", s->root);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kallsyms *k;

	s->kallsyms_ms = now_ms(s);
	if (fd < 0 || kallsyms_read(fd, &k) < 0)
		return;
	kallsyms_free(s->kallsyms);
	s->kallsyms = k;
}

/*
 * Modules and BPF programs come while we run; reading the table again takes some 50 ms, so the
 * interval doubles for as long as that does not help.
 */
static bool kernel_find(struct symbolizer *s, uint64_t addr, struct kernel_symbol *ret)
{
	if (!s->kallsyms)
		return false;
	if (!kallsyms_find(s->kallsyms, addr, ret))
		return true;
	if (now_ms(s) - s->kallsyms_ms < s->kallsyms_wait_ms)
		return false;
	kallsyms_load(s);
	if (!kallsyms_find(s->kallsyms, addr, ret)) {
		s->kallsyms_wait_ms = KALLSYMS_MIN_MS;
		return true;
	}
	if (s->kallsyms_wait_ms < KALLSYMS_MAX_MS)
		s->kallsyms_wait_ms *= 2;
	return false;
}

static frame_id kernel_resolve(struct symbolizer *s, uint64_t addr)
{
	struct kernel_symbol k;
	struct frame f = { .module = s->kernel_module, .origin = FRAME_KERNEL };

	if (!kernel_find(s, addr, &k))
		return unnamed(s, s->kernel_module, addr, FRAME_KERNEL,
			       s->kallsyms ? SYMBOL_MISS_NO_SYMBOL : SYMBOL_MISS_NO_KALLSYMS);
	f.name = frame_table_intern0(s->frames, k.name);
	if (*k.module)
		f.module = frame_table_intern0(s->frames, k.module);
	f.start = k.start;
	f.role = k.role;
	return frame_table_add(s->frames, &f);
}

frame_id symbolizer_kernel(struct symbolizer *s, uint64_t addr)
{
	frame_id id = frame_cache_get(s->cache, SPACE_KERNEL, addr);

	if (!id) {
		id = kernel_resolve(s, addr);
		frame_cache_put(s->cache, SPACE_KERNEL, addr, id);
	}
	return id;
}

uint64_t symbolizer_kernel_address(struct symbolizer *s, const char *name, uint64_t *ret_size)
{
	uint64_t addr, end;

	addr = s->kallsyms ? kallsyms_address(s->kallsyms, name, &end) : 0;
	if (addr && ret_size)
		*ret_size = end - addr;
	return addr;
}

/* ---- files -------------------------------------------------------------------------------- */

/* The frame of the symbol that starts there. */
static frame_id symbol_frame(struct symbolizer *s, struct mapped_file *f,
			     const struct elf_symbols *symbols, uint64_t start)
{
	frame_id id = frame_cache_get(s->cache, f->space + 1, start);

	if (id)
		return id;
	strbuf_reset(&s->name);
	if (elf_symbols_name(symbols, start, &s->name) < 0)
		return FRAME_NONE;
	id = frame_table_add(s->frames, &(struct frame){ .name = display_name(s, &s->name),
							 .module = f->module,
							 .start = start,
							 .origin = FRAME_USER });
	frame_cache_put(s->cache, f->space + 1, start, id);
	return id;
}

/* The frame of an ELF address; offset is where it stands in the file. */
static frame_id file_frame(struct symbolizer *s, struct mapped_file *f,
			   const struct elf_symbols *symbols, uint64_t vaddr, uint64_t offset)
{
	frame_id id = frame_cache_get(s->cache, f->space, vaddr);
	enum symbol_miss miss = SYMBOL_MISS_NO_SYMBOL;
	uint64_t start;

	if (id)
		return id;
	if (!elf_symbols_find(symbols, vaddr, &start)) {
		id = symbol_frame(s, f, symbols, start);
		miss = SYMBOL_MISS_BAD_ELF;
	} else if (elf_symbols_is_damaged(symbols)) {
		miss = SYMBOL_MISS_BAD_ELF;
	}
	if (!id)
		id = unnamed(s, f->module, offset, FRAME_USER, miss);
	frame_cache_put(s->cache, f->space, vaddr, id);
	return id;
}

static frame_id offset_frame(struct symbolizer *s, struct mapped_file *f, uint64_t offset,
			     uint64_t now)
{
	const struct elf_symbols *symbols = mapped_file_symbols(s->files, f, now);
	uint64_t vaddr;

	if (!symbols)
		return unnamed(s, f->module, offset, FRAME_USER, f->miss);
	if (!elf_image_vaddr(elf_symbols_image(symbols), offset, &vaddr))
		return unnamed(s, f->module, offset, FRAME_USER, SYMBOL_MISS_NO_SYMBOL);
	return file_frame(s, f, symbols, vaddr, offset);
}

static struct numbered_file **numbered_slot(struct symbolizer *s, uint32_t number)
{
	struct numbered_file **at = &s->numbered[number % FILE_BUCKETS];

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	return at;
}

void symbolizer_add_file(struct symbolizer *s, uint32_t file, int fd, const char *path)
{
	struct numbered_file **slot = numbered_slot(s, file);
	struct file_key key = { .path = path, .path_len = strlen(path) };
	struct mapped_file *old = NULL;
	struct stat st;
	bool wants_fd;

	if (fstat(fd, &st) < 0)
		st = (struct stat){ 0 };
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	if (!*slot) {
		*slot = xcalloc(1, sizeof(**slot));
		(*slot)->number = file;
	} else {
		old = (*slot)->file;
	}
	/* Wanted or not: a file that was written in place comes with a number of its own. */
	(*slot)->file = mapped_file_get(s->files, &key, now_ms(s), &wants_fd);
	mapped_file_set_fd(s->files, (*slot)->file, fd);
	if (old)
		mapped_file_put(old);
}

void symbolizer_remove_file(struct symbolizer *s, uint32_t file)
{
	struct numbered_file **slot = numbered_slot(s, file), *n = *slot;

	if (!n)
		return;
	*slot = n->next;
	mapped_file_put(n->file);
	free(n);
}

frame_id symbolizer_file(struct symbolizer *s, uint32_t file, uint64_t elf_addr)
{
	struct numbered_file *n = *numbered_slot(s, file);
	const struct elf_symbols *symbols;
	uint64_t offset = elf_addr;
	frame_id id;

	if (!n)
		return unnamed(s, 0, elf_addr, FRAME_USER, SYMBOL_MISS_NO_FILE);
	id = frame_cache_get(s->cache, n->file->space, elf_addr);
	if (id)
		return id;
	symbols = mapped_file_symbols(s->files, n->file, now_ms(s));
	if (!symbols)
		return unnamed(s, n->file->module, offset, FRAME_USER, n->file->miss);
	elf_image_offset(elf_symbols_image(symbols), elf_addr, &offset);
	return file_frame(s, n->file, symbols, elf_addr, offset);
}

/* ---- processes ---------------------------------------------------------------------------- */

/* After 4 thousand million spaces: all caches empty, numbers from the start. */
static void renumber(struct symbolizer *s)
{
	frame_cache_clear(s->cache);
	s->next_space = SPACE_FIRST;
	file_table_renumber(s->files);
	process_table_renumber(s->processes);
}

static struct process *get_process(struct symbolizer *s, pid_t pid)
{
	struct process *p = process_table_find(s->processes, pid);

	if (p)
		return p;
	if (s->next_space > SPACE_LAST)
		renumber(s);
	file_table_age(s->files, now_ms(s));
	return process_table_add(s->processes, pid, s->now_ms);
}

void symbolizer_process_seen(struct symbolizer *s, pid_t pid)
{
	get_process(s, pid);
}

void symbolizer_process_gone(struct symbolizer *s, pid_t pid)
{
	process_table_remove(s->processes, pid);
}

void symbolizer_process_started(struct symbolizer *s, pid_t pid, uint32_t started)
{
	struct process *p = process_table_find(s->processes, pid);

	if (p && p->started && started && p->started != started) {
		process_table_remove(s->processes, pid);
		p = NULL;
	}
	if (!p)
		p = get_process(s, pid);
	if (started)
		p->started = started;
}

/*
 * Code written by the program itself.  Compilers move and repeat their functions, so such a frame
 * is known by its name alone: start 0.
 */
static frame_id jit_frame(struct symbolizer *s, struct process *p, uint64_t addr)
{
	strbuf_reset(&s->name);
	if (!p->jit || perf_map_name(p->jit, addr, &s->name) < 0)
		return FRAME_NONE;
	return frame_table_add(s->frames, &(struct frame){ .name = display_name(s, &s->name),
							   .module = s->jit_module,
							   .origin = FRAME_JIT });
}

/* Neither memory without a file nor a file that is not ELF has symbols of its own. */
static bool is_jit(struct symbolizer *s, const struct mapping *m, uint64_t now)
{
	return !m->file || (!mapped_file_symbols(s->files, m->file, now) &&
			    m->file->miss == SYMBOL_MISS_BAD_ELF);
}

/* One attempt with what is known; FRAME_NONE: reading the process again might help. */
static frame_id place(struct symbolizer *s, struct process *p, uint64_t addr, uint64_t now)
{
	const struct mapping *m = address_space_find(&p->as, addr);

	if (!m)
		return FRAME_NONE;
	if (!is_jit(s, m, now))
		return offset_frame(s, m->file, addr - m->start + m->offset, now);
	process_read_jit(s->processes, p);
	return jit_frame(s, p, addr);
}

static frame_id unplaced_frame(struct symbolizer *s, struct process *p, uint64_t addr)
{
	const struct mapping *m = address_space_find(&p->as, addr);

	if (!m)
		return unnamed(s, 0, addr, FRAME_USER,
			       p->known ? SYMBOL_MISS_NO_MAPPING : SYMBOL_MISS_NO_PROCESS);
	if (m->file)
		return unnamed(s, m->file->module, addr - m->start + m->offset, FRAME_USER,
			       m->file->miss);
	return unnamed(s, m->name, addr, FRAME_USER, SYMBOL_MISS_ANONYMOUS);
}

frame_id symbolizer_user(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	struct process *p = get_process(s, pid);
	uint32_t hit = frame_cache_get(s->cache, p->space, addr);
	uint64_t now;
	frame_id id;

	p->used_ms = s->now_ms;
	if (hit && !(hit & RETRY))
		return hit;
	now = now_ms(s);
	if (hit && now < p->refresh_ms)
		return hit & ~RETRY;
	id = place(s, p, addr, now);
	if (!id && now >= p->refresh_ms) {
		process_refresh(s->processes, p, now);
		id = place(s, p, addr, now);
	}
	if (id) {
		frame_cache_put(s->cache, p->space, addr, id);
		return id;
	}
	id = unplaced_frame(s, p, addr);
	frame_cache_put(s->cache, p->space, addr, id | RETRY);
	return id;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void intern_modules(struct symbolizer *s)
{
	s->kernel_module = frame_table_intern0(s->frames, "[kernel]");
	s->jit_module = frame_table_intern0(s->frames, "[jit]");
}

void symbolizer_use_frames(struct symbolizer *s, struct frame_table *frames)
{
	process_table_use_frames(s->processes, frames);
	file_table_use_frames(s->files, frames);
	frame_cache_clear(s->cache);
	frame_table_unref(s->frames);
	s->frames = frame_table_ref(frames);
	intern_modules(s);
}

void symbolizer_age(struct symbolizer *s)
{
	uint64_t now = now_ms(s);

	process_table_age(s->processes, now);
	file_table_age(s->files, now);
}

struct symbolizer *symbolizer_new(struct frame_table *frames, const struct symbolizer_opts *opts)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->frames = frame_table_ref(frames);
	s->root = xstrdup(opts->root ? opts->root : "");
	s->no_demangle = opts->no_demangle;
	s->next_space = SPACE_FIRST;
	s->files = file_table_new(frames, s->root, opts->max_bytes, &s->next_space);
	s->processes = process_table_new(frames, s->root, s->files, &s->next_space);
	s->cache = frame_cache_new(CACHE_ENTRIES);
	intern_modules(s);
	s->name = s->pretty = (struct strbuf)STRBUF_INIT;
	s->kallsyms_wait_ms = KALLSYMS_MIN_MS;
	kallsyms_load(s);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	process_table_free(s->processes);
	for (size_t b = 0; b < FILE_BUCKETS; b++)
		while (s->numbered[b]) {
			struct numbered_file *n = s->numbered[b];

			s->numbered[b] = n->next;
			free(n);
		}
	file_table_free(s->files);
	frame_cache_free(s->cache);
	kallsyms_free(s->kallsyms);
	strbuf_deinit(&s->name);
	strbuf_deinit(&s->pretty);
	frame_table_unref(s->frames);
	free(s->root);
	free(s);
}

void symbolizer_get_stats(const struct symbolizer *s, struct symbolizer_stats *ret_stats)
{
	struct symbolizer_stats st = { .nr_processes = process_table_nr(s->processes),
				       .nr_files = file_table_nr(s->files) };

	memcpy(st.misses, s->misses, sizeof(st.misses));
	st.bytes = sizeof(*s) + frame_cache_bytes(s->cache) + file_table_bytes(s->files);
	if (s->kallsyms)
		st.bytes += kallsyms_bytes(s->kallsyms);
	st.bytes += process_table_bytes(s->processes);
	*ret_stats = st;
}
