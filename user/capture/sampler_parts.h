/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sampler is made of, for the files that are one: sampler.c, sampler_open.c. */
#ifndef EDDY_CAPTURE_SAMPLER_PARTS_H
#define EDDY_CAPTURE_SAMPLER_PARTS_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "capture/cpu_events.h"
#include "capture/drain.h"
#include "capture/due_samples.h"
#include "capture/event_end.h"
#include "capture/sampler.h"
#include "capture/sampler_skel.h"
#include "capture/unwind_loader.h"
#include "capture/wait_programs.h"

struct sampler {
	struct sampler_opts opts;
	struct sampler_consumer consumer;
	struct sampler_bpf *skel;
	struct cpu_events *events; /* NULL: waits alone are charged */
	struct event_end *end;	   /* NULL: they end when they are told to */
	struct wait_programs waits;
	struct open_waits_opts open_waits;
	struct bpf_link *exec_link, *rename_link, *fork_link, *exit_link, *free_link;
	struct bpf_link *cgroup_link;	  /* NULL: not asked for */
	struct bpf_link *module_links[2]; /* NULL where the kernel has no modules */
	struct sampler_host host;
	struct unwind_loader *loader; /* NULL: stacks are walked by frame pointer only */
	struct drain *drain;
	struct due_samples due;
	struct bpf_prog_info program_then; /* at the end of the last window */
	struct other_programs others;
	bool is_stopped;
};

/* Attaches a program to a raw tracepoint, whose name the section tells. */
int sampler_attach(struct bpf_program *prog, struct bpf_link **ret_link, struct diag *ret_diag);

#endif
