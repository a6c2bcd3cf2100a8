// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole stacks, recorded in this process and replayed: a function at known depth copies the
 * registers and the stack, late_unwind() walks the copy with tables built from the files in
 * /proc/self/maps.  The chain must be the one the test made, and the same as backtrace() finds
 * (libgcc's unwinder: independent code).
 */
#include "unwind/late_unwind.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "unit/unit.h"
#include "unwind/elf_unwind.h"
#include "util/cleanup.h"
#include "util/mem.h"

#define STACK_BYTES (256 << 10)
#define MAX_FRAMES  200

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

/* ---- what the process has mapped ---------------------------------------------------------- */

struct mapping {
	uint64_t start, end, offset;
	struct unwind_table *table; /* NULL: anonymous */
	uint32_t file;
};

static struct {
	struct mapping map[128];
	size_t nr;
	struct unwind_rules *rules;
	unsigned int nr_by_rbx; /* look-ups that met _dl_runtime_resolve */
} self;

static void add_mapping(const char *line)
{
	struct mapping *m = &self.map[self.nr];
	struct elf_source source;
	char perms[8], path[512] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %511[^\n]", &m->start,
		   &m->end, perms, &m->offset, path) < 4 ||
	    perms[2] != 'x' || self.nr == ARRAY_SIZE(self.map))
		return;
	m->table = NULL;
	m->file = 0;
	if (!strcmp(path, "[vdso]")) {
		source = elf_source_from_bytes((void *)(uintptr_t)m->start, m->end - m->start);
		m->table = elf_unwind_read_vdso(&source, self.rules);
	} else if (path[0] == '/') {
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0 && elf_source_from_fd(fd, &source) == 0);
		m->table = elf_unwind_read(&source, self.rules);
	}
	m->file = m->table ? (uint32_t)self.nr + 1 : 0;
	self.nr++;
}

static void read_maps(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];

	for (size_t i = 0; i < self.nr; i++)
		unwind_table_free(self.map[i].table);
	self.nr = 0;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		add_mapping(line);
}

static void find_place(void *ctx, uint64_t pc, struct late_place *ret_place)
{
	for (size_t i = 0; i < self.nr; i++) {
		const struct mapping *m = &self.map[i];
		uint64_t off = pc - m->start + m->offset;

		if (pc < m->start || pc >= m->end)
			continue;
		ret_place->kind = m->table ? LATE_PLACE_NOTABLE : LATE_PLACE_ANONYMOUS;
		for (uint32_t k = 0; m->table && k < m->table->nr_segments; k++) {
			const struct eddy_unwind_segment *s = &m->table->segment[k];

			if (off < s->begin || off >= s->end)
				continue;
			ret_place->file = m->file;
			ret_place->elf_addr = off + s->delta;
		}
		if (m->table && m->table->kind == EDDY_FILE_TABLE) {
			ret_place->kind = LATE_PLACE_TABLE;
			ret_place->rule = unwind_rules_get(
				self.rules, unwind_table_find(m->table, ret_place->elf_addr));
			self.nr_by_rbx += ret_place->rule->cfa == EDDY_CFA_REG + EDDY_GPR_BX;
		}
	}
}

/* ---- recording ------------------------------------------------------------------------------ */

static struct {
	struct late_sample sample;
	char stack[STACK_BYTES];
	void *expect[MAX_FRAMES]; /* return addresses as backtrace() sees them */
	int nr_expect;
} record;

/*
 * Copies what is there of the stack, up to STACK_BYTES, from the red zone on: after "leave", CFI
 * still finds the caller's rbp just below sp.
 */
static void record_stack(const ucontext_t *uc)
{
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP] - 128, end = sp;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];
	uint64_t from, to;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from <= sp && sp < to)
			end = to;
	if (f)
		fclose(f);
	record.sample = (struct late_sample){ .arch = 0, .stack_addr = sp, .stack = record.stack };
	for (int i = 0; i < EDDY_NR_GPRS; i++)
		record.sample.gpr[i] = (uint64_t)uc->uc_mcontext.gregs[i];
	record.sample.stack_len = end - sp < STACK_BYTES ? end - sp : STACK_BYTES;
	memcpy(record.stack, (void *)(uintptr_t)sp, record.sample.stack_len);
}

