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

#include "symbol/address_space.h"
#include "symbol/demangle.h"
#include "symbol/frame_cache.h"
#include "symbol/kallsyms.h"
#include "symbol/mapped_file.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define NR_BUCKETS	4096 /* of processes; more than that many are not kept either */
#define MAX_PROCESSES	4096
#define FILE_BUCKETS	256
#define CACHE_ENTRIES	65536
#define SPACE_KERNEL	1
#define SPACE_FIRST	2
#define SPACE_LAST	(UINT32_MAX - 1024)
#define RETRY		(1u << 31)
#define REFRESH_MIN_MS	100
#define REFRESH_MAX_MS	10000
#define KALLSYMS_MIN_MS 5000
#define KALLSYMS_MAX_MS 600000

struct process {
	struct process *next;
	pid_t pid;
	uint32_t space; /* changes with the mappings */
	struct address_space as;
	bool known; /* its mappings could be read at least once */
	uint64_t refresh_ms, wait_ms, used_ms;
};

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
	str_id kernel_module;

	struct process *processes[NR_BUCKETS];
	struct process *last; /* stacks come in runs of one process */
	size_t nr_processes;
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

/* Coarse: a few milliseconds, and no more than reading a variable. */
static uint64_t now_ms(struct symbolizer *s)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
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
	(*slot)->file = mapped_file_get(s->files, &key, now_ms(s), &wants_fd);
	if (wants_fd)
		mapped_file_set_fd(s->files, (*slot)->file, fd);
	else
		close(fd);
	if (old)
		mapped_file_put(old);
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

static void process_free(struct process *p)
{
	address_space_deinit(&p->as);
	free(p);
}

static uint32_t new_space(struct symbolizer *s)
{
	return s->next_space++;
}

/* After 4 thousand million spaces: all caches empty, numbers from the start. */
static void renumber(struct symbolizer *s)
{
	frame_cache_clear(s->cache);
	s->next_space = SPACE_FIRST;
	file_table_renumber(s->files);
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process *p = s->processes[b]; p; p = p->next)
			p->space = new_space(s);
}

static struct process **process_slot(struct symbolizer *s, pid_t pid)
{
	struct process **at = &s->processes[(uint32_t)pid % NR_BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

/* Half of them go: those not asked about since the time that half of them was. */
static void processes_age(struct symbolizer *s)
{
	uint64_t sum = 0, mean;

	s->last = NULL;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process *p = s->processes[b]; p; p = p->next)
			sum += p->used_ms;
	mean = sum / s->nr_processes;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process **at = &s->processes[b]; *at;) {
			struct process *p = *at;

			if (p->used_ms > mean) {
				at = &p->next;
				continue;
			}
			*at = p->next;
			process_free(p);
			s->nr_processes--;
		}
}

static void process_read(struct symbolizer *s, struct process *p, uint64_t now)
{
	struct address_space_source src = { s->root, s->files, s->frames, now };
	struct address_space as = { 0 };

	p->refresh_ms = now + p->wait_ms;
	if (address_space_read(&src, p->pid, &as) <= 0 || address_space_equal(&as, &p->as)) {
		/* Ended, or nothing new: what is known stays, for samples that come late. */
		p->known |= as.nr > 0;
		address_space_deinit(&as);
		if (p->wait_ms < REFRESH_MAX_MS)
			p->wait_ms *= 2;
		return;
	}
	address_space_deinit(&p->as);
	p->as = as;
	p->known = true;
	p->space = new_space(s);
	p->wait_ms = REFRESH_MIN_MS;
}

/* The process, made and read when it is met for the first time. */
static struct process *process_get(struct symbolizer *s, pid_t pid)
{
	struct process **slot, *p = s->last;
	uint64_t now;

