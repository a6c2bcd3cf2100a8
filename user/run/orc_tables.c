// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables are two arrays between symbols of the linker script (include/asm-generic/vmlinux.lds.h
 * ORC_UNWIND_TABLE); which addresses they answer for is written in arch/x86/kernel/unwind_orc.c.
 *
 * An entry had one form until 6.2, another in 6.3 alone, and has had the present one since 6.4
 * ("x86, objtool: Split UNWIND_HINT_EMPTY in two").  A header that names the form came with 6.4,
 * and to older kernels with what distributions took over: an old version that has one is not
 * believed.
 */
#include "run/orc_tables.h"

#define IP_BYTES    4
#define ENTRY_BYTES 6
#define MIN_ENTRIES 64	       /* ... and so many are read at once there */
#define MAX_ENTRIES (1u << 24) /* ORC_STEPS of the search in bpf/orc.bpf.h */

static uint64_t address(struct symbolizer *s, const char *name)
{
	return symbolizer_kernel_address(s, name, NULL);
}

bool orc_tables_find(struct symbolizer *s, unsigned int major, unsigned int minor,
		     struct eddy_orc *ret_orc)
{
	bool has_header = address(s, "__start_orc_header");
	bool is_new = major > 6 || (major == 6 && minor >= 4);
	bool is_old = major < 6 || (major == 6 && minor < 3);
	uint64_t ips_end = address(s, "__stop_orc_unwind_ip");
	uint64_t entries_end = address(s, "__stop_orc_unwind");
	struct eddy_orc orc = {
		.text_start = address(s, "_stext"),
		.text_end = address(s, "_etext"),
		.ips = address(s, "__start_orc_unwind_ip"),
		.entries = address(s, "__start_orc_unwind"),
		.trampoline = { address(s, "return_to_handler"),
				address(s, "arch_rethook_trampoline") },
		.has_old_types = is_old,
		.is_on = 1,
	};
	uint64_t nr = (ips_end - orc.ips) / IP_BYTES;

	if (!orc.trampoline[1]) /* before 5.18 */
		orc.trampoline[1] = address(s, "__kretprobe_trampoline");
	if (!orc.trampoline[1]) /* before 5.16 */
		orc.trampoline[1] = address(s, "kretprobe_trampoline");
	if (has_header ? !is_new : !is_old)
		return false;
	if (!orc.text_start || orc.text_end <= orc.text_start || !orc.ips || ips_end <= orc.ips ||
	    !orc.entries || entries_end <= orc.entries || nr < MIN_ENTRIES || nr > MAX_ENTRIES ||
	    nr != (entries_end - orc.entries) / ENTRY_BYTES)
		return false;
	orc.nr_entries = nr;
	*ret_orc = orc;
	return true;
}
