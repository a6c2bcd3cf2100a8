// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text: whatever is read without complaint is written, read back, and written again; both
 * texts and both totals have to be the same.  The reader is called itself, for a stack may look
 * like a line of another format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "output/folded.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct profile *read_text(const void *bytes, size_t len)
{
	_cleanup_(source_freep) struct source *source = NULL;
	_cleanup_profile_ struct profile *p = profile_new(NULL);
	_cleanup_fclose_ FILE *f = len ? fmemopen((void *)bytes, len, "r") : NULL;
	struct diag diag = { "" };
	struct reading r = { .name = "in", .into = p, .ret_diag = &diag };

	if (!f || source_new(f, "in", 1 << 24, &source, &diag) < 0)
		return NULL;
	r.source = source;
	r.opts = (struct input_opts){ .max_input_bytes = 1 << 24, .max_nodes = 1 << 20 };
	if (folded_reader.read(&r) < 0) {
		if (!*diag.text)
			abort();
		return NULL;
	}
	return take_ptr(p);
}

static char *write_text(const struct profile *p, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f || folded_writer.write(f, p, NULL, NULL) < 0 || fclose(f))
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	_cleanup_profile_ struct profile *p = read_text(bytes, len), *again = NULL;
	_cleanup_free_ char *text = NULL, *text_again = NULL;
	size_t text_len, again_len;

	if (!p || !profile_total(p))
		return 0;
	text = write_text(p, &text_len);
	again = read_text(text, text_len);
	if (!again || profile_total(again) != profile_total(p))
		abort();
	text_again = write_text(again, &again_len);
	if (again_len != text_len || memcmp(text, text_again, text_len))
		abort();
	return 0;
}
