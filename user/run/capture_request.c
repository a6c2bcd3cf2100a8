// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture is when nothing else is asked for. */
#include "run/capture_request.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/mem.h"

void capture_options_init(struct capture_options *o)
{
	*o = (struct capture_options){
		.event = CAPTURE_DEFAULT_EVENT,
		.max_depth = CAPTURE_DEFAULT_DEPTH,
	};
}

void capture_options_deinit(struct capture_options *o)
{
	free(o->pids);
	free(o->tids);
	free(o->cpus);
}

void capture_request_filter(const struct capture_request *r, char *names, size_t size)
{
	const struct capture_options *o = r->options;
	const struct {
		const char *name;
		bool is_given;
	} filters[] = {
		{ "pid", o->pids },	 { "tid", o->tids },  { "command", r->only_child },
		{ "cgroup", o->cgroup }, { "comm", o->comm },
	};
	size_t len = 0;

	*names = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (filters[i].is_given && len < size)
			len += snprintf(names + len, size - len, "%s%s", len ? ", " : "",
					filters[i].name);
}
