// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Root may run with somebody's HOME: what is there is neither read nor written then, for its owner
 * could exchange it.
 */
#include "top/top_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/live_choices.h"
#include "util/atomic_file.h"
#include "util/cleanup.h"
#include "util/mem.h"
#include "util/safe_path.h"
#include "util/strbuf.h"

#define MAX_BYTES 4096

/* NULL: nothing says where. */
static char *config_path(void)
{
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

	if (config && *config == '/')
		return xasprintf("%s/eddy/top", config);
	return home && *home == '/' ? xasprintf("%s/.config/eddy/top", home) : NULL;
}

static bool is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int find_place(unsigned int flags, struct safe_place *ret_place, char **ret_path,
		      struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_free_ char *path = config_path();
	int r = path ? safe_place_open(path, flags, &place, ret_diag)
		     : diag_set(ret_diag, ENOENT, "neither XDG_CONFIG_HOME nor HOME is set");

	if (r < 0)
		return r;
	if (place.is_shared || (place.is_there && !is_ours(&place.st)))
		return diag_set(ret_diag, EPERM, "%s: it, or its directory, is another user's",
				path);
	*ret_path = take_ptr(path);
	*ret_place = place;
	place = SAFE_PLACE_INIT;
	return 0;
}

int top_config_read(char **ret_text, struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_free_ char *path = NULL, *text = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	ssize_t nr;
	int r = find_place(SAFE_PATH_KEEP_LINK, &place, &path, ret_diag);

	if (r < 0)
		return r;
	if (!place.is_there)
		return -ENOENT;
	fd = openat(place.dir, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return diag_set(ret_diag, errno, "%s: %s", path, strerror(errno));
	if (!is_ours(&st))
		return diag_set(ret_diag, EPERM, "%s: is another user's", path);
	text = xcalloc(MAX_BYTES, 1);
	nr = read(fd, text, MAX_BYTES - 1);
	if (nr < 0)
		return diag_set(ret_diag, errno, "%s: %s", path, strerror(errno));
	*ret_text = take_ptr(text);
	return 0;
}

int top_config_write(const char *text, char **ret_path, struct diag *ret_diag)
{
	_cleanup_safe_place_ struct safe_place place = SAFE_PLACE_INIT;
	_cleanup_atomic_file_ struct atomic_file *file = NULL;
	_cleanup_free_ char *path = NULL;
	int r = find_place(SAFE_PATH_MAKE_DIRS | SAFE_PATH_KEEP_LINK, &place, &path, ret_diag);

	if (r >= 0)
		r = atomic_file_open(path, &file, ret_diag);
	if (r < 0)
		return r;
	fputs(text, atomic_file_stream(file));
	r = atomic_file_commit(&file, ret_diag);
	if (r >= 0)
		*ret_path = take_ptr(path);
	return r;
}

void top_config_remember(struct live_state *state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	struct diag diag;

	live_choices_print(state, &text);
	if (top_config_write(text.bytes, &path, &diag) < 0)
		snprintf(state->message, sizeof(state->message), "not remembered: %s", diag.text);
	else
		snprintf(state->message, sizeof(state->message), "remembered in %s", path);
}

void top_config_recall(struct live_state *state, unsigned int given)
{
	_cleanup_free_ char *text = NULL;
	struct diag diag;
	int r = top_config_read(&text, &diag);

	if (r >= 0)
		live_choices_take(state, text, given);
	else if (r != -ENOENT)
		snprintf(state->message, sizeof(state->message), "choices not recalled: %s",
			 diag.text);
}

/* The lines of the page: once a second at most, for the code is read each time. */