static __attribute__((noinline)) void snapshot(void)
{
	ucontext_t uc;

	getcontext(&uc);
	record_stack(&uc);
	record.nr_expect = backtrace(record.expect, MAX_FRAMES);
}

static volatile unsigned int sink;

static __attribute__((noinline)) unsigned int recurse(unsigned int depth, void (*at_bottom)(void))
{
	volatile unsigned int pad[3] = { depth, depth, depth };

	if (!depth)
		at_bottom();
	else
		pad[1] += recurse(depth - 1, at_bottom);
	return pad[1] + sink;
}

static __attribute__((noinline)) unsigned int recurse_alloca(unsigned int depth,
							     void (*at_bottom)(void))
{
	volatile char *room = __builtin_alloca(16 + depth * 24);

	room[0] = (char)depth;
	if (!depth)
		at_bottom();
	else
		sink += recurse_alloca(depth - 1, at_bottom);
	return (unsigned int)room[0] + sink;
}

/* A local with more than the ABI's alignment: gcc realigns through a saved argument pointer. */
static __attribute__((noinline)) unsigned int recurse_aligned(unsigned int depth,
							      void (*at_bottom)(void))
{
	volatile char room[64] __attribute__((aligned(64)));

	room[0] = (char)depth;
	if (!depth)
		at_bottom();
	else
		sink += recurse_aligned(depth - 1, at_bottom);
	return (unsigned int)room[0] + sink;
}

/* ---- replaying ------------------------------------------------------------------------------ */

static struct late_stack replay(struct late_frame *frames, size_t max_frames)
{
	const struct late_places places = { .find = find_place };
	struct late_stack stack = { .frames = frames, .max_frames = max_frames };

	late_unwind(&record.sample, &places, &stack);
	return stack;
}

/* How many frames of the stack lie in a function of at most 512 bytes at `fn`. */
static size_t frames_in(const struct late_stack *stack, const void *fn)
{
	size_t n = 0;

	for (size_t i = 0; i < stack->nr_frames; i++)
		n += stack->frames[i].pc - (uintptr_t)fn < 512;
	return n;
}

/* Frame 0 lies within the function that recorded; all others are what backtrace() found. */
static void assert_as_backtrace(const struct late_stack *stack)
{
	assert_int_equal(stack->end, EDDY_END_ROOT);
	assert_int_equal(stack->nr_fp_steps, 0);
	assert_int_equal(stack->nr_frames, record.nr_expect);
	for (size_t i = 1; i < stack->nr_frames; i++)
		assert_true(stack->frames[i].pc == (uintptr_t)record.expect[i] - 1);
}

static void deep_recursion(void **state)
{
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;

	recurse(100, snapshot);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	assert_as_backtrace(&stack);
	assert_true(stack.nr_frames > 100);

	/* The depth limit, and a copy that ends too early. */
	stack = replay(frames, 50);
	assert_int_equal(stack.end, EDDY_END_DEPTH);
	assert_int_equal(stack.nr_frames, 50);
	record.sample.stack_len = 1128;
	stack = replay(frames, MAX_FRAMES);
	assert_int_equal(stack.end, EDDY_END_FAULT);
	assert_true(stack.fault_addr >= record.sample.stack_addr + 1128 - 8);
}

static void variable_frames(void **state)
{
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;

	recurse_alloca(30, snapshot);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	assert_as_backtrace(&stack);
	recurse_aligned(30, snapshot);
	stack = replay(frames, MAX_FRAMES);
	assert_as_backtrace(&stack);
}

static int compare(const void *a, const void *b)
{
	if (!record.nr_expect)
		recurse(5, snapshot);
	return *(const int *)a - *(const int *)b;
}

static void through_libc(void **state)
{
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;
	int numbers[20] = { 0 };

	record.nr_expect = 0;
	qsort(numbers, 20, sizeof(numbers[0]), compare);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	assert_as_backtrace(&stack);
	assert_int_equal(frames_in(&stack, (const void *)recurse) > 0, 1);
}

