// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of keys. */
#include "live/live_state.h"
#include "util/mem.h"

const char *const *live_state_help(bool is_live, size_t *ret_nr)
{
	static const char *const lines[] = {
		"1 functions 2 tree 3 calls 4 cycles 5 irq 6 p processes 7 flame 8 d modules",
		"9 t threads  Tab the next view",
		"Up Down j k  PgUp PgDn  Home g  End G    move",
		"Left Right   calls: callers, callees    flame: the bar beside",
		"Enter        calls of the function    flame: zoom    modules: functions",
		"a            the function by instruction, with its samples    Esc  back",
		"/ n          search as you type, the next one",
		"f F4         show only names that hold a text (Esc: all)",
		"+ - Right Left  tree, processes: open, fold a row    E C  all, none of them",
		"s F6         sort by the next column    I  the other way round    S  sort now",
		"F            follow the selected row, on the first row too",
		"K U          functions: hide those of the kernel, of user space",
		"i            interrupts: split, keep, charge, drop",
		"r            tree: how recursion is folded",
		"< >          a shorter, a longer window; the longest is all samples",
		"e            let samples fade: half of them count after the window's time",
		"[ ]          the window before, after    J  that of a time, as 03:12",
		"w            write what is shown as a file of folded text    W  remember choices",
		"Space        pause the screen; sampling goes on",
		"mouse        click: select    wheel: move",
		"h ? F1       this page    q  quit",
		"",
		"~ behind a share: less than the row above by no more than chance (95 %)",
		"z            forget all samples so far",
	};

	*ret_nr = ARRAY_SIZE(lines) - !is_live;
	return lines;
}
