// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf prints a module as a path, or in brackets what has none.  In brackets stand the kernel's
 * parts, its modules by their names, and a few things of a process, which are listed.
 */
#include "input/perf_module.h"

#include <string.h>

#include "profile/kernel_module.h"
#include "util/mem.h"

/*
 * Without an offset perf prints the address in the file or that of the run, by its version and
 * fields.  Files are smaller than this and programs without randomisation lie below it; what is
 * mapped where there is room lies above, on 32 bits too.
 */
#define MAX_FILE_ADDRESS (UINT64_C(1) << 30)

static bool is_unknown(struct bytes module)
{
	return !module.len || bytes_are(module, "[unknown]");
}

static struct bytes base_name(struct bytes module)
{
	const char *slash = memrchr(module.at, '/', module.len);

	if (slash && slash + 1 < module.at + module.len)
		return (struct bytes){ slash + 1, module.at + module.len - slash - 1 };
	return module;
}

static bool is_jit(struct bytes module)
{
	/* "[JIT] tid 12"; "[JIT app cache]" of simpleperf */
	return bytes_begin(module, "[JIT") ||
	       (bytes_begin(module, "/tmp/perf-") && bytes_end(module, ".map")) ||
	       (bytes_begin(base_name(module), "jitted-") && bytes_end(module, ".so"));
}

/* "[vdso]", "[heap]", "[anon:...]": of a process. */
static bool is_of_process(struct bytes module)
{
	static const char *const names[] = { "[vdso",	  "[vsyscall]", "[vvar",
					     "[heap]",	  "[stack",	"[anon",
					     "[uprobes]", "[vectors]",	"[sigpage]" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bytes_begin(module, names[i]))
			return true;
	return false;
}

static bool is_kernel(struct bytes module)
{
	struct bytes base = base_name(module);

	/* "[kernel.kallsyms]", "[kernel.kallsyms].init.text", "[guest.kernel.kallsyms.12]" */
	if (bytes_begin(module, "[kernel") || bytes_begin(module, "[guest.kernel"))
		return true;
	/* "vmlinux-6.1.0", "vmlinux.debug", and no other file that happens to begin so */
	if (bytes_begin(base, "vmlinux") && (base.len == 7 || strchr("-.", base.at[7])))
		return true;
	if (kernel_module_suffix(module))
		return true;
	return module.len > 2 && module.at[0] == '[' && module.at[module.len - 1] == ']' &&
	       !is_of_process(module);
}

enum frame_origin perf_frame_origin(const struct perf_frame *f, bool has_user)
{
	if (bytes_are(f->module, "inlined"))
		return FRAME_INLINED;
	if (is_unknown(f->module))
		return f->addr >> 63 && !has_user ? FRAME_KERNEL : FRAME_USER;
	if (is_jit(f->module))
		return FRAME_JIT;
	if (is_kernel(f->module))
		return FRAME_KERNEL;
	/* BPF programs, by their names */
	return f->addr >> 63 && !is_of_process(f->module) ? FRAME_KERNEL : FRAME_USER;
}

struct bytes perf_module_name(const struct perf_frame *f, enum frame_origin origin)
{
	static const char deleted[] = " (deleted)", kernel[] = "[kernel]", jit[] = "[jit]";
	struct bytes module = f->module;

	if (is_unknown(module) || origin == FRAME_INLINED)
		return (struct bytes){ "", 0 };
	if (bytes_begin(module, "[kernel") || bytes_begin(module, "[guest.kernel") ||
	    (origin == FRAME_KERNEL && bytes_begin(base_name(module), "vmlinux")))
		return (struct bytes){ kernel, sizeof(kernel) - 1 };
	if (origin == FRAME_JIT)
		return (struct bytes){ jit, sizeof(jit) - 1 };
	if (bytes_end(module, deleted))
		module.len -= sizeof(deleted) - 1;
	return base_name(module);
}

bool perf_frame_is_raw(const struct perf_frame *f, struct bytes name, enum frame_origin origin)
{
	if (f->has_module_offset)
		return false;
	return !name.len || origin == FRAME_KERNEL || origin == FRAME_JIT || name.at[0] == '[' ||
	       bytes_begin(name, "//anon") || bytes_begin(name, "anon_inode:") ||
	       f->addr >= MAX_FILE_ADDRESS;
}
