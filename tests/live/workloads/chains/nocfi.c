// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> asm_caller -> without_cfi: assembly that no table describes, that counts in rbp, and that
 * takes its stack from memory, so that its code does not tell where its caller is either.
 */
#include "chain.h"

void without_cfi(uint64_t n);
void *other_stack[512];
void *other_top = &other_stack[500];

__asm__(".pushsection .text\n"
	".skip 64, 0xcc\n"
	".globl without_cfi\n"
	".type without_cfi, @function\n"
	"without_cfi:\n"
	"	push %rbp\n"
	"	mov %rsp, %rdx\n"
	"	mov other_top(%rip), %rsp\n"
	"	push %rdx\n"
	"	mov %rdi, %rbp\n"
	"1:	dec %rbp\n"
	"	jnz 1b\n"
	"	pop %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size without_cfi, . - without_cfi\n"
	".skip 64, 0xcc\n"
	".popsection");

NAMED void asm_caller(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	do
		without_cfi(1000000);
	while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	asm_caller(chain_begin(argc, argv));
	chain_end();
}
