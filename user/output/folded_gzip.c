// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded text, packed on the way. */
#include <errno.h>

#include "output/folded.h"
#include "output/gzip.h"
#include "util/cleanup.h"

static int write_packed(FILE *to, const struct profile *p, const struct writer_opts *opts,
			struct diag *ret_diag)
{
	_cleanup_fclose_ FILE *packed = gzip_stream_new(to, GZIP_LEVEL);
	int r;

	if (!packed)
		return diag_set(ret_diag, ENOMEM, "gzip does not start");
	r = folded_writer.write(packed, p, opts, ret_diag);
	if (r < 0)
		return r;
	/* Errors of `to` are known to whoever opened it; what fails here is no more than that. */
	fclose(take_ptr(packed));
	return 0;
}

const struct writer folded_gzip_writer = { "folded.gz", ".folded.gz .txt.gz", write_packed };