	if (p && p->pid == pid)
		return p;
	slot = process_slot(s, pid);
	if (*slot)
		return s->last = *slot;
	now = now_ms(s);
	if (s->next_space > SPACE_LAST)
		renumber(s);
	file_table_age(s->files, now);
	if (s->nr_processes == MAX_PROCESSES) {
		processes_age(s);
		slot = process_slot(s, pid);
	}
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	p->space = new_space(s);
	p->used_ms = now;
	p->wait_ms = REFRESH_MIN_MS;
	p->next = *slot;
	*slot = p;
	s->nr_processes++;
	process_read(s, p, now);
	return s->last = p;
}

void symbolizer_process_seen(struct symbolizer *s, pid_t pid)
{
	process_get(s, pid);
}

void symbolizer_process_gone(struct symbolizer *s, pid_t pid)
{
	struct process **slot = process_slot(s, pid), *p = *slot;

	if (!p)
		return;
	*slot = p->next;
	s->last = NULL;
	s->nr_processes--;
	process_free(p);
}

/* The frame; *ret_retry when another reading of the process might place it better. */
static frame_id process_frame(struct symbolizer *s, struct process *p, uint64_t addr, uint64_t now,
			      bool *ret_retry)
{
	const struct mapping *m = address_space_find(&p->as, addr);

	*ret_retry = false;
	if (!m && now >= p->refresh_ms) {
		process_read(s, p, now);
		m = address_space_find(&p->as, addr);
	}
	if (m && m->file)
		return offset_frame(s, m->file, addr - m->start + m->offset, now);
	*ret_retry = true;
	if (m)
		return unnamed(s, m->name, addr, FRAME_USER, SYMBOL_MISS_ANONYMOUS);
	return unnamed(s, 0, addr, FRAME_USER,
		       p->known ? SYMBOL_MISS_NO_MAPPING : SYMBOL_MISS_NO_PROCESS);
}

frame_id symbolizer_user(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	struct process *p = process_get(s, pid);
	uint32_t hit = frame_cache_get(s->cache, p->space, addr);
	uint64_t now;
	frame_id id;
	bool retry;

	p->used_ms = s->now_ms;
	if (hit && !(hit & RETRY))
		return hit;
	now = now_ms(s);
	if (hit && now < p->refresh_ms)
		return hit & ~RETRY;
	id = process_frame(s, p, addr, now, &retry);
	frame_cache_put(s->cache, p->space, addr, retry ? id | RETRY : id);
	return id;
}

/* ---- the whole ---------------------------------------------------------------------------- */

struct symbolizer *symbolizer_new(struct frame_table *frames, const struct symbolizer_opts *opts)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->frames = frame_table_ref(frames);
	s->root = xstrdup(opts->root ? opts->root : "");
	s->no_demangle = opts->no_demangle;
	s->next_space = SPACE_FIRST;
	s->files = file_table_new(frames, s->root, opts->max_bytes, &s->next_space);
	s->cache = frame_cache_new(CACHE_ENTRIES);
	s->kernel_module = frame_table_intern0(frames, "[kernel]");
	s->name = s->pretty = (struct strbuf)STRBUF_INIT;
	s->kallsyms_wait_ms = KALLSYMS_MIN_MS;
	kallsyms_load(s);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	for (size_t b = 0; b < NR_BUCKETS; b++)
		while (s->processes[b]) {
			struct process *p = s->processes[b];

			s->processes[b] = p->next;
			process_free(p);
		}
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
	struct symbolizer_stats st = { .nr_processes = s->nr_processes,
				       .nr_files = file_table_nr(s->files) };

	memcpy(st.misses, s->misses, sizeof(st.misses));
	st.bytes = sizeof(*s) + frame_cache_bytes(s->cache) + file_table_bytes(s->files);
	if (s->kallsyms)
		st.bytes += kallsyms_bytes(s->kallsyms);
	for (size_t b = 0; b < NR_BUCKETS; b++)
		for (struct process *p = s->processes[b]; p; p = p->next)
			st.bytes += sizeof(*p) + p->as.cap * sizeof(*p->as.mappings);
	*ret_stats = st;
}
