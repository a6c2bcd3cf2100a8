/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises the DWARF expressions that compilers and linkers put into CFI.  Nothing is evaluated:
 * an expression is one of the forms that a rule can hold, or it is not supported.
 */
#ifndef EDDY_UNWIND_CFI_EXPRESSION_H
#define EDDY_UNWIND_CFI_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum cfi_expression_kind {
	CFI_EXPRESSION_OTHER,
	CFI_EXPRESSION_ADDRESS, /* reg + off */
	CFI_EXPRESSION_DEREF,	/* *(reg + off) + add */
	CFI_EXPRESSION_SWITCH,	/* reg + off, on another stack: go_pclntab.c marks it by a nop */
	CFI_EXPRESSION_PLT,	/* sp + off + ((pc & 15) >= add) * 8, x86-64 */
};

struct cfi_expression {
	enum cfi_expression_kind kind;
	uint32_t reg; /* DWARF number */
	int64_t off;
	int64_t add;
};

/*
 * The expression of so many bytes, which are not to be trusted.  CFI_EXPRESSION_OTHER: it is none
 * of these forms, and the other members mean nothing.
 */
struct cfi_expression cfi_expression_parse(const uint8_t *bytes, size_t len);

#endif
