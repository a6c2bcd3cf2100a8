/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of base frames: whose a sample is, in the words of --root. */
#ifndef EDDY_COLLECT_BASE_TEXT_H
#define EDDY_COLLECT_BASE_TEXT_H

#include "collect/cgroups.h"
#include "profile/base_frame.h"
#include "sampler_abi.h"
#include "util/strbuf.h"

/* What is not in the sample. */
struct base_text_source {
	struct cgroups *cgroups; /* NULL is fine where no kind asks for a cgroup */
	const char *host;
};

/* Adds the text to an empty buffer: never nothing, but for BASE_FRAME_NONE. */
void base_text_add(struct strbuf *text, enum base_frame kind, const struct eddy_stack_event *ev,
		   const struct base_text_source *from);

#endif
