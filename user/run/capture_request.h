/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody wants captured: plain values, from options or from a test. */
#ifndef EDDY_RUN_CAPTURE_REQUEST_H
#define EDDY_RUN_CAPTURE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/passes.h"
#include "capture/event.h"
#include "run/child.h"
#include "sampler_abi.h"

#define CAPTURE_DEFAULT_EVENT "cpu-clock"
#define CAPTURE_DEFAULT_HZ    99
#define CAPTURE_DEFAULT_DEPTH 255

/* The strings are somebody else's and outlive this. */
struct capture_options {
	const char *event;
	struct capture_rate rate;
	uint32_t *pids, *tids, *cpus; /* NULL: not asked for */
	size_t nr_pids, nr_tids, nr_cpus;
	const char *cgroup, *comm;
	bool user_only, kernel_only, idle;
	bool off_cpu; /* waiting threads and not samples; event and rate mean nothing */
	bool wall;    /* time on CPUs besides; off_cpu is set too */
	uint64_t min_wait_ns;
	bool no_wait_marks;
	uint64_t duration_ns; /* 0: until it is told to stop */
	uint32_t max_depth;   /* user frames of a stack */
	enum eddy_unwind_how unwind;
	uint64_t map_bytes, ring_bytes, table_bytes; /* 0: default */
	double max_overhead;			     /* of the sampled CPUs' time; 0: no limit */
	bool no_demangle;
	bool inlines; /* of programs and the kernel, by their debug information */
	bool verbose;
};

/* Everything at its default. */
void capture_options_init(struct capture_options *o);
void capture_options_deinit(struct capture_options *o);
#define _cleanup_capture_options_ __attribute__((cleanup(capture_options_deinit)))

struct capture_request {
	const struct capture_options *options;
	struct base_frames root;
	bool lines;	     /* frames say their lines, by debug information */
	const char *host;    /* what the machine is called; NULL: its own name */
	struct child *child; /* the command to run meanwhile; NULL: none */
	const char *child_name;
	bool places;	   /* frames are instructions (profile/frame_place.h) */
	bool only_child;   /* sample the command and its descendants only */
	bool is_watched;   /* somebody waits for the first samples: soon is better than whole */
	uint64_t every_ns; /* windows of this length, aligned to the clock; 0: one window */
	uint64_t slot_ns;  /* of a timeline, of one window; 0: none */
	size_t max_cells;  /* that the timeline has room for */
	size_t max_window_bytes; /* a window's stacks (collect/collector.h); 0: no bound */
	/* A remark that must be heard before sampling begins; NULL: nobody listens. */
	void (*warn)(const char *text);
	/*
	 * When BPF cannot be loaded: all that libbpf and the verifier said, many lines, not safe
	 * for a terminal; NULL: nobody listens.
	 */
	void (*load_log)(const char *text);
};

/*
 * "pid", "tid", "command", "cgroup", "comm", several joined by ", ": which processes are sampled.
 */
void capture_request_filter(const struct capture_request *r, char *ret_names, size_t size);

#endif
