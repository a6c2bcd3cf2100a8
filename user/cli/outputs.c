// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs: found before the work begins, written whole or not at all. */
#include "cli/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "input/sidecar_read.h"
#include "util/atomic_file.h"
#include "util/mem.h"

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len > end_len && !strcmp(s + len - end_len, end);
}

int output_find(const struct view *view, const char *format, const char *path,
		struct output *ret_output, struct diag *ret_diag)
{
	struct output o = { .path = path };
	bool is_asked = format;
	char list[VIEW_LIST_BYTES];

	if (!format && ends_with(path, ".tsv"))
		format = "tsv";
	if (!format && ends_with(path, ".dot"))
		format = "dot";
	if (format || !strcmp(path, "-"))
		o.view_format = view_find_format(view, format);
	if (!o.view_format) {
		struct diag unknown;

		o.writer = writer_find(format, path, &unknown);
		if (!o.writer) {
			view_list_formats(view, list);
			return diag_set(ret_diag, EINVAL, "%s%s; the view '%s' has %s",
					is_asked ? "--format: " : "", unknown.text, view->name,
					list);
		}
		/* A tree's folded form is the collapsed one. */
		o.view_format = view_find_format(view, o.writer->name);
		if (!o.view_format && view->options & VIEW_OF) {
			view_list_formats(view, list);
			return diag_set(ret_diag, EINVAL,
					"%s: the format '%s' is of all stacks, the view '%s' of "
					"one function: it has %s",
					path, o.writer->name, view->name, list);
		}
	}
	*ret_output = o;
	return 0;
}

/* A terminal's width and whether it wants colour; a --width given stays. */
static void ask_terminal(struct view_args *args)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize ws;

	if (!isatty(STDOUT_FILENO))
		return;
	args->colour = !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
	if (!args->width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		args->width = ws.ws_col;
}

static int render(const struct output_context *context, const struct output *o,
		  const struct pipeline_request *request, const struct profile *p, FILE *to,
		  struct diag *ret_diag)
{
	const struct writer_opts opts = { .no_annotate = context->args.no_annotate,
					  .period_ns = context->period_ns };
	struct view_args args = context->args;

	if (!o->view_format)
		return o->writer->write(to, p, &opts, ret_diag);
	args.profile = p;
	args.view = context->view;
	args.passes = context->passes;
	args.collapse = pipeline_collapse(request);
	if (!strcmp(o->path, "-"))
		ask_terminal(&args);
	return o->view_format->render(&args, to, ret_diag);
}

void output_forget_sidecar(const char *path)
{
	_cleanup_json_ struct json *old = NULL;
	_cleanup_free_ char *name = xasprintf("%s.json", path);

	if (!strcmp(path, "-") || sidecar_read(path, &old, NULL) < 0)
		return;
	if (!unlink(name))
		command_say("%s was about the file that has been replaced: removed", name);
}

int output_write(const struct output_context *context, const struct output *o,
		 const struct profile *in, struct pipeline_stats *ret_stats, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	struct pipeline_request request = { .passes = context->passes,
					    .flags = context->pipeline_flags };
	int err;

	if (o->view_format) {
		request.flags |= context->view->pipeline_flags;
		request.default_collapse = context->view->collapse;
	}
	err = pipeline_run(&request, in, &result, ret_diag);
	if (err < 0)
		return err;
	err = atomic_file_open(o->path, &file, ret_diag);
	if (err < 0)
		return err;
	err = render(context, o, &request, result.profile, atomic_file_stream(file), ret_diag);
	if (err < 0)
		return err;
	if (ret_stats)
		*ret_stats = result.stats;
	return atomic_file_commit(&file, ret_diag);
}
