// SPDX-License-Identifier: GPL-2.0-or-later
/* The window begins where the read does: who walks through code goes upwards. */
#include "elf/elf_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

static int window_move(struct elf_window *w, const struct elf_source *source, uint64_t offset)
{
	uint64_t left = source->len - offset;
	size_t len = left < ELF_WINDOW_BYTES ? (size_t)left : ELF_WINDOW_BYTES;
	int r;

	if (!w->bytes)
		w->bytes = xmalloc(ELF_WINDOW_BYTES);
	w->len = 0;
	r = elf_source_read(source, w->bytes, len, offset);
	if (r < 0)
		return r;
	w->at = offset;
	w->len = len;
	return 0;
}

int elf_window_read(struct elf_window *w, const struct elf_source *source, void *dst, size_t len,
		    uint64_t offset)
{
	if (source->bytes || len > ELF_WINDOW_BYTES / 4 || offset > source->len ||
	    len > source->len - offset)
		return elf_source_read(source, dst, len, offset);
	/* Where the whole window cannot be read, what is asked for may be. */
	if ((offset < w->at || offset - w->at > w->len || len > w->len - (offset - w->at)) &&
	    window_move(w, source, offset) < 0)
		return elf_source_read(source, dst, len, offset);
	memcpy(dst, w->bytes + (offset - w->at), len);
	return 0;
}

void elf_window_deinit(struct elf_window *w)
{
	free(w->bytes);
	*w = (struct elf_window){ 0 };
}
