/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the module tells that `perf script` prints behind a frame: whose code it is, what the rest
 * of the program calls it, and whether an address in it means something.
 */
#ifndef EDDY_INPUT_PERF_MODULE_H
#define EDDY_INPUT_PERF_MODULE_H

#include "input/perf_line.h"
#include "profile/frame.h"

/*
 * Whose code a frame is.  The module decides where it is known ("vmlinux", "x.ko.xz", "[nf_nat]");
 * else the address does, but above it (nearer to the root than) user code no unknown address is
 * the kernel's: has_user says that there was such a frame.
 */
enum frame_origin perf_frame_origin(const struct perf_frame *f, bool has_user);

/* The name that the rest of the program has for a module: a file's last component, "[kernel]". */
struct bytes perf_module_name(const struct perf_frame *f, enum frame_origin origin);

/*
 * Is the frame's address one of the run, which is another one each time, and not one in the file?
 * name: as perf_module_name() gives it.
 */
bool perf_frame_is_raw(const struct perf_frame *f, struct bytes name, enum frame_origin origin);

#endif
