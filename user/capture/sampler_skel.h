/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the BPF program for what was asked for, with maps no larger than that needs. */
#ifndef EDDY_CAPTURE_SAMPLER_SKEL_H
#define EDDY_CAPTURE_SAMPLER_SKEL_H

#include <bpf/libbpf.h>

#include "capture/sampler.h"
#include "capture/sampler_config.h"
#include "sampler.skel.h"
#include "util/diag.h"

/*
 * 0, or -errno with a diag that says why the kernel refused it; what libbpf said meanwhile goes to
 * consumer->load_log() (may be NULL).  *ret_skel may be set in both cases; it is released with
 * sampler_bpf__destroy().
 */
int sampler_skel_load(const struct sampler_opts *opts, const struct sampler_host *host,
		      const struct sampler_consumer *consumer, struct sampler_bpf **ret_skel,
		      struct diag *ret_diag);

#endif
