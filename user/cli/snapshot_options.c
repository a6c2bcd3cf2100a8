// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of what `eddy snapshot` takes besides CAPTURE and PASSES. */
#include "cli/snapshot_options.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "util/mem.h"
#include "util/parse.h"

#define MIN_EVERY_NS UINT64_C(1000000000)
#define MAX_EVERY_NS (UINT64_C(366) * 86400 * 1000000000)

enum {
	OPTION_DIR = OPTION_OWN,
	OPTION_EVERY,
	OPTION_KEEP_FILES,
	OPTION_KEEP_BYTES,
	OPTION_KEEP_AGE,
	OPTION_MAX_MEMORY,
	OPTION_GZIP,
	OPTION_NO_GZIP,
	OPTION_HOST,
	OPTION_CONFIG,
};

/* clang-format off */
static const struct option options[] = {
	CAPTURE_OPTIONS,
	PASSES_OPTIONS,
	{ "dir", required_argument, NULL, OPTION_DIR },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "keep-files", required_argument, NULL, OPTION_KEEP_FILES },
	{ "keep-bytes", required_argument, NULL, OPTION_KEEP_BYTES },
	{ "keep-age", required_argument, NULL, OPTION_KEEP_AGE },
	{ "max-memory", required_argument, NULL, OPTION_MAX_MEMORY },
	{ "gzip", no_argument, NULL, OPTION_GZIP },
	{ "no-gzip", no_argument, NULL, OPTION_NO_GZIP },
	{ "host", required_argument, NULL, OPTION_HOST },
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};
/* clang-format on */

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
	     "      --dir DIR         where to; made when it is not there\n"
	     "      --every TIME      length of a window, at least 1s; windows end at multiples "
	     "of\n"
	     "                        it on the clock\n"
	     "      --keep-files N, --keep-bytes SIZE, --keep-age TIME\n"
	     "                        the oldest files go when there are more (default: none "
	     "goes)\n"
	     "      --max-memory SIZE for windows that cannot be written (32M); beyond it the\n"
	     "                        oldest are merged\n"
	     "      --no-gzip         plain folded text (--gzip is the default)\n"
	     "      --host NAME       instead of the machine's name\n"
	     "      --config FILE     lines such as 'keep-age 7d' for the limits above, read "
	     "again\n"
	     "                        at SIGHUP\n"
	     "  -q, --quiet           no summary at the end\n\n"
	     "SIGTERM and SIGINT end it in order, SIGUSR1 ends the window now.");
}

static int set_limit(struct snapshot_options *o, const char *name, const char *arg,
		     struct diag *diag)
{
	struct diag why = { "" };

	if (snapshot_limits_set(&o->limits, name, arg, &why) < 0)
		return diag_set(diag, EINVAL, "--%s", why.text);
	return 0;
}

static int set_every(struct snapshot_options *o, const char *arg, struct diag *diag)
{
	uint64_t ns;

	if (parse_duration_ns(arg, &ns) < 0 || ns < MIN_EVERY_NS || ns > MAX_EVERY_NS)
		return diag_set(diag, EINVAL,
				"--every: '%s' is not a duration of at least 1s such as 10s or 5m",
				arg);
	o->every_ns = ns;
	return 0;
}

static int take(struct snapshot_options *o, int c, struct diag *diag)
{
	int r;

	switch (c) {
	case OPTION_DIR:
		o->dir = optarg;
		return 0;
	case OPTION_EVERY:
		return set_every(o, optarg, diag);
	case OPTION_KEEP_FILES:
		return set_limit(o, "keep-files", optarg, diag);
	case OPTION_KEEP_BYTES:
		return set_limit(o, "keep-bytes", optarg, diag);
	case OPTION_KEEP_AGE:
		return set_limit(o, "keep-age", optarg, diag);
	case OPTION_MAX_MEMORY:
		return set_limit(o, "max-memory", optarg, diag);
	case OPTION_GZIP:
	case OPTION_NO_GZIP:
		o->no_gzip = c == OPTION_NO_GZIP;
		return 0;
	case OPTION_HOST:
		o->host = optarg;
		return 0;
	case OPTION_CONFIG:
		o->config = optarg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	}
	r = capture_option(&o->capture, c, optarg, diag);
	return r == -ENOENT ? passes_option(&o->passes, c, optarg, diag) : r;
}

static int check(struct snapshot_options *o, struct diag *diag)
{
	if (!o->dir || !*o->dir)
		return diag_set(diag, EINVAL, "--dir: a folder for the files is needed");
	if (!o->every_ns)
		return diag_set(diag, EINVAL, "--every: the length of a window is needed");
	snapshot_host_folder(o->host, o->folder);
	return capture_options_check(&o->capture, diag);
}

int snapshot_options_parse(struct snapshot_options *o, int argc, char **argv)
{
	struct diag diag = { "" };
	int c;

	while ((c = getopt_long(argc, argv, "+:" CAPTURE_SHORT_OPTIONS "qh", options, NULL)) >= 0) {
		if (c == 'h') {
			o->is_help = true;
			return EXIT_DONE;
		}
		if (c == '?' || c == ':')
			return command_usage("snapshot", "%s: %s", argv[optind - 1],
					     c == '?' ? "no such option" : "needs a value");
		if (take(o, c, &diag) < 0)
			return command_usage("snapshot", "%s", diag.text);
	}
	if (optind < argc)
		return command_usage("snapshot", "'%s': nothing was expected here", argv[optind]);
	if (check(o, &diag) < 0)
		return command_usage("snapshot", "%s", diag.text);
	return EXIT_DONE;
}

int snapshot_options_limits(const struct snapshot_options *o, struct snapshot_limits *ret_limits,
			    struct diag *ret_diag)
{
	struct snapshot_limits limits = o->limits;
	int r = o->config ? snapshot_limits_read(&limits, o->config, ret_diag) : 0;

	if (r < 0)
		return r;
	*ret_limits = limits;
	return 0;
}
