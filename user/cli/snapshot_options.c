// SPDX-License-Identifier: GPL-2.0-or-later
/* What `eddy snapshot` takes besides CAPTURE and PASSES. */
#include "cli/snapshot_options.h"
#include "cli/snapshot.h"

#include <errno.h>

#include "cli/command.h"
#include "cli/limits_options.h"
#include "cli/passes_options.h"

#define MIN_EVERY_NS UINT64_C(1000000000)
#define MAX_EVERY_NS (UINT64_C(366) * 86400 * 1000000000)

void snapshot_options_init(struct snapshot_options *o)
{
	*o = (struct snapshot_options){ 0 };
	capture_options_init(&o->capture);
	passes_init(&o->passes);
	snapshot_limits_init(&o->limits);
	uname(&o->uts);
	o->host = o->uts.nodename;
}

void snapshot_options_deinit(struct snapshot_options *o)
{
	capture_options_deinit(&o->capture);
	passes_deinit(&o->passes);
}

void snapshot_options_help(void)
{
	puts("usage: eddy snapshot [OPTION]... --dir DIR --every TIME\n\n"
	     "Samples all CPUs for as long as it runs and writes a file for each window of TIME,\n"
	     "DIR/HOST/START-SECONDS.folded.gz, with its .json beside it.\n");
	capture_options_help(stdout);
	putchar('\n');
	passes_help(stdout);
	puts("\nfiles:\n"
	     "      --dir DIR         where to; created when missing\n"
	     "      --every TIME      length of a window, at least 1s; windows end at multiples "
	     "of\n"
	     "                        it on the clock\n"
	     "      --keep-files N, --keep-bytes SIZE, --keep-age TIME\n"
	     "                        the oldest files are deleted when there are more\n"
	     "                        (default: all are kept)\n"
	     "      --max-memory SIZE  for stacks of windows until they are written (64M); beyond\n"
	     "                        it windows are merged, and stacks lose detail\n"
	     "      --no-gzip         plain folded text (--gzip is the default)\n"
	     "      --host NAME       instead of the machine's name\n"
	     "      --config FILE     lines such as 'keep-age 7d' for the limits above, read "
	     "again\n"
	     "                        at SIGHUP\n"
	     "  -q, --quiet           no summary at the end\n\n"
	     "SIGTERM and SIGINT stop it cleanly, SIGUSR1 ends the window now.");
}

/* clang-format off */
static const struct option_row rows[] = {
	{ OPTION_TEXT("dir", NULL, struct snapshot_options, dir) },
	{ OPTION_DURATION("every", NULL, struct snapshot_options, every_ns, MIN_EVERY_NS,
			  MAX_EVERY_NS),
	  .what = "a duration of at least 1s such as 10s or 5m" },
	{ OPTION_FLAG_NOT("gzip", NULL, struct snapshot_options, no_gzip) },
	{ OPTION_FLAG("no-gzip", NULL, struct snapshot_options, no_gzip) },
	{ OPTION_TEXT("host", NULL, struct snapshot_options, host) },
	{ OPTION_TEXT("config", NULL, struct snapshot_options, config) },
	{ OPTION_FLAG("quiet", "q", struct snapshot_options, quiet) },
	{ 0 },
};
/* clang-format on */

const struct option_row *const snapshot_tables[] = { capture_option_rows, passes_option_rows, rows,
						     limits_option_rows, NULL };

static int check(struct snapshot_options *o, struct diag *diag)
{
	if (!o->dir || !*o->dir)
		return diag_set(diag, EINVAL, "--dir: a directory for the files is needed");
	if (!o->every_ns)
		return diag_set(diag, EINVAL, "--every: the length of a window is needed");
	snapshot_host_dir(o->host, o->host_dir);
	if (o->capture.off_cpu)
		return diag_set(diag, EINVAL, "--%s: 'eddy record' has it",
				o->capture.wall ? "wall" : "off-cpu");
	return capture_options_check(&o->capture, diag);
}

int snapshot_options_parse(struct snapshot_options *o, char **argv)
{
	const struct option_group groups[] = {
		{ capture_option_rows, &o->capture, NULL },
		{ passes_option_rows, &o->passes, NULL },
		{ rows, o, NULL },
		{ limits_option_rows, &o->limits, NULL },
		{ 0 },
	};
	struct diag diag = { "" };
	char **operands;
	int r = options_parse(groups, true, argv, &operands, &diag);

	o->is_help = r == OPTIONS_HELP;
	if (!r && *operands)
		r = diag_set(&diag, EINVAL, "'%s': nothing was expected here", *operands);
	if (!r)
		r = check(o, &diag);
	return r < 0 ? command_usage("snapshot", "%s", diag.text) : EXIT_DONE;
}

int snapshot_options_limits(const struct snapshot_options *o, struct snapshot_limits *ret_limits,
			    struct diag *ret_diag)
{
	struct snapshot_limits limits = o->limits;
	int r = o->config ? limits_options_read(&limits, o->config, ret_diag) : 0;

	if (r < 0)
		return r;
	*ret_limits = limits;
	return 0;
}
