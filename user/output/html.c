// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The viewer's files are in html_page.h, made by the build: text as it stands in page/, and the
 * hash of the script that the page's policy names.  The data is one gzip member, for that is what
 * a browser's DecompressionStream reads.
 */
#include "output/html.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "output/html_fit.h"
#include "output/html_timeline.h"
#include "output/html_windows.h"
#include "util/mem.h"

#define PACK_LEVEL 9 /* of 12: half a million nodes in 0.2 s; 12 takes four times that for 2 % */

static void base64_write(FILE *to, const unsigned char *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
			     (left > 2 ? bytes[i + 2] : 0);

		putc_unlocked(digits[v >> 18], to);
		putc_unlocked(digits[v >> 12 & 63], to);
		putc_unlocked(left > 1 ? digits[v >> 6 & 63] : '=', to);
		putc_unlocked(left > 2 ? digits[v & 63] : '=', to);
	}
}

static void sections_join(struct html_tree *t, struct strbuf *whole)
{
	for (int i = 0; i < HTML_NR_SECTIONS; i++)
		for (int shift = 0; shift < 32; shift += 8)
			strbuf_addch(whole, (char)(t->sections[i].len >> shift));
	for (int i = 0; i < HTML_NR_SECTIONS; i++)
		strbuf_add(whole, t->sections[i].bytes, t->sections[i].len);
}

static int data_write(FILE *to, struct html_tree *t, struct diag *ret_diag)
{
	struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(PACK_LEVEL);
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT;
	_cleanup_free_ unsigned char *packed = NULL;
	size_t max, len;

	if (!compressor)
		return diag_set(ret_diag, ENOMEM, "gzip does not start");
	sections_join(t, &whole);
	max = libdeflate_gzip_compress_bound(compressor, whole.len);
	packed = xmalloc(max);
	len = libdeflate_gzip_compress(compressor, whole.bytes, whole.len, packed, max);
	libdeflate_free_compressor(compressor);
	base64_write(to, packed, len);
	return 0;
}

/* Text of JSON in a section. */
static int json_put(struct strbuf *to, const struct json *j, struct diag *ret_diag)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return diag_set(ret_diag, errno, "memory for a page: %s", strerror(errno));
	json_write(f, j);
	fclose(f);
	strbuf_add(to, text, len);
	return 0;
}

int html_page_write(FILE *to, struct html_tree *t, const struct json *meta, struct diag *ret_diag)
{
	int r = json_put(&t->sections[HTML_META], meta, ret_diag);

	if (r < 0)
		return r;
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'sha256-" html_page_script_sha256 "'; style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<title>eddy</title>\n<style>\n",
	      to);
	fputs(html_page_style, to);
	fputs("</style>\n</head>\n<body>\n", to);
	fputs(html_page_body, to);
	fputs("<script type=\"text/plain\" id=\"data\">", to);
	r = data_write(to, t, ret_diag);
	fputs("</script>\n<script>", to);
	fputs(html_page_script, to);
	fputs("</script>\n</body>\n</html>\n", to);
	return r;
}

struct json *html_meta_new(const struct writer_opts *opts, const struct html_left_out *left_out)
{
	struct json *meta = json_new();
	json_id list;

	json_add_string(meta, JSON_ROOT, "version", EDDY_VERSION);
	if (opts->title)
		json_add_string(meta, JSON_ROOT, "title", opts->title);
	if (opts->unit)
		json_add_string(meta, JSON_ROOT, "unit", opts->unit);
	if (opts->dropped)
		json_add_integer(meta, JSON_ROOT, "dropped", opts->dropped);
	if (!left_out->nodes)
		return meta;
	list = json_add(meta, JSON_ROOT, "left_out", JSON_OBJECT);
	json_add_integer(meta, list, "nodes", left_out->nodes);
	json_add_integer(meta, list, "samples", left_out->samples);
	json_add_integer(meta, list, "threshold", left_out->threshold);
	return meta;
}

static int html_write(FILE *to, const struct profile *p, const struct writer_opts *opts,
		      struct diag *ret_diag)
{
	static const struct writer_opts none = { 0 };
	_cleanup_html_tree_ struct html_tree tree = { 0 };
	_cleanup_html_fit_ struct html_fit fit = { 0 };
	_cleanup_json_ struct json *meta = NULL;

	opts = opts ? opts : &none;
	if (opts->windows)
		p = opts->windows->stacks; /* the same ones */
	html_fit_init(&fit, p, HTML_MAX_NODES);
	html_tree_init(&tree, fit.p, fit.sums, opts->no_annotate);
	html_tree_add_values(&tree, HTML_SELVES, profile_selves(fit.p));
	meta = html_meta_new(opts, &fit.left_out);
	if (opts->windows) {
		html_windows_write(opts->windows, &fit, &tree);
		json_add_integer(meta, JSON_ROOT, "per_slot", opts->windows->per_slot);
	}
	if (opts->timeline)
		html_timeline_write(opts->timeline, p, &fit, &tree, meta);
	if (opts->account)
		strbuf_addstr(&tree.sections[HTML_ACCOUNT], opts->account);
	return html_page_write(to, &tree, meta, ret_diag);
}

const struct writer html_writer = { "html", ".html .htm", html_write };
