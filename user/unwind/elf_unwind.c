// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads what a table needs out of an ELF64 file, with a handful of reads: its skeleton and
 * .eh_frame.  Nothing the file says about itself is believed beyond the bytes it has.
 */
#include "unwind/elf_unwind.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "elf/cfi_read.h"
#include "elf/elf_image.h"
#include "elf/elf_window.h"
#include "elf/go_functions.h"
#include "unwind/elf_code_rows.h"
#include "unwind/go_pclntab.h"
#include "unwind/cfi_arm64.h"
#include "unwind/vdso_arm64.h"
#include "util/mem.h"

#define MIN_EH_FDES    8	    /* with fewer, .debug_frame is asked too */
#define MAX_ROOT_BYTES (4ull << 20) /* code of a file in which is_start_context() looks */

struct elf_file {
	const struct elf_source *source;
	const struct cfi_machine *machine;
	struct unwind_table *table;
	struct elf_image image;
	bool is_vdso;
	struct elf_window window; /* of code */
	struct address_range range[EDDY_UNWIND_MAX_SEGMENTS];
};

static void count(struct elf_file *elf, enum unwind_defect defect)
{
	elf->table->defects.count[defect]++;
}

static bool read_at(struct elf_file *elf, void *dst, uint64_t len, uint64_t offset)
{
	if (elf_source_read(elf->source, dst, len, offset) >= 0)
		return true;
	count(elf, UNWIND_DEFECT_READ);
	return false;
}

static void add_segment(struct elf_file *elf, const struct elf_segment *s)
{
	struct unwind_table *t = elf->table;
	uint64_t delta = s->vaddr - s->offset, end;

	if (__builtin_add_overflow(s->offset, s->file_bytes, &end) || end > elf->source->len)
		end = elf->source->len;
	if (s->offset >= end || s->vaddr + (end - s->offset) < s->vaddr)
		return;
	if (t->nr_segments == EDDY_UNWIND_MAX_SEGMENTS) {
		count(elf, UNWIND_DEFECT_SEGMENT);
		return;
	}
	elf->range[t->nr_segments] = (struct address_range){ s->vaddr, end + delta };
	t->segment[t->nr_segments++] = (struct eddy_unwind_segment){ s->offset, end, delta };
}

/* Reads the headers; false when this is no ELF file of a machine that we know. */
static bool read_headers(struct elf_file *elf)
{
	struct elf_image *img = &elf->image;
	int r = elf_image_open_source(elf->source, img);

	if (r < 0 && r != -ENOEXEC)
		count(elf, r == -E2BIG ? UNWIND_DEFECT_TOO_LARGE : UNWIND_DEFECT_READ);
	if (r < 0 || !img->is64 || (img->type != ET_EXEC && img->type != ET_DYN))
		return false;
	elf->table->elf_machine = img->machine;
	elf->machine = cfi_machine_find(img->machine);
	if (!elf->machine)
		return false;
	for (size_t i = 0; i < img->nr_segments; i++)
		if (img->segments[i].executable)
			add_segment(elf, &img->segments[i]);
	return elf->table->nr_segments > 0;
}

/* The section of that name, unless it is empty. */
static const struct elf_section *find_section(const struct elf_file *elf, const char *name)
{
	const struct elf_section *s = elf_image_section_by_name(&elf->image, name);

	return s && s->bytes ? s : NULL;
}

/* Counts what a read of cfi_read.h says; true when there is something. */
static bool was_read(struct elf_file *elf, int err, const struct cfi_loaded *bytes)
{
	if (err < 0)
		count(elf, err == -EFBIG     ? UNWIND_DEFECT_TOO_LARGE
			   : err == -ENOTSUP ? UNWIND_DEFECT_COMPRESSED
			   : err == -EPROTO  ? UNWIND_DEFECT_ENCODING
					     : UNWIND_DEFECT_READ);
	return bytes->section.len > 0;
}

