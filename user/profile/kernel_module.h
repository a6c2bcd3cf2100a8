/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the kernel's modules, by their names: nf_nat.ko, packed or not, or of debug data. */
#ifndef EDDY_PROFILE_KERNEL_MODULE_H
#define EDDY_PROFILE_KERNEL_MODULE_H

#include "util/bytes.h"

/* How long the suffix is that says so: of ".ko", ".ko.xz" and the like; 0: there is none. */
size_t kernel_module_suffix(struct bytes file);

#endif
