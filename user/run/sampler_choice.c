// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture that was asked for means for the sampler. */
#include "run/sampler_choice.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t identity_of_kind(enum base_frame kind)
{
	switch (kind) {
	case BASE_FRAME_PROCESS:
		return EDDY_IDENTITY_PID;
	case BASE_FRAME_THREAD:
		return EDDY_IDENTITY_PID | EDDY_IDENTITY_TID;
	case BASE_FRAME_CPU:
		return EDDY_IDENTITY_CPU;
	case BASE_FRAME_CGROUP:
	case BASE_FRAME_UNIT:
	case BASE_FRAME_CONTAINER:
		return EDDY_IDENTITY_CGROUP;
	case BASE_FRAME_PROGRAM:
		return EDDY_IDENTITY_PROGRAM;
	default:
		return 0;
	}
}

uint32_t sampler_choice_identity(const struct base_frames *root)
{
	uint32_t identity = 0;

	for (size_t i = 0; i < base_frames_nr(root); i++)
		identity |= identity_of_kind(base_frames_kind(root, i));
	return identity;
}

int sampler_choice_check_tasks(const struct capture_options *o, struct diag *ret_diag)
{
	const uint32_t *ids = o->pids ? o->pids : o->tids;
	size_t nr = o->pids ? o->nr_pids : o->nr_tids;
	char path[32];

	for (size_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u", ids[i]);
		if (access(path, F_OK) < 0)
			return diag_set(ret_diag, ESRCH, "no such %s: %u",
					o->pids ? "process" : "thread", ids[i]);
	}
	return 0;
}

int sampler_choice_check_cpus(const struct capture_options *o, struct diag *ret_diag)
{
	char path[64];

	for (size_t i = 0; i < o->nr_cpus; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", o->cpus[i]);
		if (access(path, F_OK) < 0)
			return diag_set(ret_diag, ENODEV, "no CPU %u in this machine", o->cpus[i]);
	}
	return 0;
}

uint64_t sampler_choice_map_bytes(const struct capture_source *s)
{
	const uint64_t entry_bytes = 128, least = 1 << 20, most = 16 << 20;
	double samples = (double)sysconf(_SC_NPROCESSORS_ONLN) * s->rate.freq_hz *
			 s->request->every_ns / 1e9;

	if (s->request->options->map_bytes || !samples)
		return s->request->options->map_bytes;
	if (2 * samples * entry_bytes > most)
		return most;
	return 2 * samples * entry_bytes < least ? least : 2 * samples * entry_bytes;
}

size_t sampler_choice_max_stacks(const struct capture_request *request)
{
	const size_t stack_bytes = 100, part = 4, least = 1024;
	size_t nr = request->max_window_bytes / part / stack_bytes;

	if (!request->max_window_bytes)
		return 0;
	return nr < least ? least : nr;
}
