/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++ (Itanium ABI) and Rust (legacy and v0) names as their programmers wrote them. */
#ifndef EDDY_SYMBOL_DEMANGLE_H
#define EDDY_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "util/strbuf.h"

#define DEMANGLE_MAX_BYTES 16384

/* Is it worth asking?  By how it begins and how long it is. */
bool demangle_is_mangled(const char *name);

/*
 * Adds the demangled form of a symbol's name to `to`; false, and nothing added, when it is not a
 * mangled name or one that cannot be trusted: longer than 4 KiB, or than 16 KiB when written out
 * (a hostile name of 100 bytes can stand for 2^40).  Rust's hash is left off.
 */
bool demangle(const char *name, struct strbuf *to);

#endif
