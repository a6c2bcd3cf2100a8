/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a mangled name can be written out in bounded time: asked before it is. */
#ifndef EDDY_SYMBOL_DEMANGLE_COST_H
#define EDDY_SYMBOL_DEMANGLE_COST_H

#include <stdbool.h>

/*
 * True when a Rust name of the v0 scheme ("_R...") is whole, nests less than 256 deep and takes
 * fewer than 65536 steps, with all that it refers back to: so many parts, and lifetimes that it
 * binds.
 */
bool demangle_rust_is_cheap(const char *name);

/*
 * False for a C++ name that would take exponential time without writing anything.  Two ways to make
 * such names are known, both unknown to compilers:
 *	- within the name of a conversion, arguments of a template parameter are read twice, so each
 *	  level doubles the time: 6 may be;
 *	- a fold expression writes whole packs, whose elements may be whole packs of the function
 *	  around: with a fold two functions may stand within each other.
 */
bool demangle_cxx_is_cheap(const char *name);

#endif
