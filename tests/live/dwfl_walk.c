// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdwfl gets the modules of a process from the text of its mappings, as they were when the sample
 * was taken, and its memory from the copy.  The vdso is this program's own: all 64-bit processes
 * have the same.
 */
#include "dwfl_walk.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "util/cleanup.h"

#define VDSO_NAME "[vdso: of this kernel]" /* libdwfl looks for "[vdso: " */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct dwfl_walk *w = arg;

	if (*thread_arg)
		return 0;
	*thread_arg = w;
	return (pid_t)w->copy->ev.pid;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct dwfl_walk *w = arg;
	uint64_t into = addr - w->copy->stack_addr;

	if (into > w->copy->stack_bytes || w->copy->stack_bytes - into < sizeof(*result)) {
		w->end.beyond_copy = true;
		return false;
	}
	memcpy(result, w->copy->stack + into, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	/* DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip. */
	static const int from[17] = {
		EDDY_GPR_AX,  EDDY_GPR_DX,  EDDY_GPR_CX,  EDDY_GPR_BX,	EDDY_GPR_SI,  EDDY_GPR_DI,
		EDDY_GPR_BP,  EDDY_GPR_SP,  EDDY_GPR_R8,  EDDY_GPR_R9,	EDDY_GPR_R10, EDDY_GPR_R11,
		EDDY_GPR_R12, EDDY_GPR_R13, EDDY_GPR_R14, EDDY_GPR_R15, EDDY_GPR_IP,
	};
	const struct dwfl_walk *w = arg;
	Dwarf_Word regs[17];

	for (int i = 0; i < 17; i++)
		regs[i] = w->copy->gpr[from[i]];
	return dwfl_thread_state_registers(thread, 0, 17, regs);
}

/*
 * A file may be mapped once more elsewhere, as V8 does to its own; libdwfl then believes that its
 * module reaches there.  What belongs to an address is found by its line of the mappings.
 */
struct other_mapping {
	char path[256];
	uint64_t offset;   /* of pc, in the file */
	uint64_t elf_addr; /* 0: not found */
};

/* Calls fn for the loadable segments of a module until it gives a number other than 0. */
static uint64_t for_segments(Dwfl_Module *module, uint64_t (*fn)(const GElf_Phdr *, uint64_t),
			     uint64_t arg)
{
	Dwarf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	uint64_t found = 0;
	GElf_Phdr p;
	size_t nr;

	if (!elf || elf_getphdrnum(elf, &nr))
		return 0;
	for (size_t i = 0; i < nr && !found; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			found = fn(&p, arg);
	return found;
}

static uint64_t holds_address(const GElf_Phdr *p, uint64_t addr)
{
	return addr - p->p_vaddr < p->p_memsz;
}

static uint64_t address_of_offset(const GElf_Phdr *p, uint64_t offset)
{
	return offset - p->p_offset < p->p_filesz ? offset - p->p_offset + p->p_vaddr : 0;
}

static int match_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr start,
		      void *arg)
{
	struct other_mapping *other = arg;

	if (strcmp(name, other->path))
		return DWARF_CB_OK;
	other->elf_addr = for_segments(module, address_of_offset, other->offset);
	return DWARF_CB_ABORT;
}

/* The ELF address of a mapped file's byte; pc where no file is. */
static uint64_t file_address(struct dwfl_walk *w, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(w->dwfl, pc);
	struct other_mapping other = { .elf_addr = 0 };
	unsigned long long start, end, offset;
	Dwarf_Addr bias = 0;

	if (module && dwfl_module_getelf(module, &bias) &&
	    for_segments(module, holds_address, pc - bias))
		return pc - bias;
	for (const char *line = w->maps; *line; line += strcspn(line, "\n") + 1) {
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*u %255[^\n]", &start, &end, &offset,
			   other.path) != 4 ||
		    pc < start || pc >= end)
			continue;
		other.offset = pc - start + offset;
		dwfl_getmodules(w->dwfl, match_file, &other, 0);
		break;
	}
	return other.elf_addr ? other.elf_addr : pc;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct dwfl_walk *w = arg;
	Dwarf_Addr pc;
	bool is_exact;

	if (w->nr_pcs == WALK_MAX_FRAMES) {
		w->end.too_deep = true;
		return DWARF_CB_ABORT;
	}
	if (!dwfl_frame_pc(frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	pc -= !is_exact;
	w->pcs[w->nr_pcs] = pc;
	w->elf_pcs[w->nr_pcs++] = file_address(w, pc);
	return DWARF_CB_OK;
}

static int on_thread(Dwfl_Thread *thread, void *arg)
{
	dwfl_thread_getframes(thread, on_frame, arg);
	return DWARF_CB_OK;
}

void dwfl_walk_copy(struct dwfl_walk *w, const struct copy *copy)
{
	w->copy = copy;
	w->nr_pcs = 0;
	w->end = (struct walk_end){ false, false };
	if (w->dwfl)
		dwfl_getthreads(w->dwfl, on_thread, w);
}

/* ---- modules ------------------------------------------------------------------------------ */

static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	Elf64_Ehdr *vdso = (Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);

	if (strcmp(name, VDSO_NAME))
		return dwfl_linux_proc_find_elf(module, userdata, name, base, file_name, elf);
	if (vdso)
		*elf = elf_memory((char *)vdso, vdso->e_shoff + vdso->e_shnum * vdso->e_shentsize);
	return -1;
}

