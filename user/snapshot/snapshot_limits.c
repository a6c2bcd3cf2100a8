// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept unless somebody says otherwise. */
#include "snapshot/snapshot_limits.h"

#define DEFAULT_MEMORY_BYTES (UINT64_C(64) << 20)

void snapshot_limits_init(struct snapshot_limits *l)
{
	*l = (struct snapshot_limits){ .max_memory_bytes = DEFAULT_MEMORY_BYTES };
}

uint64_t snapshot_limits_window_bytes(const struct snapshot_limits *l)
{
	return l->max_memory_bytes / 5;
}

uint64_t snapshot_limits_queue_bytes(const struct snapshot_limits *l)
{
	return l->max_memory_bytes / 5 * 3;
}

bool snapshot_limits_any(const struct snapshot_limits *l)
{
	return l->keep_files || l->keep_bytes || l->keep_age_ns;
}
