// SPDX-License-Identifier: GPL-2.0-or-later
/* What is shown as a file of stacks, and the window of some time: what keys `w` and `J` ask for. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "top/top_run.h"
#include "live/live_pick.h"
#include "output/folded.h"
#include "util/atomic_file.h"
#include "util/mem.h"
#include "util/time_point.h"

#define MAX_FILES 100 /* of one second */

/* A name that nothing has yet; false: all of this second are taken. */
static bool find_name(char *ret_name, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	char at[32];

	gmtime_r(&now, &tm);
	strftime(at, sizeof(at), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(ret_name, size, "eddy-top-%s.folded", at);
	for (int i = 2; i < MAX_FILES && !faccessat(AT_FDCWD, ret_name, F_OK, AT_SYMLINK_NOFOLLOW);
	     i++)
		snprintf(ret_name, size, "eddy-top-%s-%d.folded", at, i);
	return faccessat(AT_FDCWD, ret_name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

int top_write_shown(struct top *t, const struct live_table *table, char *ret_message, size_t size)
{
	_cleanup_profile_ struct profile *stacks = NULL;
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	const struct writer_opts opts = { .root = BASE_FRAMES_OF(NR_BASE_FRAMES) };
	struct diag diag = { "" };
	char name[64];
	int r;

	if (table->parts > 1) {
		snprintf(ret_message, size, "not written: faded samples are no counts (e)");
		return -EDOM;
	}
	if (table->generation != live_window_generation(t->window)) {
		snprintf(ret_message, size, "not written: these samples have made way for others");
		return -ENODATA;
	}
	stacks = live_pick_stacks(live_window_shown(t->window), &t->asked->choice, table);
	if (!find_name(name, sizeof(name))) {
		snprintf(ret_message, size, "not written: there are files of that name already");
		return -EEXIST;
	}
	r = atomic_file_open(name, &file, &diag);
	if (r >= 0)
		r = folded_writer.write(atomic_file_stream(file), stacks, &opts, &diag);
	if (r >= 0)
		r = atomic_file_commit(&file, &diag);
	if (r < 0)
		snprintf(ret_message, size, "not written: %s", diag.text);
	else
		snprintf(ret_message, size, "%s: %" PRIu64 " %s", name, profile_total(stacks),
			 t->unit ? "counts" : "samples");
	return r;
}

size_t top_window_at(const struct top *t, const char *text, char *ret_message, size_t size)
{
	size_t nr = live_window_nr(t->window);
	const struct live_account *last = nr ? live_window_account(t->window, nr - 1) : NULL;
	struct time_point at, none = { .kind = TIME_NONE };
	int64_t wanted_s, until_s;
	struct diag diag;

	if (!last || !last->end_ms) {
		snprintf(ret_message, size, "of these windows it is not known when they were");
		return 0;
	}
	if (time_point_parse("jump", text, &at, &diag) < 0) {
		const char *said = strstr(diag.text, ": ");

		snprintf(ret_message, size, "%s", said ? said + 2 : diag.text);
		return 0;
	}
	time_points_resolve(&at, &none, time(NULL), (int64_t)(last->end_ms / 1000), &wanted_s,
			    &until_s);
	for (size_t i = 0; i < nr; i++)
		if ((int64_t)live_window_account(t->window, i)->end_ms > wanted_s * 1000)
			return i + 1;
	snprintf(ret_message, size, "the last window ends before that");
	return 0;
}