static void *thread(void *arg)
{
	recurse(10, snapshot);
	return NULL;
}

static void of_a_thread(void **state)
{
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;
	pthread_t id;

	assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
	pthread_join(id, NULL);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	assert_as_backtrace(&stack);
}

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	recurse(5, snapshot);
}

static void raise_it(void)
{
	raise(SIGUSR1);
	sink++; /* or it would be a tail call */
}

/* From a handler through the signal frame into the function it interrupted. */
static void through_a_signal(int flags)
{
	static char alternate[64 << 10];
	const stack_t ss = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	recurse(20, raise_it);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	if (flags & SA_ONSTACK) {
		/* The copy holds the alternate stack only. */
		assert_int_equal(stack.end, EDDY_END_FAULT);
		assert_true(stack.nr_frames > 8);
		return;
	}
	assert_int_equal(stack.end, EDDY_END_ROOT);
	assert_int_equal(stack.nr_frames, record.nr_expect);
	/* The interrupted frame is exact, all others are return addresses. */
	for (size_t i = 1; i < stack.nr_frames; i++)
		assert_true((uintptr_t)record.expect[i] - stack.frames[i].pc <= 1);
	assert_true(frames_in(&stack, (const void *)raise_it) > 0);
}

static void signal_on_the_same_stack(void **state)
{
	through_a_signal(0);
}

static void signal_on_another_stack(void **state)
{
	through_a_signal(SA_ONSTACK);
}

static ucontext_t back;

static void coroutine(void)
{
	recurse(3, snapshot);
	sink++;
}

static void coroutines_have_a_root(void **state)
{
	static char memory[64 << 10];
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;
	ucontext_t uc;

	getcontext(&uc);
	uc.uc_stack = (stack_t){ .ss_sp = memory, .ss_size = sizeof(memory) };
	uc.uc_link = &back;
	makecontext(&uc, coroutine, 0);
	swapcontext(&back, &uc);
	read_maps();
	stack = replay(frames, MAX_FRAMES);
	assert_int_equal(stack.end, EDDY_END_ROOT);
	assert_true(frames_in(&stack, (const void *)coroutine) > 0);
}

/* Registers as a sampler would find them at any instruction: single-step through code. */
static struct {
	unsigned int nr_stops, nr_wrong;
	struct late_frame wrong[8];
	uintptr_t root_pc;
} stepping;

static void on_trap(int sig, siginfo_t *info, void *uc)
{
	struct late_frame frames[MAX_FRAMES];
	struct late_stack stack;

	record_stack(uc);
	stack = replay(frames, MAX_FRAMES);
	stepping.nr_stops++;
	/* Whatever the instruction, the base of the stack stays what it was. */
	if (stack.end != EDDY_END_ROOT || stack.nr_frames < 3 ||
	    (stepping.root_pc && frames[stack.nr_frames - 3].pc != stepping.root_pc)) {
		if (stepping.nr_wrong < ARRAY_SIZE(stepping.wrong)) {
			stepping.wrong[stepping.nr_wrong] = frames[0];
			stepping.wrong[stepping.nr_wrong].file = (uint32_t)stack.end;
		}
		stepping.nr_wrong++;
	} else {
		stepping.root_pc = frames[stack.nr_frames - 3].pc;
	}
}

void trap_on(void);
void trap_off(void);

/* In assembly, so that its pushes have CFI. */
__asm__(".pushsection .text\n"
	"trap_on: .cfi_startproc\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\norl $0x100, (%rsp)\n"
	"popfq\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
	"trap_off: .cfi_startproc\n"
	"pushfq\n.cfi_adjust_cfa_offset 8\nandl $~0x100, (%rsp)\n"
	"popfq\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
	".popsection\n");

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void nothing(void)
{
	sink++;
}

/* The first call of a function that is bound lazily goes through _dl_runtime_resolve. */
static void bind_lazily(void)
{
	sink += (unsigned int)getppid();
	sink += dlsym(RTLD_DEFAULT, "qsort") != NULL;
}

