// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs: found before the work begins, written whole or not at all. */
#include "view/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/terminal.h"
#include "archive/sidecar_read.h"
#include "output/html.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/safe_path.h"
#include "util/text_wrap.h"

static void offer_format(const struct view *view, const char *typed, char hint[NEAR_NAME_BYTES])
{
	struct near_name near = { .typed = typed };

	for (const struct view_format *f = view->formats; f->name; f++)
		near_name_offer(&near, f->name);
	writer_offer_names(&near);
	near_name_hint(&near, "", hint);
}

int output_find(const struct view *view, const char *format, const char *path,
		struct output *ret_output, struct diag *ret_diag)
{
	struct output o = { .path = path };
	char list[VIEW_LIST_BYTES], hint[NEAR_NAME_BYTES];

	if (format || !strcmp(path, "-"))
		o.view_format = view_find_format(view, format);
	else
		o.view_format = view_format_of_path(view, path);
	if (!o.view_format) {
		struct diag unknown;

		o.writer = writer_find(format, path, &unknown);
		if (!o.writer) {
			view_list_formats(view, list);
			offer_format(view, format ?: "", hint);
			return diag_set(ret_diag, EINVAL, "%s%s; the view '%s' has %s%s",
					format ? "--format: " : "", unknown.text, view->name, list,
					hint);
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
	args->colour = terminal_has_colour(STDOUT_FILENO);
	if (!args->width)
		args->width = terminal_width(STDOUT_FILENO);
}

/* Tables fit the width where they can; what is too long yet goes on below. */
static int render_text(const struct output_context *context, const struct output *o,
		       const struct view_args *args, FILE *to, struct diag *ret_diag)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *lines = args->width ? open_memstream(&text, &len) : to;
	int r;

	if (!lines)
		return diag_set(ret_diag, errno, "memory for text: %s", strerror(errno));
	if (context->unit)
		fprintf(lines, "counts: %s\n\n", context->unit);
	r = o->view_format->render(args, lines, ret_diag);
	if (lines == to)
		return r;
	if (fclose(lines) && r >= 0)
		r = diag_set(ret_diag, errno, "memory for text: %s", strerror(errno));
	if (r >= 0)
		text_wrap_write(to, text, len, args->width);
	return r;
}

static int render(const struct output_context *context, const struct output *o,
		  const struct pipeline_request *request, const struct pipeline_result *result,
		  FILE *to, struct diag *ret_diag)
{
	const struct pipeline_stats *stats = &result->stats;
	const struct writer_opts opts = {
		.no_annotate = context->args.no_annotate,
		.facts = context->facts,
		.root = context->passes->root_given ? context->passes->root : context->facts.root,
		.nr_bases = context->args.nr_bases,
		.title = context->title,
		.windows = context->windows,
		.timeline = context->timeline,
		.ret_lines = context->ret_lines,
		.unit = context->unit,
		.account = context->account,
		.dropped = pipeline_dropped(stats),
		.is_split = context->passes->irq.mode == IRQ_MODE_SPLIT,
	};
	const struct profile *p = result->profile;
	struct view_args args = context->args;

	if (!o->view_format)
		return o->writer->write(to, p, &opts, ret_diag);
	args.profile = p;
	args.view = context->view;
	args.passes = context->passes;
	args.collapse = pipeline_collapse(request);
	args.ascii = terminal_is_ascii();
	if (!strcmp(o->path, "-"))
		ask_terminal(&args);
	if (strcmp(o->view_format->name, "text") != 0)
		return o->view_format->render(&args, to, ret_diag);
	return render_text(context, o, &args, to, ret_diag);
}

/* By descriptor: what is removed is the name in the directory that was looked into. */
static bool holds_sidecar(const struct safe_place *place)
{
	_cleanup_json_ struct json *old = NULL;
	_cleanup_close_ int fd = -1;

	if (!place->is_there || !S_ISREG(place->st.st_mode))
		return false;
	fd = openat(place->dir, place->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	return fd >= 0 && !sidecar_read_fd(fd, place->name, &old, NULL);
}

/* A file of times, as output/timeline_text.h writes them. */
static bool holds_timeline(const struct safe_place *place)
{
	static const char begin[] = "eddy timeline ";
	char bytes[sizeof(begin) - 1];
	_cleanup_close_ int fd = -1;

	if (!place->is_there || !S_ISREG(place->st.st_mode))
		return false;
	fd = openat(place->dir, place->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	return fd >= 0 && read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) &&
	       !memcmp(bytes, begin, sizeof(bytes));
}

void output_forget_timeline(const char *path, const struct listener *to)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_free_ char *name = xasprintf("%s.timeline", path);

	if (atomic_file_is_stream(path) || safe_place_open(name, 0, &place, NULL) < 0)
		return;
	if (holds_timeline(&place) && !unlinkat(place.dir, place.name, 0))
		listener_say(to, "%s was about the file that has been replaced: removed", name);
}

void output_forget_sidecar(const char *path, const struct listener *to)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_free_ char *name = xasprintf("%s.json", path);

	if (atomic_file_is_stream(path) || safe_place_open(name, 0, &place, NULL) < 0)
		return;
	if (holds_sidecar(&place) && !unlinkat(place.dir, place.name, 0))
		listener_say(to, "%s was about the file that has been replaced: removed", name);
	output_forget_timeline(path, to);
}

bool output_is_page(const struct output *o)
{
	return o->writer == &html_writer;
}

bool output_has_places(const struct passes *passes, const struct output *o)
{
	return !o->view_format && writer_has_places(o->writer) &&
	       !(passes->collapse_given && passes->collapse != COLLAPSE_NONE);
}

/* Are inlined functions to stay apart from their own? */
static bool keeps_inlined(const struct output_context *context, const struct output *o,
			  const struct profile *in)
{
	if (o->view_format)
		return false;
	return writer_is_folded(o->writer) || (output_has_places(context->passes, o) &&
					       frame_table_has_places(profile_frames(in)));
}

int output_write(const struct output_context *context, const struct output *o,
		 const struct profile *in, struct pipeline_stats *ret_stats, struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_pipeline_result_ struct pipeline_result result = { 0 };
	struct pipeline_request request = { .passes = context->passes,
					    .flags = context->pipeline_flags,
					    .had = context->had };
	int err;

	if (o->view_format) {
		request.flags |= context->view->pipeline_flags;
		request.default_collapse = context->view->collapse;
	}
	if (!keeps_inlined(context, o, in))
		request.flags |= PIPELINE_JOIN_INLINED;
	err = pipeline_run(&request, in, &result, ret_diag);
	if (err < 0)
		return err;
	err = atomic_file_open(o->path, &file, ret_diag);
	if (err < 0)
		return err;
	if (context->keep_old && !o->view_format)
		atomic_file_keep_old(file, "");
	err = render(context, o, &request, &result, atomic_file_stream(file), ret_diag);
	if (err < 0)
		return err;
	if (ret_stats)
		*ret_stats = result.stats;
	return atomic_file_commit(&file, ret_diag);
}
