// SPDX-License-Identifier: GPL-2.0-or-later
/* A stage is one question to a worker: places under one root, on one account. */
#include "symbol/debug_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "elf/elf_copy.h"
#include "util/far_first.h"
#include "util/mem.h"
#include "util/strbuf.h"

#define MAX_CRC_BYTES (64u << 20)
#define CHUNK_BYTES   (64u << 10)
#define MAX_PLACES    4

enum stage {
	STAGE_SYSTEM, /* by build id, in our root */
	STAGE_BESIDE, /* by link, in our root */
	STAGE_THERE,  /* by either, in the process's */
	STAGE_CACHE,
	NR_STAGES
};

struct place {
	struct strbuf path;
	bool is_by_link;
};

struct stage_places {
	struct place list[MAX_PLACES];
	size_t nr;
};

/* ---- places ------------------------------------------------------------------------------- */

static struct strbuf *place_add(struct stage_places *p, bool is_by_link)
{
	struct place *place = &p->list[p->nr++];

	*place = (struct place){ STRBUF_INIT, is_by_link };
	return &place->path;
}

static void places_deinit(struct stage_places *p)
{
	for (size_t i = 0; i < p->nr; i++)
		strbuf_deinit(&p->list[i].path);
}

static void add_hex(struct strbuf *path, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		strbuf_addf(path, "%02x", bytes[i]);
}

static void add_by_build_id(const struct debugged_program *g, struct stage_places *p)
{
	struct strbuf *path;

	if (g->build_id_len < 2)
		return;
	path = place_add(p, false);
	strbuf_addf(path, "/usr/lib/debug/.build-id/%02x/", g->build_id[0]);
	add_hex(path, g->build_id + 1, g->build_id_len - 1);
	strbuf_addstr(path, ".debug");
}

/* As gdb looks for it. */
static void add_by_link(const struct debugged_program *g, const char *program,
			struct stage_places *p)
{
	const char *base = strrchr(program, '/'), *name = g->link->name;
	int dir_len;

	if (!*name || *program != '/')
		return;
	dir_len = (int)(base - program);
	strbuf_addf(place_add(p, true), "%.*s/%s", dir_len, program, name);
	strbuf_addf(place_add(p, true), "%.*s/.debug/%s", dir_len, program, name);
	strbuf_addf(place_add(p, true), "/usr/lib/debug%.*s/%s", dir_len, program, name);
}

static void add_by_alt(const struct debug_alt *alt, struct stage_places *p)
{
	const char *name = alt->link->name;

	if (*name == '/') {
		strbuf_addstr(place_add(p, false), name);
		strbuf_addf(place_add(p, false), "/usr/lib/debug%s", name);
	} else if (alt->dir) {
		strbuf_addf(place_add(p, false), "%s/%s", alt->dir, name);
	}
}

/* As debuginfod_find_debuginfo(3) says. */
static void add_in_cache(const struct debugged_program *g, struct stage_places *p)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	struct strbuf *path;

	if (g->build_id_len < 2)
		return;
	path = place_add(p, false);
	if (cache && *cache)
		strbuf_addstr(path, cache);
	else if (xdg && *xdg)
		strbuf_addf(path, "%s/debuginfod_client", xdg);
	else if (home && *home)
		strbuf_addf(path, "%s/.cache/debuginfod_client", home);
	if (!path->len) {
		p->nr--;
		return;
	}
	strbuf_addch(path, '/');
	add_hex(path, g->build_id, g->build_id_len);
	strbuf_addstr(path, "/debuginfo");
}

static void places_of(const struct debugged_program *g, unsigned int stage, struct stage_places *p)
{
	const char *path = g->path ? g->path : "";

	switch (stage) {
	case STAGE_SYSTEM:
		add_by_build_id(g, p);
		break;
	case STAGE_BESIDE:
		if (g->alt && !g->alt->is_there)
			add_by_alt(g->alt, p);
		else if (!g->alt && !g->process_root)
			add_by_link(g, path, p);
		break;
	case STAGE_THERE:
		if (!g->process_root || (g->alt && !g->alt->is_there))
			break;
		add_by_build_id(g, p);
		if (g->alt)
			add_by_alt(g->alt, p);
		else
			add_by_link(g, process_root_path(g->process_root, path), p);
		break;
	case STAGE_CACHE:
		add_in_cache(g, p);
	}
}

/* ---- whom to believe ---------------------------------------------------------------------- */

/* Is what it says of owners whatever somebody likes? */
static bool is_in_user_space(const struct far_found *found)
{
	return !found->fs_type || found->fs_type == FUSE_SUPER_MAGIC;
}

