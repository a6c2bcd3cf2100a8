// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> jit_caller -> code in anonymous memory.  The code keeps a frame pointer, or, with
 * NO_FRAME_POINTER, uses the register to count in.  With FAKE_RECORD the register points to what
 * looks like a frame record, with an address of code in it behind which nothing was called.  With
 * PUSHED_RETURN a part of the code calls another as interpreters do: by an address that it pushes.
 */
#include "chain.h"

#include <string.h>
#include <sys/mman.h>

extern const char code[], code_end[];

/* Counts its argument down to 0. */
#ifdef NO_FRAME_POINTER
__asm__(".pushsection .rodata\n"
	".globl code, code_end\n"
	"code:	push %rbp\n"
	"	sub $24, %rsp\n"
	"	mov %rdi, %rbp\n"
	"1:	dec %rbp\n"
	"	jnz 1b\n"
	"	add $24, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	"code_end:\n"
	".popsection");
#elif defined(FAKE_RECORD)
__asm__(".pushsection .rodata\n"
	".globl code, code_end\n"
	"code:	push %rbp\n"
	"	mov %rsi, %rbp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	"code_end:\n"
	".popsection");
#elif defined(PUSHED_RETURN)
__asm__(".pushsection .rodata\n"
	".globl code, code_end\n"
	"code:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 3f(%rip), %rax\n"
	"	push %rax\n"
	"	jmp 2f\n"
	"	nop\n"
	"3:	pop %rbp\n"
	"	ret\n"
	"2:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	"code_end:\n"
	".popsection");
#else
__asm__(".pushsection .rodata\n"
	".globl code, code_end\n"
	"code:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $16, %rsp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	"code_end:\n"
	".popsection");
#endif

NAMED void never_called(void)
{
	chain_leaf(0);
}

NAMED void jit_caller(void (*count_down)(uint64_t, const volatile uint64_t *), uint64_t ns)
{
	volatile uint64_t record[2] = { 0, (uint64_t)(uintptr_t)never_called + 1 };
	uint64_t end = thread_cpu_ns() + ns;

	do
		count_down(1000000, record);
	while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t ns;

	if (page == MAP_FAILED)
		return 1;
	memcpy(page + 128, code, code_end - code);
	ns = chain_begin(argc, argv);
	jit_caller((void (*)(uint64_t, const volatile uint64_t *))(page + 128), ns);
	chain_end();
}