/* What is compared is the file's own .eh_frame. */
static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			     Dwarf_Addr base, const char *file_name, const char *link,
			     GElf_Word crc, char **debuginfo_file_name)
{
	return -1;
}

static void report_vdso(Dwfl *dwfl, const char *text)
{
	const char *line = strstr(text, "[vdso]");
	unsigned long long start, end;

	while (line && line > text && line[-1] != '\n')
		line--;
	if (line && sscanf(line, "%llx-%llx", &start, &end) == 2)
		dwfl_report_module(dwfl, VDSO_NAME, start, end);
}

static bool report(Dwfl *dwfl, const char *text)
{
	_cleanup_fclose_ FILE *maps = fmemopen((char *)text, strlen(text), "r");

	dwfl_report_begin(dwfl);
	if (!maps || dwfl_linux_proc_maps_report(dwfl, maps))
		return false;
	report_vdso(dwfl, text);
	return !dwfl_report_end(dwfl, NULL, NULL);
}

void dwfl_walk_init(struct dwfl_walk *w, uint32_t pid, const struct reading *reading)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_no_debuginfo,
	};
	static const Dwfl_Thread_Callbacks thread_callbacks = {
		.next_thread = next_thread,
		.memory_read = memory_read,
		.set_initial_registers = set_registers,
	};

	w->dwfl = dwfl_begin(&callbacks);
	w->maps = reading->text;
	w->nr_pcs = 0;
	if (w->dwfl && report(w->dwfl, reading->text) &&
	    dwfl_attach_state(w->dwfl, NULL, (pid_t)pid, &thread_callbacks, w))
		return;
	dwfl_end(w->dwfl);
	w->dwfl = NULL;
}

void dwfl_walk_deinit(struct dwfl_walk *w)
{
	dwfl_end(w->dwfl);
	w->dwfl = NULL;
}

/* ---- questions ---------------------------------------------------------------------------- */

bool dwfl_walk_has_file(const struct dwfl_walk *w, uint64_t pc)
{
	return dwfl_addrmodule(w->dwfl, pc);
}

static Dwarf_Frame *frame_info(const struct dwfl_walk *w, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(w->dwfl, pc);
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return NULL;
	return frame;
}

bool dwfl_walk_has_cfi(const struct dwfl_walk *w, uint64_t pc)
{
	_cleanup_free_ Dwarf_Frame *frame = frame_info(w, pc);

	return frame;
}

int dwfl_walk_cfa_register(const struct dwfl_walk *w, uint64_t pc)
{
	_cleanup_free_ Dwarf_Frame *frame = frame_info(w, pc);
	Dwarf_Op *ops;
	size_t nr;

	if (!frame || dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return -1;
	if (ops[0].atom == DW_OP_bregx)
		return (int)ops[0].number;
	if (ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31)
		return -1;
	return ops[0].atom - DW_OP_breg0;
}

size_t dwfl_walk_cfa_operations(const struct dwfl_walk *w, uint64_t pc)
{
	_cleanup_free_ Dwarf_Frame *frame = frame_info(w, pc);
	Dwarf_Op *ops;
	size_t nr;

	return !frame || dwarf_frame_cfa(frame, &ops, &nr) ? 0 : nr;
}

int dwfl_walk_ra_register(const struct dwfl_walk *w, uint64_t pc)
{
	_cleanup_free_ Dwarf_Frame *frame = frame_info(w, pc);
	Dwarf_Op mem[3], *ops;
	size_t nr;
	int ra;

	if (!frame)
		return -1;
	ra = dwarf_frame_info(frame, NULL, NULL, NULL);
	if (ra < 0 || dwarf_frame_register(frame, ra, mem, &ops, &nr) || nr != 1 ||
	    ops[0].atom != DW_OP_regx)
		return -1;
	return (int)ops[0].number;
}

bool dwfl_walk_loses_register(const struct dwfl_walk *w, uint64_t pc, int reg)
{
	_cleanup_free_ Dwarf_Frame *frame = frame_info(w, pc);
	Dwarf_Op mem[3], *ops;
	size_t nr;

	return frame && !dwarf_frame_register(frame, reg, mem, &ops, &nr) && !nr && ops;
}

const char *dwfl_walk_symbol(const struct dwfl_walk *w, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(w->dwfl, pc);
	const char *name = module ? dwfl_module_addrname(module, pc) : NULL;

	return name ? name : "";
}
