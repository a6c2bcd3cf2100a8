// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwfl_check SECONDS HZ [COMM...]: samples the machine with copies of all user stacks, walks each
 * copy again with elfutils' libdwfl, which shares no code with the sampler, and compares frame by
 * frame.  Prints, for all and for each COMM:
 *
 *	samples N frames N same N prefix N differ N unchecked N
 *
 * prefix: libdwfl stopped earlier (the copy ends, CFI it does not follow) and agreed until there,
 * or the sampler did; differ: the frames are not the same, shown on standard error; unchecked: the
 * process had ended, or libdwfl could not begin, or met memory that it has no file for.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/sampler.h"
#include "unwind/unwind_end.h"
#include "util/mem.h"

#define MAX_FRAMES    512
#define MAX_PROCESSES 4096
#define MAX_SHOWN     20

struct process {
	uint32_t pid;
	char comm[EDDY_COMM_BYTES];
	Dwfl *dwfl;
};

struct tally {
	const char *comm; /* NULL: all */
	uint64_t samples, frames, same, prefix, differ, unchecked;
};

struct check {
	struct process processes[MAX_PROCESSES];
	size_t nr_processes;
	struct tally *tallies;
	size_t nr_tallies;
	const struct eddy_late_event *ev; /* being checked */
	/* By libdwfl, stepped back: virtual addresses and ELF addresses. */
	uint64_t pcs[MAX_FRAMES], elf_pcs[MAX_FRAMES];
	size_t nr_pcs;
	bool is_module_missing;
	unsigned int nr_shown;
};

static struct check check;

/* ---- libdwfl ------------------------------------------------------------------------------ */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return check.ev->ev.pid;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	uint64_t into = addr - check.ev->stack_addr;

	if (into > check.ev->stack_bytes || check.ev->stack_bytes - into < sizeof(*result))
		return false;
	memcpy(result, check.ev->stack + into, sizeof(*result));
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
	Dwarf_Word regs[17];

	for (int i = 0; i < 17; i++)
		regs[i] = check.ev->gpr[from[i]];
	return dwfl_thread_state_registers(thread, 0, 17, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	Dwfl *dwfl = dwfl_thread_dwfl(dwfl_frame_thread(frame));
	Dwfl_Module *module;
	Dwarf_Addr pc, bias = 0;
	bool is_exact;

	if (check.nr_pcs == MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &is_exact))
		return DWARF_CB_ABORT;
	pc -= !is_exact;
	module = dwfl_addrmodule(dwfl, pc);
	if (module)
		dwfl_module_getelf(module, &bias);
	else
		check.is_module_missing = true;
	check.pcs[check.nr_pcs] = pc;
	check.elf_pcs[check.nr_pcs++] = pc - bias;
	return DWARF_CB_OK;
}

static int on_thread(Dwfl_Thread *thread, void *arg)
{
	dwfl_thread_getframes(thread, on_frame, NULL);
	return DWARF_CB_OK;
}

static Dwfl *process_open(uint32_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = NULL,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, pid, &thread_callbacks, &check)) {
		dwfl_end(dwfl);
		return NULL;
	}
	return dwfl;
}

/* A new one for a process whose name changed: it called exec, and its modules are others. */
static struct process *process_find(const struct eddy_stack_event *ev)
{
	for (size_t i = 0; i < check.nr_processes; i++)
		if (check.processes[i].pid == ev->pid &&
		    !memcmp(check.processes[i].comm, ev->comm, sizeof(ev->comm)))
			return &check.processes[i];
	if (check.nr_processes == MAX_PROCESSES)
		return NULL;
	struct process *p = &check.processes[check.nr_processes++];

	p->pid = ev->pid;
	memcpy(p->comm, ev->comm, sizeof(p->comm));
	p->dwfl = process_open(ev->pid);
	return p;
}

/* Modules are those that the process had when it was met: reported again when one is missing. */
static bool walk(struct process *p)
{
	for (int attempt = 0; attempt < 2; attempt++) {
		check.nr_pcs = 0;
		check.is_module_missing = false;
		if (!p->dwfl)
			return false;
		dwfl_getthreads(p->dwfl, on_thread, NULL);
		if (!check.is_module_missing || attempt)
			break;
		dwfl_end(p->dwfl);
		p->dwfl = process_open(p->pid);
	}
	return check.nr_pcs > 0 && !check.is_module_missing;
}

/* ---- comparison --------------------------------------------------------------------------- */

static uint64_t frame_address(const struct eddy_stack_event *ev, size_t i)
{
	uint64_t f = ev->frames[ev->nr_kernel + i];

	return f & EDDY_FRAME_FILE ? f & EDDY_FRAME_ADDR_MASK : f;
}