/* Whether bytes at an ELF address begin like this. */
static bool code_begins(struct elf_file *elf, uint64_t addr, const void *code, size_t len)
{
	uint8_t bytes[16];
	uint64_t offset, left;

	return len <= sizeof(bytes) && elf_image_bytes_at(&elf->image, addr, &offset, &left) &&
	       left >= len && elf_window_read(&elf->window, elf->source, bytes, len, offset) >= 0 &&
	       !memcmp(bytes, code, len);
}

/*
 * glibc's __start_context, where a coroutine made by makecontext() begins: mov %rbx,%rsp; then
 * pop %rdi or mov (%rsp),%rdi; test %rdi,%rdi.  Its CFI (glibc 2.36 on x86-64) names a caller that
 * does not exist.
 */
static bool is_start_context(void *ctx, const struct cfi_fde *fde)
{
	static const uint8_t by_pop[] = { 0x48, 0x89, 0xdc, 0x5f, 0x48, 0x85, 0xff };
	static const uint8_t by_mov[] = {
		0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff
	};

	return code_begins(ctx, fde->start, by_pop, sizeof(by_pop)) ||
	       code_begins(ctx, fde->start, by_mov, sizeof(by_mov));
}

/*
 * The entry point, when it can be a root.  Old linkers write the begin of .text into shared
 * objects too; those are only believed when the code looks like ld.so's: mov %rsp,%rdi, with or
 * without endbr64; on arm64 mov x0,sp, with or without bti c.
 */
static uint64_t entry_of(struct elf_file *elf)
{
	static const uint8_t x86_64[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xe7 };
	static const uint8_t arm64[] = { 0x5f, 0x24, 0x03, 0xd5, 0xe0, 0x03, 0x00, 0x91 };
	const uint8_t *code = elf->machine->elf_machine == EM_X86_64 ? x86_64 : arm64;
	size_t len = code == x86_64 ? sizeof(x86_64) : sizeof(arm64);
	uint64_t entry = elf->image.entry;

	if (!entry || elf->image.has_interp || elf->image.type == ET_EXEC ||
	    code_begins(elf, entry, code, len) || code_begins(elf, entry, code + 4, len - 4))
		return entry;
	return 0;
}

static struct unwind_table_hints hints_of(struct elf_file *elf)
{
	struct unwind_table_hints hints = { .entry = entry_of(elf), .ctx = elf };
	uint64_t code_bytes = 0;

	for (uint32_t i = 0; i < elf->table->nr_segments; i++)
		code_bytes += elf->table->segment[i].end - elf->table->segment[i].begin;
	if (elf->machine->elf_machine == EM_X86_64 && code_bytes <= MAX_ROOT_BYTES)
		hints.is_root = is_start_context;
	return hints;
}

/* To a file of arm64 that has CFI, what that leaves out. */
static void add_uncovered(struct elf_file *elf, struct eh_frame *eh)
{
	const struct eddy_unwind_segment *code = &elf->table->segment[0];
	const struct elf_section *plt = find_section(elf, ".plt");
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t head[2];

	if (elf->machine->elf_machine != EM_AARCH64 || !eh->nr_fdes)
		return;
	if (plt && read_at(elf, head, sizeof(head), plt->offset))
		cfi_arm64_add_plt(eh, plt->addr, plt->bytes, head);
	if (!elf->is_vdso || code->end - code->begin > VDSO_ARM64_MAX_BYTES)
		return;
	bytes = xmalloc(code->end - code->begin);
	if (read_at(elf, bytes, code->end - code->begin, code->begin))
		cfi_arm64_add_trampoline(eh, code->begin + code->delta, bytes,
					 code->end - code->begin);
}

