// SPDX-License-Identifier: GPL-2.0-or-later
/* The same words and the same rows for all of them. */
#include "cli/stack_files_options.h"

static int take_time(const struct option_row *row, void *into, const char *arg,
		     struct diag *ret_diag)
{
	return time_point_parse(row->name, arg, (struct time_point *)((char *)into + row->at),
				ret_diag);
}

static const char *const weights[] = { "samples", "period" };

/* clang-format off */
const struct option_row stack_files_option_rows[] = {
	{ OPTION_OWN("since", NULL, take_time), .at = offsetof(struct stack_files_opts, since) },
	{ OPTION_OWN("until", NULL, take_time), .at = offsetof(struct stack_files_opts, until) },
	{ OPTION_TEXT("host", NULL, struct stack_files_opts, host) },
	{ OPTION_TEXT("event", NULL, struct stack_files_opts, input.event) },
	{ OPTION_CHOICE("by", NULL, struct stack_files_opts, input.by_period, weights) },
	{ OPTION_LIST("pid", NULL, struct stack_files_opts, pids, nr_pids) },
	{ OPTION_LIST("tid", NULL, struct stack_files_opts, tids, nr_tids) },
	{ OPTION_SIZE("max-input", NULL, struct stack_files_opts, input.max_input_bytes, 1,
		      UINT64_MAX) },
	{ 0 },
};
/* clang-format on */

void stack_files_help(FILE *to)
{
	fputs("of a directory of snapshots:\n"
	      "  --since TIME, --until TIME    windows overlapping the range: 10:00,\n"
	      "                                2026-11-20T10:00Z, -10m, '5 min ago',\n"
	      "                                'yesterday 03:12' (of TZ without a zone)\n"
	      "  --host NAME                   those of one host (all add up)\n"
	      "of perf script text and pprof:\n"
	      "  --event NAME                  the samples of this event (the first one's); all\n"
	      "                                adds up what may not be alike; the values of this\n"
	      "                                type (the profile's default)\n"
	      "  --by samples|period           what a sample counts: 1, or its period (perf)\n"
	      "  --pid LIST, --tid LIST        of these processes, of these threads\n"
	      "of all:\n"
	      "  --max-input SIZE              refuse files that unpack to more or need more\n"
	      "                                memory (4G; of memory at most half of what there "
	      "is)\n",
	      to);
}
