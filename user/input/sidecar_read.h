/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the `.json` beside a file of stacks: what is known of the capture that it came from. */
#ifndef EDDY_INPUT_SIDECAR_READ_H
#define EDDY_INPUT_SIDECAR_READ_H

#include <stdbool.h>

#include "util/json.h"

#define SIDECAR_MAX_BYTES (1 << 20)

/*
 * FILE.json of the file of stacks at path.  0; -ENOENT (no diag) when there is none; -EINVAL with a
 * diag when it is not an object as eddy writes it, or larger than SIDECAR_MAX_BYTES; another -errno
 * of reading.
 */
int sidecar_read(const char *path, struct json **ret_json, struct diag *ret_diag);

/* samples.due of such an object; false when it is not known, or no count. */
bool sidecar_due(const struct json *sidecar, uint64_t *ret_due);

#endif
