/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an ELF address to its rule in the table of the file: include/unwind_abi.h says how a table
 * is laid out.
 *
 *	page = eddy_unwind_page_index(file, elf_addr)
 *		negative:  nothing is known there
 *		else:	   rules->rule[eddy_unwind_search(slab, &pages->page[page], elf_addr)]
 */
#ifndef EDDY_UNWIND_SEARCH_H
#define EDDY_UNWIND_SEARCH_H

#include "unwind_abi.h"
#include "unwind_compiler.h"

/* Index into eddy_unwind_pages, or -1: the table has nothing there. */
EDDY_UNWIND_INLINE __s64 eddy_unwind_page_index(const struct eddy_unwind_file *file, __u64 elf_addr)
{
	__u64 page = (elf_addr >> EDDY_UNWIND_PAGE_SHIFT) - file->page_base;

	if (page >= file->nr_pages)
		return -1;
	return (__s64)((file->first_page + page) & (EDDY_UNWIND_MAX_PAGES - 1));
}

/*
 * The rule number for the low 16 bits of elf_addr: the last row of the page not above them.
 * Always 16 probes without a branch that depends on data: a binary search with branches makes the
 * verifier of >= 6.8 walk every path of it, and is 3-8 times slower besides.
 */
EDDY_UNWIND_INLINE __u32 eddy_unwind_search(const struct eddy_unwind_slab *slab,
					    const struct eddy_unwind_page *page, __u64 elf_addr)
{
	__u64 key = (elf_addr & 0xffff) << 16 | 0xffff;
	__u64 pos = page->first, n = (__u64)page->nm1 + 1, half, above;
	int i;

	for (i = 0; i < 16; i++) {
		half = n >> 1;
		above = key - slab->row[(pos + half) & (EDDY_UNWIND_SLAB_ROWS - 1)];
		above = (__u64)((__s64)above >> 63); /* all ones when the row is behind the key */
		EDDY_UNWIND_OPAQUE(above);
		pos += half & ~above;
		n -= half;
	}
	return slab->row[pos & (EDDY_UNWIND_SLAB_ROWS - 1)] & 0xffff;
}

#endif