static bool is_trusted(const struct debugged_program *g, const struct far_found *found)
{
	const uint32_t uid = found->stat.uid;

	if (found->is_shared || (is_in_user_space(found) && found->stat.dev != g->dev))
		return false;
	return !uid || uid == geteuid() || uid == g->uid ||
	       (g->process_root && process_root_rules(g->process_root, uid, g->uid));
}

/* In a parser: the CRC of all bytes as the status, or -errno. */
static void crc_parse(const struct worker_request *request, struct worker_answer *answer)
{
	_cleanup_free_ unsigned char *chunk = xmalloc(CHUNK_BYTES);
	uint32_t crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while (at <= MAX_CRC_BYTES && (n = pread(request->fds[0], chunk, CHUNK_BYTES, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			answer->status = -errno;
			return;
		}
		crc = crc32(crc, chunk, n);
		at += n;
	}
	answer->status = at > MAX_CRC_BYTES ? -EFBIG : (int64_t)crc;
}

static void crc_job(const struct worker_request *request, struct worker_answer *answer)
{
	worker_parse_files(request, crc_parse, answer);
}

/* 0, -EBADMSG when it is another one, or as worker_pool_run(). */
static int crc_check(struct debug_search *search, int fd, const struct worker_key *key)
{
	_cleanup_worker_answer_ struct worker_answer a = { .fd = -1 };
	const int fds[2] = { fd, -1 };
	const struct worker_job job = { .fn = crc_job, .key = *key, .fds = fds };
	int r = worker_pool_run(search->program->pool, &job, &a);

	search->cpu_ns += a.cpu_ns;
	if (r < 0)
		return r;
	r = worker_answer_error(&a);
	if (r < 0)
		return r;
	return a.status == search->program->link->crc ? 0 : -EBADMSG;
}

/* ---- the search --------------------------------------------------------------------------- */

static struct worker_key key_of(const struct debugged_program *g, unsigned int stage)
{
	return stage == STAGE_SYSTEM || stage == STAGE_CACHE ? far_inode(0, 0, OWNER_SYSTEM)
							     : g->key;
}

/* The file of a place of the stage that was not looked at yet; -ENOENT: there is none. */
static int open_next(struct debug_search *s, const struct stage_places *p,
		     struct far_found *ret_found)
{
	const struct debugged_program *g = s->program;
	const struct worker_key key = key_of(g, s->stage);
	struct far_places places = { .root = s->stage == STAGE_CACHE ? "" : g->root,
				     .root_fd = -1 };
	int fd;

	if (s->stage == STAGE_THERE)
		places.root_fd = process_root_fd(g->process_root);
	for (size_t i = s->at; i < p->nr; i++)
		places.paths[places.nr++] = p->list[i].path.bytes;
	fd = places.nr ? far_open_first(g->pool, &key, &places, ret_found) : -ENOENT;
	if (fd >= 0 && ret_found->which >= places.nr) {
		close(fd);
		fd = -EPIPE;
	}
	if (fd >= 0)
		s->at += ret_found->which + 1;
	return fd;
}

/* What was found, if it is to be believed: a copy, or negative errno. */
static int take(struct debug_search *s, const struct place *place, int fd,
		const struct far_found *found, struct debug_file *ret_file)
{
	const struct debugged_program *g = s->program;
	const struct worker_key key = ret_file->key =
		s->stage == STAGE_SYSTEM || s->stage == STAGE_CACHE
			? far_inode(found->stat.dev, found->stat.ino, OWNER_SYSTEM)
			: far_inode(found->stat.dev, found->stat.ino, g->key.owner);
	int r = 0;

	if (!found->stat.bytes) /* a cache notes what is nowhere to be had */
		return -ENOENT;
	if (found->stat.dev == g->dev && found->stat.ino == g->ino)
		return -ENOENT;
	if (!is_trusted(g, found))
		return -EPERM;
	ret_file->is_there = s->stage == STAGE_THERE;
	ret_file->is_checked = place->is_by_link && found->stat.bytes <= MAX_CRC_BYTES;
	if (ret_file->is_checked)
		r = crc_check(s, fd, &key);
	if (r >= 0 && s->wants_files)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return r < 0 ? r : elf_copy(g->pool, &key, fd, ELF_PARTS_SYMBOLS);
}

bool debug_search_next(struct debug_search *s, struct debug_file *ret_file)
{
	for (; s->stage < NR_STAGES; s->stage++, s->at = 0) {
		_cleanup_(places_deinit) struct stage_places places = { 0 };
		struct far_found found;
		int fd;

		places_of(s->program, s->stage, &places);
		while ((fd = open_next(s, &places, &found)) >= 0) {
			_cleanup_close_ int opened = fd;
			int r = take(s, &places.list[s->at - 1], opened, &found, ret_file);

			ret_file->fd = r;
			if (r >= 0)
				return true;
			s->nr_refused += r == -EPERM || r == -EBADMSG;
		}
	}
	return false;
}