/* Of a Go program; the answer is the bytes that must outlive eh. */
static uint8_t *add_go(struct elf_file *elf, struct eh_frame *eh)
{
	const struct elf_section *text = find_section(elf, ".text");
	const struct elf_section *table = go_functions_section(&elf->image);
	_cleanup_cfi_loaded_ struct cfi_loaded lines = { 0 };
	struct cfi_section section = { 0 };
	struct go_cfi cfi;

	if (!table)
		return NULL;
	was_read(elf, cfi_read_section(&elf->image, table, &lines), &lines);
	cfi = go_pclntab_read(lines.section.bytes, lines.section.len, text ? text->addr : 0);
	section.bytes = cfi.bytes;
	section.len = cfi.len;
	if (cfi.is_cut)
		count(elf, UNWIND_DEFECT_TOO_LARGE);
	if (cfi.len)
		eh_frame_add(eh, &section);
	return cfi.bytes;
}

/* FDEs are sorted, and go before what the code says. */
static void find_code_rows(struct elf_file *elf, const struct eh_frame *eh, uint64_t entry,
			   struct unwind_rules *rules, struct elf_code_rows *ret_rows)
{
	_cleanup_free_ struct code_span *covered = NULL;
	struct elf_code_question q = { .img = &elf->image,
				       .nr_covered = eh->nr_fdes,
				       .entry = entry };

	covered = xreallocarray(NULL, eh->nr_fdes + 1, sizeof(*covered));
	for (size_t i = 0; i < eh->nr_fdes; i++)
		covered[i] = (struct code_span){ eh->fdes[i].start, eh->fdes[i].end };
	q.covered = covered;
	elf_code_rows_find(&q, rules, ret_rows);
	elf->table->defects.count[UNWIND_DEFECT_TOO_LARGE] += ret_rows->is_cut;
}

static void build(struct elf_file *elf, struct unwind_rules *rules)
{
	_cleanup_cfi_loaded_ struct cfi_loaded eh_frame = { 0 }, debug_frame = { 0 };
	struct unwind_table_hints hints = hints_of(elf);
	_cleanup_elf_code_rows_ struct elf_code_rows code = { 0 };
	_cleanup_free_ uint8_t *go = NULL;
	struct eh_frame eh;

	eh_frame_init(&eh, elf->machine, elf->range, elf->table->nr_segments);
	if (was_read(elf, cfi_read_eh_frame(&elf->image, &eh_frame), &eh_frame))
		eh_frame_add(&eh, &eh_frame.section);
	go = add_go(elf, &eh);
	if (eh.nr_fdes < MIN_EH_FDES &&
	    was_read(elf, cfi_read_debug_frame(&elf->image, &debug_frame), &debug_frame))
		eh_frame_add(&eh, &debug_frame.section);
	add_uncovered(elf, &eh);
	eh_frame_sort(&eh);
	if (!elf->is_vdso) {
		find_code_rows(elf, &eh, hints.entry, rules, &code);
		hints.code = &code.rows;
	}
	unwind_table_build(elf->table, &eh, rules, &hints);
	eh_frame_deinit(&eh);
}

static struct unwind_table *read_table(const struct elf_source *source, struct unwind_rules *rules,
				       bool is_vdso)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct elf_file elf = { .source = source, .table = table, .is_vdso = is_vdso };

	if (!rules)
		rules = table->own_rules = unwind_rules_new();
	table->rules = rules;
	table->kind = EDDY_FILE_NOTABLE;
	if (read_headers(&elf)) {
		build(&elf, rules);
		if (is_vdso && table->kind == EDDY_FILE_NOTABLE && table->elf_machine == EM_AARCH64)
			vdso_arm64_build(table, source, rules);
	}
	/*
	 * Without segments, no address is one of the file: code in what is not ELF may be what a
	 * program compiled into shared memory, and its process has to be asked for its name.
	 */
	elf_window_deinit(&elf.window);
	elf_image_deinit(&elf.image);
	return table;
}

struct unwind_table *elf_unwind_read(const struct elf_source *source, struct unwind_rules *rules)
{
	return read_table(source, rules, false);
}

struct unwind_table *elf_unwind_read_vdso(const struct elf_source *source,
					  struct unwind_rules *rules)
{
	return read_table(source, rules, true);
}
