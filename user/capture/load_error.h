/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the BPF sampler cannot be loaded, in words for the user. */
#ifndef EDDY_CAPTURE_LOAD_ERROR_H
#define EDDY_CAPTURE_LOAD_ERROR_H

#include "util/diag.h"

/* err > 0: libbpf's error; log: what was said meanwhile (capture/load_log.h).  Returns -err. */
int load_error(int err, const char *log, struct diag *ret_diag);

#endif
