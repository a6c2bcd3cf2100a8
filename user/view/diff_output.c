// SPDX-License-Identifier: GPL-2.0-or-later
/* A table of formats, and a file that appears when all of it is written. */
#include "view/diff_output.h"

#include <errno.h>
#include <string.h>

#include "output/gzip.h"
#include "output/html_diff.h"
#include "output/pprof.h"
#include "output/svg_diff.h"
#include "output/writer.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/near_name.h"
#include "util/text_wrap.h"

static int write_text(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		      struct diag *ret_diag)
{
	_cleanup_diff_view_ struct diff_view view = { .name = STRBUF_INIT };
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (!lines)
		return diag_set(ret_diag, errno, "memory for text: %s", strerror(errno));
	diff_view_init(&view, loaded->diff, o->opts);
	diff_text_write(lines, &view);
	if (fclose(lines))
		return diag_set(ret_diag, errno, "memory for text: %s", strerror(errno));
	text_wrap_write(to, text, len, o->opts->width);
	return 0;
}

static int write_tsv(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		     struct diag *ret_diag)
{
	_cleanup_diff_view_ struct diff_view view = { .name = STRBUF_INIT };

	(void)ret_diag;
	diff_view_init(&view, loaded->diff, o->opts);
	diff_tsv_write(to, &view);
	return 0;
}

static int write_folded(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
			struct diag *ret_diag)
{
	return diff_folded_write(to, loaded->diff, o->opts, ret_diag);
}

static int write_packed(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
			struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *packed = gzip_stream_new(to, GZIP_LEVEL);

	if (!packed)
		return diag_set(ret_diag, ENOMEM, "gzip does not start");
	return diff_folded_write(packed, loaded->diff, o->opts, ret_diag);
}

/* "before.folded → after.folded" */
static char *title_of(const struct diff_output *o)
{
	const char *names[NR_DIFF_SIDES];

	for (int s = 0; s < NR_DIFF_SIDES; s++) {
		const char *path = o->opts->names[s], *slash = strrchr(path, '/');

		names[s] = slash && slash[1] ? slash + 1 : path;
	}
	return xasprintf("%s → %s", names[DIFF_BEFORE], names[DIFF_AFTER]);
}

static struct writer_opts opts_of(const struct diff_output *o, const struct diff_loaded *loaded)
{
	return (struct writer_opts){
		.no_annotate = o->opts->no_annotate,
		.facts = loaded->facts,
		.root = o->passes->root,
		.is_split = o->passes->irq.mode == IRQ_MODE_SPLIT,
		.nr_bases = loaded->nr_bases,
		.dropped = loaded->nr_dropped,
	};
}

static int write_pprof(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		       struct diag *ret_diag)
{
	_cleanup_profile_ struct profile *before = diff_profile(loaded->diff, DIFF_BEFORE);
	_cleanup_profile_ struct profile *after = diff_profile(loaded->diff, DIFF_AFTER);
	const struct writer_opts opts = opts_of(o, loaded);

	return pprof_write_diff(to, before, after, &opts, ret_diag);
}

static int write_svg(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		     struct diag *ret_diag)
{
	_cleanup_free_ char *title = title_of(o);
	struct writer_opts opts = opts_of(o, loaded);

	opts.title = title;
	return svg_diff_write(to, loaded->diff, o->opts, &opts, ret_diag);
}

static int write_html(const struct diff_output *o, const struct diff_loaded *loaded, FILE *to,
		      struct diag *ret_diag)
{
	const char *const accounts[] = { loaded->accounts[DIFF_BEFORE],
					 loaded->accounts[DIFF_AFTER] };
	_cleanup_free_ char *title = title_of(o);
	struct writer_opts opts = opts_of(o, loaded);

	opts.title = title;
	return html_diff_write(to, loaded->diff, o->opts, &opts, accounts, ret_diag);
}

/* ".txt" is text here, not folded text. */
const struct diff_format diff_format_text = { "text", ".txt", .write = write_text };
const struct diff_format diff_format_tsv = { "tsv", ".tsv", .write = write_tsv };
static const struct diff_format folded = { "folded", ".folded", "folded text", .is_folded = true,
					   .write = write_folded };
static const struct diff_format packed = { "folded.gz", ".folded.gz", "folded text",
					   .is_folded = true, .write = write_packed };
static const struct diff_format pprof = { "pprof", ".pb.gz .pprof", "pprof", .write = write_pprof };
static const struct diff_format svg = { "svg", ".svg", "a picture", .is_picture = true,
					.write = write_svg };
static const struct diff_format html = { "html",
					 ".html .htm",
					 "a page",
					 .is_picture = true,
					 .has_accounts = true,
					 .write = write_html };

static const struct diff_format *const formats[] = {
	&diff_format_text, &diff_format_tsv, &folded, &packed, &pprof, &svg, &html
};

int diff_format_find(const char *name, const char *path, const struct diff_format **ret_format,
		     struct diag *ret_diag)
{
	const char *names[ARRAY_SIZE(formats)];
	_cleanup_strbuf_ struct strbuf known = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const char *suffixes = formats[i]->suffixes;

		names[i] = formats[i]->name;
		strbuf_addf(&known, "%s%.*s",
			    !i				  ? ""
			    : i + 1 < ARRAY_SIZE(formats) ? ", "
							  : " and ",
			    (int)strcspn(suffixes, " "), suffixes);
		if (name || !format_suits_path(formats[i]->suffixes, path))
			continue;
		*ret_format = formats[i];
		return 0;
	}
	if (!name && strcmp(path, "-"))
		return diag_set(ret_diag, EINVAL,
				"%s: the suffix names no format (use --format); there are %s", path,
				known.bytes);
	r = name ? near_name_choose("format", names, ARRAY_SIZE(names), name, ret_diag) : 0;
	if (r < 0)
		return r;
	*ret_format = formats[r];
	return 0;
}

int diff_output_write(const struct diff_output *o, const struct diff_loaded *loaded,
		      struct diag *ret_diag)
{
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	int r = atomic_file_open(o->path, &file, ret_diag);

	if (r >= 0)
		r = o->format->write(o, loaded, atomic_file_stream(file), ret_diag);
	return r < 0 ? r : atomic_file_commit(&file, ret_diag);
}