static void every_instruction(void **state)
{
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	int numbers[8] = { 5, 3, 8, 1, 9, 2, 7, 4 };
	char text[64];

	read_maps();
	sigaction(SIGTRAP, &sa, NULL);
	trap_on();
	recurse(2, nothing);
	recurse_alloca(2, nothing);
	recurse_aligned(2, nothing);
	qsort(numbers, 8, sizeof(numbers[0]), compare_ints);
	bind_lazily();
	snprintf(text, sizeof(text), "%d %s %f", numbers[0], "text", 1.5);
	trap_off();
	for (unsigned int i = 0; i < stepping.nr_wrong && i < ARRAY_SIZE(stepping.wrong); i++)
		print_message("wrong: pc %llx (elf %llx) end %u\n",
			      (unsigned long long)stepping.wrong[i].pc,
			      (unsigned long long)stepping.wrong[i].elf_addr,
			      stepping.wrong[i].file);
	print_message("%u instructions, rbx asked for %u times\n", stepping.nr_stops,
		      self.nr_by_rbx);
	assert_true(stepping.nr_stops > 1000);
	assert_int_equal(stepping.nr_wrong, 0);
}

/* ---- without frame pointers ------------------------------------------------------------------ */

static void find_same(void *ctx, uint64_t pc, struct late_place *ret_place)
{
	*ret_place = *(const struct late_place *)ctx;
}

/* Where no rule leads on, a chain of frame pointers does; but not where it may not. */
static void no_step_by_frame_pointer(void **state)
{
	static const struct eddy_unwind_rule none = { .cfa = EDDY_CFA_NONE };
	static const struct {
		struct late_place place;
		enum eddy_unwind_end end;
	} cases[] = {
		{ { .kind = LATE_PLACE_ANONYMOUS }, EDDY_END_JIT },
		{ { .kind = LATE_PLACE_NOTABLE }, EDDY_END_NOTABLE },
		{ { .kind = LATE_PLACE_TABLE, .rule = &none }, EDDY_END_NOINFO },
	};
	/* Two records of { caller's frame pointer, return address }, from 0x10000 on. */
	const uint64_t stack[] = { 0x10010, 0x500000, 0, 0x600000 };
	struct late_frame frames[8];
	struct late_stack got = { .frames = frames, .max_frames = ARRAY_SIZE(frames) };
	struct late_sample sample = { .stack_addr = 0x10000,
				      .stack = stack,
				      .stack_len = sizeof(stack) };

	sample.gpr[EDDY_GPR_IP] = 0x400000;
	sample.gpr[EDDY_GPR_SP] = sample.gpr[EDDY_GPR_BP] = 0x10000;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct late_place place = cases[i].place;
		const struct late_places places = { .find = find_same, .ctx = &place };

		sample.no_fp = false;
		late_unwind(&sample, &places, &got);
		assert_int_equal(got.nr_frames, 3);
		assert_int_equal(got.nr_fp_steps, 2);
		sample.no_fp = true;
		late_unwind(&sample, &places, &got);
		assert_int_equal(got.nr_frames, 1);
		assert_int_equal(got.nr_fp_steps, 0);
		assert_int_equal(got.end, cases[i].end);
	}
}

static int teardown(void **state)
{
	for (size_t i = 0; i < self.nr; i++)
		unwind_table_free(self.map[i].table);
	unwind_rules_free(self.rules);
	return 0;
}

static int setup(void **state)
{
	self.rules = unwind_rules_new();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deep_recursion),
		cmocka_unit_test(variable_frames),
		cmocka_unit_test(through_libc),
		cmocka_unit_test(of_a_thread),
		cmocka_unit_test(signal_on_the_same_stack),
		cmocka_unit_test(signal_on_another_stack),
		cmocka_unit_test(coroutines_have_a_root),
		cmocka_unit_test(every_instruction),
		cmocka_unit_test(no_step_by_frame_pointer),
	};

	return cmocka_run_group_tests_name("late_unwind", tests, setup, teardown);
}

#else
int main(void)
{
	puts("1..1\nok 1 - recorded stacks # SKIP needs x86-64 and a stack without red zones of "
	     "ASan");
	return 0;
}
#endif
