// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ids of containers are 64 hex digits, whatever the runtime writes before and behind them; names
 * are taken only where the path says that a name stands there.
 */
#include "profile/cgroup_parts.h"

#include <stdbool.h>
#include <string.h>

#define ID_DIGITS 64

/* A part of a path between slashes, or of that. */
struct part {
	const char *at;
	size_t len;
};

/* The part that begins at *at, which moves behind it; false: there is no more. */
static bool part_next(const char **at, const char *end, struct part *ret_part)
{
	while (*at < end && **at == '/')
		++*at;
	if (*at == end)
		return false;
	ret_part->at = *at;
	while (*at < end && **at != '/')
		++*at;
	ret_part->len = *at - ret_part->at;
	return true;
}

static bool ends_in(const struct part *p, const char *end)
{
	size_t len = strlen(end);

	return p->len > len && !memcmp(p->at + p->len - len, end, len);
}

static bool is(const struct part *p, const char *text)
{
	return p->len == strlen(text) && !memcmp(p->at, text, p->len);
}

/* What is behind the beginning; false: it begins otherwise, or nothing is behind. */
static bool cut_begin(struct part *p, const char *begin)
{
	size_t len = strlen(begin);

	if (p->len <= len || memcmp(p->at, begin, len) != 0)
		return false;
	p->at += len;
	p->len -= len;
	return true;
}

static bool cut_end(struct part *p, const char *end)
{
	if (!ends_in(p, end))
		return false;
	p->len -= strlen(end);
	return true;
}

static bool is_hex(const struct part *p)
{
	for (size_t i = 0; i < p->len; i++)
		if (!(p->at[i] >= '0' && p->at[i] <= '9') && !(p->at[i] >= 'a' && p->at[i] <= 'f'))
			return false;
	return true;
}

/* "ID", "docker-ID.scope", "crio-ID", "SLICE:cri-containerd:ID"; not "libpod-conmon-ID.scope". */
static bool find_id(struct part p, struct part *ret_id)
{
	struct part id;

	cut_end(&p, ".scope");
	if (p.len < ID_DIGITS)
		return false;
	id = (struct part){ p.at + p.len - ID_DIGITS, ID_DIGITS };
	p.len -= ID_DIGITS;
	if (!is_hex(&id) || (p.len && p.at[p.len - 1] != '-' && p.at[p.len - 1] != ':') ||
	    is(&p, "conmon-") || ends_in(&p, "-conmon-"))
		return false;
	*ret_id = id;
	return true;
}

/* "lxc.payload.NAME", "systemd-nspawn@NAME.service", "machine-NAME.scope"; below "lxc": NAME. */
static bool find_name(struct part p, const struct part *before, struct part *ret_name)
{
	if (is(before, "lxc") || is(before, "lxc.payload")) {
		*ret_name = p;
		return true;
	}
	if (cut_begin(&p, "lxc.payload.") ||
	    (cut_begin(&p, "systemd-nspawn@") && cut_end(&p, ".service"))) {
		*ret_name = p;
		return true;
	}
	if (!is(before, "machine.slice") || !cut_begin(&p, "machine-") || !cut_end(&p, ".scope") ||
	    cut_begin(&p, "qemu")) /* a virtual machine */
		return false;
	*ret_name = p;
	return true;
}

const char *cgroup_unit(const char *path, size_t len, size_t *ret_len)
{
	const char *at = path, *unit = NULL;
	struct part p;

	while (part_next(&at, path + len, &p)) {
		if (!ends_in(&p, ".service") && !ends_in(&p, ".scope"))
			continue;
		unit = p.at;
		*ret_len = p.len;
	}
	return unit;
}

const char *cgroup_container(const char *path, size_t len, size_t *ret_len)
{
	struct part p, before = { "", 0 }, found = { NULL, 0 };
	const char *at = path;

	while (part_next(&at, path + len, &p)) {
		if (!find_id(p, &found))
			find_name(p, &before, &found);
		before = p;
	}
	if (found.at)
		*ret_len = found.len;
	return found.at;
}
