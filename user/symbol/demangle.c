// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libiberty's demanglers, fed and stopped by us.
 *
 * Substitutions make mangled names a compression format, so the only safe bound is one on the
 * output, enforced while it is written.  libiberty writes through a callback but gives it no way
 * to say stop; the callback therefore jumps out.  Nothing is lost by that in the C++ demangler,
 * which keeps its state in automatic arrays (CP_DYNAMIC_ARRAYS); the Rust one may lose the buffer
 * of one punycode identifier, once for each such hostile name.
 *
 * What takes time without writing anything no such bound stops: such names are left as they are
 * (symbol/demangle_cost.h).
 */
#include "symbol/demangle.h"

#include <setjmp.h>
#include <string.h>
#include <libiberty/demangle.h>

#include "symbol/demangle_cost.h"

#define MAX_MANGLED 4096

struct output {
	struct strbuf *to;
	size_t start;
	jmp_buf stop;
};

static void add_output(const char *s, size_t len, void *opaque)
{
	struct output *out = opaque;

	if (len > DEMANGLE_MAX_BYTES - (out->to->len - out->start))
		longjmp(out->stop, 1);
	strbuf_add(out->to, s, len);
}

static int run(const char *name, int options, struct output *out)
{
	if (name[1] == 'R' && !demangle_rust_is_cheap(name))
		return 0;
	if (name[1] != 'R' && !demangle_cxx_is_cheap(name))
		return 0;
	/* Legacy Rust names look like C++ ones, so Rust is asked first. */
	if (rust_demangle_callback(name, options, add_output, out))
		return 1;
	out->to->len = out->start;
	if (name[0] == '_' && (name[1] == 'Z' || !strncmp(name, "_GLOBAL_", 8)))
		return cplus_demangle_v3_callback(name, options, add_output, out);
	return 0;
}

bool demangle_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'G') &&
	       strnlen(name, MAX_MANGLED + 1) <= MAX_MANGLED;
}

bool demangle(const char *name, struct strbuf *to)
{
	struct output out = { .to = to, .start = to->len };

	if (!demangle_is_mangled(name))
		return false;
	if (!setjmp(out.stop) && run(name, DMGL_PARAMS | DMGL_ANSI, &out) && to->len > out.start)
		return true;
	to->len = out.start;
	if (to->cap)
		to->bytes[to->len] = '\0';
	return false;
}