static bool is_same_frame(const struct eddy_stack_event *ev, size_t i)
{
	bool is_elf = ev->frames[ev->nr_kernel + i] & EDDY_FRAME_FILE;

	return frame_address(ev, i) == (is_elf ? check.elf_pcs[i] : check.pcs[i]);
}

static void show(const struct eddy_stack_event *ev, size_t at)
{
	if (check.nr_shown++ >= MAX_SHOWN)
		return;
	fprintf(stderr, "%.16s %u: frame %zu differs, %u by the sampler (end %s), %zu by libdwfl\n",
		ev->comm, ev->pid, at, ev->nr_user, unwind_end_name(ev->user_end), check.nr_pcs);
	for (size_t i = at > 2 ? at - 2 : 0; i < at + 4; i++)
		fprintf(stderr, "  %zu: %#" PRIx64 " %#" PRIx64 "\n", i,
			i < ev->nr_user ? frame_address(ev, i) : 0,
			i < check.nr_pcs ? check.elf_pcs[i] : 0);
}

static void tally_add(struct tally *t, const struct eddy_stack_event *ev, bool is_checked,
		      size_t same)
{
	t->samples++;
	if (!is_checked) {
		t->unchecked++;
		return;
	}
	t->frames += same;
	if (same == ev->nr_user && same == check.nr_pcs)
		t->same++;
	else if (same == ev->nr_user || same == check.nr_pcs)
		t->prefix++;
	else
		t->differ++;
}

static void on_copy(void *ctx, const struct eddy_late_event *late)
{
	const struct eddy_stack_event *ev = &late->ev;
	struct process *p = process_find(ev);
	bool is_checked;
	size_t same = 0;

	if (ev->nr_kernel + ev->nr_user > EDDY_LATE_FRAMES || ev->pid == (uint32_t)getpid())
		return;
	check.ev = late;
	is_checked = p && walk(p);
	while (is_checked && same < ev->nr_user && same < check.nr_pcs && is_same_frame(ev, same))
		same++;
	if (is_checked && same < ev->nr_user && same < check.nr_pcs)
		show(ev, same);
	for (size_t i = 0; i < check.nr_tallies; i++)
		if (!check.tallies[i].comm || !strncmp(check.tallies[i].comm, ev->comm, 15))
			tally_add(&check.tallies[i], ev, is_checked, same);
}

/* ---- the rest of a consumer --------------------------------------------------------------- */

static uint32_t on_stack(void *ctx, const struct eddy_stack_event *ev)
{
	return 0;
}

static void on_count(void *ctx, uint32_t tag, uint64_t samples)
{
}

static void on_file(void *ctx, uint32_t file, int fd, const char *path)
{
	close(fd);
}

static void on_exec(void *ctx, const struct eddy_process_event *ev)
{
}

int main(int argc, char **argv)
{
	const struct sampler_consumer consumer = { .stack = on_stack,
						   .count = on_count,
						   .file = on_file,
						   .copy = on_copy,
						   .exec = on_exec };
	struct sampler_opts opts = { .max_user_frames = 255,
				     .ring_bytes = 16 << 20,
				     .copy_all = true,
				     .identity = EDDY_IDENTITY_PID };
	_cleanup_(sampler_freep) struct sampler *s = NULL;
	struct diag diag = { "" };
	time_t end;

	if (argc < 3)
		return 2;
	check.nr_tallies = argc - 2;
	check.tallies = xcalloc(check.nr_tallies, sizeof(*check.tallies));
	for (size_t i = 1; i < check.nr_tallies; i++)
		check.tallies[i].comm = argv[2 + i];
	opts.rate.freq_hz = strtoull(argv[2], NULL, 10);
	if (capture_event_parse("cpu-clock", &opts.event, &diag) < 0 ||
	    sampler_open(&opts, &consumer, &s, &diag) < 0 || sampler_start(s, &diag) < 0) {
		fprintf(stderr, "dwfl_check: %s\n", diag.text);
		return 1;
	}
	end = time(NULL) + strtol(argv[1], NULL, 10);
	while (time(NULL) < end) {
		struct pollfd fd = { .fd = sampler_poll_fd(s), .events = POLLIN };

		poll(&fd, 1, 20);
		sampler_drain_ring(s);
	}
	sampler_stop(s);
	for (size_t i = 0; i < check.nr_tallies; i++) {
		const struct tally *t = &check.tallies[i];

		printf("%-15s samples %" PRIu64 " frames %" PRIu64 " same %" PRIu64
		       " prefix %" PRIu64 " differ %" PRIu64 " unchecked %" PRIu64 "\n",
		       t->comm ? t->comm : "all", t->samples, t->frames, t->same, t->prefix,
		       t->differ, t->unchecked);
	}
	return 0;
}
