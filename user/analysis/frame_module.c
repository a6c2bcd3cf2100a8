// SPDX-License-Identifier: GPL-2.0-or-later
/* The frame's own module first, then what is known of its text, then the text itself. */
#include "analysis/frame_module.h"

#include <ctype.h>
#include <string.h>

#include "profile/kernel_module.h"
#include "util/bytes.h"
#include "util/mem.h"

#define BPF_TAG_DIGITS 16

const char *module_kind_name(enum module_kind kind)
{
	static const char *const names[NR_MODULE_KINDS] = {
		[MODULE_KERNEL] = "kernel",   [MODULE_OF_KERNEL] = "module", [MODULE_BPF] = "bpf",
		[MODULE_PROGRAM] = "program", [MODULE_LIBRARY] = "library",  [MODULE_JIT] = "jit",
		[MODULE_MEMORY] = "memory",   [MODULE_UNKNOWN] = "unknown",  [MODULE_LOST] = "lost",
		[MODULE_NONE] = "none",
	};

	return names[kind];
}

static bool is_bracketed(struct bytes t)
{
	return t.len > 2 && t.at[0] == '[' && t.at[t.len - 1] == ']';
}

static bool is_one_of(struct bytes t, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes_are(t, names[i]))
			return true;
	return false;
}

/* "[libc.so.6+0x26e50]": that of a function without a name. */
static bool of_offset(struct bytes name, struct bytes *ret_module)
{
	const char *plus = NULL, *next;

	if (!is_bracketed(name))
		return false;
	for (next = name.at; (next = memmem(next, name.at + name.len - next, "+0x", 3)); next++)
		plus = next;
	if (!plus || plus == name.at + 1)
		return false;
	*ret_module = (struct bytes){ name.at + 1, plus - name.at - 1 };
	return true;
}

/* Names of code in no file, as frames without an address have them. */
static bool is_memory(struct bytes name)
{
	static const char *const names[] = { "[anon]", "[heap]", "[stack]", "[uprobes]" };

	return is_one_of(name, names, ARRAY_SIZE(names)) || bytes_begin(name, "[anon:") ||
	       bytes_begin(name, "//anon") || bytes_begin(name, "anon_inode:") ||
	       bytes_begin(name, "[anon_inode:");
}

static bool is_vdso(struct bytes name)
{
	return bytes_are(name, "[vdso]") || bytes_are(name, "[vsyscall]");
}

static struct frame_module made(enum module_kind kind, struct bytes name)
{
	return (struct frame_module){ kind, name.at, name.len };
}

static struct frame_module constant(enum module_kind kind, const char *name)
{
	return (struct frame_module){ kind, name, strlen(name) };
}

/* "bpf_prog_6deef7357e7b4530_name", and "bpf_trampoline_6442536467", which calls such ones. */
static bool is_bpf_code(struct bytes name)
{
	static const char program[] = "bpf_prog_", trampoline[] = "bpf_trampoline_";
	size_t i = sizeof(program) - 1;

	if (bytes_begin(name, trampoline))
		return isdigit((unsigned char)name.at[sizeof(trampoline) - 1]);
	if (!bytes_begin(name, program) || name.len < i + BPF_TAG_DIGITS)
		return false;
	for (; i < sizeof(program) - 1 + BPF_TAG_DIGITS; i++)
		if (!isxdigit((unsigned char)name.at[i]))
			return false;
	return i == name.len || name.at[i] == '_';
}

/* "[nf_nat]", "nf_nat.ko.xz": nf_nat. */
static struct bytes bare_module(struct bytes module)
{
	size_t suffix;

	if (is_bracketed(module))
		module = (struct bytes){ module.at + 1, module.len - 2 };
	suffix = kernel_module_suffix(module);
	if (suffix < module.len)
		module.len -= suffix;
	return module;
}

static struct frame_module of_kernel(struct bytes module, struct bytes name)
{
	if (is_bpf_code(name))
		return made(MODULE_BPF, name);
	if (!module.len && is_bracketed(name))
		module = name;
	module = bare_module(module);
	if (bytes_are(module, "bpf"))
		return made(MODULE_BPF, name);
	/* "[kernel.kallsyms]"; modules have no dots */
	if (!module.len || bytes_are(module, "kernel") || bytes_begin(module, "kernel.") ||
	    bytes_are(module, "unknown") || bytes_are(module, "several"))
		return constant(MODULE_KERNEL, "[kernel]");
	return made(MODULE_OF_KERNEL, module);
}

/* False: a mark. */
static bool of_user(struct bytes module, struct bytes name, struct frame_module *ret_module)
{
	const char *so;

	if (!module.len && !of_offset(name, &module)) {
		if (is_memory(name) || is_vdso(name))
			module = name;
		else if (is_bracketed(name) && !bytes_are(name, "[unknown]"))
			return false;
	}
	if (bytes_are(module, "vdso") || bytes_are(module, "vsyscall")) /* of [vdso+0x...] */
		module = bytes_are(module, "vdso")
				 ? (struct bytes){ "[vdso]", strlen("[vdso]") }
				 : (struct bytes){ "[vsyscall]", strlen("[vsyscall]") };
	so = memmem(module.at, module.len, ".so.", strlen(".so."));
	if (bytes_are(module, MODULE_SEVERAL))
		*ret_module = constant(MODULE_UNKNOWN, MODULE_SEVERAL);
	else if (!module.len || bytes_are(module, "[unknown]"))
		*ret_module = constant(MODULE_UNKNOWN, "[unknown]");
	else if (is_vdso(module) || so || bytes_end(module, ".so"))
		*ret_module = made(MODULE_LIBRARY, module);
	else if (bytes_are(module, "[jit]"))
		*ret_module = constant(MODULE_JIT, "[jit]");
	else if (is_memory(module) || is_bracketed(module))
		*ret_module = made(MODULE_MEMORY, module);
	else
		*ret_module = made(MODULE_PROGRAM, module);
	return true;
}

static struct bytes module_of(const struct frame_table *frames, frame_id id,
			      const struct modules_known *known)
{
	static const struct bytes several = { MODULE_SEVERAL, sizeof(MODULE_SEVERAL) - 1 };
	str_id module = frame_table_get(frames, id)->module;
	struct bytes text = { "", 0 };

	if (!module && known && id < known->nr)
		module = known->of[id];
	if (module == MODULES_KNOWN_SEVERAL)
		return several;
	text.at = frame_table_str(frames, module, &text.len);
	return text;
}

bool frame_module_find(const struct frame_table *frames, frame_id id,
		       const struct modules_known *known, struct frame_module *ret_module)
{
	const struct frame *f = frame_table_get(frames, id);
	struct bytes name, module = module_of(frames, id, known);

	name.at = frame_table_name(frames, id, &name.len);
	switch (f->origin) {
	case FRAME_BASE:
		*ret_module = made(MODULE_LOST, name);
		return bytes_begin(name, "[lost:");
	case FRAME_KERNEL:
		*ret_module = of_kernel(module, name);
		return true;
	case FRAME_JIT:
		*ret_module = constant(MODULE_JIT, "[jit]");
		return true;
	case FRAME_INLINED:
		return module.len && of_user(module, name, ret_module);
	default:
		return of_user(module, name, ret_module);
	}
}
