/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture that was asked for means for the sampler. */
#ifndef EDDY_RUN_SAMPLER_CHOICE_H
#define EDDY_RUN_SAMPLER_CHOICE_H

#include "run/capture_source.h"

/* What it has to know of each sample (EDDY_IDENTITY_...), for those base frames. */
uint32_t sampler_choice_identity(const struct base_frames *root);
/* A PID that is not there is a typing error, not an empty profile. */
int sampler_choice_check_tasks(const struct capture_options *o, struct diag *ret_diag);
/* The same of CPUs: -ENODEV. */
int sampler_choice_check_cpus(const struct capture_options *o, struct diag *ret_diag);
/*
 * A window cannot have more stacks than samples: with two maps in turn it would be a waste to make
 * each as large as that of a capture without an end.  0: the sampler's own default.
 */
uint64_t sampler_choice_map_bytes(const struct capture_source *s);
/* What is known of stacks besides the profile: a part of what a window may take. */
size_t sampler_choice_max_stacks(const struct capture_request *request);

#endif
