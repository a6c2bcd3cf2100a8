/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the `.json` beside a file of stacks: what is known of the capture that it came from. */
#ifndef EDDY_ARCHIVE_SIDECAR_READ_H
#define EDDY_ARCHIVE_SIDECAR_READ_H

#include <stdbool.h>

#include "util/json.h"

#define SIDECAR_MAX_BYTES (1 << 20)

/*
 * FILE.json of the file of stacks at path.  0; -ENOENT (no diag) when there is none; -EINVAL with a
 * diag when it is not an object as eddy writes it, or larger than SIDECAR_MAX_BYTES; another -errno
 * of reading.
 */
int sidecar_read(const char *path, struct json **ret_json, struct diag *ret_diag);

/* The same from an open file, which stays the caller's; `name` is for messages. */
int sidecar_read_fd(int fd, const char *name, struct json **ret_json, struct diag *ret_diag);

/* A time of such an object ("start", "end"), ms since 1970; 0 when it is not known, or no time. */
uint64_t sidecar_time_ms(const struct json *sidecar, const char *name);
/* samples.due of such an object; false when it is not known, or no count. */
bool sidecar_due(const struct json *sidecar, uint64_t *ret_due);
/* What a count of the file is ("unit"); a file that does not say counts samples. */
enum sidecar_unit {
	SIDECAR_SAMPLES,
	SIDECAR_EVENTS, /* each sample weighed by its period */
	SIDECAR_MICROSECONDS,
};
enum sidecar_unit sidecar_unit(const struct json *sidecar);
/*
 * Samples that a count of a file of events stands for, in the mean, or waits that a microsecond
 * does, at most 1; of samples 1.
 */
double sidecar_samples_per_count(const struct json *sidecar);

#endif
