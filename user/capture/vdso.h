/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vdso, an ELF image that the kernel maps into every process: see vdso(7). */
#ifndef EDDY_CAPTURE_VDSO_H
#define EDDY_CAPTURE_VDSO_H

#include <stdbool.h>

#include "unwind/unwind_table.h"

/*
 * The unwind table of our own vdso (NULL: it cannot be read) and a descriptor of a copy (-1: there
 * is none), both the caller's.  False: there is no vdso.
 */
bool vdso_read(struct unwind_table **ret_table, int *ret_fd);

#endif
