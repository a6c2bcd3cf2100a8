/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where addresses of a Go program without DWARF stand in the source, by what its runtime keeps to
 * print its own stacks: lines of all that elf/go_functions.h knows, inlined calls of Go 1.18 and
 * later (those of older ones are counted as nameless).
 *
 * Formats: src/runtime/symtab.go (moduledata, inlinedCall, pcvalue), runtime2.go (_func).
 */
#ifndef EDDY_SYMBOL_GO_SOURCE_H
#define EDDY_SYMBOL_GO_SOURCE_H

#include "symbol/dwarf_source.h"

/*
 * As dwarf_source_read(); -ENODATA: it is no Go program, or its table cannot be read; -E2BIG: its
 * tables are longer than those of programs are.
 */
int go_source_read(const struct dwarf_source *source, struct source_builder *b);

#endif
