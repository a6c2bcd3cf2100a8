/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options called CAPTURE, the same for record and snapshot: what is sampled, and how.
 * Mixed into a command's getopt_long table like PASSES (cli/passes.h).
 */
#ifndef EDDY_CLI_CAPTURE_OPTIONS_H
#define EDDY_CLI_CAPTURE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/event.h"
#include "sampler_abi.h"
#include "util/diag.h"

struct capture_options {
	const char *event;
	struct capture_rate rate;
	uint32_t *pids, *tids, *cpus; /* NULL: not asked for */
	size_t nr_pids, nr_tids, nr_cpus;
	const char *cgroup, *comm;
	bool user_only, kernel_only, idle;
	uint64_t duration_ns; /* 0: until it is told to stop */
	uint32_t max_depth;   /* user frames of a stack */
	enum eddy_unwind_how unwind;
	uint64_t map_bytes, ring_bytes, table_bytes; /* 0: default */
	double max_overhead;			     /* of the sampled CPUs' time; 0: no limit */
	bool no_demangle;
	bool verbose;
};

#define CAPTURE_SHORT_OPTIONS "F:e:c:p:t:C:G:UKId:D:v"

enum {
	OPTION_COMM = 0x180,
	OPTION_UNWIND,
	OPTION_MAX_DEPTH,
	OPTION_MAP_MEMORY,
	OPTION_RING_MEMORY,
	OPTION_TABLE_MEMORY,
	OPTION_NO_DEMANGLE,
	OPTION_MAX_OVERHEAD,
};

/* clang-format off */
#define CAPTURE_OPTIONS                                                                            \
	{ "freq", required_argument, NULL, 'F' },                                                  \
	{ "event", required_argument, NULL, 'e' },                                                 \
	{ "count", required_argument, NULL, 'c' },                                                 \
	{ "pid", required_argument, NULL, 'p' },                                                   \
	{ "tid", required_argument, NULL, 't' },                                                   \
	{ "cpu", required_argument, NULL, 'C' },                                                   \
	{ "cgroup", required_argument, NULL, 'G' },                                                \
	{ "comm", required_argument, NULL, OPTION_COMM },                                          \
	{ "user-only", no_argument, NULL, 'U' },                                                   \
	{ "kernel-only", no_argument, NULL, 'K' },                                                 \
	{ "idle", no_argument, NULL, 'I' },                                                        \
	{ "duration", required_argument, NULL, 'd' },                                              \
	{ "unwind", required_argument, NULL, OPTION_UNWIND },                                      \
	{ "max-depth", required_argument, NULL, OPTION_MAX_DEPTH },                                \
	{ "map-memory", required_argument, NULL, OPTION_MAP_MEMORY },                              \
	{ "ring-memory", required_argument, NULL, OPTION_RING_MEMORY },                            \
	{ "max-table-memory", required_argument, NULL, OPTION_TABLE_MEMORY },                      \
	{ "no-demangle", no_argument, NULL, OPTION_NO_DEMANGLE },                                  \
	{ "max-overhead", required_argument, NULL, OPTION_MAX_OVERHEAD },                          \
	{ "verbose", no_argument, NULL, 'v' }
/* clang-format on */

void capture_options_init(struct capture_options *o);
void capture_options_deinit(struct capture_options *o);
#define _cleanup_capture_options_ __attribute__((cleanup(capture_options_deinit)))

/*
 * Takes one option that getopt_long returned: 0, -ENOENT when it is not one of these, -EINVAL with
 * a diag that names the option.  arg must live as long as o does.
 */
int capture_option(struct capture_options *o, int option, const char *arg, struct diag *ret_diag);

/* After the last option: do they go together?  -EINVAL with a diag. */
int capture_options_check(const struct capture_options *o, struct diag *ret_diag);

/* The lines about these options for a command's --help. */
void capture_options_help(FILE *to);

#endif
