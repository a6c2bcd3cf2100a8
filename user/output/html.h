/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page that shows the stacks in a browser, needs nothing but itself and asks nobody for
 * anything: the viewer (page/), the tree packed behind it, and the account of the capture.  What
 * others named is base64 in the file and text on the screen, and the page allows no other script.
 */
#ifndef EDDY_OUTPUT_HTML_H
#define EDDY_OUTPUT_HTML_H

#include "output/html_data.h"
#include "output/html_prune.h"
#include "output/writer.h"
#include "util/json.h"

extern const struct writer html_writer;

/* What the page is to know of the stacks; the caller may add to it. */
struct json *html_meta_new(const struct writer_opts *opts, const struct html_left_out *left_out);
/* Writes the page around the sections of a tree. -ENOMEM with a diag when it cannot be packed. */
int html_page_write(FILE *to, struct html_tree *t, const struct json *meta, struct diag *ret_diag);

#endif
