// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> asm_caller -> without_cfi: assembly that no table describes and that counts in rbp. */
#include "zoo.h"

void without_cfi(uint64_t n);

__asm__(".pushsection .text\n"
	".skip 64, 0xcc\n"
	".globl without_cfi\n"
	".type without_cfi, @function\n"
	"without_cfi:\n"
	"	push %rbp\n"
	"	mov %rdi, %rbp\n"
	"1:	dec %rbp\n"
	"	jnz 1b\n"
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
	asm_caller(zoo_begin(argc, argv));
	zoo_end();
}
