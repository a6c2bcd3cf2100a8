// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main -> asm_saving -> asm_aligned -> asm_by_slot -> asm_pushing -> asm_jumping -> chain_leaf, and
 * main -> leaf_caller -> asm_leaf: assembly as it is written by hand, and without a word about its
 * frames unless WITH_CFI is defined.
 */
#include "chain.h"

#ifdef WITH_CFI
#define CFI(text) ".cfi_" text "\n"
#else
#define CFI(text) "\n"
#endif
#define BEGIN(name)                   \
	".globl " name "\n"           \
	".type " name ", @function\n" \
	".p2align 4, 0xcc\n" name ":\n" CFI("startproc")
#define END(name) CFI("endproc") ".size " name ", . - " name "\n"

void asm_saving(uint64_t ns);
void asm_leaf(uint64_t n);

/* What stands at the end, called by assembly alone. */
NAMED void leaf_of_asm(uint64_t ns)
{
	chain_leaf(ns);
	__asm__ volatile("" ::: "memory");
}

/* clang-format off */
__asm__(".pushsection .text\n"
	/* Saves registers, makes room, has two ways back. */
	BEGIN("asm_saving")
	"	push %rbx\n"			CFI("adjust_cfa_offset 8") CFI("rel_offset rbx, 0")
	"	push %rbp\n"			CFI("adjust_cfa_offset 8") CFI("rel_offset rbp, 0")
	"	push %r12\n"			CFI("adjust_cfa_offset 8")
	"	sub $0x40, %rsp\n"		CFI("adjust_cfa_offset 0x40")
	"	xor %ebp, %ebp\n"
	"	mov %rdi, %rbx\n"
	"	test %rdi, %rdi\n"
	"	jz 1f\n"
	"	call asm_aligned\n"
	"	add $0x40, %rsp\n"		CFI("remember_state") CFI("adjust_cfa_offset -0x40")
	"	pop %r12\n"			CFI("adjust_cfa_offset -8")
	"	pop %rbp\n"			CFI("adjust_cfa_offset -8") CFI("restore rbp")
	"	pop %rbx\n"			CFI("adjust_cfa_offset -8") CFI("restore rbx")
	"	ret\n"				CFI("restore_state")
	"1:	add $0x40, %rsp\n"		CFI("adjust_cfa_offset -0x40")
	"	pop %r12\n"			CFI("adjust_cfa_offset -8")
	"	pop %rbp\n"			CFI("adjust_cfa_offset -8") CFI("restore rbp")
	"	pop %rbx\n"			CFI("adjust_cfa_offset -8") CFI("restore rbx")
	"	ret\n"
	END("asm_saving")
	/* A stack aligned for vectors, by a frame pointer. */
	BEGIN("asm_aligned")
	"	push %rbp\n"			CFI("adjust_cfa_offset 8") CFI("rel_offset rbp, 0")
	"	mov %rsp, %rbp\n"		CFI("def_cfa_register rbp")
	"	and $-64, %rsp\n"
	"	sub $0x100, %rsp\n"
	"	vpxor %xmm0, %xmm0, %xmm0\n"
	"	vmovdqa %xmm0, 0x20(%rsp)\n"
	"	call asm_by_slot\n"
	"	leave\n"			CFI("def_cfa rsp, 8") CFI("restore rbp")
	"	ret\n"
	END("asm_aligned")
	/* The same without: the old one stands in a slot. */
	BEGIN("asm_by_slot")
	"	mov %rsp, %rax\n"		CFI("def_cfa_register rax")
	"	sub $0x60, %rsp\n"
	"	and $-32, %rsp\n"
	"	mov %rax, 0x40(%rsp)\n"		/* CFA: *(rsp + 0x40) + 8 */
						CFI("escape 0x0f,0x6,0x77,0xc0,0x0,0x6,0x23,0x8")
	"	call asm_pushing\n"
	"	mov 0x40(%rsp), %rsp\n"		CFI("def_cfa rsp, 8")
	"	ret\n"
	END("asm_by_slot")
	/* Arguments on the stack, and a loop. */
	BEGIN("asm_pushing")
	"	mov $3, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	push %rdi\n"			CFI("adjust_cfa_offset 8")
	"	push $7\n"			CFI("adjust_cfa_offset 8")
	"	push %rcx\n"			CFI("adjust_cfa_offset 8")
	"	call asm_jumping\n"
	"	lea 0x18(%rsp), %rsp\n"		CFI("adjust_cfa_offset -0x18")
	"	ret\n"
	END("asm_pushing")
	BEGIN("asm_jumping")
	"	sub $8, %rsp\n"			CFI("adjust_cfa_offset 8")
	"	call leaf_of_asm\n"
	"	add $8, %rsp\n"			CFI("adjust_cfa_offset -8")
	"	jmp asm_leaf_of_one\n"
	END("asm_jumping")
	BEGIN("asm_leaf_of_one")
	"	mov $1, %edi\n"
	"	jmp asm_leaf\n"
	END("asm_leaf_of_one")
	/* No frame, and the frame pointer is a counter. */
	BEGIN("asm_leaf")
	"	push %rbp\n"			CFI("adjust_cfa_offset 8") CFI("rel_offset rbp, 0")
	"	mov %rdi, %rbp\n"
	"1:	dec %rbp\n"
	"	jnz 1b\n"
	"	pop %rbp\n"			CFI("adjust_cfa_offset -8") CFI("restore rbp")
	"	ret\n"
	END("asm_leaf")
	".skip 64, 0xcc\n"
	".popsection");
/* clang-format on */

NAMED void leaf_caller(void (*call)(uint64_t), uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	do
		call(1000000);
	while (thread_cpu_ns() < end);
}

int main(int argc, char **argv)
{
	uint64_t ns = chain_begin(argc, argv) / 2;

	asm_saving(ns);
	leaf_caller(asm_leaf, ns);
	chain_end();
}
